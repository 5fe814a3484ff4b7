"""What Spark believes and what the table holds agree, whatever happens between the two."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.statements import insert_rows
from tests.engines.apart import Apart, RefusedError
from tests.engines.plain import in_order
from tests.engines.proxy import Fate, Proxy, proxy_to
from tests.engines.spark import Spark, open_session
from tests.engines.witnesses import Witnesses
from tests.rest.doors import profile_in


@pytest.fixture
def proxy(door: str) -> Iterator[Proxy]:
    with proxy_to(door) as between:
        yield between


@pytest.fixture
def spark(jvm: Apart, proxy: Proxy) -> Spark:
    """Behind the proxy; every other reader is not."""
    return open_session(jvm, proxy.url)


@pytest.fixture
def table(spark: Spark) -> str:
    # Short waits between the tries, so that the tries are what a test waits for.
    spark.run(
        """CREATE TABLE t (k INT, v INT) USING iceberg TBLPROPERTIES (
            'commit.retry.min-wait-ms' = '1', 'commit.retry.max-wait-ms' = '2',
            'write.merge.mode' = 'merge-on-read', 'write.merge.isolation-level' = 'snapshot')""",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
    )
    return "t"


MERGE = """MERGE INTO t USING (SELECT * FROM VALUES (1, 10), (3, 30) AS s (k, v)) s ON t.k = s.k
           WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"""
MERGED = [(1, 10), (2, 2), (3, 30)]


def rival(catalog: IcebergCatalog, key: int) -> None:
    """Another writer commits a row."""
    row = pa.table({"k": pa.array([key], pa.int32()), "v": pa.array([key], pa.int32())})
    insert_rows(catalog.namespace("shop").table("t"), row)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("statement", ["INSERT INTO t VALUES (3, 30)", MERGE])
def test_a_commit_that_is_overtaken_is_tried_again(
    witnesses: Witnesses, proxy: Proxy, statement: str
) -> None:
    proxy.commits = 0

    def overtake() -> Fate:
        if proxy.commits < 4:
            rival(witnesses.catalog, 100 + proxy.commits)
        return Fate.PASSED

    proxy.decide = overtake
    witnesses.spark.run(statement)
    assert proxy.commits == 4
    rivals = [(key, key) for key in (101, 102, 103)]
    first = (1, 10) if statement is MERGE else (1, 1)
    assert witnesses.rows("t") == in_order([first, (2, 2), (3, 30), *rivals])


@pytest.mark.usefixtures("table")
def test_a_table_is_replaced_whatever_was_written_meanwhile(
    witnesses: Witnesses, proxy: Proxy
) -> None:
    """Spark does not work a replace out anew: refused once, it would be refused for ever."""

    def overtake() -> Fate:
        rival(witnesses.catalog, 100)
        rival(witnesses.catalog, 101)
        return Fate.PASSED

    proxy.commits, proxy.decide = 0, overtake
    witnesses.spark.run("CREATE OR REPLACE TABLE t USING iceberg AS SELECT 9 AS k, true AS w")
    assert proxy.commits == 1
    assert (witnesses.rows("t"), witnesses.columns("t")) == ([(9, True)], ["k", "w"])
    versions = [each.version for each in witnesses.catalog.namespace("shop").table("t").history()]
    assert versions == [1, 2, 3, 4]
    proxy.decide = lambda: Fate.PASSED
    witnesses.spark.run("INSERT INTO t VALUES (10, false)", "DELETE FROM t WHERE k = 9")
    assert witnesses.rows("t") == [(10, False)]


@pytest.mark.usefixtures("table")
def test_a_commit_that_is_overtaken_for_ever_fails_and_leaves_nothing(
    witnesses: Witnesses, proxy: Proxy, tmp_path: Path
) -> None:
    proxy.commits = 0

    def overtake() -> Fate:
        rival(witnesses.catalog, 100 + proxy.commits)
        return Fate.PASSED

    proxy.decide = overtake
    with pytest.raises(RefusedError, match=r"(?i)commit"):
        witnesses.spark.run("INSERT INTO t VALUES (3, 30)")
    rivals = [(100 + number, 100 + number) for number in range(1, proxy.commits + 1)]
    assert proxy.commits == 5
    assert witnesses.rows("t") == in_order([(1, 1), (2, 2), *rivals])
    listed = witnesses.spark.sql("SELECT file_path FROM shop.t.all_data_files")
    assert len(list(tmp_path.rglob("*.parquet"))) == len(listed)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("fate", [Fate.LOST, Fate.HIDDEN])
def test_an_answer_that_is_lost_neither_loses_nor_doubles_the_commit(
    witnesses: Witnesses, proxy: Proxy, fate: Fate
) -> None:
    proxy.commits = 0
    proxy.decide = lambda: fate if proxy.commits == 1 else Fate.PASSED
    try:
        witnesses.spark.run(MERGE)
    except RefusedError:
        assert fate is Fate.LOST, "after a 503 the client looks for its snapshot and finds it"
    assert witnesses.rows("t") == MERGED
    assert len(witnesses.catalog.namespace("shop").table("t").history()) == 2


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.HIDDEN])
def test_a_table_whose_making_was_not_answered_is_whole(
    witnesses: Witnesses, proxy: Proxy, fate: Fate
) -> None:
    proxy.decide = lambda: fate if proxy.commits == 1 else Fate.PASSED
    with pytest.raises(RefusedError):
        witnesses.spark.run("CREATE TABLE made USING iceberg AS SELECT 1 AS k")
    assert witnesses.rows("made") == [(1,)]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    """One that waits a moment for a busy database, where users' wait half a minute."""
    with IcebergCatalog(profile_in(tmp_path, **{"lakeport.busy-seconds": "0.2"})) as opened:
        yield opened


@pytest.mark.usefixtures("table")
def test_a_busy_database_is_waited_for(witnesses: Witnesses, proxy: Proxy, tmp_path: Path) -> None:
    proxy.commits = 0
    with closing(another_program(tmp_path)) as program:

        def lock_twice() -> Fate:
            if proxy.commits == 1:
                program.execute("BEGIN IMMEDIATE")
            elif proxy.commits == 3:
                program.rollback()
            return Fate.PASSED

        proxy.decide = lock_twice
        witnesses.spark.run(MERGE)
        assert proxy.commits == 3
    assert witnesses.rows("t") == MERGED


@pytest.mark.long  # the client asks six times, a second apart
@pytest.mark.usefixtures("table")
def test_a_database_that_stays_busy_fails_the_statement_and_keeps_the_table(
    witnesses: Witnesses, proxy: Proxy, tmp_path: Path
) -> None:
    with closing(another_program(tmp_path)) as program:

        def lock() -> Fate:
            if not program.in_transaction:
                program.execute("BEGIN IMMEDIATE")
            return Fate.PASSED

        proxy.decide = lock
        with pytest.raises(RefusedError, match=r"(?i)busy"):
            witnesses.spark.run(MERGE)
    proxy.decide = lambda: Fate.PASSED
    assert witnesses.rows("t") == [(1, 1), (2, 2)]
    witnesses.spark.run(MERGE)
    assert witnesses.rows("t") == MERGED


def another_program(folder: Path) -> sqlite3.Connection:
    # The proxy's threads use it, one after the other.
    return sqlite3.connect(folder / "catalog.db", isolation_level=None, check_same_thread=False)
