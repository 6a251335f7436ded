"""Remembering a million ids and inputs in sixteen bytes a case, to find what is there twice."""

from __future__ import annotations

import re
import unicodedata
from array import array
from typing import Any, Final

import msgspec

_WHOLE_FLOAT: Final = re.compile(rb"\.0(?![0-9])|[0-9]e")
_BUCKETS: Final = 256
_ALL_BITS: Final = 2**64 - 1
_WHOLE: Final = 2.0**63
_sorted = msgspec.json.Encoder(order="sorted").encode


def normalised(value: Any) -> bytes:
    """A JSON value's canonical form after Unicode NFC and whitespace folding of every string in it.

    A number is the same in every way of writing it: ``1``, ``1.0`` and ``10e-1``.
    """
    encoded = _sorted(value)
    return encoded if _is_plain(value, encoded) else _sorted(_folded(value))


def _is_plain(value: Any, encoded: bytes) -> bool:
    """Nothing to normalise: ASCII without escapes, runs of spaces, spaces at a string's ends or whole floats."""
    return (
        encoded.isascii()
        and encoded.find(b"\\") < 0
        and encoded.find(b"  ") < 0
        and encoded.find(b'" ') < 0
        and encoded.find(b' "') < 0
        and (value.__class__ is str or _WHOLE_FLOAT.search(encoded) is None)
    )


def normalised_id(case_id: str) -> str:
    """An id after the same folding: two that a reader cannot tell apart are one."""
    if case_id.isascii() and " " not in case_id and case_id.isprintable():
        return case_id
    folded: str = _folded(case_id)
    return folded


def _folded(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFC", value).split())
    if isinstance(value, float) and abs(value) < _WHOLE and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_folded(item) for item in value]
    if isinstance(value, dict):
        return {_folded(key): _folded(item) for key, item in value.items()}
    return value


class Prints:
    """A bag of 64-bit prints at 8 bytes each; equal content has equal prints, and the rare reverse is checked."""

    def __init__(self) -> None:
        # Buckets by the lowest byte, so that sorting one of them never copies them all.
        self._buckets = [array("Q") for _ in range(_BUCKETS)]

    def add(self, print_: int) -> None:
        self._buckets[print_ & 0xFF].append(print_)

    def repeated(self) -> set[int]:
        """The prints that were added more than once."""
        found: set[int] = set()
        for bucket in self._buckets:
            if len(bucket) > 1:
                before = -1
                for print_ in sorted(bucket):
                    if print_ == before:
                        found.add(print_)
                    before = print_
        return found

    def common(self, other: Prints) -> set[int]:
        """The prints that are in both."""
        found: set[int] = set()
        for mine, theirs in zip(self._buckets, other._buckets, strict=True):
            found.update(set(mine).intersection(theirs))
        return found


def _print(content: bytes | str) -> int:
    # The interpreter's own hash: 64 bits, and prints are compared within one process only.
    return hash(content) & _ALL_BITS


class Fingerprints:
    """The prints of a dataset's ids and of its normalised inputs."""

    def __init__(self) -> None:
        self.ids, self.inputs = Prints(), Prints()

    def add(self, case_id: str, case_input: Any) -> None:
        self.ids.add(_print(normalised_id(case_id).encode()))
        self.inputs.add(_print(normalised(case_input)))

    @staticmethod
    def of_id(case_id: str) -> int:
        return _print(normalised_id(case_id).encode())

    @staticmethod
    def of_input(case_input: Any) -> int:
        return _print(normalised(case_input))

    @classmethod
    def of(cls, case_id: str, case_input: Any) -> tuple[int, int]:
        return cls.of_id(case_id), cls.of_input(case_input)
