"""Sessions on a real Spark Connect server, which knows no catalog until a session names one."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.rest import LocalDoor
from lakeport.core.errors import UnavailableError
from lakeport.pipeline.session import Spark, SparkOptions, checkpointed, said, start_spark

RUN = "spark.sql.iceberg.snapshot-property.run"
COLLECT = "SELECT reflect('java.lang.System', 'gc')"


@pytest.fixture
def spark(options: SparkOptions, server: str) -> Iterator[Spark]:
    # What a server takes at its start only is left to it.
    conf = {"spark.sql.session.timeZone": "Asia/Tokyo", "spark.driver.memory": "9g"}
    with start_spark(replace(options, connect=server, conf=conf)) as started:
        yield started


def test_sql_frames_and_procedures_through_a_catalog_that_came_at_run_time(
    spark: Spark, door: LocalDoor, lake: Lake
) -> None:
    session = spark.session(door.for_spark())
    session.sql("CREATE NAMESPACE shop")
    session.sql("CREATE TABLE shop.orders (id BIGINT, note STRING) USING iceberg")
    session.sql("INSERT INTO shop.orders VALUES (:id, 'sql')", {"id": 1})
    frame = session.createDataFrame([(2, "frame")], "id BIGINT, note STRING")
    frame.createOrReplaceTempView("more")
    session.sql(
        "MERGE INTO shop.orders AS t USING more AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
    )
    (called,) = session.sql(
        "CALL lake.system.rewrite_data_files(table => 'shop.orders',"
        " options => map('rewrite-all', 'true'))"
    ).collect()
    assert called["rewritten_data_files_count"] == 2
    assert session.table("shop.orders").toArrow().sort_by("id").to_pylist() == [
        {"id": 1, "note": "sql"},
        {"id": 2, "note": "frame"},
    ]
    with lake.table("shop.orders").scan() as rows:
        assert rows.read_all().num_rows == 2


def test_the_user_s_settings_hold_in_every_session(spark: Spark) -> None:
    for _ in range(2):
        session = spark.fresh()
        assert session.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
        assert session.conf.get("spark.driver.memory") == "1g"


def test_two_sessions_at_once_keep_their_settings_apart(spark: Spark, door: LocalDoor) -> None:
    one, other = spark.session(door.for_spark()), spark.session(door.for_spark())
    one.sql("CREATE NAMESPACE shop")
    one.sql("CREATE TABLE shop.runs (id BIGINT) USING iceberg")
    one.conf.set(RUN, "one")
    other.conf.set(RUN, "other")
    one.sql("INSERT INTO shop.runs VALUES (1)")
    other.sql("INSERT INTO shop.runs VALUES (2)")
    one.sql("INSERT INTO shop.runs VALUES (3)")
    told = one.sql("SELECT summary['run'] FROM shop.runs.snapshots ORDER BY committed_at").collect()
    assert [row[0] for row in told] == ["one", "other", "one"]


def test_what_takes_columns_away_is_refused_at_the_door_in_a_sentence(
    spark: Spark, door: LocalDoor
) -> None:
    session = spark.session(door.for_spark())
    session.sql("CREATE NAMESPACE shop")
    session.sql("CREATE TABLE shop.orders (id BIGINT, note STRING) USING iceberg")
    with pytest.raises(Exception, match="would be dropped") as refused:
        session.sql("ALTER TABLE shop.orders DROP COLUMN note")
    assert said(refused.value).startswith("Malformed request: column `note` would be dropped")
    assert spark.gone(refused.value) is None


def test_a_checkpoint_lives_in_its_own_session_as_long_as_somebody_holds_it(spark: Spark) -> None:
    """Measured for `checkpointed`: a frame, what is made of it, and views of both kinds."""
    spark.fresh()  # the first one is the active one, and must not get the checkpoints of others
    session, other = spark.fresh(), spark.fresh()
    kept = checkpointed(session.sql("SELECT id, rand() AS r FROM range(5)")).frame
    rows = sorted(kept.collect())
    assert sorted(kept.collect()) == rows
    kept.createOrReplaceTempView("staged")
    derived = kept.select("r")
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        other.sql("TABLE staged").collect()
    del kept
    gc.collect()
    session.sql(COLLECT).collect()
    assert sorted(row["r"] for row in derived.collect()) == sorted(row["r"] for row in rows)
    del derived
    gc.collect()
    other.sql(COLLECT).collect()
    assert sorted(session.sql("TABLE staged").collect()) == rows


def test_sessions_of_one_server_end_apart(options: SparkOptions, server: str) -> None:
    remote = replace(options, connect=server, conf={})
    with start_spark(remote) as outer:
        staying = outer.fresh()
        with start_spark(remote) as inner:
            leaving = inner.fresh()
            kept: Any = checkpointed(leaving.sql("SELECT rand() AS r")).frame
            (rows,) = kept.collect()
            kept.createOrReplaceGlobalTempView("left_behind")
        with pytest.raises(Exception, match="NO_ACTIVE_SESSION"):
            kept.collect()
        staying.sql(COLLECT).collect()
        assert staying.sql("TABLE global_temp.left_behind").collect() == [rows]
        staying.sql("DROP VIEW global_temp.left_behind")


def test_a_catalog_that_is_not_there_is_told_with_its_place_and_without_secrets(
    spark: Spark, door: LocalDoor
) -> None:
    settings = door.for_spark()
    door.close()
    settings["spark.sql.catalog.lake.uri"] += "?token=hushhush"
    with pytest.raises(UnavailableError) as refused:
        spark.session(settings)
    place = door.uri
    assert refused.value.message.startswith(
        f"Spark cannot open the catalog `lake` (type rest, uri {place}?token=***, warehouse lake): "
    )
    assert "Connection refused" in refused.value.message
    assert "hush" not in str(refused.value)
    assert door.token not in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "\tat org.apache.iceberg" in spark.log.read_text()


def test_a_session_that_is_collected_leaves_the_others_alone(
    options: SparkOptions, server: str
) -> None:
    with start_spark(replace(options, connect=server, conf={})) as closed:
        ended: Any = closed.fresh()
    with start_spark(replace(options, connect=server, conf={})) as spark:
        session = spark.fresh()
        assert session.sql("SELECT 1").collect() == [(1,)]
        calls: Any = import_module("pyspark.sql.connect.client.reattach")
        shared = calls.ExecutePlanResponseReattachableIterator
        pool = shared._release_thread_pool_instance
        assert pool is not None
        ended.__del__()
        assert shared._release_thread_pool_instance is pool
        assert session.sql("SELECT 2").collect() == [(2,)]
