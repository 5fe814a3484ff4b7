"""UPDATE, DELETE and MERGE by Spark through our door, by rewriting files and by deleting positions."""

from __future__ import annotations

import pytest

from tests.behaviours.lake import Subject
from tests.engines.plain import in_order
from tests.engines.spark import Spark
from tests.engines.witnesses import Witnesses

MODES = ("copy-on-write", "merge-on-read")


def make(spark: Spark, mode: str, partitioned: str) -> None:
    spark.run(
        f"""CREATE TABLE t (k INT, part STRING, v INT) USING iceberg {partitioned} TBLPROPERTIES (
            'write.update.mode' = '{mode}', 'write.delete.mode' = '{mode}',
            'write.merge.mode' = '{mode}')""",
        "INSERT INTO t SELECT CAST(id AS INT), IF(id < 5, 'a', 'b'), 0 FROM range(10)",
    )


@pytest.mark.parametrize("mode", MODES)
def test_rows_change_for_every_reader(witnesses: Witnesses, mode: str) -> None:
    spark = witnesses.spark
    make(spark, mode, "PARTITIONED BY (part)")
    model = {k: ("a" if k < 5 else "b", 0) for k in range(10)}

    def expect() -> None:
        assert witnesses.rows("t") == in_order((k, *row) for k, row in model.items())

    spark.run("UPDATE t SET v = k * 10 WHERE k IN (1, 6)")
    model |= {1: ("a", 10), 6: ("b", 60)}
    expect()
    spark.run("DELETE FROM t WHERE k = 2")
    del model[2]
    expect()
    spark.run(
        """MERGE INTO t USING (SELECT * FROM VALUES (1, 'gone'), (3, 'new'), (20, 'more')
               AS s (k, what)) s ON t.k = s.k
           WHEN MATCHED AND s.what = 'gone' THEN DELETE
           WHEN MATCHED THEN UPDATE SET v = 33, part = 'b'
           WHEN NOT MATCHED THEN INSERT (k, part, v) VALUES (s.k, 'c', 200)
           WHEN NOT MATCHED BY SOURCE AND t.k = 9 THEN UPDATE SET v = 99
           WHEN NOT MATCHED BY SOURCE AND t.k = 8 THEN DELETE"""
    )
    del model[1], model[8]
    model |= {3: ("b", 33), 9: ("b", 99), 20: ("c", 200)}
    expect()
    deletes = spark.sql("SELECT count(*) FROM shop.t.delete_files")
    assert (deletes[0][0] > 0) == (mode == "merge-on-read")
    spark.run("DELETE FROM t WHERE part = 'a'")  # a partition: metadata alone
    model = {k: row for k, row in model.items() if row[0] != "a"}
    expect()


def test_a_statement_of_ours_follows_one_of_sparks_and_the_other_way_round(
    witnesses: Witnesses,
) -> None:
    """Position deletes of both, one on top of the other."""
    spark = witnesses.spark
    make(spark, "merge-on-read", "")
    table = Subject(witnesses.catalog.namespace("shop").table("t"))
    spark.run("DELETE FROM t WHERE k < 2")
    table.delete(table.row_ids("k = 4"))
    spark.run("UPDATE t SET v = 5 WHERE k IN (5, 6)")
    table.update(table.row_ids("k = 6"), v=[6])
    spark.run("MERGE INTO t USING (SELECT 6 AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE")
    assert witnesses.rows("t") == [
        *((2, "a", 0), (3, "a", 0), (5, "b", 5), (7, "b", 0), (8, "b", 0), (9, "b", 0)),
    ]
