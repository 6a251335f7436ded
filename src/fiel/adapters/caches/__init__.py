"""Places that remember answers by their content."""

from __future__ import annotations

from typing import Final

CACHES: Final = {
    "sqlite": "fiel.adapters.caches.sqlite:SQLiteCache",
}
"""Kind of cache to where its adapter lives."""
