"""298 real receipts: two readers of them, compared field by field, and a gate between the two that is checked by hand.

Nothing here expects a number that was merely seen: rates are counted again from the raw trials, the statistics are
computed again from the reports, and the gate must agree with both.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from difflib import SequenceMatcher
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

FORMATS = (
    *("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y", "%d %b %Y", "%d %b %y", "%d/%b/%Y", "%d-%b-%Y"),
    *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d%m%Y"),
)
FIELDS = ("company", "date", "address", "total")
STRATA = ("currency", "date_form", "length")
SETTINGS = f"""
[datasets]
dev = "datasets/dev.jsonl"
holdout = "datasets/holdout.jsonl"

[targets.strict]
python = "targets:strict"

[targets.normalising]
python = "targets:normalising"

[targets.labels]
python = "targets:labels"

[graders.schema]

[graders.fields]
[graders.fields.compare]
company = {{ as = "text", normalise = ["nfkc", "quotes", "casefold", "squeeze"] }}
address = {{ as = "text", normalise = ["nfkc", "quotes", "casefold", "squeeze"] }}
date = {{ as = "date", formats = {json.dumps(FORMATS)} }}
total = "money"

[graders.policy]
[graders.success]

[gate]
version = "receipts-1"
"""
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": ["string", "null"], "minLength": 1} for name in FIELDS},
    "required": list(FIELDS),
    "additionalProperties": False,
}
TARGETS = Path(__file__).with_name("receipt_targets.py")


def shown_tags(text: str) -> dict[str, str]:
    """What the receipt itself shows: its currency, how its first date is written, and how long it is."""
    forms = {
        "day_first": r"\b\d{1,2}[/.-]\d{1,2}[/.-]20\d\d\b",
        "two_digit_year": r"\b\d{1,2}[/.-]\d{1,2}[/.-]\d\d\b",
        "month_name": r"\b\d{1,2}[ /-][A-Z]{3}[A-Z]*[ /-]\d{2,4}\b",
        "year_first": r"\b20\d\d[/.-]\d{1,2}[/.-]\d{1,2}\b",
    }
    found = {name: match.start() for name, form in forms.items() if (match := re.search(form, text))}
    lines = text.count("\n") + 1
    return {
        "currency": "$" if "$" in text else "RM" if re.search(r"\b(?:RM|MYR)", text) else "none",
        "date_form": min(found, key=lambda name: found[name]) if found else "none",
        "length": "short" if lines < 40 else "medium" if lines < 60 else "long",
    }


def as_case(row: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt as a case. An empty label is left out: unknown is not the same as expecting null."""
    tags = shown_tags(row["ocr_text"])
    return {
        "id": row["id"],
        "input": row["ocr_text"],
        "expected": {name: value for name, value in row["fields"].items() if value.strip()},
        "tags": tags,
        "critical": tags["date_form"] in ("month_name", "two_digit_year"),
        "schema": "receipt",
    }


def squeezed(text: str | None) -> str:
    return re.sub(r"[\W_]", "", (text or "").casefold())


def alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """One company, also where its name was read badly or is longer, or nearly one receipt."""
    a, b = squeezed(one["fields"]["company"]), squeezed(other["fields"]["company"])
    if a == b or a.startswith(b) or b.startswith(a):
        return True
    matcher = SequenceMatcher(a=a, b=b)
    return (matcher.quick_ratio() > 0.85 and matcher.ratio() > 0.85) or overlap(one, other) > 0.6


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """The share of lines that two receipts have in common."""
    a, b = set(one["ocr_text"].split("\n")), set(other["ocr_text"].split("\n"))
    return len(a & b) / len(a | b)


