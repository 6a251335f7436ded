"""A dataset on disk: ``name.jsonl``, its ``name.toml``, and the schemas in ``schemas/``."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from fiel.adapters.files import put_file
from fiel.core.case import DatasetInfo
from fiel.core.errors import DatasetError, Problem, StorageError, did_you_mean

MOST_LINE_BYTES: Final = 16 * 1024 * 1024
_CHUNK: Final = 128 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_KEYS: Final = ("name", "version", "split", "strata", "licence", "source", "sha256", "cases")


class JsonlDataset:
    """One dataset; see the port ``CaseSource``. ``path`` is the JSONL file; errors name it as given.

    The TOML beside it is read at once: a missing or broken one is a DatasetError. ``most_line_bytes`` bounds what
    is kept of one line in memory.
    """

    def __init__(self, path: Path, *, label: str = "", most_line_bytes: int = MOST_LINE_BYTES) -> None:
        self.path = path
        self.label = label or str(path)
        self._most = most_line_bytes
        self.info = read_info(path.with_suffix(".toml"), label=str(Path(self.label).with_suffix(".toml")))
        if not path.is_file():
            raise DatasetError([Problem(where=self.label, what="no such file", right="a JSONL file, one case a line")])

    def lines(self, also: Callable[[bytes], object] | None = None) -> Iterator[tuple[int, bytes]]:
        number, rest, start, most = 0, b"", True, self._most
        try:
            with self.path.open("rb", buffering=0) as file:
                while chunk := file.read(_CHUNK):
                    if also is not None:
                        also(chunk)
                    if start:
                        start, chunk = False, chunk.removeprefix(_BOM)
                    lines = (rest + chunk).split(b"\n") if rest else chunk.split(b"\n")
                    rest = lines.pop()
                    for line in lines:
                        number += 1
                        if len(line) > most:
                            self._refuse_length(number)
                        yield number, line
                    if len(rest) > most:
                        self._refuse_length(number + 1)
        except OSError as error:
            raise StorageError(f"{self.label}: {error.strerror or error}") from error
        if rest:
            yield number + 1, rest

    def schemas(self) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for file in sorted((self.path.parent / "schemas").glob("*.json")):
            try:
                found[file.stem] = json.loads(file.read_bytes(), parse_constant=_refuse_constant)
            except (ValueError, RecursionError) as error:
                where = f"{Path(self.label).parent / 'schemas' / file.name}"
                raise DatasetError([Problem(where=where, what=f"broken JSON: {error}")]) from None
            except OSError as error:
                raise StorageError(f"{file}: {error.strerror or error}") from error
        return found

    def write_info(self, info: DatasetInfo) -> None:
        """Replace the TOML's values, keeping its comments and order."""
        import tomlkit

        path = self.path.with_suffix(".toml")
        document = tomlkit.parse(path.read_text("utf-8"))
        for key in ("version", "sha256"):
            document[key] = getattr(info, key)
        put_file(path, [tomlkit.dumps(document).encode()])
        self.info = info

    def append(self, line: bytes, info: Callable[[str], DatasetInfo]) -> None:
        """Add one case's line to the file and pin it again; ``info`` gives the new TOML from the new SHA-256.

        The new file is written whole beside the old one. Killed between the two replacements the pin refuses the
        dataset, and ``fiel dataset pin`` mends it: nothing is lost.
        """
        sha = hashlib.sha256()
        put_file(self.path, self._appended(line, sha.update))
        self.write_info(info(sha.hexdigest()))

    def _appended(self, line: bytes, also: Callable[[bytes], object]) -> Iterator[bytes]:
        last = b"\n"
        with self.path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                also(chunk)
                yield chunk
                last = chunk[-1:]
        tail = (b"" if last == b"\n" else b"\n") + line + b"\n"
        also(tail)
        yield tail

    def _refuse_length(self, number: int) -> NoReturn:
        raise DatasetError(
            [
                Problem(
                    where=f"{self.label}:{number}",
                    what=f"the line is longer than {self._most:,} bytes",
                    right="keep large documents in files and their names in the case",
                )
            ]
        )


def read_info(path: Path, *, label: str) -> DatasetInfo:
    """What a ``dataset.toml`` says; raises DatasetError for a missing file, broken TOML or an unknown key."""
    try:
        document = tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        right = "a TOML beside the JSONL with name, version, split and strata"
        raise DatasetError([Problem(where=label, what="no such file", right=right)]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DatasetError([Problem(where=label, what=f"broken TOML: {error}")]) from None
    except OSError as error:
        raise StorageError(f"{label}: {error.strerror or error}") from error
    problems = [
        Problem(where=label, what=f"unknown key {key!r}", right=did_you_mean(key, _KEYS))
        for key in document
        if key not in _KEYS
    ]
    problems.extend(
        Problem(where=label, what=f"{key} is missing or not text", right=f'{key} = "..."')
        for key in ("name", "version", "split")
        if not isinstance(document.get(key), str) or not document[key].strip()
    )
    strata = document.get("strata", [])
    if not isinstance(strata, list) or not all(isinstance(tag, str) for tag in strata):
        problems.append(Problem(where=label, what="strata is not a list of tags", right='strata = ["tenant"]'))
    if problems:
        raise DatasetError(problems)
    return DatasetInfo(
        name=document["name"],
        version=document["version"],
        split=document["split"],
        strata=tuple(strata),
        licence=str(document.get("licence", "")),
        source=str(document.get("source", "")),
        sha256=str(document.get("sha256", "")),
    )


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
