"""All rows of a table deleted, as any Airport server lets one do it: by their ids."""

from __future__ import annotations

import pyarrow as pa

from lakeport.core.errors import CorruptDataError, UnsupportedError
from lakeport.core.names import ROW_ID, quoted
from lakeport.spark.catalogue import Announced
from lakeport.spark.server import Server, Wanted

_ROW_ID = 2**64 - 1  # as a column id


def delete_all(server: Server, table: Announced) -> None:
    """In one statement, which is opened before the rows are read: it is about those rows or fails."""
    row_id = table.row_id
    if row_id is None:
        raise UnsupportedError(f"the rows of table {quoted(str(table.name))} have no ids")
    sent = pa.schema([pa.field(ROW_ID, row_id.type)])
    with server.delete(table, sent) as statement:
        for endpoint in server.endpoints(table, Wanted([_ROW_ID])):
            for batch in server.rows(endpoint, table.name):
                place = batch.schema.get_field_index(row_id.name)
                if place < 0:
                    raise CorruptDataError(
                        f"{server.access.target} sent no row ids of table {quoted(str(table.name))}"
                    )
                statement.add(pa.RecordBatch.from_arrays([batch.column(place)], schema=sent))
        statement.end()
