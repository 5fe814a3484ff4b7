"""The data source `airport`: what Spark asks of it, in the driver's Python and in the workers'."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter
from pyspark.sql.types import StructType

from lakeport.catalog.arrow import Field
from lakeport.core.errors import NotFoundError
from lakeport.core.names import quoted
from lakeport.spark.catalogue import Announced
from lakeport.spark.condition import Where
from lakeport.spark.options import Options
from lakeport.spark.reader import AirportReader, FilteringReader
from lakeport.spark.server import Server
from lakeport.spark.types import spark_schema
from lakeport.spark.writer import open_writer


class AirportDataSource(DataSource):
    """`spark.read.format("airport").option("location", "grpc://…").load("shop.orders")`."""

    @classmethod
    def name(cls) -> str:
        return "airport"

    def __repr__(self) -> str:
        return "<data source airport>"  # its options hold a token

    def schema(self) -> StructType:
        options = Options.of(self.options)
        with Server(options.access) as server:
            table = server.find(options.table, options.read.at)
        if options.read.where is not None:
            _ = Where(options.read.where, table.columns).condition
        wanted = options.read.columns
        if wanted is None:
            return spark_schema(table.columns)
        return spark_schema(pa.schema([_column(table, name) for name in wanted]))

    def reader(self, schema: StructType) -> DataSourceReader:
        options = Options.of(self.options)
        made = FilteringReader if options.read.pushdown else AirportReader
        return made(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: FBT001  Spark's
        return open_writer(Options.of(self.options), schema, overwrite=overwrite)


def _column(table: Announced, name: str) -> Field:
    found = table.column_id(name)
    if found is None:
        raise NotFoundError.among(
            "column", name, table.columns.names, where=f"table {quoted(str(table.name))}"
        )
    return table.columns.field(found)
