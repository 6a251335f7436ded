"""What every CaseSource must do, as tests: subclass ``CaseSourceContract``, and adapters keep the same promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fiel.core.case import DatasetInfo
from fiel.core.errors import DatasetError, Problem, StorageError
from fiel.ports import CaseSource

MOST_LINE_BYTES = 4_096
"""The limit that the source under test must be made with."""

LABEL = "data/contract.jsonl"
"""The label that the source under test must be made with."""

INFO = DatasetInfo(
    name="contract",
    version="7",
    split="dev",
    strata=("tenant", "risco: alto"),
    licence="CC0-1.0",
    source="written by hand, à mão",
    sha256="ab" * 32,
)
"""What the dataset of the source under test must say of itself; the pin is not that of its content."""

BOM = b"\xef\xbb\xbf"


class CaseSourceContract:
    """The contract suite of the CaseSource port.

    A subclass gives ``make(content, schemas)``: a new CaseSource over these bytes and named schemas, made with
    ``INFO``, ``LABEL`` and ``MOST_LINE_BYTES``; and ``lose(source)``, which makes the bytes of one unreadable.
    """

    def make(self, content: bytes, schemas: Mapping[str, Any]) -> CaseSource:
        raise NotImplementedError("a subclass of CaseSourceContract gives make(content, schemas)")

    def lose(self, source: CaseSource) -> None:
        raise NotImplementedError("a subclass of CaseSourceContract gives lose(source)")

    def test_it_says_what_the_dataset_says_of_itself(self) -> None:
        source = self.make(b"{}\n", {})
        assert source.info == INFO
        assert source.label == LABEL

    def test_lines_are_numbered_from_1_and_come_without_their_newline(self) -> None:
        assert self._lines(b'{"id": 1}\n{"id": 2}\n') == [(1, b'{"id": 1}'), (2, b'{"id": 2}')]

    def test_the_last_line_needs_no_newline(self) -> None:
        assert self._lines(b"one\ntwo") == [(1, b"one"), (2, b"two")]

    def test_blank_lines_are_counted(self) -> None:
        lines = self._lines(b"\n\none\n\ntwo\n")
        assert [(number, line) for number, line in lines if line] == [(3, b"one"), (5, b"two")]

    def test_a_file_of_nothing_has_no_lines(self) -> None:
        assert self._lines(b"") == []
        assert self._lines(BOM) == []

    def test_a_byte_order_mark_is_dropped_where_it_opens_the_file_and_nowhere_else(self) -> None:
        assert self._lines(BOM + b"one\ntwo\n") == [(1, b"one"), (2, b"two")]
        assert self._lines(b"one\n" + BOM + b"two\n") == [(1, b"one"), (2, BOM + b"two")]
        assert self._lines(BOM + BOM + b"one\n") == [(1, BOM + b"one")]
        marks = BOM * 999 + b"ab"  # 3,000 bytes with the newline: a mark opens every third chunk of whatever size
        assert self._lines(BOM + (marks + b"\n") * 1_000) == [(n, marks) for n in range(1, 1_001)]

    def test_bytes_that_are_no_text_come_as_they_are(self) -> None:
        odd = b"\xff\x00\x80\x0b\x0c\x1c\xc2\x85\xe2\x80\xa8 \t"
        assert self._lines(odd + b"\n" + odd) == [(1, odd), (2, odd)]

    def test_only_a_newline_ends_a_line_however_large_the_file_is(self) -> None:
        written = [("ação 東京 " * (n % 97)).encode() + str(n).encode() for n in range(5_000)]
        assert self._lines(b"\n".join(written)) == list(enumerate(written, 1))

    def test_also_sees_every_raw_byte_in_order(self) -> None:
        for content in (b"", BOM, BOM + b"one\r\n\ntwo", b"x" * 1_000 + b"\n", (b"line\n" * 100_000)):
            seen: list[bytes] = []
            for _ in self.make(content, {}).lines(also=seen.append):
                pass
            assert b"".join(seen) == content

    def test_it_may_be_iterated_several_times(self) -> None:
        source = self.make(BOM + b"one\ntwo\n", {})
        whole = [(1, b"one"), (2, b"two")]
        assert list(source.lines()) == whole
        assert next(iter(source.lines())) == whole[0]  # and left there
        assert list(source.lines()) == whole
        assert list(zip(source.lines(), source.lines(), strict=True)) == [(line, line) for line in whole]

    def test_a_line_as_long_as_the_limit_is_given(self) -> None:
        longest = b"x" * MOST_LINE_BYTES
        assert self._lines(longest + b"\n" + longest) == [(1, longest), (2, longest)]

    def test_a_line_beyond_the_limit_is_refused_with_its_place(self) -> None:
        for length in (MOST_LINE_BYTES + 1, MOST_LINE_BYTES * 1_000):
            problems = _refused(self.make(b"one\n" + b"x" * length + b"\nthree\n", {}).lines())
            assert [problem.where for problem in problems] == [f"{LABEL}:2"]
            assert all(problem.what for problem in problems)

    def test_a_line_without_an_end_is_refused_before_all_of_it_was_read(self) -> None:
        seen = 0

        def count(chunk: bytes) -> None:
            nonlocal seen
            seen += len(chunk)

        endless = b"x" * 8_000_000
        assert _refused(self.make(endless, {}).lines(also=count))
        assert seen < len(endless)

    def test_what_cannot_be_read_is_a_storage_error(self) -> None:
        source = self.make(b"one\n", {})
        self.lose(source)
        try:
            lines = list(source.lines())
        except StorageError as error:
            said = str(error)
        else:
            raise AssertionError(f"a source that cannot be read gave {lines}")
        assert LABEL in said

    def test_schemas_come_by_their_names(self) -> None:
        schemas = {"receipt": {"type": "object", "required": ["total"]}, "nota-fiscal": True}
        assert dict(self.make(b"", schemas).schemas()) == schemas
        assert dict(self.make(b"", {}).schemas()) == {}

    def _lines(self, content: bytes) -> list[tuple[int, bytes]]:
        return list(self.make(content, {}).lines())


def _refused(lines: Iterable[object]) -> tuple[Problem, ...]:
    try:
        for _ in lines:
            pass
    except DatasetError as error:
        return error.problems
    raise AssertionError("a line beyond the limit was taken")
