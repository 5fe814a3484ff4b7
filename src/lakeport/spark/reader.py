"""A table read by Spark: endpoints are partitions, filters are sent along, batches come as they are sent.

Filters go to the server to spare rows, and all of them back to Spark, which applies them to what comes: a
server may send more than was asked for. They go only where `pushdown` is asked for: Spark 4.1 keeps what it
planned for a filter with the DataFrame, and reads that for the next query over it, and for another part of the same
one. The option `where` is the same for all of them. Sources in Python are told neither which columns a query needs
nor its limit; the option `columns` names them, and a query that stops reading ends the stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition
from pyspark.sql.types import StructType

from lakeport.core.errors import ConflictError, NotFoundError
from lakeport.core.names import quoted
from lakeport.flight.messages import FlightEndpoint
from lakeport.spark.catalogue import Announced
from lakeport.spark.condition import Where
from lakeport.spark.convert import for_spark
from lakeport.spark.filters import filter_document
from lakeport.spark.options import Options
from lakeport.spark.server import Server, Wanted
from lakeport.spark.types import arrow_schema


class Endpoint(InputPartition):
    """A partition; `columns` is what the stream has, as its table was announced for it.

    `kept_by` are those that the option `where` is about: of the others nothing but NULL may come.
    """

    def __init__(
        self, endpoint: FlightEndpoint, columns: tuple[str, ...], kept_by: tuple[str, ...] = ()
    ) -> None:
        self.endpoint = endpoint
        self.columns = columns
        self.kept_by = kept_by

    def __repr__(self) -> str:
        return f"<endpoint of {len(self.columns)} columns>"  # a ticket is nobody's to see


class AirportReader(DataSourceReader):
    """Of a DataFrame for any number of queries: all of them see the rows of the first."""

    def __init__(self, options: Options, schema: StructType) -> None:
        self._options = options
        self._wanted = arrow_schema(schema)
        self._filters: tuple[Filter, ...] = ()

    def partitions(self) -> list[InputPartition]:
        options = self._options
        with Server(options.access) as server:
            table = server.find(options.table, options.read.at)
            where = self._where(table.columns)
            needed = self._wanted.names if where is None else [*self._wanted.names, *where.names]
            ids = list(dict.fromkeys(self._column_id(table, name) for name in needed))
            names = [table.columns.names[each] for each in ids]
            filters = self._filters if where is None else (*self._filters, *where.filters)
            document = filter_document(filters, table.columns, names)
            found = server.endpoints(table, Wanted(ids, document, options.read.at))
        kept = () if where is None else where.names
        return [Endpoint(each, tuple(table.columns.names), kept) for each in found]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, Endpoint):
            return  # Spark makes one of nothing, for a table without endpoints
        with (
            Server(self._options.access) as server,
            closing(server.rows(partition.endpoint, self._options.table)) as rows,
        ):
            where: Where | None = None
            for batch in rows:
                self._require_announced(batch.schema, partition)
                where = where or self._where(_columns(batch.schema, partition.kept_by))
                yield for_spark(batch if where is None else where.kept(batch), self._wanted)

    def _where(self, columns: pa.Schema) -> Where | None:
        sql = self._options.read.where
        return None if sql is None else Where(sql, columns)

    def _column_id(self, table: Announced, name: str) -> int:
        found = table.column_id(name)
        if found is None:
            raise NotFoundError.among(
                "column", name, table.columns.names, where=f"table {quoted(str(table.name))}"
            )
        return found

    def _require_announced(self, schema: pa.Schema, partition: Endpoint) -> None:
        """Columns are asked for by number: of another layout they would be other ones, all NULL."""
        came = tuple(field.name for field in schema if not (field.metadata or {}).get(b"is_rowid"))
        if came != partition.columns:
            raise ConflictError(
                f"table {quoted(str(self._options.table))} was altered while it was read",
                hint="run the query again",
            )


def _columns(schema: pa.Schema, names: tuple[str, ...]) -> pa.Schema:
    """As they come: those that nobody asked for may be of no type at all."""
    return pa.schema([schema.field(name) for name in names])


class FilteringReader(AirportReader):
    """Of a DataFrame that one query names once."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802  Spark's name
        """All of them come back: those that are sent as well are sent as a hint."""
        self._filters = tuple(filters)
        return filters
