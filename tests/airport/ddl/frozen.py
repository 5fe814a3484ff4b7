"""A catalog that can be read and nothing else: each layer says by its type what it cannot do."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.catalog.ports import Catalog, Table, TableState
from lakeport.core.names import TableName
from tests.airport.wrapped import WrappedCatalog


@dataclass(frozen=True)
class FrozenTable:
    inner: Table

    @property
    def name(self) -> TableName:
        return self.inner.name

    def state(self) -> TableState:
        return self.inner.state()


def frozen(catalog: Catalog) -> WrappedCatalog:
    return WrappedCatalog(catalog, FrozenTable)
