"""One table as four readers see it: Spark, PyIceberg, DuckDB and we. They have to see the same rows."""

from __future__ import annotations

from dataclasses import dataclass

from pyiceberg.catalog.rest import RestCatalog

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from tests.engines.duck import Duck
from tests.engines.plain import Row, in_order, rows_of
from tests.engines.spark import Spark


@dataclass(frozen=True)
class Witnesses:
    """`catalog` is ours behind the door, `client` is PyIceberg's in front of it."""

    spark: Spark
    catalog: IcebergCatalog
    client: RestCatalog
    duck: Duck

    def rows(self, table: str) -> list[Row]:
        """Of a table in the namespace `shop`, columns in its own order."""
        seen = {
            "Spark": self.spark.rows(table),
            "PyIceberg": in_order(
                rows_of(self.client.load_table(("shop", table)).scan().to_arrow())
            ),
            "DuckDB": self.duck.rows(f"iceberg_scan('{self.location(table)}')"),
            "Lakeport": self.ours(table),
        }
        assert len({repr(rows) for rows in seen.values()}) == 1, seen
        return seen["Lakeport"]

    def ours(self, table: str) -> list[Row]:
        with read(self.catalog.namespace("shop").table(table), ScanRequest()) as stream:
            return in_order(rows_of(stream.read_all()))

    def columns(self, table: str) -> list[str]:
        return self.catalog.namespace("shop").table(table).state().definition.schema.names

    def location(self, table: str) -> str:
        return str(self.client.load_table(("shop", table)).metadata_location)
