"""Tables that Spark makes through our door, fills, replaces, names anew and drops."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.engines.apart import RefusedError
from tests.engines.spark import Spark
from tests.engines.witnesses import Witnesses


def test_every_type_of_spark_reaches_every_reader(witnesses: Witnesses) -> None:
    witnesses.spark.run(
        """CREATE TABLE kinds (
            truth BOOLEAN, small INT, big BIGINT, real FLOAT, number DOUBLE, money DECIMAL(12, 2),
            word STRING, raw BINARY, day DATE, moment TIMESTAMP, clock TIMESTAMP_NTZ,
            pair STRUCT<x: INT, y: STRUCT<z: STRING>>, many ARRAY<INT>, named MAP<STRING, INT>
        ) USING iceberg COMMENT 'one of each'""",
        """INSERT INTO kinds VALUES (
            true, 7, 8, 0.5, 0.25, 12.34, 'wörd', X'00FF', DATE '2024-02-29',
            TIMESTAMP '2024-02-29 12:30:00', TIMESTAMP_NTZ '2024-02-29 12:30:00.000001',
            named_struct('x', 1, 'y', named_struct('z', 'deep')), array(1, NULL), map('k', 3)
        )""",
        f"INSERT INTO kinds VALUES ({', '.join(['NULL'] * 14)})",
    )
    full = (
        *(True, 7, 8, 0.5, 0.25, Decimal("12.34"), "wörd", b"\x00\xff", date(2024, 2, 29)),
        *(datetime(2024, 2, 29, 12, 30), datetime(2024, 2, 29, 12, 30, 0, 1)),  # noqa: DTZ001
        *({"x": 1, "y": {"z": "deep"}}, [1, None], [("k", 3)]),
    )
    assert witnesses.rows("kinds") == [(None,) * 14, full]
    definition = witnesses.catalog.namespace("shop").table("kinds").state().definition
    assert definition.comment == "one of each"


def test_a_table_is_made_from_a_query_and_replaced_by_another(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE made USING iceberg PARTITIONED BY (k) AS SELECT id AS k, 'a' AS v FROM range(3)",
        "CREATE TABLE IF NOT EXISTS made USING iceberg AS SELECT 1 AS other",
    )
    assert witnesses.rows("made") == [(0, "a"), (1, "a"), (2, "a")]
    table = witnesses.catalog.namespace("shop").table("made")
    identity = table.state().uuid
    spark.run("CREATE OR REPLACE TABLE made USING iceberg AS SELECT 9 AS k, true AS w")
    assert (witnesses.rows("made"), witnesses.columns("made")) == ([(9, True)], ["k", "w"])
    spark.run("REPLACE TABLE made USING iceberg AS SELECT 'x' AS only")
    assert witnesses.rows("made") == [("x",)]
    assert table.state().uuid == identity
    assert len(table.history()) == 3
    oldest = table.history()[0].snapshot_id
    assert spark.rows(f"made VERSION AS OF {oldest}") == [(0, "a"), (1, "a"), (2, "a")]


def test_a_query_that_fails_makes_no_table(spark: Spark, catalog: IcebergCatalog) -> None:
    with pytest.raises(RefusedError, match="on purpose"):
        spark.run(
            "CREATE TABLE never USING iceberg AS SELECT CAST(raise_error('on purpose') AS INT) AS v"
        )
    assert list(catalog.namespace("shop").tables()) == []


def test_rows_are_added_and_overwritten(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE sales (day DATE, k INT, v STRING) USING iceberg PARTITIONED BY (day)",
        "INSERT INTO sales (k, day) VALUES (1, DATE '2024-01-01')",
        "INSERT INTO sales VALUES (DATE '2024-01-02', 2, 'b'), (DATE '2024-01-02', 3, 'c')",
    )
    first, second, third = (date(2024, 1, day) for day in (1, 2, 3))
    assert witnesses.rows("sales") == [(first, 1, None), (second, 2, "b"), (second, 3, "c")]
    spark.run("INSERT OVERWRITE sales PARTITION (day = DATE '2024-01-02') VALUES (4, 'd')")
    assert witnesses.rows("sales") == [(first, 1, None), (second, 4, "d")]
    spark.configure("spark.sql.sources.partitionOverwriteMode", "dynamic")
    spark.run(
        "INSERT OVERWRITE sales VALUES (DATE '2024-01-02', 5, 'e'), (DATE '2024-01-03', 6, 'f')"
    )
    assert witnesses.rows("sales") == [(first, 1, None), (second, 5, "e"), (third, 6, "f")]
    spark.run("INSERT INTO sales REPLACE WHERE k > 4 VALUES (DATE '2024-01-03', 7, 'g')")
    assert witnesses.rows("sales") == [(first, 1, None), (third, 7, "g")]
    spark.configure("spark.sql.sources.partitionOverwriteMode", "static")
    spark.run("INSERT OVERWRITE sales VALUES (DATE '2024-01-01', 8, 'h')")
    assert witnesses.rows("sales") == [(first, 8, "h")]
    spark.run("TRUNCATE TABLE sales")
    assert witnesses.rows("sales") == []


def test_tables_are_named_anew_and_dropped(witnesses: Witnesses, tmp_path: Path) -> None:
    spark, namespace = witnesses.spark, witnesses.catalog.namespace("shop")
    spark.run(
        "CREATE NAMESPACE lake.depot",
        "CREATE TABLE old USING iceberg AS SELECT 1 AS k",
        "ALTER TABLE old RENAME TO shop.new",
    )
    assert witnesses.rows("new") == [(1,)]
    with pytest.raises(RefusedError, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.run("SELECT * FROM old")
    spark.run("ALTER TABLE new RENAME TO depot.moved")
    assert list(namespace.tables()) == []
    assert spark.rows("depot.moved") == [(1,)]
    assert spark.sql("SHOW TABLES IN lake.depot") == [("depot", "moved", False)]
    spark.run("DROP TABLE depot.moved")
    assert any(tmp_path.rglob("*.parquet")), "a dropped table can be brought back"
    spark.run("CREATE TABLE gone USING iceberg AS SELECT 1 AS k")
    (folder,) = (file.parent for file in tmp_path.rglob("*.parquet") if "gone" in str(file))
    spark.run("DROP TABLE gone PURGE", "DROP TABLE IF EXISTS gone", "DROP NAMESPACE lake.depot")
    assert not any(folder.rglob("*.parquet"))


def test_a_name_is_taken_in_every_spelling(spark: Spark) -> None:
    spark.run("CREATE TABLE Orders (k INT) USING iceberg")
    with pytest.raises(RefusedError, match=r"(?i)already exists"):
        spark.run("CREATE TABLE ORDERS (k INT) USING iceberg")


def test_namespaces_have_properties_and_parents(spark: Spark, catalog: IcebergCatalog) -> None:
    spark.run(
        "CREATE NAMESPACE lake.depot COMMENT 'goods' WITH PROPERTIES (keeper = 'ann')",
        "CREATE NAMESPACE lake.depot.cellar",
        "ALTER NAMESPACE lake.depot SET PROPERTIES (keeper = 'bob', floor = '2')",
        "CREATE TABLE lake.depot.cellar.wine USING iceberg AS SELECT 1970 AS year",
    )
    assert spark.sql("SHOW NAMESPACES IN lake") == [("depot",), ("shop",)]
    assert spark.sql("SHOW NAMESPACES IN lake.depot") == [("depot.cellar",)]
    info = catalog.namespace("depot").info
    assert (info.comment, info.properties["keeper"], info.properties["floor"]) == (
        "goods",
        "bob",
        "2",
    )
    assert list(catalog.namespace("depot.cellar").tables()) == ["wine"]
    assert spark.rows("lake.depot.cellar.wine") == [(1970,)]
    with pytest.raises(RefusedError, match="NamespaceNotEmptyException"):
        spark.run("DROP NAMESPACE lake.depot.cellar")
    spark.run("DROP TABLE lake.depot.cellar.wine", "DROP NAMESPACE lake.depot.cellar")
    assert spark.sql("SHOW NAMESPACES IN lake.depot") == []


def test_format_3_is_refused_with_a_sentence(spark: Spark) -> None:
    with pytest.raises(RefusedError, match=r"(?i)format"):
        spark.run("CREATE TABLE t (k INT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
    spark.run("CREATE TABLE t (k INT) USING iceberg")
    with pytest.raises(RefusedError, match=r"(?i)format"):
        spark.run("ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3')")
    assert spark.rows("t") == []
