"""The catalogs one server holds, found by name in any spelling; the first is the default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lakeport.catalog.ports import Catalog
from lakeport.core.errors import ConfigurationError, NotFoundError
from lakeport.core.names import NameMap, quoted, twins


class Catalogs:
    def __init__(self, catalogs: Iterable[Catalog]) -> None:
        held = tuple(catalogs)
        if not held:
            raise ConfigurationError("a server needs at least one catalog")
        pair = twins(catalog.name for catalog in held)
        if pair is not None:
            raise ConfigurationError(
                f"two catalogs are called {quoted(pair[0])}", hint="rename one of them"
            )
        self._by_name = NameMap((catalog.name, catalog) for catalog in held)
        self.default = held[0]

    def __iter__(self) -> Iterator[Catalog]:
        return iter(self._by_name.values())

    def find(self, name: str, known: Iterable[str]) -> Catalog:
        """`known` are the names an error may mention."""
        found = self._by_name.get(name)
        if found is None:
            raise NotFoundError.among("catalog", name, known)
        return found
