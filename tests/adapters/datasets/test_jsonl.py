"""A dataset of JSONL and TOML keeps what every source of cases promises."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fiel.adapters.datasets.jsonl import JsonlDataset
from fiel.ports import CaseSource
from fiel.testing.case_source_contract import INFO, LABEL, MOST_LINE_BYTES, CaseSourceContract

SAID = ("name", "version", "split", "strata", "licence", "source", "sha256")


class TestJsonlDataset(CaseSourceContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @property
    def path(self) -> Path:
        return self.folder / "contract.jsonl"

    def make(self, content: bytes, schemas: Mapping[str, Any]) -> JsonlDataset:
        self.path.write_bytes(content)
        said = "".join(f"{key} = {json.dumps(getattr(INFO, key))}\n" for key in SAID)
        self.path.with_suffix(".toml").write_text(said, encoding="utf-8")
        shelf = self.folder / "schemas"
        shelf.mkdir(exist_ok=True)
        for old in shelf.iterdir():
            old.unlink()
        for name, schema in schemas.items():
            (shelf / f"{name}.json").write_text(json.dumps(schema))
        return JsonlDataset(self.path, label=LABEL, most_line_bytes=MOST_LINE_BYTES)

    def lose(self, source: CaseSource) -> None:
        self.path.unlink()
