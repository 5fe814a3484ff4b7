"""A server as the place that files are loaded to, and that Python's rows go to.

Rows are brought into the table's columns on this side: files may lack columns and have types of their
own, and a stream has one schema from its beginning to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeport.app.lake.load.place import Standing
from lakeport.app.lake.undo import undoing
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import Written
from lakeport.catalog.query import Query
from lakeport.catalog.reports.find import name_in
from lakeport.catalog.rows.conform import conform_insert
from lakeport.core.names import TableName

if TYPE_CHECKING:
    from lakeport.app.remote.source import RemoteSource


class RemotePlace:
    def __init__(self, source: RemoteSource) -> None:
        self.bytes_sent = 0
        self._source = source

    def name_of(self, text: str) -> TableName:
        return name_in(text, lambda: (listed.name for listed in self._source.tables()))

    def find(self, text: str) -> Standing:
        name = TableName.parse(self._source.describe(text).name)
        with self._source.read(text, Query(limit=0)) as nothing:
            return Standing(name or self.name_of(text), nothing.schema)

    @contextmanager
    def made(self, name: TableName, definition: Definition) -> Iterator[Standing]:
        ddl = self._source.ddl
        made, with_namespace = ddl.create_with_namespace(name, definition)

        def undo() -> None:
            ddl.drop_table(made)
            if with_namespace:
                ddl.drop_namespace(made.namespace)

        with undoing(undo):
            yield Standing(made, definition.schema)

    def write(self, table: Standing, rows: Iterator[pa.RecordBatch], *, replace: bool) -> Written:
        definition = Definition(table.schema)
        with self._source.put(table.name, table.schema, replacing=replace) as upload:
            for batch in rows:
                upload.add(conform_insert(batch, definition))
                self.bytes_sent = upload.bytes_sent
            return self._source.written(upload.finish())
