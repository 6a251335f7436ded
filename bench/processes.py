"""Runs what is measured in processes of their own, taking turns, so that noise falls on all alike."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workloads import write_cases

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
Measures = dict[str, float]


@contextmanager
def laboratory() -> Iterator[Laboratory]:
    """A scratch folder with the environment that every measured process gets; it vanishes afterwards."""
    with tempfile.TemporaryDirectory(prefix="fiel-bench-") as name:
        yield Laboratory(Path(name))


class Laboratory:
    """Where measured processes run: this checkout on their path, and bytecode kept as an installation would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self.environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def cases(self, count: int) -> Path:
        """A new folder with ``count`` cases."""
        self._number += 1
        folder = self.folder / str(self._number)
        write_cases(folder, count)
        return folder

    def once(self, python: str, what: str, count: int, *more: str) -> Measures:
        """One workload over ``count`` fresh cases."""
        folder = self.cases(count)
        try:
            return self.workload(python, what, folder, *more)
        finally:
            shutil.rmtree(folder)

    def workload(self, python: str, what: str, folder: Path, *more: str) -> Measures:
        found: dict[str, Any] = json.loads(self._output(self.command(python, what, folder, *more)).splitlines()[-1])
        return found

    def command(self, python: str, what: str, folder: Path, *more: str) -> list[str]:
        return [python, str(HERE / "workloads.py"), what, str(folder), *more]

    def turns(self, tries: int, contenders: Mapping[str, Callable[[], Measures]]) -> dict[str, list[Measures]]:
        """Each contender's measures, one a round."""
        found: dict[str, list[Measures]] = {name: [] for name in contenders}
        for _ in range(tries):
            for name, measure in contenders.items():
                found[name].append(measure())
        return found

    def start_up(self, arguments: Sequence[str]) -> Measures:
        """How long an interpreter takes from its start to its end, in seconds."""
        began = time.perf_counter()
        self._output([sys.executable, *arguments])
        return {"wall_s": time.perf_counter() - began}

    def kill_when(self, command: Sequence[str], reached: Callable[[], bool]) -> None:
        """Start a process and kill it with SIGKILL once ``reached`` says so."""
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL)
        while not reached():
            if process.poll() is not None:
                raise RuntimeError("the process ended before it could be killed")
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def _output(self, command: Sequence[str]) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout


def rival(root: Path) -> str:
    """The interpreter of an environment with pydantic-evals 2.x, made from its lock where it is not there yet."""
    folder = root / ".venvs" / "rival"
    python = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        lock = str(root / "requirements" / "bench.lock")
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock], check=True)
        (folder / ".ready").touch()
    return str(python)