def split_by_group(rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two halves of nearly one size, every group of companies whole in one of them."""
    groups: list[list[dict[str, Any]]] = []
    for row in rows:
        mine = [group for group in groups if any(alike(row, other) for other in group)]
        groups = [group for group in groups if group not in mine] + [[row, *(other for g in mine for other in g)]]
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    for group in sorted(groups, key=lambda group: (-len(group), min(row["id"] for row in group))):
        (first if len(first) <= len(second) else second).extend(group)
    return sorted(first, key=lambda row: row["id"]), sorted(second, key=lambda row: row["id"])


@dataclass(frozen=True, kw_only=True)
class Receipts:
    """The workspace with its four runs, and the rows of both splits."""

    desk: Any
    splits: Mapping[str, list[dict[str, Any]]]

    def report(self, split: str, target: str) -> dict[str, Any]:
        found: dict[str, Any] = self.desk.report(f"runs/{split}-{target}")
        return found


def lay_out(desk: Any, dev: Iterable[Mapping[str, Any]], holdout: Iterable[Mapping[str, Any]]) -> None:
    desk.configure(SETTINGS)
    desk.write("targets.py", TARGETS.read_text(encoding="utf-8"))
    desk.write("datasets/schemas/receipt.json", json.dumps(SCHEMA))
    desk.dataset("dev", dev, strata=STRATA)
    desk.dataset("holdout", holdout, strata=STRATA)
    desk.fiel("dataset", "pin")


@pytest.fixture(scope="module")
def receipts(new_desk: Callable[[str], Any], rows: Callable[[str], list[dict[str, Any]]]) -> Receipts:
    dev, holdout = split_by_group(rows("sroie_receipts"))
    desk = new_desk("receipts")
    lay_out(desk, map(as_case, dev), map(as_case, holdout))
    for split in ("dev", "holdout"):
        for target in ("strict", "normalising"):
            desk.fiel("run", target, "--split", split, "-o", f"runs/{split}-{target}")
    return Receipts(desk=desk, splits={"dev": dev, "holdout": holdout})


EVERY_RUN = pytest.mark.parametrize(
    ("split", "target"), [(s, t) for s in ("dev", "holdout") for t in ("strict", "normalising")]
)


def test_no_company_and_no_near_copy_is_in_both_splits_and_the_guard_agrees(receipts: Receipts) -> None:
    dev, holdout = receipts.splits["dev"], receipts.splits["holdout"]
    assert len(dev) + len(holdout) == 298
    assert min(len(dev), len(holdout)) > 100
    assert {squeezed(r["fields"]["company"]) for r in dev}.isdisjoint(squeezed(r["fields"]["company"]) for r in holdout)
    assert max(overlap(a, b) for a in dev for b in holdout) <= 0.6
    assert "no id and no input is in both splits" in receipts.desk.fiel("dataset", "check").out


def test_one_receipt_that_leaks_is_refused_with_both_lines_however_it_is_spaced(receipts: Receipts, desk: Any) -> None:
    dev, holdout = ([as_case(row) for row in receipts.splits[split]] for split in ("dev", "holdout"))
    leaked = {**holdout[3], "id": "seen-before", "input": "  " + holdout[3]["input"].replace("\n", " \n ")}
    lay_out(desk, dev, holdout)
    desk.dataset("dev", [*dev, leaked], strata=STRATA)
    desk.fiel("dataset", "pin", "dev")
    for command in (("dataset", "check"), ("run", "strict", "--split", "holdout")):
        refused = desk.fiel(*command, code=2)
        assert f"dev.jsonl:{len(dev) + 1}" in refused.err
        assert "holdout.jsonl:4" in refused.err
    assert not (desk.root / "runs").exists()


@EVERY_RUN
def test_every_row_is_in_the_balance_of_every_grader(receipts: Receipts, split: str, target: str) -> None:
    report, rows = receipts.report(split, target), receipts.splits[split]
    assert report["attempted"] == len(rows)
    assert set(report["balance"]) == {"schema", "fields", "policy", "success"}
    for balance in report["balance"].values():
        assert balance["attempted"] == len(rows) == balance["graded"] + sum(balance["ungraded"].values())
    assert [outcome[0] for outcome in report["outcomes"]["cases"]] == [row["id"] for row in rows]
    assert report["overall"]["schema"]["numerator"] == len(rows)
    assert sum(stratum["cases"] for stratum in report["strata"]) == len(rows)


@EVERY_RUN
def test_strata_are_what_the_texts_show_and_add_up_to_the_whole(
    receipts: Receipts, wilson: Callable[[int, int], tuple[float, float]], split: str, target: str
) -> None:
    report = receipts.report(split, target)
    tags = Counter(tuple(shown_tags(row["ocr_text"]).values()) for row in receipts.splits[split])
    assert {tuple(s["tags"][name] for name in STRATA): s["cases"] for s in report["strata"]} == tags
    assert len({stratum["tags"]["date_form"] for stratum in report["strata"]}) > 2
    for stratum in report["strata"]:
        assert stratum["critical"] == (stratum["tags"]["date_form"] in ("month_name", "two_digit_year"))
    for metric in ("success", "fields", "fields.field:date"):
        of_strata = [stratum[metric] for stratum in report["strata"]]
        for part in ("numerator", "denominator"):
            assert sum(rate[part] for rate in of_strata) == report["overall"][metric][part]
    success = report["overall"]["success"]
    assert success["interval"] == pytest.approx(wilson(success["numerator"], success["denominator"]))


@EVERY_RUN
def test_each_fields_accuracy_is_what_a_count_over_the_raw_answers_gives(
    receipts: Receipts, split: str, target: str
) -> None:
    report = receipts.report(split, target)
    at = report["outcomes"]["graders"].index("fields")
    graded = {case for case, _, outcomes in report["outcomes"]["cases"] if outcomes[at] != "-"}
    assert len(graded) >= 0.98 * len(receipts.splits[split])
    answers = {line["case"]: line["output"] for line in receipts.desk.lines(f"runs/{split}-{target}/trials.jsonl")}
    for name in FIELDS:
        labelled = [r for r in receipts.splits[split] if r["id"] in graded and r["fields"].get(name, "").strip()]
        right = sum(same_field(name, row["fields"][name], answers[row["id"]][name]) for row in labelled)
        rate = report["overall"][f"fields.field:{name}"]
        assert (rate["numerator"], rate["denominator"]) == (right, len(labelled)), name


def test_the_labels_themselves_are_all_right_and_break_no_policy(receipts: Receipts, desk: Any) -> None:
    # What people wrote down, answered back: every declared comparison must hold, and nothing of it is personal data.
    rows = [row for split in receipts.splits.values() for row in split]
    lay_out(desk, [], map(as_case, rows))
    answers = {r["id"]: {name: r["fields"].get(name, "").strip() or None for name in FIELDS} for r in rows}
    desk.write("labels.json", json.dumps(answers))
    report = desk.said("run", "labels", "--split", "holdout", "-o", "runs/labels")
    for grader in ("schema", "fields", "policy", "success"):
        assert (report["overall"][grader]["value"], report["balance"][grader]["ungraded"]) == (1.0, {}), grader
    # The same labels written in another way are the same labels: other dates, other money, lines joined again.
    other = {case: rewritten(answer) for case, answer in answers.items()}
    assert sum(other[case]["date"] != answers[case]["date"] for case in answers) > 250
    desk.write("labels.json", json.dumps(other))
    report = desk.said("run", "labels", "--split", "holdout", "-o", "runs/rewritten")
    assert report["overall"]["success"]["numerator"] == len(rows)


def test_a_label_that_is_empty_says_nothing_of_its_field(receipts: Receipts) -> None:
    rows = [row for split in receipts.splits.values() for row in split]
    empty = Counter(name for row in rows for name in FIELDS if not row["fields"].get(name, "").strip())
    assert empty
    for target in ("strict", "normalising"):
        both = [receipts.report(split, target) for split in ("dev", "holdout")]
        ungraded = sum(sum(report["balance"]["fields"]["ungraded"].values()) for report in both)
        for name in FIELDS:
            measured = sum(report["overall"][f"fields.field:{name}"]["denominator"] for report in both)
            assert 298 - ungraded - empty[name] <= measured <= 298 - empty[name]


def test_a_label_that_is_kept_empty_is_ungraded_and_holds_the_gate_open(receipts: Receipts, desk: Any) -> None:
    rows = [row for split in receipts.splits.values() for row in split]
    kept = [as_case(row) | {"expected": row["fields"]} for row in rows]
    unlabelled = [case["id"] for case in kept if "" in case["expected"].values()]
    lay_out(desk, [], kept)
    desk.fiel("run", "normalising", "--split", "holdout", "-o", "runs/kept")
    report = desk.report("runs/kept")
    for grader in ("fields", "success"):
        balance = report["balance"][grader]
        assert balance["attempted"] == len(rows)
        assert balance["ungraded"]["expected_unreadable"] >= len(unlabelled)
    for metric in ("success", "fields.field:company", "fields.field:total"):
        assert report["overall"][metric]["denominator"] == report["balance"]["success"]["graded"] < len(rows)
    ungraded = {f["case"] for f in report["failures"] if f["grader"] == "fields" and f["label"] == "ungraded"}
    assert ungraded >= set(unlabelled)
    # An unreadable label is no fail of the target, and no pass either.
    assert desk.fiel("gate", "--candidate", "runs/kept", code=None).code == (1 if violations(report) else 3)
    assert any(reason["rule"] == "ungraded" for reason in desk.decision("runs/kept")["reasons"])


@pytest.mark.parametrize("split", ["dev", "holdout"])
def test_normalising_reads_no_fewer_dates_and_totals_than_fixed_patterns(receipts: Receipts, split: str) -> None:
    strict, normalising = (receipts.report(split, target)["overall"] for target in ("strict", "normalising"))
    for metric in ("fields.field:date", "fields.field:total", "success"):
        assert normalising[metric]["value"] >= strict[metric]["value"]
    # Fixed patterns know one way to write a date: what the other ways hold is out of their reach.
    for stratum in receipts.report(split, "strict")["strata"]:
        if stratum["tags"]["date_form"] == "month_name":
            assert stratum["success"]["numerator"] == 0


@pytest.mark.parametrize(("before", "after"), [("strict", "normalising"), ("normalising", "strict")])
def test_the_gate_rules_what_the_reports_own_numbers_say(receipts: Receipts, before: str, after: str) -> None:
    base, cand = (receipts.report("holdout", target) for target in (before, after))
    runs = [f"runs/holdout-{target}" for target in (before, after)]
    fell = {
        a["name"]: Fraction(a["success"]["numerator"], a["success"]["denominator"])
        - Fraction(b["success"]["numerator"], b["success"]["denominator"])
        for a, b in zip(base["strata"], cand["strata"], strict=True)
        if a["critical"] and a["success"]["denominator"] and b["success"]["denominator"]
    }
    blocking = {name for name, drop in fell.items() if drop > Fraction(1, 20)}
    left = any(sum(b["ungraded"].values()) for report in (base, cand) for b in report["balance"].values())
    expected = 1 if blocking or violations(cand) else 3 if left else 0
    if before == "normalising":
        assert blocking

    done = receipts.desk.fiel("gate", "--baseline", runs[0], "--candidate", runs[1], code=expected)
    decision = receipts.desk.decision(runs[1])
    assert decision["outcome"] == {0: "pass", 1: "block", 3: "inconclusive"}[expected]
    named = {reason["stratum"] for reason in decision["reasons"] if reason["rule"] == "critical_stratum_fell"}
    assert named == blocking
    assert all(name in done.out for name in blocking)
    assert {r["rule"] for r in decision["reasons"] if r["kind"] == "block"} == (
        ({"critical_stratum_fell"} if blocking else set()) | ({"per_case"} if violations(cand) else set())
    )

    marks = [outcomes_of(report, "success") for report in (base, cand)]
    broken = [case for case, mark in marks[0].items() if (mark, marks[1][case]) == ("1", "0")]
    fixed = [case for case, mark in marks[0].items() if (mark, marks[1][case]) == ("0", "1")]
    assert (decision["broken"], decision["fixed"]) == (broken, fixed)
    overall = decision["statistics"]
    assert overall["n"] == sum(mark in "01" and marks[1][case] in "01" for case, mark in marks[0].items())
    assert overall["difference"] == pytest.approx((len(fixed) - len(broken)) / overall["n"])
    assert overall["p_worse"] == pytest.approx(upper_tail(len(broken), len(broken) + len(fixed)), rel=1e-9)
    two_sided = min(1, 2 * upper_tail(max(len(broken), len(fixed)), len(broken) + len(fixed)))
    assert overall["p_different"] == pytest.approx(two_sided, rel=1e-9)
    assert overall["interval"][0] <= overall["difference"] <= overall["interval"][1]


def test_dev_receipts_never_decide_a_release(receipts: Receipts) -> None:
    refused = receipts.desk.fiel("gate", "--baseline", "runs/dev-strict", "--candidate", "runs/dev-normalising", code=2)
    assert 'refusing to gate on a "dev"/"dev" split' in refused.err
    assert "fixed" in receipts.desk.fiel("diff", "runs/dev-strict", "runs/dev-normalising").out


def test_every_format_holds_real_texts(receipts: Receipts) -> None:
    desk, run = receipts.desk, "runs/holdout-normalising"
    for form in ("md", "json", "junit", "html", "github"):
        desk.fiel("report", run, "--format", form, "-o", f"out/{form}.txt")
    said = {form: (desk.root / f"out/{form}.txt").read_text(encoding="utf-8") for form in ("junit", "html", "md")}
    suites = ElementTree.fromstring(said["junit"])
    assert sum(int(suite.get("tests", "0")) for suite in suites.iter("testsuite")) >= len(receipts.splits["holdout"])
    names = [stratum["name"] for stratum in desk.report(run)["strata"]]
    assert all(name.replace("$", "") in said["html"].replace("$", "") for name in names)
    assert "points" in said["md"]


def outcomes_of(report: Mapping[str, Any], grader: str) -> dict[str, str]:
    at = report["outcomes"]["graders"].index(grader)
    return {case: outcomes[at] for case, _, outcomes in report["outcomes"]["cases"]}


def violations(report: Mapping[str, Any]) -> list[str]:
    return [case for case, mark in outcomes_of(report, "policy").items() if "0" in mark]


def same_field(name: str, label: str, got: str | None) -> bool:
    """The declared comparisons, written again in the plainest way."""
    if got is None:
        return False
    if got == label:
        return True
    if name == "date":
        return day(label) is not None and day(label) == day(got)
    if name == "total":
        return Decimal(re.sub(r"[^\d.-]", "", label)) == Decimal(re.sub(r"[^\d.-]", "", got))
    return squeezed(label) == squeezed(got)


def rewritten(answer: Mapping[str, str | None]) -> dict[str, str | None]:
    """The same four values as somebody else would write them."""
    company, total = answer["company"] or "", answer["total"]
    when = day(answer["date"] or "")
    amount = None if total is None else Decimal(re.sub(r"[^\d.-]", "", total))
    return {
        "company": company.title().replace(" ", "  "),
        "date": answer["date"] if when is None else when.isoformat(),
        "address": re.sub(r",\s*", " , ", answer["address"] or "").lower() or None,
        "total": None if amount is None else f"{'-' if amount < 0 else ''}{abs(amount):,.2f}",
    }


def day(text: str) -> date | None:
    found = set()
    for form in FORMATS:
        try:
            found.add(datetime.strptime(text, form).date())  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return found.pop() if len(found) == 1 else None


def upper_tail(hits: int, of: int) -> float:
    """P(at least ``hits`` of ``of`` fair coins)."""
    return sum(comb(of, k) for k in range(hits, of + 1)) / 2**of
