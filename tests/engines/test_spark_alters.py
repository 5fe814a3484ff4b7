"""Every ALTER of Spark through our door: what it says of the table is what we and others then see."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.definition import comment_of
from tests.engines.apart import RefusedError
from tests.engines.witnesses import Witnesses

MADE = (
    """CREATE TABLE t (k INT NOT NULL, small INT, real FLOAT, money DECIMAL(5, 2), word STRING,
        pair STRUCT<x: INT, y: FLOAT>, many ARRAY<STRUCT<a: INT>>,
        named MAP<STRING, STRUCT<a: INT>>) USING iceberg""",
    """INSERT INTO t VALUES (1, 2, 0.5, 1.25, 'w', named_struct('x', 3, 'y', 1.5),
        array(named_struct('a', 4)), map('m', named_struct('a', 5)))""",
)
"""A table with a row from before all changes."""


def test_columns_change_in_every_way_that_spark_knows(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        *MADE,
        "ALTER TABLE t ADD COLUMNS (late STRING COMMENT 'came late', last DATE)",
        "ALTER TABLE t ADD COLUMN first INT FIRST",
        "ALTER TABLE t ADD COLUMN between INT AFTER k",
        "ALTER TABLE t ADD COLUMN pair.z STRING AFTER x",
        "ALTER TABLE t ADD COLUMN many.element.b INT",
        "ALTER TABLE t ADD COLUMN named.value.b INT",
        "ALTER TABLE t RENAME COLUMN word TO text",
        "ALTER TABLE t RENAME COLUMN pair.y TO why",
        "ALTER TABLE t ALTER COLUMN small TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN real TYPE DOUBLE",
        "ALTER TABLE t ALTER COLUMN money TYPE DECIMAL(9, 2)",
        "ALTER TABLE t ALTER COLUMN pair.x TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN many.element.a TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN k COMMENT 'the key'",
        "ALTER TABLE t ALTER COLUMN k DROP NOT NULL",
        "ALTER TABLE t ALTER COLUMN money FIRST",
        "ALTER TABLE t ALTER COLUMN pair.why FIRST",
        "ALTER TABLE t DROP COLUMN last",
        "ALTER TABLE t DROP COLUMN pair.z",
        "COMMENT ON TABLE t IS 'much altered'",
    )
    definition = witnesses.catalog.namespace("shop").table("t").state().definition
    schema = definition.schema
    assert (definition.comment, comment_of(schema.field("k"))) == ("much altered", "the key")
    assert schema.names == [
        *("money", "first", "k", "between", "small", "real", "text", "pair", "many", "named"),
        "late",
    ]
    pair, entry = schema.field("pair").type, schema.field("named").type.item_type
    assert [(field.name, field.type) for field in pair] == [
        ("why", pa.float32()),
        ("x", pa.int64()),
    ]
    assert [field.name for field in entry] == ["a", "b"]
    assert (schema.field("k").nullable, schema.field("money").type) == (True, pa.decimal128(9, 2))
    spark.run(
        """INSERT INTO t VALUES (2.50, 0, NULL, 7, 8, 0.25, 't', named_struct('why', 2.5, 'x', 9),
            array(named_struct('a', 1, 'b', 2)), map('n', named_struct('a', 1, 'b', 2)), 'l')"""
    )
    old, new = sorted(witnesses.rows("t"), key=lambda row: row[2] is None)
    assert [old[at] for at in (1, 2, 3, 4, 5, 6, 10)] == [None, 1, None, 2, 0.5, "w", None]
    assert old[7:10] == (
        {"why": 1.5, "x": 3},
        [{"a": 4, "b": None}],
        [("m", {"a": 5, "b": None})],
    )
    assert (new[2], new[7], new[10]) == (None, {"why": 2.5, "x": 9}, "l")


def test_what_cannot_be_is_refused_and_changes_nothing(witnesses: Witnesses) -> None:
    witnesses.spark.run(*MADE)
    before = witnesses.location("t")
    for statement in (
        "ALTER TABLE t ALTER COLUMN small TYPE STRING",
        "ALTER TABLE t ALTER COLUMN money TYPE DECIMAL(4, 2)",
        "ALTER TABLE t RENAME COLUMN small TO k",
        "ALTER TABLE t ADD COLUMN K INT",
        "ALTER TABLE t DROP COLUMN nothing",
    ):
        with pytest.raises(RefusedError):
            witnesses.spark.run(statement)
    assert witnesses.location("t") == before


def test_partitions_evolve_under_rows(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE p (k BIGINT, at TIMESTAMP, word STRING) USING iceberg",
        "INSERT INTO p VALUES (1, TIMESTAMP '2024-01-01 01:00:00', 'one')",
        "ALTER TABLE p ADD PARTITION FIELD days(at)",
        "ALTER TABLE p ADD PARTITION FIELD bucket(4, k) AS shard",
        "INSERT INTO p VALUES (2, TIMESTAMP '2024-01-02 02:00:00', 'two')",
        "ALTER TABLE p REPLACE PARTITION FIELD at_day WITH hours(at)",
        "ALTER TABLE p DROP PARTITION FIELD shard",
        "ALTER TABLE p ADD PARTITION FIELD truncate(2, word)",
        "INSERT INTO p VALUES (3, NULL, NULL)",
        "DELETE FROM p WHERE at < TIMESTAMP '2024-01-02 00:00:00'",
    )
    assert [row[0] for row in witnesses.rows("p")] == [2, 3]
    specs = witnesses.client.load_table("shop.p").specs()
    assert [[field.name for field in spec.fields] for _, spec in sorted(specs.items())] == [
        *([], ["at_day"], ["at_day", "shard"], ["shard", "at_hour"], ["at_hour"]),
        ["at_hour", "word_trunc_2"],
    ]


def test_properties_orders_and_identifiers_are_kept(witnesses: Witnesses) -> None:
    spark = witnesses.spark
    spark.run(
        "CREATE TABLE o (k BIGINT NOT NULL, part STRING NOT NULL) USING iceberg",
        "ALTER TABLE o SET TBLPROPERTIES ('write.parquet.compression-codec' = 'zstd', 'mine' = '1')",
        "ALTER TABLE o UNSET TBLPROPERTIES ('mine')",
        "ALTER TABLE o WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY part, k DESC NULLS LAST",
        "ALTER TABLE o SET IDENTIFIER FIELDS k, part",
        "INSERT INTO o VALUES (2, 'b'), (1, 'a')",
    )
    table = witnesses.client.load_table("shop.o")
    assert table.properties["write.parquet.compression-codec"] == "zstd"
    assert "mine" not in table.properties
    assert table.properties["write.distribution-mode"] == "hash"
    assert [str(field) for field in table.sort_order().fields] == [
        "2 ASC NULLS FIRST",
        "1 DESC NULLS LAST",
    ]
    assert table.schema().identifier_field_names() == {"k", "part"}
    spark.run("ALTER TABLE o DROP IDENTIFIER FIELDS part", "ALTER TABLE o WRITE UNORDERED")
    table = witnesses.client.load_table("shop.o")
    assert table.schema().identifier_field_names() == {"k"}
    assert not table.sort_order().fields
    assert witnesses.rows("o") == [(1, "a"), (2, "b")]
