"""E-mail addresses: a local part, an at sign (also as ``%40``) and a domain with a top level in letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fiel.personal.numbers import Span, Windows

LONGEST_LOCAL: Final = 64
"""Octets that RFC 5321 allows in front of the at sign; of a longer run the last 64 are taken."""

_AT: Final = re.compile(r"(?:@|%40)((?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,9}[^\W\d_]{2,24})(?![\w@])")
_LOCAL_BACKWARDS: Final = re.compile(rf"[\w.%+'~-]{{0,{LONGEST_LOCAL}}}")
_RETINA: Final = re.compile(r"[0-9]x\.", re.IGNORECASE)


def email(text: str, outside: str = "", windows: Windows = ()) -> Iterator[Span]:
    """Spans of e-mail addresses in folded ``text``, in order and apart; neither name nor windows change them."""
    reached = 0
    for match in _AT.finditer(text):
        at = match.start()
        front = text[max(reached, at - LONGEST_LOCAL) : at]
        local = _LOCAL_BACKWARDS.match(front[::-1])
        kept = (local[0][::-1] if local else "").lstrip(".'%~-")
        if kept and not _RETINA.match(match[1]):  # icon@2x.png is a picture
            yield at - len(kept), match.end()
            reached = match.end()
