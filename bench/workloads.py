"""One measured workload in a process of its own: prints a JSON line with CPU, wall time, memory and bytes.

    python bench/workloads.py fiel|yardstick|bare|pydantic_evals FOLDER [--answer NAME] [--concurrency N] [--resume]

``FOLDER`` holds ``cases.jsonl``, as :func:`write_cases` makes it. CPU time is counted from after the imports to the
end of the work, for all alike. The yardstick is handed its cases; fiel and pydantic-evals read theirs. ``bare`` awaits
an async target, so many at once, and does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import answers


def write_cases(folder: Path, count: int) -> None:
    """``count`` short cases, of which one in ten expects something else than what the target answers."""
    folder.mkdir(parents=True)
    sha = hashlib.sha256()
    with (folder / "cases.jsonl").open("wb") as file:
        for number in range(count):
            case = {
                "id": f"case-{number:07d}",
                "input": f"question number {number}",
                "expected": answers.RIGHT if number % 10 else f"answer {number}",
                "tags": {"locale": ("pt", "en", "es")[number % 3]},
            }
            line = json.dumps(case).encode() + b"\n"
            sha.update(line)
            file.write(line)
    (folder / "cases.toml").write_text(
        f'name = "bench"\nversion = "1"\nsplit = "dev"\nstrata = ["locale"]\nsha256 = "{sha.hexdigest()}"\n'
    )


def read_cases(folder: Path) -> list[dict[str, str]]:
    with (folder / "cases.jsonl").open() as file:
        return [json.loads(line) for line in file]


def prepare_yardstick(asked: argparse.Namespace):
    from yardstick import yardstick

    # Strict on fiel: the yardstick's cases are in memory before its clock starts.
    rows, target = read_cases(asked.folder), getattr(answers, asked.answer)
    return lambda: asyncio.run(yardstick(rows, target, asked.folder / "yardstick.jsonl"))


def prepare_pydantic_evals(asked: argparse.Namespace):
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import EqualsExpected

    def work() -> None:
        cases = [
            Case(name=row["id"], inputs=row["input"], expected_output=row["expected"])
            for row in read_cases(asked.folder)
        ]
        dataset = Dataset(name="bench", cases=cases, evaluators=[EqualsExpected()])
        target = getattr(answers, asked.answer)
        asyncio.run(dataset.evaluate(target, max_concurrency=asked.concurrency, progress=False))

    return work


def prepare_bare(asked: argparse.Namespace):
    target = getattr(answers, asked.answer)

    async def worker(questions: Iterator[str]) -> None:
        for question in questions:
            await target(question)

    async def work() -> None:
        questions = iter([row["input"] for row in read_cases(asked.folder)])
        async with asyncio.TaskGroup() as group:
            for _ in range(asked.concurrency):
                group.create_task(worker(questions))

    return lambda: asyncio.run(work())


def prepare_fiel(asked: argparse.Namespace):
    import fiel_workload

    return lambda: fiel_workload.run(asked.folder, asked.answer, asked.concurrency, resume=asked.resume)


PREPARE = {
    "fiel": prepare_fiel,
    "yardstick": prepare_yardstick,
    "bare": prepare_bare,
    "pydantic_evals": prepare_pydantic_evals,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=PREPARE)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--answer", default="at_once")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--resume", action="store_true")
    asked = parser.parse_args()
    work = PREPARE[asked.what](asked)
    began, cpu = time.perf_counter(), time.process_time()
    work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - began
    made = sum(f.stat().st_size for f in asked.folder.rglob("*") if f.is_file() and f.stem != "cases")
    json.dump({"cpu_s": cpu, "wall_s": wall, "peak_bytes": peak_bytes(), "disk_bytes": made}, sys.stdout)


def peak_bytes() -> int:
    """The most memory that this process ever held."""
    try:
        # What getrusage says includes the parent's size at the moment of the fork; this does not.
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    return 1024 * (int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    main()
