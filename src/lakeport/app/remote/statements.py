"""UPDATE … WHERE and DELETE … WHERE at a server, as DuckDB does them: a statement is opened, rows and their
ids are read, and what becomes of them goes into the statement.

It is opened first, so that it is about the table that the rows are read from, or is aborted. When another
writer was faster it is run again, as one is at home.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from lakeport.airport.exchange.kinds import Kind
from lakeport.app.remote.source import RemoteSource
from lakeport.catalog.assignments import Assignments
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.ports import Written
from lakeport.catalog.query import Query
from lakeport.catalog.statements import until_applied
from lakeport.core.names import quoted


def delete_remotely(source: RemoteSource, table: str, where: str | None) -> Written:
    def once() -> Written:
        name = source.place().find(table).name
        ids = pa.schema([ROW_ID_FIELD])
        with source.exchange(Kind.DELETE, name, ids) as statement:
            with source.read(table, Query((), where, row_ids=True)) as rows:
                for batch in rows:
                    statement.add(batch)
            return source.written(statement.finish())

    return until_applied(once)


def update_remotely(
    source: RemoteSource, table: str, values: Mapping[str, str], where: str | None
) -> Written:
    def once() -> Written:
        standing = source.place().find(table)
        edits = Assignments.of(values, standing.schema, f"table {quoted(str(standing.name))}")
        with source.exchange(Kind.UPDATE, standing.name, edits.schema) as statement:
            with source.read(table, Query(edits.read, where, row_ids=True)) as rows:
                for batch in edits.applied(rows):
                    statement.add(batch)
            return source.written(statement.finish())

    return until_applied(once)
