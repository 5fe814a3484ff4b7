"""What a catalog that remembers things can tell about how well that works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """`hits` and `misses` since the catalog was opened, `bytes` and `entries` held now."""

    hits: int
    misses: int
    bytes: int
    entries: int


@runtime_checkable
class Caching(Protocol):
    def cache_figures(self) -> Mapping[str, CacheFigures]:
        """By the name of the cache; the names never change."""
        ...
