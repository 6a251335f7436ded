"""The reference leaves nothing out and names nothing that is not there."""

from __future__ import annotations

import ast
import re
import runpy
import types
from collections.abc import Iterator
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

import fiel
from fiel.cli import root
from fiel.core.case import Case, DatasetInfo
from fiel.core.decision import Kind
from fiel.core.report import Report
from fiel.core.report_document import encode
from fiel.gate.document import decision_document
from fiel.graders import KINDS, SUCCESS_PARTS
from fiel.graders.comparisons import SETTINGS
from fiel.offline.dataset import Row
from fiel.wiring import config

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SOURCES = ROOT / "src" / "fiel"


def text_of(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    """What stands under a heading (given with its #s), up to the next of its own rank or above."""
    rank = len(heading) - len(heading.lstrip("#"))
    found = re.search(rf"^{re.escape(heading)}$\n(.*?)(?=^#{{1,{rank}}} |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found, f"no heading {heading!r}"
    return found[1]


def rows(text: str, first: str) -> list[list[str]]:
    """The rows of the first table whose first column is headed ``first``, as cells without their backticks."""
    tables = re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE)
    for table in tables:
        head, _, *body = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in table.splitlines()]
        if head[0].strip() == first:
            return [[cell.strip().strip("`") for cell in row] for row in body]
    raise AssertionError(f"no table headed {first!r}")


# The command line ------------------------------------------------------------------------------------------------


def test_the_page_of_the_command_line_is_what_help_prints() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "cli_reference.py"))
    helps = dict(tool["commands"](root))
    page = text_of("cli")
    assert [found["command"] for found in tool["HELP"].finditer(page)] == list(helps)
    assert tool["renewed"](page, helps) == page, "python tools/cli_reference.py renews it"


# Configuration ---------------------------------------------------------------------------------------------------

TABLES: dict[str, type[msgspec.Struct]] = {
    "[project]": config.Project,
    "[run]": config.Run,
    "[targets.NAME]": config.TargetTable,
    "[targets.NAME.http]": config.Http,
    "[targets.NAME.command]": config.Command,
    "[prices.MODEL]": config.Price,
    "[gate]": config.Gate,
    "[gate.corpus]": config.Line,
}
VERSIONS = ("code_version", "prompt_version", "model_identifier", "tool_schema_version", "policy_version")


def default_of(field: msgspec.structs.FieldInfo) -> str:
    """The default as the page writes it."""
    if field.default_factory is not msgspec.NODEFAULT:
        return "{}"
    if field.default is msgspec.NODEFAULT:
        return "required"
    if field.default is None:
        return "none"
    return msgspec.json.encode(field.default).decode()


def type_words(hint: Any) -> set[str]:
    """One of these words must be in the type's cell."""
    origin = get_origin(hint)
    if origin is Annotated:
        return type_words(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        return set().union(*(type_words(part) for part in get_args(hint) if part is not type(None)))
    if origin is Literal or hint is str:
        return {"text", "JSON pointer"}
    if origin is list:
        return {"list"}
    if origin is dict or (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
        return {"table", "text to text"}
    return {bool: {"true or false"}, int: {"whole number", "0 to 20"}, float: {"number", "0 to 1", "above 0"}}.get(
        hint, {"any"}
    )


@pytest.mark.parametrize("table", TABLES)
def test_every_key_of_a_table_has_its_type_and_default(table: str) -> None:
    struct = TABLES[table]
    told = rows(section(text_of("configuration"), f"## {table}"), "Key")
    known = {field.name: field for field in msgspec.structs.fields(struct)}
    assert [row[0] for row in told] == list(known)
    hints = get_type_hints(struct, include_extras=True)
    for name, kind, default, _ in told:
        inherited = table == "[targets.NAME]" and name in VERSIONS
        assert default == ("[manifest]" if inherited else default_of(known[name])), name
        assert any(word in kind for word in type_words(hints[name])), (name, kind)


def test_every_table_of_the_file_has_a_section() -> None:
    headings = re.findall(r"^## \[(.+)\]$", text_of("configuration"), re.MULTILINE)
    assert {heading.partition(".")[0] for heading in headings} == set(config.Config.__struct_fields__)


def test_every_version_of_the_manifest_table_is_told() -> None:
    told = [row[0] for row in rows(section(text_of("configuration"), "## [manifest]"), "Key")]
    assert tuple(told) == VERSIONS
    for name in told:
        config.decode({"manifest": {name: "1"}}, where="a test")


# Datasets --------------------------------------------------------------------------------------------------------


def test_every_field_of_a_case_is_told() -> None:
    told = [row[0] for row in rows(section(text_of("dataset"), "## A case: one line of the JSONL"), "Key")]
    assert told == list(Row.__struct_fields__) == [field.name for field in fields(Case)]


def test_every_key_of_the_dataset_toml_is_told() -> None:
    told = [row[0] for row in rows(section(text_of("dataset"), "## The TOML"), "Key")]
    assert [*told, "cases"] == [field.name for field in fields(DatasetInfo)]


# Graders ---------------------------------------------------------------------------------------------------------


def test_the_sections_are_the_kinds() -> None:
    assert re.findall(r"^## (.+)$", text_of("graders"), re.MULTILINE) == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_of_a_grader_has_its_default(kind: str) -> None:
    module, _, name = KINDS[kind].partition(":")
    told = {row[0]: row[1] for row in rows(section(text_of("graders"), f"## {kind}"), "Setting")}
    known = {
        field.name: field for field in fields(getattr(import_module(module), name)) if field.name not in NOT_SETTINGS
    }
    assert list(told) == list(known)
    for setting, default in told.items():
        assert default == setting_default(kind, known[setting]), setting


NOT_SETTINGS = ("name", "version", "documents")


def setting_default(kind: str, field: Any) -> str:
    if (kind, field.name) == ("policy", "personal"):
        return "all kinds"
    if (kind, field.name) == ("success", "parts"):
        return msgspec.json.encode(SUCCESS_PARTS).decode().replace(",", ", ")
    if field.default_factory is not MISSING:
        return "{}"
    if field.default is MISSING:
        return "required"
    if repr(field.default) == "ABSENT":
        return "absent"
    return "()" if field.default == () else msgspec.json.encode(field.default).decode()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "policy"])
