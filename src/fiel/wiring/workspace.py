"""A workspace is a folder with a fiel.toml: its datasets, targets and graders, opened by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiel.adapters.caches import CACHES
from fiel.adapters.datasets.holdout_log import HoldoutLog
from fiel.adapters.datasets.jsonl import JsonlDataset
from fiel.adapters.targets import TARGETS
from fiel.core.case import SPLITS
from fiel.core.errors import ConfigError, FielError, did_you_mean
from fiel.core.grader import Grader
from fiel.graders import build_all
from fiel.graders.schema import compile_schema
from fiel.offline.dataset import Checked, check, refuse_leaks
from fiel.ports import Target
from fiel.wiring.config import FILE, PYPROJECT, Config, TargetTable, has_table, read

if TYPE_CHECKING:
    from fiel.adapters.caches.sqlite import SQLiteCache


class Workspace:
    """One folder with its configuration. Paths in errors are as seen from the current directory."""

    def __init__(self, root: Path, config: Config, *, file: str = FILE) -> None:
        self.root, self.config, self.file = root, config, file

    @classmethod
    def find(cls, start: Path | None = None) -> Workspace:
        """The workspace of the current directory: the nearest fiel.toml, or pyproject.toml with [tool.fiel],
        here or above. Raises ConfigError where there is none."""
        found = cls.near(start)
        if found is None:
            here = (start or Path.cwd()).resolve()
            raise ConfigError(f"no {FILE} in {here} or above; `fiel init DIR` makes a workspace")
        return found

    @classmethod
    def near(cls, start: Path | None = None) -> Workspace | None:
        """The same, or None where there is none; raises ConfigError for one that cannot be read."""
        here = (start or Path.cwd()).resolve()
        for folder in (here, *here.parents):
            if (folder / FILE).is_file():
                return cls(folder, read(folder / FILE))
            project = folder / PYPROJECT
            if project.is_file() and has_table(project):
                return cls(folder, read(project), file=project.name)
        return None

    # Datasets ------------------------------------------------------------------------------------------------

    def dataset(self, split: str) -> JsonlDataset:
        """The dataset that ``[datasets]`` names for ``split``."""
        known = self.config.datasets
        if split not in known:
            raise ConfigError(f"{self.file}: no dataset {split!r} in [datasets]; {did_you_mean(split, known)}")
        return self.dataset_at(self.root / known[split])

    def dataset_at(self, path: Path) -> JsonlDataset:
        return JsonlDataset(path, label=shown(path))

    def checked(self, split: str) -> Checked:
        """A dataset that was read whole and shares nothing with the other split."""
        mine = check(self.dataset(split), compile_schema=compile_schema)
        self.refuse_misnamed(mine, split)
        for other in self.config.datasets:
            if other != split:
                # A leak makes both numbers worthless, whichever of the two is run today.
                refuse_leaks(mine, check(self.dataset(other), compile_schema=compile_schema, require_pin=False))
        return mine

    def refuse_misnamed(self, found: Checked, split: str) -> None:
        """Raise ConfigError where the configuration calls one split what the dataset calls the other."""
        if found.info.split != split and split in SPLITS:
            raise ConfigError(
                f"{found.source.label}: says split = {found.info.split!r}, but {self.file} names it as {split!r}"
            )

    @property
    def holdout_log(self) -> HoldoutLog:
        return HoldoutLog(self.root / "holdout-log.jsonl")

    # Targets and graders -------------------------------------------------------------------------------------

    def table(self, name: str) -> TargetTable:
        """What ``[targets.NAME]`` says."""
        known = self.config.targets
        if name not in known:
            raise ConfigError(f"{self.file}: no target {name!r} in [targets]; {did_you_mean(name, known)}")
        return known[name]

    def target(self, name: str, options: Mapping[str, Any], *, concurrency: int) -> Target:
        """The target of that name behind its adapter, not opened yet."""
        table = self.table(name)
        settings: dict[str, Any] = {
            "name": name,
            "options": dict(options),
            "max_output_bytes": self.config.run.max_output_bytes,
        }
        if table.python is not None:
            settings |= {"entry": table.python, "workspace": self.root}
        elif table.http is not None:
            own = {field: getattr(table.http, field) for field in table.http.__struct_fields__}
            settings |= own | {"environ": os.environ, "concurrency": concurrency}
        elif table.command is not None:
            settings |= {
                "argv": table.command.argv,
                "mode": table.command.mode,
                "workspace": self.root,
                "environ": os.environ,
                "concurrency": concurrency,
            }
        target: Target = loaded(TARGETS[table.kind])(**settings)
        return target

    def graders(self, schemas: Mapping[str, Any]) -> tuple[Grader, ...]:
        """The graders of ``[graders]`` in their order; ``schemas`` are the dataset's named ones."""
        if not self.config.graders:
            raise ConfigError(f"{self.file}: no [graders.…] table: nothing would be measured; add [graders.exact]")
        points = {point.name: point.value for point in metadata.entry_points(group="fiel.graders")}
        return build_all(self.config.graders, load=self._load, entry_points=points, documents=schemas)

    def _load(self, place: str) -> Any:
        # A team's own graders lie beside its targets.
        if str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        return loaded(place)

    # Places --------------------------------------------------------------------------------------------------

    def cache(self) -> SQLiteCache:
        cache: SQLiteCache = loaded(CACHES["sqlite"])(self.root / ".fiel" / "cache.sqlite")
        return cache

    @property
    def runs(self) -> Path:
        return self.root / "runs"


def loaded(place: str) -> Any:
    """The object at ``module:attribute``; raises ConfigError that says which half is missing."""
    module, _, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{place!r}: no module {error.name!r} can be imported") from None
    except AttributeError:
        raise ConfigError(f"{place!r}: {module!r} has no {attribute!r}") from None
    except FielError:
        raise
    except Exception as error:
        raise ConfigError(f"{place!r}: importing it raised {type(error).__name__}: {error}") from None


def shown(path: Path) -> str:
    """A path as seen from the current directory, where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
