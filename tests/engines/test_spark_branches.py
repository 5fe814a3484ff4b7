"""Branches and tags that Spark makes through our door, and time travel through them."""

from __future__ import annotations

import pytest

from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.timepoint import AtRef
from tests.engines.apart import RefusedError
from tests.engines.plain import rows_of
from tests.engines.witnesses import Witnesses


def test_branches_are_written_published_and_dropped(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE t USING iceberg AS SELECT 1 AS k",
        "ALTER TABLE t CREATE BRANCH audit RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS",
        "ALTER TABLE t CREATE BRANCH IF NOT EXISTS audit",
        "ALTER TABLE t CREATE TAG start RETAIN 365 DAYS",
        "INSERT INTO shop.t.branch_audit VALUES (2)",
        "UPDATE shop.t.branch_audit SET k = 20 WHERE k = 2",
    )
    assert witnesses.rows("t") == [(1,)]
    assert spark.rows("shop.t.branch_audit") == [(1,), (20,)]
    assert spark.rows("t VERSION AS OF 'audit'") == [(1,), (20,)]
    table = witnesses.catalog.namespace("shop").table("t")
    assert {(ref.name, ref.kind) for ref in table.refs()} >= {("audit", "branch"), ("start", "tag")}
    with read(table, ScanRequest(at=AtRef("audit"))) as stream:
        assert sorted(rows_of(stream.read_all())) == [(1,), (20,)]
    spark.call("fast_forward('shop.t', 'main', 'audit')")
    assert witnesses.rows("t") == [(1,), (20,)]
    assert spark.rows("shop.t.tag_start") == [(1,)]
    spark.run(
        f"ALTER TABLE t REPLACE TAG start AS OF VERSION {table.state().snapshot_id} RETAIN 30 DAYS",
        "ALTER TABLE t DROP BRANCH audit",
    )
    assert spark.rows("t VERSION AS OF 'start'") == [(1,), (20,)]
    spark.run("ALTER TABLE t DROP TAG start", "ALTER TABLE t DROP TAG IF EXISTS start")
    assert [ref.name for ref in table.refs() if ref.name != "main"] == []


def test_writes_are_audited_on_a_branch_before_they_are_published(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE w USING iceberg TBLPROPERTIES ('write.wap.enabled' = 'true') "
        "AS SELECT 1 AS k",
    )
    spark.configure("spark.wap.branch", "night")
    spark.run("INSERT INTO w VALUES (2)")
    assert spark.rows("w") == [(1,), (2,)], "a session sees its own branch"
    assert witnesses.ours("w") == [(1,)]
    spark.configure("spark.wap.branch", "main")
    spark.call("fast_forward('shop.w', 'main', 'night')")
    assert witnesses.rows("w") == [(1,), (2,)]


def test_staged_changes_are_published_by_their_id(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE s USING iceberg TBLPROPERTIES ('write.wap.enabled' = 'true') AS SELECT 1 AS k"
    )
    spark.configure("spark.wap.id", "night")
    spark.run("INSERT INTO s VALUES (2)")
    assert witnesses.rows("s") == [(1,)]
    spark.call("publish_changes('shop.s', 'night')")
    assert witnesses.rows("s") == [(1,), (2,)]


def test_a_main_branch_that_moved_is_not_overrun(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE m USING iceberg AS SELECT 1 AS k",
        "ALTER TABLE m CREATE BRANCH side",
        "INSERT INTO shop.m.branch_side VALUES (2)",
        "INSERT INTO m VALUES (3)",
    )
    with pytest.raises(RefusedError, match=r"(?i)ancestor"):
        spark.call("fast_forward('shop.m', 'main', 'side')")
    assert witnesses.rows("m") == [(1,), (3,)]
