"""Text from outside is data: here it becomes one bounded, visible line, and then safe in each format.

Every renderer passes *all* of its text through one of these functions, its own words too, so that no string
has to be remembered as trusted. All of them begin with :func:`plain`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from html import escape as _entities
from typing import Any, Final

CELL: Final = 300
"""Characters of one value that a table shows; the rest is counted, not shown."""

SENTENCE: Final = 2_000
"""Characters of one sentence (a reason of a gate) that are shown."""

_MARKS: Final = 6
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# Controls (C0, DEL, C1), separators that end a line somewhere, marks that turn or hide text (bidi, zero width
# other than the joiners that scripts and emoji need, byte order mark, tags, supplementary variation selectors),
# lone surrogates and non-characters.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
# What a build server reads as a command: "::" that opens a line (GitHub), "##[" (GitHub, Azure), "##vso[",
# "##teamcity[" anywhere.
_OPENS_LINE: Final = re.compile(r"(?m)^([^\S\n]*):(?=:)")
_COMMAND: Final = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE)
_RATIO: Final = "\N{RATIO}"
_SHARP: Final = "\N{MUSIC SHARP SIGN}"
_MARKDOWN: Final = re.compile(r"[\\`*\[~$@<&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|#(?=[\w\[#])|:(?=//)|(?<=www)\.")
_MARKDOWN_START: Final = re.compile(r"^(?:>|[-+=#](?=[\s=#-]|$)|\d{1,9}(?=[.)](?:\s|$)))")
_MARKDOWN_CODE: Final = re.compile(r"[^\w\s.,/=\"'-]|(?<=www)\.|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", re.ASCII)
_SIMPLE_CODE: Final = re.compile(r"[^\\`|<>]*[^\\`|<>\s]")


def plain(text: object, limit: int = CELL) -> str:
    """One line of at most ``limit`` characters of ``text`` in which nothing is hidden.

    Line breaks, terminal controls, marks that reorder text, invisible characters, and marks piled higher than any
    script piles them are written as escapes (``\\n``, ``\\x1b``, ``\\u202e``). What was cut is counted, as in
    ``… (+1,048,276 characters)``.
    """
    whole = text if isinstance(text, str) else str(text)
    cut = len(whole) - limit
    shown = _UNSEEN.sub(_visible, whole[:limit])
    if not shown.isascii():
        shown = _unstacked(shown)
    return f"{shown}… (+{cut:,} characters)" if cut > 0 else shown


def value(anything: Any) -> str:
    """A JSON value as compact JSON text, for ``expected`` and ``got``; not yet escaped or bounded."""
    try:
        return json.dumps(anything, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(a value that cannot be shown: it is nested too deeply)"


def markdown(text: object, limit: int = CELL) -> str:
    """Text inert in GitHub's Markdown, in a heading, a paragraph or a list item: what could act is an entity."""
    return _guarded(_MARKDOWN_START.sub(_entities_of, _MARKDOWN.sub(_entity, plain(text, limit).strip())))


def markdown_cell(text: object, limit: int = CELL) -> str:
    """The same in a cell of a table, which a pipe would end."""
    return markdown(text, limit).replace("|", "&#124;")


def markdown_code(text: object, limit: int = CELL) -> str:
    """The same in code type; a code span where the text allows it, a ``<code>`` element where it does not."""
    shown = plain(text, limit)
    if not shown:
        return ""
    if _SIMPLE_CODE.fullmatch(shown) and not _COMMAND.search(shown):
        return f"`{shown}`" if shown == shown.strip() else f"`{shown.strip()}`"
    return f"<code>{_MARKDOWN_CODE.sub(_entity, shown)}</code>"


def html(text: object, limit: int = CELL) -> str:
    """Text inert in HTML, between tags and in a quoted attribute; addresses do not even look like one in the source."""
    safe = _entities(plain(text, limit), quote=True).replace("://", ":&#47;&#47;")
    return _guarded(re.sub(r"(?i)(javascript|data|vbscript):", r"\1&#58;", safe))


def xml(text: object, limit: int = SENTENCE) -> str:
    """Text that XML 1.0 allows, between tags and in a quoted attribute."""
    return _guarded(_entities(plain(text, limit), quote=True))


def stdout(text: str) -> str:
    """A whole printed page in which no line is a command to the build server that shows it.

    One sign of each command gives way to a look-alike of the same width, so that columns stay where they are.
    """
    return _COMMAND.sub(_SHARP, _OPENS_LINE.sub(rf"\1{_RATIO}", text))


def workflow_data(text: object, limit: int = SENTENCE) -> str:
    """Text after the second ``::`` of a GitHub workflow command."""
    return _COMMAND.sub(_SHARP, plain(text, limit)).replace("%", "%25")


def workflow_property(text: object, limit: int = CELL) -> str:
    """Text of a property (``title=``) of a GitHub workflow command."""
    return workflow_data(text, limit).replace(":", "%3A").replace(",", "%2C")


def _guarded(safe: str) -> str:
    return _COMMAND.sub("&#35;", _OPENS_LINE.sub(r"\1&#58;", safe))


def _unstacked(text: str) -> str:
    """Combining marks beyond the sixth on one letter as escapes: a pile of them is drawn over the whole page."""
    parts, run = [], 0
    for character in text:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        parts.append(character if run <= _MARKS else _escape(character))
    return "".join(parts)


def _visible(match: re.Match[str]) -> str:
    return _escape(match.group())


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match.group())};"


def _entities_of(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in match.group())
