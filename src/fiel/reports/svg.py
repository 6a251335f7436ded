"""Small pictures drawn on the server: an interval on its scale, and the needle of the balance.

Colours come from CSS variables through classes (:data:`CSS`), so that dark, light and print are the page's
matter; there is no style attribute, no script and no address, which the strictest policy allows.
"""

from __future__ import annotations

from typing import Final

from fiel.core.report import Rate
from fiel.reports import wording
from fiel.reports.escape import html

CSS: Final = """
.bar{display:block;max-width:100%;height:auto;overflow:visible}
.bar-track{fill:var(--line)}
.bar-tick{stroke:var(--quiet);stroke-width:1;opacity:.55}
.bar-band{fill:var(--accent);opacity:.38}
.bar-dot{fill:var(--accent);stroke:var(--paper);stroke-width:1.5}
.bar-none{fill:none;stroke:var(--quiet);stroke-width:1;stroke-dasharray:3 4}
.bar-word{fill:var(--quiet);font-size:10px}
.thin .bar-dot{fill:var(--paper);stroke:var(--accent);stroke-width:2}
.thin .bar-band{opacity:.2}
.needle{display:block;fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
.needle-tip{fill:var(--accent);stroke:var(--accent)}
.needle-arc{stroke:var(--quiet)}
"""
"""Style of everything here; needs the variables ``--line --quiet --accent --paper``."""

_EDGE: Final = 6


def interval_bar(rate: Rate, label: str, *, width: int = 160, thin: bool = False, scale: bool = False) -> str:
    """A rate from 0 to 1 as a dot, with its interval as a band; a dashed line where undefined.

    ``label`` names what is measured, for those who cannot see it; ``thin`` draws few cases fainter; ``scale``
    writes 0, 50 and 100 % below.
    """
    height, middle = (34, 9) if scale else (18, 9)
    said = f"{label}: {wording.rate(rate)}"
    if rate.interval is not None and rate.denominator:
        said += f", 95 % interval {wording.interval(rate)}"
    kind = "bar thin" if thin else "bar"
    parts = [
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{html(said)}">'
    ]
    left, right = _at(0, width), _at(1, width)
    if not rate.denominator:
        parts.append(f'<line class="bar-none" x1="{left}" y1="{middle}" x2="{right}" y2="{middle}"/>')
    else:
        parts.append(
            f'<rect class="bar-track" x="{left}" y="{middle - 1}" width="{right - left:g}" height="2" rx="1"/>'
        )
        for share in (0.0, 0.5, 1.0):
            at = _at(share, width)
            parts.append(f'<line class="bar-tick" x1="{at}" y1="{middle - 4}" x2="{at}" y2="{middle + 4}"/>')
        if rate.interval is not None:
            low, high = (_at(bound, width) for bound in rate.interval)
            wide = max(1.0, high - low)
            parts.append(f'<rect class="bar-band" x="{low}" y="{middle - 4}" width="{wide:g}" height="8" rx="4"/>')
        parts.append(
            f'<circle class="bar-dot" cx="{_at(rate.numerator / rate.denominator, width)}" cy="{middle}" r="5"/>'
        )
    if scale:
        for at, word, anchor in ((0, "0 %", "start"), (width / 2, "50 %", "middle"), (width, "100 %", "end")):
            parts.append(f'<text class="bar-word" x="{at:g}" y="{height - 4}" text-anchor="{anchor}">{word}</text>')
    return "".join([*parts, "</svg>"])


def needle(size: int = 44) -> str:
    """The sign of fiel: a balance whose needle stands upright. Decorative, so it is hidden from readers aloud."""
    ticks = "".join(
        f'<path class="needle-arc" d="{d}"/>'
        for d in ("M13.2 12.6A14 14 0 0 1 34.8 12.6", "M16.4 9.4l1 1.3", "M31.6 9.4l-1 1.3")
    )
    return (
        f'<svg class="needle" viewBox="0 0 48 48" width="{size}" height="{size}" aria-hidden="true" focusable="false">'
        f"{ticks}"
        '<path d="M8 22H40M24 22V41M17 42H31"/>'
        '<path d="M8 22L4 32M8 22L12 32M40 22L36 32M40 22L44 32"/>'
        '<path d="M3 32a5 4.4 0 0 0 10 0zM35 32a5 4.4 0 0 0 10 0z"/>'
        '<path class="needle-tip" d="M24 9.6L25.5 22H22.5z"/>'
        '<circle class="needle-tip" cx="24" cy="22" r="1.8"/>'
        "</svg>"
    )


def _at(share: float, width: int) -> float:
    return round(_EDGE + min(1.0, max(0.0, share)) * (width - 2 * _EDGE), 2)
