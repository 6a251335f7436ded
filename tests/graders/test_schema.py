"""``schema`` says which pointers break a schema, and reads nothing but the schema that it was given."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from fiel.core.case import Case
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.schema import Schema, compile_schema

INVOICE = {
    "type": "object",
    "properties": {"total": {"type": "number"}, "a/b": {"type": "string"}, "lines": {"items": {"type": "integer"}}},
    "required": ["total"],
    "additionalProperties": False,
}


def grade(schema: Any, output: Any, **settings: Any) -> Verdict | Ungraded:
    return Schema(**settings).grade(Item(case=Case(id="c", input="", schema=schema), output=output))


def test_a_valid_output_passes() -> None:
    assert grade(INVOICE, {"total": 5}) == Verdict(passed=True, label="valid")


def test_every_pointer_that_breaks_it_is_named_with_its_keyword() -> None:
    verdict = grade(INVOICE, {"a/b": 5, "lines": [1, "x"], "extra": 0})
    assert isinstance(verdict, Verdict)
    assert [(f.path, f.outcome) for f in verdict.findings] == [
        ("/a~1b", "type"),
        ("/extra", "additionalProperties"),
        ("/lines/1", "type"),
        ("/total", "required"),
    ]
    assert (verdict.passed, verdict.label, verdict.reason) == (False, "invalid", "invalid:type")


def test_a_key_made_up_by_the_output_stays_out_of_the_reason() -> None:
    verdict = grade(INVOICE, {"total": 1, "Ana Souza, 529.982.247-25": 1})
    assert isinstance(verdict, Verdict)
    assert verdict.reason == "invalid:additionalProperties"


def test_findings_are_bounded() -> None:
    verdict = grade({"items": {"type": "integer"}}, ["x" * 5_000] * 50)
    assert isinstance(verdict, Verdict)
    assert len(verdict.findings) == 20
    assert all(len(finding.got) <= 501 for finding in verdict.findings)


def test_a_schema_may_be_named() -> None:
    documents = {"invoice": INVOICE}
    assert grade("invoice", {"total": 1}, documents=documents) == Verdict(passed=True, label="valid")
    missing = grade("receipt", {"total": 1}, documents=documents)
    assert isinstance(missing, Ungraded)
    assert missing.reason == "schema_not_found"


def test_a_case_without_a_schema_is_not_graded() -> None:
    result = grade(None, {"total": 1})
    assert isinstance(result, Ungraded)
    assert result.reason == "no_schema"


def test_true_and_false_are_schemas() -> None:
    assert isinstance(result := grade(False, 1), Verdict)
    assert result.passed is False
    assert isinstance(result := grade(True, 1), Verdict)
    assert result.passed is True


@pytest.mark.parametrize("output", [float("nan"), {"total": float("inf")}, {1: 2}, {"a"}])
def test_what_no_json_text_can_hold_is_invalid(output: Any) -> None:
    verdict = grade(INVOICE, output)
    assert isinstance(verdict, Verdict)
    assert verdict.reason == "invalid:not_json"


def test_nesting_has_a_bound() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    result = grade({"items": {"$ref": "#"}}, deep)
    assert isinstance(result, Ungraded)
    assert result.reason == "too_deep"


def test_a_lone_surrogate_is_one_character() -> None:
    assert isinstance(result := grade({"type": "string", "maxLength": 1}, "\ud800"), Verdict)
    assert result.passed is True


def test_a_declared_format_is_checked_unless_told_not_to() -> None:
    schema = {"type": "string", "format": "date"}
    assert isinstance(result := grade(schema, "2026-13-40"), Verdict)
    assert result.passed is False
    assert isinstance(result := grade(schema, "2026-13-40", formats=False), Verdict)
    assert result.passed is True


def test_a_pattern_that_exceeds_its_bound_is_neither_matched_nor_unmatched() -> None:
    result = grade({"type": "string", "pattern": r"^(([a-z])+.)+(?=[A-Z])([a-z])+$"}, "a" * 60)
    assert isinstance(result, Ungraded)
    assert result.reason == "pattern_too_costly"


def test_references_out_of_the_document_are_never_fetched() -> None:
    asked: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "string"}')

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        host = f"http://127.0.0.1:{server.server_port}"
        for document in ({"$ref": f"{host}/x.json"}, {"$schema": f"{host}/meta"}, {"$ref": "file:///etc/hostname"}):
            with pytest.raises(ConfigError):
                compile_schema(document)
            result = grade(document, "x")
            assert isinstance(result, Ungraded)
            assert result.reason == "schema_malformed"
        server.shutdown()
        thread.join()
    assert asked == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"properties": {"a": {"type": "strng"}}}, "schema does not compile at /properties/a/type"),
        ({"pattern": "("}, "/pattern"),
        ({"$ref": "#/$defs/none"}, "does not exist"),
        ({"$ref": "https://example.org/x"}, "put the definition under $defs"),
        ("invoice", "a schema is an object, true or false"),
        (None, "a schema is an object, true or false"),
        ({"const": float("nan")}, "no JSON document"),
    ],
)
def test_a_malformed_schema_is_refused_with_what_is_wrong_and_where(document: Any, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        compile_schema(document)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 500


def test_a_schema_nested_without_end_is_refused() -> None:
    document: Any = {}
    for _ in range(100_000):
        document = {"not": document}
    with pytest.raises(ConfigError):
        compile_schema(document)


@pytest.mark.parametrize(
    "draft", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
)
def test_well_formed_schemas_of_the_usual_drafts_compile(draft: str) -> None:
    compile_schema({"$schema": draft, **INVOICE})
