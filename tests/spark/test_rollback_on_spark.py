"""Rollback beside engines that never heard of it: all read the same, and writing goes on."""

from __future__ import annotations

from pathlib import Path

from lakeport.app.project.rollback import Rollback, RollbackReport
from lakeport.state import Store
from tests.spark.ground import Ground

MERGE = "SELECT * FROM VALUES (1, 'new', 10), (3, 'three', 30) AS t(k, name, price)"


def rolled_back(ground: Ground, folder: Path, run: str) -> RollbackReport:
    with Store.open(f"sqlite:///{folder}/rollback.db") as store:
        return Rollback(ground.lake.catalog, store, "ann").run(run)


def merged(ground: Ground) -> None:
    """Run `good` wrote three rows; run `bad` replaced one, added one, and a column."""
    ground.write("SELECT id AS k, concat('n', id) AS name FROM range(3)", run_id="good")
    ground.write(MERGE, strategy="delete_insert", unique_key=["k"], run_id="bad")
    assert len(ground.rows()) == 4


def test_everybody_reads_the_rows_of_before_in_the_columns_of_now(
    ground: Ground, tmp_path: Path
) -> None:
    merged(ground)
    undone = ground.history()[-1]
    report = rolled_back(ground, tmp_path, "bad")
    assert report.tables[0].made == undone.version + 1  # type: ignore[operator]
    assert ground.rows() == [(0, "n0", None), (1, "n1", None), (2, "n2", None)]
    seen = ground.session.sql(f"SELECT * FROM shop.t VERSION AS OF {undone.snapshot_id}")
    assert len(seen.collect()) == 4


def test_a_run_that_was_rolled_back_writes_again(ground: Ground, tmp_path: Path) -> None:
    merged(ground)
    rolled_back(ground, tmp_path, "bad")
    again = ground.write(MERGE, strategy="delete_insert", unique_key=["k"], run_id="bad")
    assert not again.repeated
    assert [row[:2] for row in ground.rows()] == [(0, "n0"), (1, "new"), (2, "n2"), (3, "three")]
    kept = ground.write("SELECT 9 AS k", run_id="good", model="shop.t")
    assert kept.repeated  # it is still part of main
    ground.write("SELECT 9 AS k", run_id="next")
    assert len(ground.rows()) == 5


def test_a_table_that_the_run_made_is_empty_and_can_be_written(
    ground: Ground, tmp_path: Path
) -> None:
    ground.write("SELECT 1 AS k", run_id="bad")
    assert rolled_back(ground, tmp_path, "bad").tables[0].empties
    assert ground.rows() == []
    ground.session.sql("INSERT INTO shop.t VALUES (2)").collect()
    assert ground.rows() == [(2,)]
    ground.session.sql("DELETE FROM shop.t WHERE k = 2").collect()
    assert ground.rows() == []


def test_spark_expires_what_was_undone_and_keeps_what_came_back(
    ground: Ground, tmp_path: Path
) -> None:
    """The files of `good` were deleted by `bad`, which is an ancestor of nothing any more."""
    ground.write("SELECT id AS k FROM range(3)", run_id="good")
    ground.write("SELECT 7 AS k", strategy="full", run_id="bad")
    rolled_back(ground, tmp_path, "bad")
    before = ground.rows()
    ground.session.sql(
        "CALL lake.system.expire_snapshots(table => 'shop.t', retain_last => 1,"
        " older_than => TIMESTAMP '2999-01-01 00:00:00')"
    ).collect()
    assert len(ground.lake.table("shop.t").history()) == 1
    assert ground.rows() == before == [(0,), (1,), (2,)]
