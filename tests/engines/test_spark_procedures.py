"""Iceberg's procedures and metadata tables, called by Spark through our door."""

from __future__ import annotations

import os
from pathlib import Path

from tests.engines.spark import Spark
from tests.engines.witnesses import Witnesses

MERGE_ON_READ = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
ALL = "older_than => TIMESTAMP '2100-01-01 00:00:00'"


def fill(spark: Spark, name: str = "t") -> None:
    """Three files, of which two rows are deleted: five snapshots."""
    spark.run(
        f"CREATE TABLE {name} (k INT, v INT) USING iceberg TBLPROPERTIES ({MERGE_ON_READ})",
        f"INSERT INTO {name} VALUES (1, 1), (2, 2)",
        f"INSERT INTO {name} VALUES (3, 3), (4, 4)",
        f"INSERT INTO {name} VALUES (5, 5), (6, 6)",
        f"DELETE FROM {name} WHERE k = 2",
        f"DELETE FROM {name} WHERE k = 4",
    )


LEFT = [(1, 1), (3, 3), (5, 5), (6, 6)]


def test_a_table_is_tidied_up_by_spark(witnesses: Witnesses, tmp_path: Path) -> None:
    spark = witnesses.spark
    fill(spark)
    done = spark.call(
        "rewrite_position_delete_files(table => 'shop.t', options => map('rewrite-all', 'true'))"
    )
    assert done["rewritten_delete_files_count"] == 2
    assert witnesses.rows("t") == LEFT
    done = spark.call(
        "rewrite_data_files(table => 'shop.t', strategy => 'sort', sort_order => 'k', "
        "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))"
    )
    assert done["rewritten_data_files_count"] == 3
    assert witnesses.rows("t") == LEFT
    done = spark.call("rewrite_manifests('shop.t')")
    assert done["rewritten_manifests_count"] > 0
    assert witnesses.rows("t") == LEFT
    done = spark.call(f"expire_snapshots(table => 'shop.t', {ALL}, retain_last => 1)")
    assert done["deleted_data_files_count"] == 3
    assert len(witnesses.catalog.namespace("shop").table("t").history()) == 1
    assert witnesses.rows("t") == LEFT
    (kept,) = tmp_path.rglob("*.parquet")
    nobodys = kept.with_name("nobodys.parquet")
    nobodys.write_bytes(b"")
    os.utime(nobodys, (0, 0))  # what is younger than a day is not looked at
    orphans = spark.sql("CALL lake.system.remove_orphan_files(table => 'shop.t')")
    assert [Path(path).name for (path,) in orphans] == ["nobodys.parquet"]
    assert witnesses.rows("t") == LEFT


def test_a_table_goes_back(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    fill(spark)
    table = witnesses.catalog.namespace("shop").table("t")
    ids = [snapshot.snapshot_id for snapshot in table.history()]
    spark.call(f"rollback_to_snapshot('shop.t', {ids[1]})")
    assert witnesses.rows("t") == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert spark.call(f"set_current_snapshot('shop.t', {ids[4]})")["current_snapshot_id"] == ids[4]
    assert witnesses.rows("t") == LEFT
    spark.call(f"rollback_to_snapshot('shop.t', {ids[0]})")
    spark.call(f"cherrypick_snapshot('shop.t', {ids[2]})")
    assert witnesses.rows("t") == [(1, 1), (2, 2), (5, 5), (6, 6)]
    line = spark.sql("CALL lake.system.ancestors_of('shop.t')")
    assert [row[0] for row in line] == [table.state().snapshot_id, ids[0]]
    (moment,) = spark.sql("SELECT string(max(committed_at)) FROM shop.t.snapshots")
    spark.call(f"rollback_to_timestamp('shop.t', TIMESTAMP '{moment[0]}')")
    assert witnesses.rows("t") == [(1, 1), (2, 2)]


def test_files_and_tables_from_elsewhere_are_taken_in(witnesses: Witnesses, tmp_path: Path) -> None:
    spark = witnesses.spark
    fill(spark)
    made = spark.call(f"register_table('shop.again', '{witnesses.location('t')}')")
    assert made["total_records_count"] == 6
    assert witnesses.rows("again") == LEFT
    folder = tmp_path / "plain"
    spark.run(
        "CREATE TABLE taken (k INT, v INT) USING iceberg",
        f"INSERT OVERWRITE DIRECTORY '{folder}' USING parquet SELECT 7 AS k, 8 AS v",
    )
    done = spark.call(f"add_files('shop.taken', '`parquet`.`{folder}`')")
    assert done["added_files_count"] == 1
    assert witnesses.rows("taken") == [(7, 8)]


def test_statistics_and_change_logs_are_made(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    fill(spark)
    assert spark.call("compute_table_stats('shop.t')")["statistics_file"].endswith(".stats")
    assert len(witnesses.client.load_table("shop.t").metadata.statistics) == 1
    spark.run("CREATE TABLE p USING iceberg PARTITIONED BY (k) AS SELECT 1 AS k")
    made = spark.call("compute_partition_stats('shop.p')")["partition_statistics_file"]
    (listed,) = witnesses.client.load_table("shop.p").metadata.partition_statistics
    assert listed.statistics_path == made
    history = witnesses.catalog.namespace("shop").table("t").history()
    done = spark.call(
        "create_changelog_view(table => 'shop.t', "
        f"options => map('end-snapshot-id', '{history[2].snapshot_id}'))"
    )
    seen = spark.sql(f"SELECT k, _change_type FROM {done['changelog_view']}")
    assert sorted(seen) == [(k, "INSERT") for k in range(1, 7)]


def test_the_metadata_tables_tell_what_is_there(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    fill(spark)
    spark.run("ALTER TABLE t CREATE TAG here")
    wanted = {
        "snapshots": 5,
        "history": 5,
        "refs": 2,
        "files": 5,
        "data_files": 3,
        "delete_files": 2,
        "entries": 5,
        "manifests": 5,
        "partitions": 1,
        "metadata_log_entries": 7,
        "position_deletes": 2,
        "all_data_files": 3,
        "all_delete_files": 2,
        "all_entries": 5,
        "all_manifests": 15,
        "all_files": 5,
    }
    counts = ", ".join(f"(SELECT count(*) FROM shop.t.{name}) AS {name}" for name in wanted)
    (found,) = spark.sql(f"SELECT {counts}")
    assert dict(zip(wanted, found, strict=True)) == wanted
    assert spark.sql("SELECT operation FROM shop.t.snapshots ORDER BY committed_at") == [
        *[("append",)] * 3,
        *[("delete",)] * 2,
    ]
