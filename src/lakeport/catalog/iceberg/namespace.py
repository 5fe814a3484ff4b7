"""A namespace of an Iceberg catalog: it finds tables, and holds none."""

from __future__ import annotations

from collections.abc import Sequence

from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo


class IcebergNamespace:
    """`info` is what it was when it was asked for; the tables are those of now."""

    def __init__(self, info: NamespaceInfo, surroundings: Surroundings) -> None:
        self._info = info
        self._surroundings = surroundings

    @property
    def info(self) -> NamespaceInfo:
        return self._info

    def tables(self) -> Sequence[str]:
        return self._surroundings.pointers.tables(self._info.name)

    def table(self, name: str) -> IcebergTable:
        found = self._surroundings.pointers.table(self._info.name, name)
        return IcebergTable(found, self._surroundings)
