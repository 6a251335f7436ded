"""Datasets that must not be loaded are refused with their line, and odd but honest text goes through untouched."""

from __future__ import annotations

import json
import time


def line(name: str, text: str = "x", **more: object) -> bytes:
    return json.dumps({"id": name, "input": text, "expected": text, **more}, ensure_ascii=False).encode() + b"\n"


GOOD = b"".join(line(f"c{number}", f"x{number}") for number in range(1, 7))


BAD = (
    (b'{"id": "a", "input": \n', "broken JSON"),
    (b'{"id": "a", "input": NaN}\n', "NaN or Infinity is not JSON"),
    (b'{"id": "a", "input": [1, -Infinity]}\n', "NaN or Infinity is not JSON"),
    (b'{"id": "a", "input": "\\ud800"}\n', "broken JSON"),
    (b'{"id": "a", "input": "\xed\xa0\x80"}\n', "invalid UTF-8 at byte 23"),
    (b'{"id": "a", "input": "\xff"}\n', "invalid UTF-8 at byte 23"),
    (b'{"id": "a", "inptu": "x", "input": "x"}\n', 'unknown key \'inptu\' (did you mean "input"?)'),
    (b'{"id": "a"}\n', "no 'input'"),
    (b'{"id": " ", "input": "x"}\n', "the id is blank"),
    (b'{"id": 7, "input": "x"}\n', "Expected `str`, got `int`"),
    (b'[1, 2]\n', "Expected `object`, got `array`"),
    (b'{"id": "c3", "input": "other"}\n', "id 'c3' was already given in line 3, with different content"),
    (b'{"id": "a", "input": "x", "schema": {"type": "objekt"}}\n', "schema: does not compile"),
    (b'{"id": "a", "input": ' + b"[" * 100_000 + b"\n", "nested too deeply"),
)  # fmt: skip


def test_every_bad_line_is_told_with_its_number_in_one_go(workspace):
    fiel = workspace(GOOD + b"".join(bad for bad, _ in BAD), pinned=False)
    done = fiel("dataset", "check", "dev")
    assert (done.code, done.out) == (2, ""), done
    told = done.err.removeprefix("fiel: ").splitlines()
    assert len(told) == len(BAD)
    for number, (_, says) in enumerate(BAD, 7):
        assert any(one.startswith(f"dev.jsonl:{number}: ") and says in one for one in told), (number, says, told)


def test_every_command_that_reads_the_dataset_refuses_it(workspace):
    fiel = workspace(GOOD + b"{broken\n", pinned=False)
    for command in (("run", "answer"), ("dataset", "pin"), ("dataset", "stats"), ("dataset", "check", "--json")):
        done = fiel.inside(*command)
        assert (done.code, done.out) == (2, ""), done
        assert "dev.jsonl:7" in done.err
    assert not (fiel.folder / "runs").exists(), "nothing was begun"


def test_broken_json_at_line_seven_of_a_million_is_told_within_seconds(workspace):
    fiel = workspace(GOOD + b'{"id": "bad", "input": \n' + b"", pinned=False)
    with (fiel.folder / "dev.jsonl").open("ab") as file:
        for start in range(0, 999_993, 9_999):
            numbers = range(start, min(start + 9_999, 999_993))
            file.write(b"".join(b'{"id":"n%d","input":"i%d","expected":"i%d"}\n' % (n, n, n) for n in numbers))
    began = time.monotonic()
    done = fiel("dataset", "check", "dev")
    assert time.monotonic() - began < 30, "a second or two where nothing else runs"
    assert done.code == 2
    assert done.err.startswith("fiel: dev.jsonl:7: broken JSON")
    assert done.err.count("\n") == 1


def test_a_file_of_nothing_but_faults_stops_at_twenty(workspace):
    fiel = workspace(b"{broken\n" * 10_000, pinned=False)
    done = fiel("dataset", "check")
    assert done.code == 2
    assert "dev.jsonl:20" in done.err
    assert "stopped after 20 problems" in done.err
    assert done.err.count("\n") < 25


def test_a_line_of_fifty_megabytes_is_refused_by_its_number(workspace):
    fiel = workspace(GOOD + line("big", "x" * 50_000_000), pinned=False)
    done = fiel("dataset", "check")
    assert done.code == 2
    assert done.err.startswith("fiel: dev.jsonl:7: the line is longer than 16,777,216 bytes")
    assert len(done.err) < 1000