def test_every_label_of_a_grader_is_told(kind: str) -> None:
    page = section(text_of("graders"), f"## {kind}")
    for label in import_module(KINDS[kind].partition(":")[0]).LABELS:
        assert f"`{label}`" in page


def ungraded_reasons(file: Path) -> Iterator[str]:
    """The reasons that a module writes out in ``Ungraded(...)``, or takes from the graders' shared ones."""
    shared = {"NO_EXPECTED": "no_expected", "TOO_DEEP": "too_deep", "NOT_TEXT": "not_text"}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name) and node.id in shared and isinstance(node.ctx, ast.Load):
            yield shared[node.id]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Ungraded":
            for argument in node.keywords:
                if argument.arg == "reason" and isinstance(argument.value, ast.Constant):
                    yield argument.value.value


@pytest.mark.parametrize("kind", KINDS)
def test_every_reason_for_ungraded_is_told(kind: str) -> None:
    page = section(text_of("graders"), f"## {kind}")
    module = KINDS[kind].partition(":")[0]
    found = set(ungraded_reasons(SOURCES / Path(*module.split(".")[1:]).with_suffix(".py")))
    assert {reason for reason in found if f"`{reason}`" not in page} == set()


def test_the_reasons_that_all_graders_share_are_told() -> None:
    told = {row[0] for row in rows(text_of("graders"), "Reason")}
    found = {
        reason
        for room in ("harness", "offline")
        for file in (SOURCES / room).glob("*.py")
        for reason in ungraded_reasons(file)
    }
    assert found | {"budget", "budget_unmeasured"} <= told
    assert {"target_*"} == told - found - {"budget", "budget_unmeasured"}


def test_every_comparison_has_its_settings() -> None:
    told = {row[0]: row[1] for row in rows(section(text_of("graders"), "### Comparisons"), "Kind")}
    assert list(told) == list(SETTINGS)
    for kind, settings in SETTINGS.items():
        assert re.findall(r"\w+", told[kind]) == list(settings)


# Reports and decisions -------------------------------------------------------------------------------------------


def test_every_key_of_a_report_is_told() -> None:
    told = [row[0] for row in rows(section(text_of("report"), "## report.json"), "Key")]
    report = Report(split="holdout", manifest={}, overall={}, outcomes=())
    assert set(told) == set(encode(report))
    assert len(told) == len(set(told))


def test_every_key_of_a_decision_is_told() -> None:
    from fiel.core.decision import Decision, Outcome

    told = [row[0] for row in rows(section(text_of("report"), "## decision.json"), "Key")]
    assert told == list(decision_document(Decision(outcome=Outcome.PASS, reasons=())))


def rules_of_the_gate() -> set[str]:
    """The rule of every reason that the gate's sources write out."""
    named = r'(?:rule ?=\s*|rule=.* else |rule = .* else |_open\(\s*|_note\(\s*|Kind\.\w+, )"([a-z_]+)"'
    files = [*(SOURCES / "gate" / "rules").glob("*.py"), SOURCES / "gate" / "decide.py"]
    return {word for file in files for word in re.findall(named, file.read_text(encoding="utf-8"))}


def test_every_rule_of_the_gate_is_told() -> None:
    page = (ROOT / "docs" / "concepts" / "release-gate.md").read_text(encoding="utf-8")
    told = rows(section(page, "## The rules"), "Rule")
    assert {row[1] for row in told} == {kind.value for kind in Kind}
    # The second word of `a if x else b` is read by the pattern's own branch.
    extra = {"critical_stratum_within_epsilon", "stratum_lower"}
    assert {row[0] for row in told} == rules_of_the_gate() | extra


# Python ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", fiel.__all__)
def test_every_public_name_is_told(name: str) -> None:
    assert re.search(rf"\b{name}\b", text_of("python"))


def test_every_option_of_the_pytest_plugin_is_told() -> None:
    source = (SOURCES / "pytest_plugin.py").read_text(encoding="utf-8")
    options = re.findall(r'addoption\("(--[\w-]+)"', source)
    assert options
    for option in options:
        assert f"`{option}" in text_of("pytest")
