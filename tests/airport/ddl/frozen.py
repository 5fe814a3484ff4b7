"""A catalog that can be read and nothing else: each layer says by its type what it cannot do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    Namespace,
    NamespaceInfo,
    Table,
    TableState,
)
from lakeport.core.names import TableName


@dataclass(frozen=True)
class FrozenTable:
    inner: Table

    @property
    def name(self) -> TableName:
        return self.inner.name

    def state(self) -> TableState:
        return self.inner.state()


@dataclass(frozen=True)
class FrozenNamespace:
    inner: Namespace

    @property
    def info(self) -> NamespaceInfo:
        return self.inner.info

    def tables(self) -> Sequence[str]:
        return self.inner.tables()

    def table(self, name: str) -> Table:
        return FrozenTable(self.inner.table(name))


@dataclass(frozen=True)
class FrozenCatalog:
    inner: Catalog

    @property
    def name(self) -> str:
        return self.inner.name

    def version(self) -> CatalogVersion:
        return self.inner.version()

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self.inner.namespaces()

    def namespace(self, name: str) -> Namespace:
        return FrozenNamespace(self.inner.namespace(name))
