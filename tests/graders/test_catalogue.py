"""The catalogue makes graders from tables, and refuses what it does not know with the nearest thing that it does."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

import pytest

from fiel.core.errors import ConfigError
from fiel.core.grader import fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Verdict
from fiel.graders import KINDS, build, build_all
from fiel.graders.exact import Exact
from fiel.graders.fields import Fields
from fiel.graders.schema import Schema
from fiel.graders.success import Success


@dataclass(frozen=True, slots=True, kw_only=True)
class Theirs:
    """Somebody else's grader."""

    name: str = "theirs"
    version: str = "1"
    words: tuple[str, ...] = ()

    def grade(self, item: Item) -> Verdict:
        return Verdict(passed=True, label="fine")


def test_tables_become_graders_in_their_order() -> None:
    tables = tomllib.loads(
        """
        [success]
        [schema]
        [fields]
        compare = { total = "money", date = { as = "date", formats = ["%d/%m/%Y"] } }
        [policy]
        [answer]
        kind = "exact"
        normalise = ["nfc"]
        """
    )
    graders = build_all(tables, documents={"invoice": {"type": "object"}})
    assert [grader.name for grader in graders] == ["success", "schema", "fields", "policy", "answer"]
    success, schema, fields, policy, answer = graders
    assert isinstance(success, Success)
    assert success.parts == (schema, fields, policy)
    assert isinstance(schema, Schema)
    assert schema.documents == {"invoice": {"type": "object"}}
    assert answer == Exact(name="answer", normalise=("nfc",))


def test_every_kind_of_the_table_can_be_imported_and_names_its_own_module() -> None:
    settings = {"latency": {"max_s": 1}, "cost": {"max_usd": 1}}
    for kind in KINDS:
        grader = build(kind, f"my_{kind}", settings.get(kind, {}))
        assert grader.name == f"my_{kind}"
        assert fingerprint(grader).startswith(f"my_{kind}@{grader.version}#")
        assert KINDS[kind] == f"{type(grader).__module__}:{type(grader).__name__}"


def test_parts_may_be_chosen_and_need_no_table_of_their_own() -> None:
    (success,) = build_all({"success": {"parts": ["fields"]}})
    assert isinstance(success, Success)
    assert success.parts == (Fields(),)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"exct": {}}, 'graders.exct: there is no grader of kind "exct": did you mean "exact"?'),
        (
            {"a": {"kind": "exact", "normalize": []}},
            'graders.a: unknown setting "normalize": did you mean "normalise"?',
        ),
        ({"exact": {"normalise": "nfc"}}, "graders.exact: normalise is 'nfc', expected a list of texts"),
        ({"latency": {}}, 'graders.latency: setting "max_s" is missing'),
        ({"success": {"parts": ["field"]}}, 'there is no grader "field": did you mean "fields"?'),
        ({"success": {"parts": ["success"]}}, "in a circle"),
        ({"success": {"parts": "fields"}}, "expected a list of graders"),
        ({"exact": {"kind": 5}}, "kind is 5"),
        ({"exact": {"name": "x"}}, 'unknown setting "name"'),
        ({"mine": {"kind": "mine:Theirs"}}, "cannot be loaded here"),
    ],
)
def test_what_is_not_known_is_refused_where_it_stands(tables: Any, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        build_all(tables)
    assert message in str(refused.value)
    assert str(refused.value).startswith("graders.")


def test_other_peoples_graders_are_loaded_by_the_caller() -> None:
    asked: list[str] = []

    def load(place: str) -> type:
        asked.append(place)
        return Theirs

    tables = {"mine": {"kind": "pack:Theirs", "words": ["a"]}, "short": {"kind": "theirs"}}
    graders = build_all(tables, load=load, entry_points={"theirs": "pack.sub:Theirs"})
    assert graders == (Theirs(name="mine", words=("a",)), Theirs(name="short"))
    assert asked == ["pack:Theirs", "pack.sub:Theirs"]
    with pytest.raises(ConfigError, match=r'graders.mine: unknown setting "word": did you mean "words"'):
        build("pack:Theirs", "mine", {"word": []}, load=load)


@pytest.mark.parametrize("loaded", [int, dict, object(), lambda: 5])
def test_what_is_no_grader_is_refused(loaded: Any) -> None:
    with pytest.raises(ConfigError, match=r"graders\.mine"):
        build("pack:Theirs", "mine", {}, load=lambda _: loaded)
