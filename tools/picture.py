"""Draw docs/gate.svg: the README's journey, run for real, as a terminal shows it.

``python tools/picture.py [OUT]`` runs the two targets of the example and the gate, and writes the picture to OUT.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

COMMANDS = (
    "fiel run baseline --split holdout -o runs/old",
    "fiel run runner --split holdout --option inject_regression=true -o runs/cand",
    "fiel gate --baseline runs/old --candidate runs/cand",
)
COLUMNS = 100
SECTIONS = {"What blocks": 99, "Fixed cases (2)": 99, "Broken cases (1)": 99, "Strata side by side": 13}
LINE, ADVANCE, EDGE = 19, 8.1, 18
SGR = re.compile(r"\x1b\[([\d;]*)m")
STYLE = """
.paper{fill:#101418}.t{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee6}
.c1{font-weight:700}.c2{fill:#8b97a5}.c31{fill:#ff8078}.c32{fill:#7ad99a}.c33{fill:#f0c674}.p{fill:#7fb4ff}
"""


def main(out: Path) -> None:
    """Run, draw, write."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [*journey(Path(folder))]
    out.write_text(svg(lines), encoding="utf-8")


def journey(folder: Path) -> Iterator[str]:
    """What the screen shows, line by line, with colour codes; only the gate's own answer is shown in full."""
    fiel = [sys.executable, "-m", "fiel"]
    subprocess.run([*fiel, "init", "--example", "relayops", "w"], cwd=folder, check=True, capture_output=True)
    for command in COMMANDS[:-1]:
        subprocess.run([*fiel, *command.split()[1:]], cwd=folder / "w", check=True, capture_output=True)
        yield f"\x1b[90m$\x1b[0m {command}"
    yield f"\x1b[90m$\x1b[0m {COMMANDS[-1]}"
    ruled = subprocess.run(
        [sys.executable, "-c", COLOURED, *COMMANDS[-1].split()[3::2]],
        cwd=folder / "w",
        check=True,
        capture_output=True,
        text=True,
    )
    yield from excerpt(ruled.stdout.rstrip().splitlines())
    yield "\x1b[90m$\x1b[0m echo $?"
    yield "1"


def excerpt(answer: list[str]) -> Iterator[str]:
    """The ruling and the sections that fit a picture; three dots stand for what is left out."""
    left, dots = 6, False
    for line in answer:
        bare = SGR.sub("", line)
        if bare[:1].isupper():
            left = SECTIONS.get(bare, 0)
        left -= 1
        if left >= 0:
            yield line.rstrip()
        elif not dots:
            yield "\x1b[2m  ...\x1b[0m"
        dots = left < 0


# The command prints colour to a terminal only; this is what it would print there.
COLOURED = f"""
import sys
from pathlib import Path
from fiel.reports import render_decision
from fiel.wiring.release import rule
print(render_decision(rule(Path(sys.argv[2]), Path(sys.argv[1])), "terminal", width={COLUMNS}, colour=True))
"""


def svg(lines: list[str]) -> str:
    """The lines as one SVG without script, font file or address (but for the namespace that SVG asks for)."""
    width, height = round(COLUMNS * ADVANCE) + 2 * EDGE, len(lines) * LINE + 2 * EDGE
    rows = [
        f'<text class="t" x="{EDGE}" y="{EDGE + LINE * n + 13}" xml:space="preserve">{spans(line)}</text>'
        for n, line in enumerate(lines)
        if SGR.sub("", line).strip()
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{width}" height="{height}" rx="8"/>',
            *rows,
            "</svg>\n",
        ]
    )


def spans(line: str) -> str:
    """One line with its colour codes turned into classes."""
    parts, classes = [], ""
    for n, part in enumerate(SGR.split(line)):
        if n % 2:
            classes = " ".join("p" if code == "90" else f"c{code}" for code in part.split(";") if code not in ("", "0"))
        elif part:
            text = escape(part, quote=False)
            parts.append(f'<tspan class="{classes}">{text}</tspan>' if classes else text)
    return "".join(parts)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "gate.svg")
