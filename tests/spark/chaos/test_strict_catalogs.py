"""Catalogs of the kind of S3 Tables and Glue: no staged create, so no table from a query, and drops that purge.

Every strategy takes the same path there as everywhere: the table is made empty, then written.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from lakeport import LakeportError
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.pipeline.session import Spark
from lakeport.pipeline.staging import STAGING, given_of
from lakeport.pipeline.target import Run
from lakeport.pipeline.writing import Point, request_of
from tests.airport.airport_server import serving
from tests.engines.duck import Duck
from tests.spark.ground import Ground, Lent
from tests.spark.network import Asked, Network, Reply, Send, error, network
from tests.spark.strict import Strict
from tests.spark.test_strategies_on_spark import values


@pytest.fixture
def between() -> Iterator[Network]:
    with network() as opened:
        opened.judge = Strict()
        yield opened


@pytest.fixture
def strict(between: Network) -> Strict:
    assert isinstance(between.judge, Strict)
    return between.judge


@pytest.fixture
def remote(catalog: IcebergCatalog, between: Network, jvm: Spark, duck: Duck) -> Iterator[Ground]:
    """A service of ours behind the strict machine stands for one of theirs; readers come by it, too."""
    with Lake(catalog) as behind, behind.rest() as service:
        behind.create_namespace("shop")
        uri = between.to(service.uri)
        profile = Profile("lake", "rest", uri, "lake", {"token": service.token})
        with IcebergCatalog(profile, max_staleness=0.0) as far:
            attachment = Attachment.to_service(profile)

            def pipeline() -> Pipeline:
                return Pipeline(far, lambda: Lent(jvm), jvm.log, attached=attachment)

            with Lake(far, pipeline=pipeline) as lake, serving([catalog]) as airport:
                opened = RestCatalog("through", **service.for_pyiceberg())
                yield Ground(lake, lake.spark(), opened, duck, airport)
                opened.close()


def test_every_strategy_writes_there(remote: Ground, strict: Strict) -> None:
    days = values("k, day, v", "(1, DATE '2026-01-01', 1)", "(2, DATE '2026-01-02', 2)")
    made = remote.write(days, partitioned_by=["day"])
    assert made.created
    remote.write(values("k, v, new", "(2, 20, 'x')"), unique_key="k")
    remote.write(values("k, v", "(3, 30)", "(1, 10)"), unique_key="k", strategy="merge")
    remote.write(pa.table({"k": pa.array([4], pa.int32())}), strategy="append")
    assert remote.records() == [
        {"k": 1, "day": date(2026, 1, 1), "v": 10, "new": None},
        {"k": 2, "day": None, "v": 20, "new": "x"},
        {"k": 3, "day": None, "v": 30, "new": None},
        {"k": 4, "day": None, "v": None, "new": None},
    ]
    first, second = date(2026, 1, 1), date(2026, 1, 2)
    one = values("k, day", "(5, DATE '2026-01-01')")
    remote.write(one, strategy="overwrite_partitions")
    span: dict[str, Any] = {"time_column": "day", "range": (first, second)}
    remote.write(values("k, day", "(6, DATE '2026-01-01')"), strategy="time_range", **span)
    assert [row[0] for row in remote.rows()] == [2, 3, 4, 6]
    remote.write(values("k", "(7)"), strategy="full")
    assert remote.rows() == [(7, None, None, None)]
    assert remote.lake.tables(STAGING) == []
    assert strict.refused == []


def test_staging_tables_are_purged_there(remote: Ground, strict: Strict) -> None:
    request = request_of(remote.write("SELECT 1 AS k").table, {"unique_key": "k"})
    run = Run()
    with (
        remote.lake.pipeline().engine() as engine,
        engine.stage(given_of("SELECT 1 AS k, 2 AS v"), request, run, "table") as staged,
    ):
        assert len(remote.lake.tables(STAGING)) == 1
        engine.write_staged(staged, request, run)
    assert remote.lake.tables(STAGING) == []
    assert remote.rows() == [(1, 2)]
    assert strict.refused == []


def test_the_machine_is_as_strict_as_it_says(remote: Ground, strict: Strict) -> None:
    remote.write("SELECT 1 AS k")
    with pytest.raises(Exception, match="Staged create is not supported"):
        remote.session.sql("CREATE TABLE shop.other USING iceberg AS SELECT 1 AS k")
    with pytest.raises(Exception, match="Dropping a table needs purge"):
        remote.session.sql("DROP TABLE shop.t")
    assert len(strict.refused) == 2
    assert remote.rows() == [(1,)]


@pytest.mark.parametrize(
    ("status", "kind"), [(400, "BadRequestException"), (403, "ForbiddenException")]
)
def test_columns_that_cannot_be_added_stop_the_write_before_any_row(
    remote: Ground, between: Network, status: int, kind: str
) -> None:
    remote.write("SELECT 1 AS k")
    strict, points = between.judge, list[Point]()

    def refuse(asked: Asked, send: Send) -> Reply | None:
        grows = asked.commits_to == "t" and "add-schema" in asked.actions
        return error(status, kind, "no more columns") if grows else strict(asked, send)

    between.judge = refuse
    query = "SELECT 2 AS k, 'x' AS new"
    with pytest.raises(LakeportError, match="no more columns") as caught:
        remote.write(query, observe=lambda seen: points.append(seen.point))
    assert "\n" not in str(caught.value)
    assert points[-1] is Point.CHECKED
    between.judge = strict
    assert (remote.columns(), remote.rows()) == (["k"], [(1,)])
    assert len(remote.history()) == 1
    remote.write(query)
    assert remote.rows() == [(1, None), (2, "x")]
