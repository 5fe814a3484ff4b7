"""A second process that runs a pipeline on the same lake: a JVM, a door and a catalog of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import start_spark
from lakeport.pipeline.writing import Outcome
from tests.engines.spark_process import options_in
from tests.rest.doors import profile_in
from tests.spark.crowds.serial import Planned, together


@dataclass(frozen=True)
class Worker:
    lake: Lake

    def write(self, query: object, into: str = "t", **settings: Any) -> Outcome:
        outcome = self.lake.write(query, into=f"shop.{into}", **settings)
        assert isinstance(outcome, Outcome)
        return outcome

    def together(self, runs: Sequence[Planned]) -> list[int | None]:
        return [made.snapshot_id for made in together(self, runs)]


@contextmanager
def worker(folder: str, scratch: str) -> Iterator[Worker]:
    options = options_in(Path(scratch))
    with IcebergCatalog(profile_in(Path(folder))) as catalog:

        def pipeline() -> Pipeline:
            return Pipeline(catalog, lambda: start_spark(options), options.log, actor="worker")

        with Lake(catalog, actor="worker", pipeline=pipeline) as lake:
            lake.spark()  # so that it is up when it is asked
            yield Worker(lake)
