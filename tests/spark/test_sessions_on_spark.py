"""Whose session writes, what is staged where, and what is left behind: nothing."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
import pytest

from lakeport.app.lake.pipeline import known_to
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.core.names import TableName
from lakeport.pipeline.session import Session, Spark
from lakeport.pipeline.staging import STAGING, Form, given_of, remove_leftovers
from lakeport.pipeline.target import Run
from lakeport.pipeline.writing import WriteRequest
from tests.engines.duck import Duck
from tests.rest.doors import profile_in
from tests.spark.ground import Ground, Lent, open_ground
from tests.spark.test_strategies_on_spark import values

INTO = TableName("shop", "t")


def views(session: Session) -> list[str]:
    return [row["viewName"] for row in session.sql("SHOW VIEWS").collect() if row["isTemporary"]]


def test_an_adopted_session_writes_and_stays_as_it_was(ground: Ground, jvm: Spark) -> None:
    session = jvm.fresh()
    session.sql("CREATE TEMPORARY VIEW mine AS SELECT 1 AS k, 'a' AS v")
    session.conf.set("spark.sql.ansi.enabled", "false")
    before = session.sql("SELECT current_catalog()").collect()
    made = ground.write("SELECT * FROM mine", session=session)
    assert made.rows == 1
    assert ground.rows() == [(1, "a")]
    assert session.sql("SELECT current_catalog()").collect() == before
    assert session.conf.get("spark.sql.ansi.enabled") == "false"
    assert session.conf.get("spark.sql.iceberg.snapshot-property.lakeport.run-id", None) is None
    assert views(session) == ["mine"]


def test_a_frame_is_written_by_its_own_session(ground: Ground, jvm: Spark) -> None:
    session = jvm.fresh()
    session.sql("CREATE TEMPORARY VIEW mine AS SELECT 5 AS k")
    ground.write(session.sql("SELECT k + 1 AS k FROM mine"))
    ground.write(session.table("mine"), unique_key="k")
    assert ground.rows() == [(5,), (6,)]


def test_a_session_that_knows_another_lake_by_that_name_keeps_it(
    ground: Ground, jvm: Spark, duck: Duck, tmp_path_factory: pytest.TempPathFactory
) -> None:
    session = ground.lake.spark()
    ground.write("SELECT 1 AS k")
    with (
        IcebergCatalog(profile_in(tmp_path_factory.mktemp("other"))) as catalog,
        open_ground(catalog, jvm, duck) as other,
    ):
        other.write(session.sql("SELECT k + 1 AS k FROM lake.shop.t"))
        assert other.rows() == [(2,)]
        assert known_to(session, other.lake.pipeline().attachment()).name != "lake"
    assert ground.rows() == [(1,)]
    assert session.sql("SELECT * FROM lake.shop.t").count() == 1


@pytest.mark.parametrize("form", ["checkpoint", "table"])
def test_both_forms_of_staging_give_the_same_rows(ground: Ground, form: Form) -> None:
    query = given_of(
        """SELECT CAST(id AS TINYINT) AS k, INTERVAL '1' DAY AS i, NULL AS n,
                  named_struct('b', CAST(1 AS SMALLINT)) AS s FROM range(3)"""
    )
    request = WriteRequest(INTO, unique_key=("k",))
    for _ in range(2):
        run = Run()
        with (
            ground.lake.pipeline().engine() as engine,
            engine.stage(query, request, run, form) as staged,
        ):
            listed = ground.lake.tables(STAGING) if form == "table" else []
            assert len(listed) == (1 if form == "table" else 0)
            made = engine.write_staged(staged, request, run)
        assert made.rows == 3
    assert ground.types() == {
        "k": "int32",
        "i": "string",
        "n": "string",
        "s": "struct<b: int32>",
    }
    assert [row[0] for row in ground.rows()] == [0, 1, 2]
    if form == "table":
        assert ground.lake.tables(STAGING) == []


def test_what_a_killed_run_left_goes_by_its_age(ground: Ground) -> None:
    tables = ground.lake.pipeline().tables
    assert remove_leftovers(tables, timedelta(0)) == ()
    ground.lake.create_table(f"{STAGING}.run_dead", {"k": pa.int32()})
    ground.lake.table(f"{STAGING}.run_dead").append([{"k": 1}])
    ground.write("SELECT 1 AS k")
    assert remove_leftovers(tables, timedelta(hours=1)) == ()
    assert remove_leftovers(tables, timedelta(0)) == (TableName(STAGING, "run_dead"),)
    assert ground.lake.tables() == ["shop.t"]


def test_sessions_are_used_again(ground: Ground) -> None:
    spark = ground.lake.pipeline().spark()
    assert isinstance(spark, Lent)
    before = spark.opened
    for number in range(3):
        ground.write(f"SELECT {number} AS k")
    assert spark.opened == before + 1
    assert ground.rows() == [(0,), (1,), (2,)]


def test_pandas_nanoseconds_are_cut_with_a_warning(ground: Ground) -> None:
    moment = pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", "UTC"))
    made = ground.write(pa.table({"at": moment}))
    assert made.warnings == ("column `at` had nanoseconds, which are cut off",)
    assert ground.types() == {"at": "timestamp[us, tz=UTC]"}
    planned = ground.lake.write(pa.table({"at": moment}), into="shop.t", dry_run=True)
    assert planned.warnings == made.warnings
    assert not planned.growth.changes_schema


def test_the_same_rows_by_every_reader_after_many_kinds_of_writes(ground: Ground) -> None:
    ground.write(
        """SELECT CAST(id AS INT) AS k, id % 3 AS part, CAST(id AS DECIMAL(12, 2)) AS n,
                  IF(id % 5 = 0, NULL, concat('ä', id)) AS text, id % 2 = 0 AS even,
                  TIMESTAMP '2026-01-01 00:00:00' + make_interval(0, 0, 0, 0, id) AS at,
                  CAST(id AS DOUBLE) / 3 AS f, X'00FF' AS b
           FROM range(50)""",
        partitioned_by=["part"],
    )
    ground.write("SELECT 7 AS k, 1L AS part, 'merged' AS text", unique_key="k")
    ground.write(values("k, extra", "(8, 'e')"), strategy="merge", unique_key="k")
    ground.write("SELECT 90 AS k, 2L AS part", strategy="overwrite_partitions")
    rows = ground.rows()
    assert len(rows) == 50 - 16 + 1  # one row for those of the third partition, 8 among them
    assert ground.columns()[-1] == "extra"
