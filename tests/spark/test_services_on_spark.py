"""A catalog that is a REST service: Spark attaches to it past us, and growth is looked at afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from lakeport import PreconditionError
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.pipeline.session import Spark
from lakeport.pipeline.writing import Point, Progress
from tests.spark.ground import Lent

ROWS = list[dict[str, object]]


@pytest.fixture
def behind(catalog: IcebergCatalog) -> Lake:
    """The lake that the service serves, for who changes it by another way."""
    return Lake(catalog)


@pytest.fixture
def lake(behind: Lake, jvm: Spark) -> Iterator[Lake]:
    """A service of ours stands for any other: nothing of its growth door is used."""
    with behind.rest() as service:
        profile = Profile("lake", "rest", service.uri, "lake", {"token": service.token})
        with IcebergCatalog(profile, max_staleness=0.0) as catalog:

            def pipeline() -> Pipeline:
                return Pipeline(
                    catalog, lambda: Lent(jvm), jvm.log, attached=Attachment.to_service(profile)
                )

            with Lake(catalog, pipeline=pipeline) as opened:
                yield opened


def rows(lake: Lake) -> ROWS:
    with lake.table("shop.t").scan() as found:
        table: ROWS = found.read_all().sort_by("k").to_pylist()
        return table


def test_tables_are_made_empty_grown_and_written(lake: Lake, behind: Lake) -> None:
    first = lake.write("SELECT 1 AS k, 'a' AS v", into="shop.t", partitioned_by=["bucket(4, k)"])
    assert (first.created, first.version) == (True, 1)
    lake.write("SELECT 1L AS k, 2 AS w", into="shop.t", unique_key="k")
    lake.write(pa.table({"k": [5]}), into="shop.t", unique_key="k")
    expected = [{"k": 1, "v": None, "w": 2}, {"k": 5, "v": None, "w": None}]
    assert rows(lake) == rows(behind) == expected
    assert behind.tables() == ["shop.t"]
    assert behind.table("shop.t").port.state().definition.partitioned_by == ("bucket(4, k)",)


def test_a_column_that_is_lost_during_the_run_fails_it_by_name(lake: Lake, behind: Lake) -> None:
    lake.write("SELECT 1 AS k, 'a' AS v, 'b' AS w", into="shop.t")

    def drop(seen: Progress) -> None:
        if seen.point is Point.WRITTEN:
            behind.table("shop.t").alter(drop=["w"])

    with pytest.raises(PreconditionError, match=r"column `w` of table `shop\.t` was dropped"):
        lake.write("SELECT 2 AS k, 'c' AS v", into="shop.t", observe=drop)


def test_spark_comes_in_by_the_door_of_a_server(behind: Lake, jvm: Spark) -> None:
    with behind.rest(growth=True) as door:

        def pipeline() -> Pipeline:
            return Pipeline(behind.catalog, lambda: Lent(jvm), jvm.log, attached=door.attachment)

        with Lake(behind.catalog, pipeline=pipeline) as lake:
            lake.write("SELECT 1 AS k", into="shop.t")
            lake.write("SELECT 2 AS k, 'x' AS v", into="shop.t")
            with pytest.raises(Exception, match="`v` would be dropped"):
                lake.spark().sql("ALTER TABLE shop.t DROP COLUMN v")
    assert rows(behind) == [{"k": 1, "v": None}, {"k": 2, "v": "x"}]
