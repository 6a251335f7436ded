"""The targets that are measured: the same callables for fiel, for the yardstick and for pydantic-evals."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

RIGHT = "answer 3"
PAUSE_S = 0.05


async def at_once(question: str) -> str:
    return RIGHT


async def waiting(question: str) -> str:
    await asyncio.sleep(PAUSE_S)
    return RIGHT


def blocking(question: str) -> str:
    time.sleep(PAUSE_S)
    return RIGHT


async def counted(question: str, *, case_id: str, log: str) -> str:
    """Writes the case into ``log`` as soon as it is asked, so that another process can count the calls."""
    with Path(log).open("a") as file:
        file.write(case_id + "\n")
    await asyncio.sleep(0.005)
    return RIGHT
