"""What every Journal, Log and Spool must do, as tests: subclass, and each adapter is held to the same promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from fiel.ports import Journal, Log, Spool

LINES: tuple[bytes, ...] = (
    b"one",
    b"",
    '{"ação": "東京"}'.encode(),
    b"\x00\xff\r\x0b\x1c\xe2\x80\xa8",
    b"long" * 100_000,
    b"",
    b"last",
)
"""Lines of any bytes but a newline."""


class LogContract:
    """The contract suite of the Log port.

    A subclass gives ``make()``: a new, empty Log; ``reopened(log)``: the same one closed and opened for appending
    again; and ``killed(log, half)``: the log as it is next opened for appending when a kill came now, with ``half``
    of the line that ``append`` was at already written.
    """

    def make(self) -> Log:
        raise NotImplementedError("a subclass of LogContract gives make()")

    def reopened(self, log: Log) -> Log:
        raise NotImplementedError("a subclass of LogContract gives reopened(log)")

    def killed(self, log: Log, half: bytes) -> Log:
        raise NotImplementedError("a subclass of LogContract gives killed(log, half)")

    def test_what_was_appended_is_read_back_by_its_place_in_any_order(self) -> None:
        log = self.make()
        places = _append(log, LINES)
        assert [log.read(place) for place in reversed(places)] == list(reversed(LINES))
        assert [log.read(place) for place in places * 2] == list(LINES * 2)

    def test_a_place_is_an_offset_that_grows_and_the_length_of_the_line(self) -> None:
        log = self.make()
        places = _append(log, LINES)
        assert [length for _, length in places] == [len(line) for line in LINES]
        offsets = [offset for offset, _ in places]
        assert sorted(set(offsets)) == offsets

    def test_a_scan_gives_every_line_in_order_with_the_place_that_append_gave(self) -> None:
        log = self.make()
        assert list(log.scan()) == []
        places = _append(log, LINES)
        assert list(log.scan()) == list(zip(places, LINES, strict=True))
        assert [log.read(place) for place, _ in log.scan()] == list(LINES)

    def test_many_lines_are_scanned_as_they_were_appended(self) -> None:
        log = self.make()
        lines = [b"%d" % n * (n % 50) for n in range(20_000)]
        places = _append(log, lines)
        assert list(log.scan()) == list(zip(places, lines, strict=True))

    def test_reading_and_scanning_do_not_disturb_appending(self) -> None:
        log = self.make()
        lines = [b"line %d" % n for n in range(50)]
        for n, line in enumerate(lines):
            assert log.read(log.append(line)) == line
            assert next(iter(log.scan()))[1] == lines[0]  # and left there
            assert _lines(log) == lines[: n + 1]

    def test_it_goes_on_where_it_ended_when_it_is_opened_again(self) -> None:
        log = self.make()
        places = _append(log, LINES)
        log.sync()
        log = self.reopened(log)
        assert list(log.scan()) == list(zip(places, LINES, strict=True))
        assert log.read(places[2]) == LINES[2]
        assert log.read(log.append(b"after")) == b"after"
        assert _lines(log) == [*LINES, b"after"]

    def test_the_first_lines_are_kept_and_the_others_forgotten(self) -> None:
        log = self.make()
        places = _append(log, [b"a", b"bb", b"ccc"])
        assert log.read(places[2]) == b"ccc"
        log.keep(2)
        assert _lines(log) == [b"a", b"bb"]
        assert log.read(log.append(b"ddd")) == b"ddd"
        assert [log.read(place) for place in places[:2]] == [b"a", b"bb"]
        assert _lines(log) == [b"a", b"bb", b"ddd"]
        log.sync()
        assert _lines(self.reopened(log)) == [b"a", b"bb", b"ddd"]

    def test_keeping_none_empties_it_and_keeping_more_than_there_are_changes_nothing(self) -> None:
        log = self.make()
        log.keep(3)
        assert _lines(log) == []
        _append(log, LINES)
        for lines in (len(LINES), len(LINES) + 1, 10**9):
            log.keep(lines)
            assert _lines(log) == list(LINES)
        log.keep(0)
        assert _lines(log) == []
        assert log.read(log.append(b"again")) == b"again"
        assert _lines(log) == [b"again"]

    def test_what_a_kill_cut_is_dropped_and_the_lines_before_it_stay(self) -> None:
        for half in (b"", b"h", b'{"half": "a li', b"x" * 700_000):
            log = self.make()
            places = _append(log, LINES)
            log.sync()
            log = self.killed(log, half)
            assert list(log.scan()) == list(zip(places, LINES, strict=True))
            assert log.read(log.append(b"after")) == b"after"
            assert _lines(log) == [*LINES, b"after"]

    def test_a_first_line_that_a_kill_cut_leaves_an_empty_log(self) -> None:
        log = self.killed(self.make(), b"half")
        assert _lines(log) == []
        log.append(b"first")
        assert _lines(log) == [b"first"]


class JournalContract:
    """The contract suite of the Journal port, and of the spools that it gives.

    A subclass gives ``make()``: the Journal of a new run; ``reopened(journal)``: the same one closed and opened again,
    to go on with; and ``killed(journal, half)``: the journal as it is next opened when a kill came now, with ``half``
    of a line of ``trials`` already written. ``make()`` may put ``manifest.json``; the suite touches it nowhere.
    """

    def make(self) -> Journal:
        raise NotImplementedError("a subclass of JournalContract gives make()")

    def reopened(self, journal: Journal) -> Journal:
        raise NotImplementedError("a subclass of JournalContract gives reopened(journal)")

    def killed(self, journal: Journal, half: bytes) -> Journal:
        raise NotImplementedError("a subclass of JournalContract gives killed(journal, half)")

    def test_a_new_run_has_three_logs_without_lines(self) -> None:
        journal = self.make()
        assert [_lines(log) for log in (journal.trials, journal.verdicts, journal.traces)] == [[], [], []]

    def test_its_logs_are_apart_and_there_when_it_is_opened_again(self) -> None:
        journal = self.make()
        for n in range(100):
            journal.trials.append(b"trial %d" % n)
            journal.verdicts.append(b"verdict %d" % n)
            journal.traces.append(b"trace %d" % n)
        journal.verdicts.sync()
        journal.traces.sync()
        for again in (False, True):
            at = self.reopened(journal) if again else journal
            assert _lines(at.trials) == [b"trial %d" % n for n in range(100)]
            assert _lines(at.verdicts) == [b"verdict %d" % n for n in range(100)]
            assert _lines(at.traces) == [b"trace %d" % n for n in range(100)]

    def test_a_trial_is_there_for_good_once_it_was_appended(self) -> None:
        journal = self.make()
        places = _append(journal.trials, LINES)
        again = self.killed(journal, b'{"half": ')
        assert list(again.trials.scan()) == list(zip(places, LINES, strict=True))

    def test_verdicts_and_traces_lag_by_whole_lines_and_not_once_they_were_synced(self) -> None:
        journal = self.make()
        lines = [b"line %d" % n for n in range(100)]
        for log in (journal.verdicts, journal.traces):
            _append(log, lines[:50])
            log.sync()
            _append(log, lines[50:])
        again = self.killed(journal, b"")
        for log in (again.verdicts, again.traces):
            there = _lines(log)
            assert len(there) >= 50
            assert there == lines[: len(there)]

    def test_new_verdicts_replace_the_old_ones_when_they_are_adopted_and_not_before(self) -> None:
        journal = self.make()
        _append(journal.verdicts, [b"old 1", b"old 2"])
        fresh = journal.begin_verdicts()
        assert _lines(fresh) == []
        places = _append(fresh, [b"new"])
        assert _lines(journal.verdicts) == [b"old 1", b"old 2"]
        journal.adopt_verdicts()
        assert list(journal.verdicts.scan()) == [(places[0], b"new")]
        journal.verdicts.append(b"and on")
        journal.verdicts.sync()
        assert _lines(self.reopened(journal).verdicts) == [b"new", b"and on"]

    def test_verdicts_that_a_kill_left_unadopted_are_forgotten(self) -> None:
        journal = self.make()
        _append(journal.verdicts, [b"old"])
        journal.verdicts.sync()
        fresh = journal.begin_verdicts()
        _append(fresh, [b"new"] * 100)
        fresh.sync()
        again = self.killed(journal, b"")
        assert _lines(again.verdicts) == [b"old"]
        assert _lines(again.begin_verdicts()) == []
        again.adopt_verdicts()
        assert _lines(again.verdicts) == []

    def test_adopted_verdicts_survive_a_kill_whole(self) -> None:
        journal = self.make()
        _append(journal.verdicts, [b"old"])
        lines = [b"new %d" % n for n in range(100)]
        _append(journal.begin_verdicts(), lines)
        journal.adopt_verdicts()
        assert _lines(self.killed(journal, b"").verdicts) == lines

    def test_verdicts_may_be_made_anew_more_than_once(self) -> None:
        journal = self.make()
        for n in range(3):
            _append(journal.begin_verdicts(), [b"%d" % n])
            journal.adopt_verdicts()
            assert _lines(journal.verdicts) == [b"%d" % n]

    def test_a_file_that_was_put_is_got_and_one_that_was_not_is_none(self) -> None:
        journal = self.make()
        assert journal.get("report.json") is None
        journal.put("report.json", (chunk for chunk in (b"\x00\xff", b"", b"\n")))
        journal.put("report.md", [])
        for again in (False, True):
            at = self.reopened(journal) if again else journal
            assert at.get("report.json") == b"\x00\xff\n"
            assert at.get("report.md") == b""
            assert at.get("report.html") is None

    def test_a_file_is_the_old_one_until_all_of_the_new_one_is_there(self) -> None:
        journal = self.make()
        journal.put("report.json", [b"the old one, which is longer"])

        def chunks() -> Iterator[bytes]:
            yield b"new" * 100_000
            assert journal.get("report.json") == b"the old one, which is longer"
            yield b"!"

        journal.put("report.json", chunks())
        assert journal.get("report.json") == b"new" * 100_000 + b"!"
        journal.put("report.json", [b"short"])
        assert self.killed(journal, b"").get("report.json") == b"short"

    def test_a_file_whose_bytes_break_off_leaves_the_old_one_or_none(self) -> None:
        journal = self.make()
        journal.put("report.json", [b"old"])
        for error in (OSError(28, "No space left on device"), ValueError("broken off")):
            for name, before in (("report.json", b"old"), ("report.md", None)):
                assert _fails_to_put(journal, name, error)
                assert journal.get(name) == before

    def test_a_spool_gives_what_it_took_from_the_beginning_each_time(self) -> None:
        with closing(self.make().spool()) as spool:
            assert _bytes(spool) == b""
            whole = b""
            for chunk in (b"a", b"", b"\x00\n\xff" * 300_000, b"z"):
                spool.write(chunk)
                whole += chunk
                assert _bytes(spool) == whole
                assert _bytes(spool) == whole

    def test_a_spool_that_was_read_in_part_takes_more_at_its_end(self) -> None:
        with closing(self.make().spool()) as spool:
            spool.write(b"a" * 1_000_000)
            next(spool.chunks())  # and left there
            spool.write(b"b")
            assert _bytes(spool) == b"a" * 1_000_000 + b"b"

    def test_spools_are_apart(self) -> None:
        journal = self.make()
        with closing(journal.spool()) as one:
            with closing(journal.spool()) as other:
                one.write(b"1")
                other.write(b"2")
                one.write(b"1")
                assert (_bytes(one), _bytes(other)) == (b"11", b"2")
            assert _bytes(one) == b"11"


def _append(log: Log, lines: Sequence[bytes]) -> list[tuple[int, int]]:
    return [log.append(line) for line in lines]


def _lines(log: Log) -> list[bytes]:
    return [line for _, line in log.scan()]


def _bytes(spool: Spool) -> bytes:
    return b"".join(spool.chunks())


def _fails_to_put(journal: Journal, name: str, error: Exception) -> bool:
    """Whether putting a file fails when ``error`` comes after its first bytes."""

    def breaking() -> Iterator[bytes]:
        yield b"new"
        raise error

    try:
        journal.put(name, breaking())
    except Exception:
        return True
    return False
