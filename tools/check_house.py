"""Check what no linter checks for us: file lengths, file names, and rooms that must not touch the world.

``python tools/check_house.py [ROOT]`` prints one line for each thing that is wrong and exits 1 if there is any.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MOST_LINES = 400
NOT_A_ROOM = ("utils", "util", "helpers", "helper", "common", "shared", "base", "misc", "manager", "managers")
PURE = ("core", "stats", "personal", "graders", "reports")
NO_IO = (*PURE, "offline", "gate", "harness")
STANDARD_ONLY = ("core", "ports.py")

OPENS = {"open", "input", "print", "exec", "eval", "breakpoint"}
CLOCK = {"now", "today", "utcnow"}
GLOBAL_CHANCE = {"random", "randint", "choice", "choices", "sample", "shuffle", "uniform", "gauss", "seed"}


def main(root: Path) -> int:
    """The number of faults under ``root`` (a checkout), each printed with its place."""
    faults = [*_faults(root)]
    for fault in faults:
        print(fault)  # noqa: T201
    if not faults:
        print("house: lengths, names and pure rooms are in order")  # noqa: T201
    return len(faults)


def _faults(root: Path) -> Iterator[str]:
    for top in ("src", "tests", "bench", "tools"):
        for path in sorted((root / top).rglob("*.py")):
            where = path.relative_to(root).as_posix()
            text = path.read_text(encoding="utf-8")
            lines = text.count("\n")
            if lines > MOST_LINES:
                yield f"{where}: {lines} lines; a file has at most {MOST_LINES}"
            yield from _names(where)
            if top == "src":
                yield from _rooms(where, ast.parse(text, where))


def _names(where: str) -> Iterator[str]:
    for part in Path(where).with_suffix("").parts:
        if part.removeprefix("test_").strip("_") in NOT_A_ROOM:
            yield f'{where}: "{part}" says nothing of what is inside; name the noun that it holds'


def _rooms(where: str, tree: ast.Module) -> Iterator[str]:
    room = Path(where).parts[2]
    for node in ast.walk(tree):
        if room in STANDARD_ONLY:
            yield from _foreign(where, node)
        if room in NO_IO and isinstance(node, ast.Call):
            yield from _touches(where, node, pure=room in PURE)


def _foreign(where: str, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        modules = [node.module or ""]
    else:
        return
    for module in modules:
        top = module.partition(".")[0]
        if top != "fiel" and top not in sys.stdlib_module_names:
            yield f'{where}:{node.lineno}: imports "{top}"; here the standard library is all there is'


def _touches(where: str, call: ast.Call, *, pure: bool) -> Iterator[str]:
    here = f"{where}:{call.lineno}"
    match call.func:
        case ast.Name(id=name) if name in OPENS:
            yield f"{here}: calls {name}(); this room gets what it needs as an argument"
        case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr=name) if name in CLOCK and pure:
            yield f"{here}: reads the clock with {name}(); time comes in as an argument"
        case ast.Attribute(value=ast.Name(id="random"), attr=name) if name in GLOBAL_CHANCE and pure:
            yield f"{here}: draws from the global generator; chance comes in as a seed"


if __name__ == "__main__":
    raise SystemExit(min(1, main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])))
