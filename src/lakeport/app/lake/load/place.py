"""Where files are loaded to: a catalog of this machine's, or a server (`app/remote/place.py`).

Both find, make and fill tables by the same names, and refuse what they refuse with the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from lakeport.app.lake.find import find_table, parse_name
from lakeport.app.lake.undo import undoing
from lakeport.app.lake.writing import create_table, drop_namespace, drop_table
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import Catalog, Table, WriteContext, Written
from lakeport.catalog.statements import insert_rows, overwrite_rows
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName


@dataclass(frozen=True, slots=True)
class Standing:
    """A table that is there: its name as it is spelled, and its columns."""

    name: TableName
    schema: pa.Schema


class Place(Protocol):
    bytes_sent: int
    """Of the rows so far, over a network."""

    def name_of(self, text: str) -> TableName:
        """`NAMESPACE.TABLE` as a person typed it, whether there is such a table or not."""
        ...

    def find(self, text: str) -> Standing: ...

    def made(self, name: TableName, definition: Definition) -> AbstractContextManager[Standing]:
        """A new table, and its namespace if there was none; both go again if the block fails."""
        ...

    def write(
        self, table: Standing, rows: Iterator[pa.RecordBatch], *, replace: bool
    ) -> Written: ...


class CatalogPlace:
    bytes_sent = 0

    def __init__(self, catalog: Catalog, context: WriteContext | None = None) -> None:
        self._catalog = catalog
        self._context = context

    def name_of(self, text: str) -> TableName:
        return parse_name(self._catalog, text)

    def find(self, text: str) -> Standing:
        return _standing(find_table(self._catalog, text))

    @contextmanager
    def made(self, name: TableName, definition: Definition) -> Iterator[Standing]:
        is_known = self._has_namespace(name.namespace)
        table = create_table(self._catalog, name, definition)

        def undo() -> None:
            drop_table(self._catalog, name)
            if not is_known:
                drop_namespace(self._catalog, name.namespace)

        with undoing(undo):
            yield _standing(table)

    def write(self, table: Standing, rows: Iterator[pa.RecordBatch], *, replace: bool) -> Written:
        write = overwrite_rows if replace else insert_rows
        name = table.name
        into = self._catalog.namespace(name.namespace).table(name.table)
        return write(into, rows, self._context)

    def _has_namespace(self, name: str) -> bool:
        try:
            self._catalog.namespace(name)
        except NotFoundError:
            return False
        return True


def _standing(table: Table) -> Standing:
    return Standing(table.name, table.state().definition.schema)
