"""One measured workload in a process of its own: prints a JSON line with CPU, wall time, memory and bytes.

    python bench/workloads.py fiel|yardstick|pydantic_evals CASES [--sleep SECONDS] [--concurrency N]

CPU time is counted from after the imports to the end of the work, for all three alike; the dataset is read inside.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

RIGHT = "answer 3"


def write_cases(path: Path, count: int) -> None:
    """``count`` short cases, of which one in ten expects something else than what the target answers."""
    with path.open("w") as file:
        for number in range(count):
            expected = RIGHT if number % 10 else f"answer {number}"
            case = {
                "id": f"case-{number:07d}",
                "input": f"question number {number}",
                "expected": expected,
                "tags": {"locale": ("pt", "en", "es")[number % 3]},
            }
            file.write(json.dumps(case) + "\n")


def answering(sleep: float):
    async def answer(question: str) -> str:
        if sleep:
            await asyncio.sleep(sleep)
        return RIGHT

    return answer


def run_yardstick(folder: Path, cases: int, sleep: float, concurrency: int) -> tuple[float, float]:
    from yardstick import yardstick

    began, cpu = time.perf_counter(), time.process_time()
    with (folder / "cases.jsonl").open() as file:
        rows = [json.loads(line) for line in file]
    # Strict on us: the yardstick is given its cases, fiel has to read and check them.
    began, cpu = time.perf_counter(), time.process_time()
    asyncio.run(yardstick(rows, answering(sleep), folder / "yardstick.jsonl"))
    return time.process_time() - cpu, time.perf_counter() - began


def run_pydantic_evals(folder: Path, cases: int, sleep: float, concurrency: int) -> tuple[float, float]:
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import EqualsExpected

    began, cpu = time.perf_counter(), time.process_time()
    with (folder / "cases.jsonl").open() as file:
        rows = [json.loads(line) for line in file]
    dataset = Dataset(
        name="bench",
        cases=[Case(name=row["id"], inputs=row["input"], expected_output=row["expected"]) for row in rows],
        evaluators=[EqualsExpected()],
    )
    asyncio.run(dataset.evaluate(answering(sleep), max_concurrency=concurrency, progress=False))
    return time.process_time() - cpu, time.perf_counter() - began


def run_fiel(folder: Path, cases: int, sleep: float, concurrency: int) -> tuple[float, float]:
    import fiel_workload

    began, cpu = time.perf_counter(), time.process_time()
    fiel_workload.run(folder, answering(sleep), concurrency)
    return time.process_time() - cpu, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("fiel", "yardstick", "pydantic_evals"))
    parser.add_argument("cases", type=int)
    parser.add_argument("--sleep", type=float, default=0.0)
    parser.add_argument("--concurrency", type=int, default=8)
    asked = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    work = {"fiel": run_fiel, "yardstick": run_yardstick, "pydantic_evals": run_pydantic_evals}[asked.what]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "cases.jsonl"
        write_cases(path, asked.cases)
        sha = hashlib.sha256(path.read_bytes()).hexdigest()
        path.with_suffix(".toml").write_text(
            f'name = "bench"\nversion = "1"\nsplit = "dev"\nstrata = ["locale"]\nsha256 = "{sha}"\n'
        )
        cpu, wall = work(folder, asked.cases, asked.sleep, asked.concurrency)
        made = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and f.stem != "cases")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"cpu_s": cpu, "wall_s": wall, "peak_bytes": peak, "disk_bytes": made}))


if __name__ == "__main__":
    main()
