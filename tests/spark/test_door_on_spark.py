"""SQL of a run's own session at the growth door: what takes something away is refused by the column's name."""

from __future__ import annotations

import pytest

from tests.spark.ground import Ground

MADE = """SELECT 1 AS k, 2L AS v, CAST(3 AS DECIMAL(9, 2)) AS price,
                 named_struct('x', 1, 'deep', named_struct('y', 2L)) AS s,
                 array(named_struct('a', 1, 'b', 2)) AS l,
                 map('m', named_struct('c', 1, 'd', 2)) AS m"""

REFUSED = {
    "ALTER TABLE shop.t DROP COLUMN v": "`v` would be dropped",
    "ALTER TABLE shop.t DROP COLUMNS (k, price)": "`k` would be dropped",
    "ALTER TABLE shop.t RENAME COLUMN price TO cost": "`price` would be renamed to `cost`",
    "ALTER TABLE shop.t DROP COLUMN s.deep.y": "s.deep.y",
    "ALTER TABLE shop.t RENAME COLUMN s.x TO z": "`s.x` would be renamed to `z`",
    "ALTER TABLE shop.t DROP COLUMN l.element.a": "`l.element.a` would be dropped",
    "ALTER TABLE shop.t RENAME COLUMN m.value.c TO e": "`m.value.c` would be renamed to `e`",
    # Spark refuses these by itself, before it asks the door.
    "ALTER TABLE shop.t ALTER COLUMN v TYPE INT": "`v`",
    "ALTER TABLE shop.t ALTER COLUMN price TYPE DECIMAL(5, 2)": "`price`",
    "ALTER TABLE shop.t ALTER COLUMN s.deep.y TYPE INT": "`y`",
    "REPLACE TABLE shop.t (k INT, v BIGINT) USING iceberg": "`price` would be dropped",
    "CREATE OR REPLACE TABLE shop.t USING iceberg AS SELECT 1 AS k, 'a' AS v": "`v`",
    "DROP TABLE shop.t": "`shop.t` was not made by",
    "DROP TABLE shop.t PURGE": "`shop.t` was not made by",
    "ALTER TABLE shop.t RENAME TO shop.u": "`shop.t` was not made by",
}


def test_what_takes_something_away_is_refused_by_name(ground: Ground) -> None:
    ground.write(MADE)
    columns, rows, history = ground.columns(), ground.rows(), ground.history()
    session = ground.lake.spark()
    for statement, told in REFUSED.items():
        with pytest.raises(Exception) as caught:  # noqa: PT011  PySpark has many
            session.sql(statement)
        assert told in str(caught.value), statement
    assert ground.columns() == columns
    assert ground.rows() == rows
    assert ground.history() == history


def test_what_lets_a_table_grow_is_let_through(ground: Ground) -> None:
    ground.write("SELECT 1 AS k, named_struct('x', 1) AS s, CAST(1 AS DECIMAL(5, 2)) AS price")
    session = ground.lake.spark()
    for statement in (
        "ALTER TABLE shop.t ADD COLUMNS (note STRING, more INT)",
        "ALTER TABLE shop.t ADD COLUMN s.y STRING",
        "ALTER TABLE shop.t ALTER COLUMN k TYPE BIGINT",
        "ALTER TABLE shop.t ALTER COLUMN price TYPE DECIMAL(9, 2)",
        "INSERT INTO shop.t (k, note) VALUES (2, 'new')",
        "CREATE TABLE shop.mine (k INT) USING iceberg",
        "DROP TABLE shop.mine",
    ):
        session.sql(statement)
    assert ground.columns() == ["k", "s", "price", "note", "more"]
    assert ground.types()["k"] == "int64"
    assert [row[0] for row in ground.rows()] == [1, 2]
    assert ground.records()[0]["s"] == {"x": 1, "y": None}
    made = ground.write("SELECT 1 AS k, 'seen' AS note", unique_key="k")
    assert made.rows == 1
    assert ground.lake.tables() == ["shop.t"]
