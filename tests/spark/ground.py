"""A lake that Spark writes, and everybody who reads it: Spark, PyIceberg, DuckDB, Flight clients and we."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import SnapshotInfo
from lakeport.core.names import ROW_ID
from lakeport.pipeline.session import Session, Spark
from lakeport.pipeline.target import RUN_ID
from lakeport.pipeline.writing import Outcome
from tests.airport.airport_server import Client, serving
from tests.engines.duck import Duck
from tests.engines.plain import Row, in_order, rows_of


class Lent(Spark):
    """A Spark that outlives whoever closes it, and counts the sessions that were opened."""

    def __init__(self, spark: Spark) -> None:
        super().__init__(spark.log)
        self._spark = spark
        self.opened = 0
        self.is_local, self.is_connect = spark.is_local, spark.is_connect

    def fresh(self) -> Session:
        self.opened += 1
        return self._spark.fresh()

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Ground:
    """`session` is a reader of its own. Names without a namespace are in `shop`."""

    lake: Lake
    session: Session
    client: RestCatalog
    duck: Duck
    airport: Client

    def write(self, query: object, into: str = "t", **settings: Any) -> Outcome:
        outcome = self.lake.write(query, into=f"shop.{into}", **settings)
        assert isinstance(outcome, Outcome)
        return outcome

    def rows(self, table: str = "t") -> list[Row]:
        """In the order of its columns; all five have to see the same."""
        location = self.client.load_table(("shop", table)).metadata_location
        with self.lake.table(f"shop.{table}").scan() as ours:
            seen = {
                "Lakeport": in_order(rows_of(ours.read_all())),
                "Spark": in_order(rows_of(self.session.sql(f"TABLE shop.`{table}`").toArrow())),
                "PyIceberg": in_order(
                    rows_of(self.client.load_table(("shop", table)).scan().to_arrow())
                ),
                "DuckDB": self.duck.rows(f"iceberg_scan('{location}')"),
                "Airport": in_order(rows_of(self._flown(table))),
            }
        assert len({repr(rows) for rows in seen.values()}) == 1, seen
        return seen["Lakeport"]

    def _flown(self, table: str) -> pa.Table:
        """As a standard client of a server gets it, and without the column that is for changing rows."""
        flown = self.airport.rows(self.airport.info("shop", table))
        return flown.drop_columns([ROW_ID])

    def records(self, table: str = "t") -> list[dict[str, Any]]:
        return [dict(zip(self.columns(table), row, strict=True)) for row in self.rows(table)]

    def columns(self, table: str = "t") -> list[str]:
        """As Spark sees them, and everybody else."""
        ours = self.lake.table(f"shop.{table}").schema.names
        assert self.session.table(f"shop.`{table}`").columns == ours
        return ours

    def types(self, table: str = "t") -> dict[str, str]:
        schema = self.lake.table(f"shop.{table}").schema
        return {field.name: str(field.type) for field in schema}

    def history(self, table: str = "t") -> list[SnapshotInfo]:
        """Of main, oldest first: what was on a branch and is no more was never in the table."""
        handle = self.lake.table(f"shop.{table}")
        known = {each.snapshot_id: each for each in handle.history()}
        at, found = handle.port.state().snapshot_id, []
        while at is not None:
            found.append(known[at])
            at = known[at].parent_id
        return found[::-1]

    def data_snapshots(self, table: str = "t") -> list[Mapping[str, str]]:
        """The summaries of those that a run wrote rows by."""
        return [each.summary for each in self.history(table) if RUN_ID in each.summary]


@contextmanager
def open_ground(catalog: IcebergCatalog, jvm: Spark, duck: Duck) -> Iterator[Ground]:
    def pipeline() -> Pipeline:
        return Pipeline(catalog, lambda: Lent(jvm), jvm.log, actor="tester")

    with (
        Lake(catalog, actor="tester", pipeline=pipeline) as lake,
        lake.rest() as door,
        serving([catalog]) as airport,
    ):
        lake.create_namespace("shop")
        client = RestCatalog("through", **door.for_pyiceberg())
        try:
            yield Ground(lake, lake.spark(), client, duck, airport)
        finally:
            client.close()
