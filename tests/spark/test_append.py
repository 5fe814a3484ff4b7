"""The first and the plainest: rows are added, the table is made or grown for them."""

from __future__ import annotations

from pathlib import Path

from lakeport.catalog.history import MODEL, RUN_ID
from lakeport.pipeline.target.run import ENGINE, FINGERPRINT
from tests.spark.ground import Ground


def test_a_table_is_made_and_gets_the_rows(ground: Ground) -> None:
    made = ground.write("SELECT id AS k, concat('n', id) AS name FROM range(3)")
    assert ground.rows() == [(0, "n0"), (1, "n1"), (2, "n2")]
    assert (made.created, made.rows, made.version, made.attempts) == (True, 3, 1, 1)
    assert made.counts["added-records"] == 3
    (snapshot,) = ground.history()
    assert snapshot.snapshot_id == made.snapshot_id
    properties = ground.client.load_table(("shop", "t")).properties
    assert properties["write.merge.mode"] == "merge-on-read"
    assert properties["write.delete.mode"] == properties["write.update.mode"] == "merge-on-read"
    assert properties["write.parquet.compression-codec"] == "zstd"
    assert properties["write.metadata.delete-after-commit.enabled"] == "true"


def test_spark_s_files_are_alone_and_everybody_s_to_read(ground: Ground) -> None:
    ground.write("SELECT 1 AS k")
    place = ground.client.load_table(("shop", "t")).location().removeprefix("file://")
    files = [path for path in Path(place).rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".parquet", ".avro", ".json"}  # and no checksums
    assert {path.stat().st_mode & 0o777 for path in files if path.suffix != ".json"} == {0o644}


def test_the_snapshot_says_who_wrote_it(ground: Ground) -> None:
    made = ground.write("SELECT 1 AS k", run_id="run-7", model="shop.model")
    (summary,) = ground.data_snapshots()
    assert (summary[RUN_ID], summary[MODEL]) == ("run-7", "shop.model")
    assert summary[ENGINE]
    assert summary[FINGERPRINT]
    assert summary["lakeport.actor"] == "tester"
    assert made.run_id == "run-7"


def test_a_run_that_is_repeated_writes_nothing_again(ground: Ground) -> None:
    first = ground.write("SELECT 1 AS k", run_id="once")
    again = ground.write("SELECT 1 AS k", run_id="once")
    assert again.repeated
    assert (again.snapshot_id, again.rows) == (first.snapshot_id, 1)
    assert ground.rows() == [(1,)]
    ground.write("SELECT 1 AS k", run_id="once", model="another")
    assert ground.rows() == [(1,), (1,)]
    assert len(ground.history()) == 2


def test_an_empty_batch_makes_no_commit_unless_columns_were_added(ground: Ground) -> None:
    ground.write("SELECT 1 AS k")
    nothing = ground.write("SELECT 2 AS k WHERE false")
    assert (nothing.snapshot_id, nothing.rows, nothing.version) == (None, 0, 1)
    assert len(ground.history()) == 1
    grown = ground.write("SELECT 2 AS k, 'x' AS new WHERE false")
    assert (grown.snapshot_id, grown.version) == (None, 2)
    assert ground.columns() == ["k", "new"]
    assert len(ground.history()) == 2
    assert len(ground.data_snapshots()) == 1
    assert ground.rows() == [(1, None)]
