"""A lake whose Spark is far away: the ground of the other tests with a network in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pyiceberg.catalog.rest import RestCatalog

from lakeport.app.lake.lake import Lake
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark
from lakeport.pipeline.target import RUN_ID
from tests.airport.airport_server import serving
from tests.engines.duck import Duck
from tests.spark.ground import Ground, Lent
from tests.spark.network import FarPipeline, Network, network


@dataclass(frozen=True)
class Far(Ground):
    """Readers are near: what the network does is done to the writers alone."""

    network: Network

    def runs(self, table: str = "t") -> list[str]:
        """By which the table has rows, oldest first."""
        return [summary[RUN_ID] for summary in self.data_snapshots(table)]

    def refs(self, table: str = "t") -> list[str]:
        return sorted(ref.name for ref in self.lake.table(f"shop.{table}").refs())


@contextmanager
def open_far(
    catalog: IcebergCatalog, jvm: Spark, duck: Duck, settings: Mapping[str, str] | None = None
) -> Iterator[Far]:
    with network() as between:

        def pipeline() -> FarPipeline:
            return FarPipeline(
                between, catalog, lambda: Lent(jvm), jvm.log, actor="tester", settings=settings
            )

        with (
            Lake(catalog, actor="tester", pipeline=pipeline) as lake,
            lake.rest() as door,
            serving([catalog]) as airport,
        ):
            lake.create_namespace("shop")
            client = RestCatalog("through", **door.for_pyiceberg())
            try:
                yield Far(lake, jvm.session(door.for_spark()), client, duck, airport, between)
            finally:
                client.close()
