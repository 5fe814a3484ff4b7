"""A lake for Python programs: what `lakeport.open` gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from lakeport.app.lake.find import find_table
from lakeport.app.lake.listing import list_tables
from lakeport.app.lake.table import LakeTable
from lakeport.app.lake.writing import append_rows
from lakeport.catalog.ports import Catalog, NamespaceInfo, Table, Written
from lakeport.catalog.statements import Rows


class Lake:
    """A catalog with its tables. Closing it, or leaving its `with` block, frees its connections."""

    def __init__(self, catalog: Catalog, close: Callable[[], None] = lambda: None) -> None:
        self.catalog = catalog
        self._close = close

    def __repr__(self) -> str:
        return f"<lakeport lake {self.catalog.name}>"

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self.catalog.namespaces()

    def tables(self, namespace: str | None = None) -> list[str]:
        """Names like "shop.orders", sorted; of one namespace and those nested in it, or of all."""
        return [listed.name for listed in list_tables(self.catalog, namespace)]

    def table(self, name: str) -> LakeTable:
        """`NAMESPACE.TABLE` in any spelling; `NotFoundError` names the nearest one there is."""
        return LakeTable(find_table(self.catalog, name), self._append)

    def _append(self, table: Table, rows: Rows) -> Written:
        return append_rows(self.catalog, table, rows)

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
