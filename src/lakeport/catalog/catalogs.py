"""The catalogs one server holds, found by name in any spelling; the first is the default.

They may come and go while it runs: whoever holds one keeps it, and the next call sees the change.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from lakeport.catalog.ports import Catalog
from lakeport.core.errors import ConfigurationError, NotFoundError
from lakeport.core.names import NameMap, quoted, twins


class Catalogs:
    def __init__(self, catalogs: Iterable[Catalog], *, may_be_empty: bool = False) -> None:
        held = tuple(catalogs)
        if not held and not may_be_empty:
            raise ConfigurationError("a server needs at least one catalog")
        _require_unique(held)
        self._lock = threading.Lock()
        self._by_name = _by_name(held)

    @property
    def default(self) -> Catalog:
        for catalog in self._by_name.values():
            return catalog
        raise NotFoundError("this server has no catalog")

    def __iter__(self) -> Iterator[Catalog]:
        return iter(self._by_name.values())

    def add(self, catalog: Catalog) -> None:
        """Behind the others."""
        with self._lock:
            held = (*self._by_name.values(), catalog)
            _require_unique(held)
            self._by_name = _by_name(held)

    def remove(self, name: str) -> Catalog:
        with self._lock:
            gone = self.find(name, self._by_name)
            self._by_name = _by_name(each for each in self._by_name.values() if each is not gone)
        return gone

    def find(self, name: str, known: Iterable[str]) -> Catalog:
        """`known` are the names an error may mention."""
        found = self._by_name.get(name)
        if found is None:
            raise NotFoundError.among("catalog", name, known)
        return found


def _require_unique(catalogs: Iterable[Catalog]) -> None:
    pair = twins(catalog.name for catalog in catalogs)
    if pair is not None:
        raise ConfigurationError(
            f"two catalogs are called {quoted(pair[0])}", hint="rename one of them"
        )


def _by_name(catalogs: Iterable[Catalog]) -> NameMap[Catalog]:
    return NameMap((catalog.name, catalog) for catalog in catalogs)