def test_an_id_or_an_input_in_both_splits_names_both_lines(workspace):
    for ours, theirs, what in (
        (line("same", "one"), line("same", "two"), "id 'same'"),
        (line("a", "caf\u00e9  noir "), line("b", "cafe\u0301 noir"), "input (after NFC and whitespace folding)"),
    ):
        fiel = workspace(GOOD + ours, pinned=False)
        workspace.dataset("holdout", theirs)
        config = (fiel.folder / "fiel.toml").read_text()
        (fiel.folder / "fiel.toml").write_text('datasets.holdout = "holdout.jsonl"\n' + config)
        assert fiel.inside("dataset", "pin").code == 0
        for command in (("dataset", "check"), ("run", "answer"), ("run", "answer", "--split", "holdout")):
            done = fiel.inside(*command)
            assert done.code == 2, done
            assert what in done.err
            assert "dev.jsonl:7" in done.err
            assert "holdout.jsonl:1" in done.err
        assert not (fiel.folder / "holdout-log.jsonl").exists(), "a refused run is no use of the holdout"


def test_a_schema_file_that_does_not_compile_or_is_not_json_is_named(workspace):
    fiel = workspace(GOOD)
    (fiel.folder / "schemas").mkdir()
    for content, says in (('{"type": "objekt"}', "does not compile"), ('{"type": ', "broken JSON")):
        (fiel.folder / "schemas/notice.json").write_text(content)
        done = fiel.inside("dataset", "check")
        assert done.code == 2, done
        assert "notice" in done.err
        assert says in done.err


def test_a_changed_file_is_refused_until_it_is_pinned_again(workspace):
    fiel = workspace(GOOD)
    with (fiel.folder / "dev.jsonl").open("ab") as file:
        file.write(line("new"))
    done = fiel.inside("run", "answer")
    assert done.code == 2
    assert "it changed since it was pinned" in done.err
    pinned = fiel.inside("dataset", "pin", "--json").json
    sha256 = fiel.inside("dataset", "check", "--json").json["datasets"][0]["sha256"]
    assert pinned == [{"path": "dev.jsonl", "sha256": sha256, "cases": 7, "changed": True}]
    assert fiel.inside("run", "answer").code == 0


def test_honest_text_of_every_script_goes_through_unchanged(workspace):
    texts = {
        "emoji": "👩‍👩‍👧 🇵🇪 \U0001f9fe",
        "right-to-left": "مرحبا שלום \u202eabc\u202c",
        "composed": "caf\u00e9",
        "separators": "a\u2028b\u0085c",
        "controls": "nul \u0000 escape \u001b[31m",
        "fullwidth": "１２３ “quoted”",
        "ids too 👩‍🔧": "x",
    }
    rows = b"".join(
        json.dumps({"id": i, "input": t, "expected": t}, ensure_ascii=False).encode() + b"\r\n"
        for i, t in texts.items()
    )
    fiel = workspace(b"\xef\xbb\xbf" + rows + b"\r\n")
    done = fiel.inside("run", "answer", "-o", "runs/a")
    assert done.code == 0, done
    report = fiel.report("runs/a")
    assert report["overall"]["exact"]["numerator"] == report["overall"]["exact"]["denominator"] == len(texts)
    trials = {trial["case"]: trial for trial in fiel.lines("runs/a/trials.jsonl")}
    assert {name: trial["output"] for name, trial in trials.items()} == texts
    for form in ("terminal", "md", "html", "junit", "github", "annotations"):
        shown = fiel.inside("report", "runs/a", "--format", form)
        assert shown.code == 0, shown
        assert "\x1b" not in shown.out
        assert "\u202e" not in shown.out


def test_a_decomposed_answer_to_a_composed_one_is_equal_by_the_declared_rule(workspace):
    case = [{"id": "a", "input": "cafe\u0301", "expected": "caf\u00e9"}]
    assert workspace(case).inside("run", "answer", "--json").json["overall"]["exact"]["numerator"] == 0
    folding = (workspace.folder / "fiel.toml").read_text().replace("exact = {}", 'exact = { normalise = ["nfc"] }')
    done = workspace(case, config=folding).inside("run", "answer", "--json")
    assert done.json["overall"]["exact"]["numerator"] == 1
