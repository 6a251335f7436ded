"""Finds the callable that ``module:attribute`` names, freshly imported from a workspace directory."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from fiel.adapters.targets.crashes import place_of, told
from fiel.core.errors import ConfigError, did_you_mean

_OURSELVES: Final = __name__.partition(".")[0]


class Source:
    """The sources of one target: puts the workspace on ``sys.path`` and takes it away again."""

    def __init__(self, entry: str, workspace: Path) -> None:
        """Raises ConfigError when ``entry`` does not read ``module:attribute``."""
        module, _, attribute = entry.partition(":")
        if not all(part.isidentifier() for part in (*module.split("."), *attribute.split("."))):
            raise ConfigError(
                f'python = "{entry}" names no callable; write it as "module:attribute", "targets:baseline"'
            )
        self._module = module
        self._attribute = attribute
        self.workspace = workspace.resolve()
        self.roots: tuple[Path, ...] = (self.workspace,)
        self._known: frozenset[str] | None = None

    def load(self) -> Callable[..., Any]:
        """The callable. Raises ConfigError when the module cannot be imported or holds no such callable."""
        self._known = frozenset(sys.modules)
        sys.path.insert(0, str(self.workspace))
        importlib.invalidate_caches()
        self._forget_stale()
        module = self._imported()
        self.roots = (self.workspace, *_package_root(module))
        found: Any = module
        for step in self._attribute.split("."):
            if not hasattr(found, step):
                near = did_you_mean(step, [name for name in dir(found) if callable(getattr(found, name, None))])
                raise ConfigError(f'{self._where(module)} has no "{step}"; {near}')
            found = getattr(found, step)
        if not callable(found):
            raise ConfigError(
                f'"{self._attribute}" in {self._where(module)} is a {type(found).__name__}, not a callable'
            )
        return found  # type: ignore[no-any-return]

    def release(self) -> None:
        """Take the workspace off ``sys.path`` and forget the modules that were imported from it; safe to call twice."""
        if self._known is None:
            return
        if str(self.workspace) in sys.path:
            sys.path.remove(str(self.workspace))
        for name in [name for name in sys.modules if name not in self._known and self._own(name)]:
            del sys.modules[name]
        self._known = None

    def _imported(self) -> ModuleType:
        try:
            return importlib.import_module(self._module)
        except ModuleNotFoundError as error:
            if error.name is not None and (self._module + ".").startswith(error.name + "."):
                near = did_you_mean(error.name, self._modules_here())
                raise ConfigError(f'no module "{error.name}" in {self.workspace} or installed; {near}') from None
            raise self._unimportable(error) from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._unimportable(error) from error

    def _unimportable(self, error: BaseException) -> ConfigError:
        place = place_of(error.__traceback__, self.roots)
        if isinstance(error, SyntaxError) and error.filename:
            place = f"{Path(error.filename).name}:{error.lineno}"
        return ConfigError(
            f'cannot import "{self._module}" from {self.workspace}: {told(error)} ({place or "no place"})'
        )

    def _forget_stale(self) -> None:
        """Drop the target's own module from ``sys.modules`` when the workspace holds it: it may have been edited."""
        top = self._module.partition(".")[0]
        spec = PathFinder.find_spec(top, [str(self.workspace)])
        if spec is None or spec.origin is None or top == _OURSELVES:
            return
        for name in [name for name in sys.modules if name == top or name.startswith(top + ".")]:
            del sys.modules[name]

    def _own(self, name: str) -> bool:
        """Whether this module was found by its own name in the workspace, not deeper (a virtual environment)."""
        file = getattr(sys.modules[name], "__file__", None)
        plain = self.workspace.joinpath(*name.split("."))
        if file is None or name.partition(".")[0] == _OURSELVES:
            return False
        return Path(file) in (plain.with_suffix(".py"), plain / "__init__.py")

    def _modules_here(self) -> list[str]:
        if not self.workspace.is_dir():
            return []
        files = [path.stem for path in self.workspace.glob("*.py")]
        return files + [path.parent.name for path in self.workspace.glob("*/__init__.py")]

    def _where(self, module: ModuleType) -> str:
        return f'module "{self._module}" ({getattr(module, "__file__", None) or "built in"})'


def _package_root(module: ModuleType) -> list[Path]:
    """The folder that holds the module's top package: where its sources lie when they are not in the workspace."""
    file = getattr(module, "__file__", None)
    if file is None:
        return []
    levels = module.__name__.count(".") + (Path(file).name == "__init__.py")
    return [Path(file).resolve().parents[levels]]
