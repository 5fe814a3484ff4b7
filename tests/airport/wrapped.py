"""A catalog that is another one, but for its tables: each is handed out as a test wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lakeport.catalog.ports import Catalog, CatalogVersion, Namespace, NamespaceInfo, Table

Wrap = Callable[[Table], Table]


@dataclass(frozen=True)
class WrappedNamespace:
    inner: Namespace
    wrap: Wrap

    @property
    def info(self) -> NamespaceInfo:
        return self.inner.info

    def tables(self) -> Sequence[str]:
        return self.inner.tables()

    def table(self, name: str) -> Table:
        return self.wrap(self.inner.table(name))


@dataclass(frozen=True)
class WrappedCatalog:
    inner: Catalog
    wrap: Wrap

    @property
    def name(self) -> str:
        return self.inner.name

    def version(self) -> CatalogVersion:
        return self.inner.version()

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self.inner.namespaces()

    def namespace(self, name: str) -> Namespace:
        return WrappedNamespace(self.inner.namespace(name), self.wrap)
