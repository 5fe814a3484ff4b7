"""Constraints of a table hold for what Spark writes, too: asked of staged rows, before any is written."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport import Check, Definition, KeyViolationError, PrimaryKey, Unique
from lakeport.catalog.definition import Constraint
from lakeport.core.errors import ConstraintViolationError
from tests.spark.ground import Ground
from tests.spark.test_strategies_on_spark import values

FIELDS: list[pa.Field[pa.DataType]] = [
    pa.field("k", pa.int32(), nullable=False),
    pa.field("v", pa.int32()),
    pa.field("word", pa.string()),
    pa.field("small", pa.uint8()),
]
COLUMNS = pa.schema(FIELDS)


def made(ground: Ground, *constraints: Constraint, partitioned_by: tuple[str, ...] = ()) -> None:
    definition = Definition(COLUMNS, constraints, partitioned_by=partitioned_by)
    ground.lake.create_table("shop.t", definition)
    ground.lake.table("shop.t").append(
        [
            {"k": 1, "v": 10, "word": "a", "small": 1},
            {"k": 2, "v": 20, "word": "b", "small": 2},
        ]
    )


def test_not_null_is_counted_before_anything_is_written(ground: Ground) -> None:
    made(ground)
    query = values("k, v, new", "(3, 1, 'x')", "(CAST(NULL AS INT), 2, 'x')")
    with pytest.raises(ConstraintViolationError, match="`k` in 1 rows"):
        ground.write(query)
    assert ground.columns() == ["k", "v", "word", "small"]
    assert len(ground.history()) == 1


def test_checks_are_those_of_duckdb(ground: Ground) -> None:
    made(ground, Check("v < 100 AND length(word) < 3", "sane"), Check("small < 9", "few"))
    ground.write(values("k, v, word, small", "(3, 99, 'ab', 8)", "(4, NULL, NULL, NULL)"))
    for row in ("(5, 100, 'a', 1)", "(5, 1, 'abc', 1)", "(5, 1, 'a', 9)"):
        with pytest.raises(ConstraintViolationError, match="CHECK"):
            ground.write(values("k, v, word, small, new", row.replace(")", ", 'x')")))
    assert ground.columns() == ["k", "v", "word", "small"]
    assert len(ground.rows()) == 4
    # A column that is about to widen is checked by its new values.
    with pytest.raises(ConstraintViolationError, match="5000000000"):
        ground.write(values("k, v", "(6, 5000000000)"))
    ground.write(values("k, v", "(6, 50L)"))
    assert ground.types()["v"] == "int64"


def test_a_check_on_a_column_that_left_sees_null(ground: Ground) -> None:
    made(ground, Check("v IS NOT NULL", "known"))
    with pytest.raises(ConstraintViolationError, match="known"):
        ground.write("SELECT 3 AS k")


KEY = PrimaryKey(("k",), "pk")
WORD = Unique(("word",), "words")


def test_append_meets_the_keys_that_are_there(ground: Ground) -> None:
    made(ground, KEY, WORD)
    ground.write(values("k, word", "(3, 'c')", "(4, NULL)", "(5, NULL)"))
    for rows, key in (
        (("(3, 'x')",), "3"),  # there already
        (("(6, 'a')",), "a"),
        (("(7, 'y')", "(7, 'z')"), "7"),  # twice in the batch
    ):
        with pytest.raises(KeyViolationError, match=key):
            ground.write(values("k, word", *rows))
    assert len(ground.rows()) == 5
    assert len(ground.data_snapshots()) == 1
    assert [ref.name for ref in ground.lake.table("shop.t").refs()] == ["main"]


def test_delete_insert_may_replace_a_key_and_not_repeat_it(ground: Ground) -> None:
    made(ground, KEY, WORD)
    ground.write(values("k, word", "(1, 'b2')"), unique_key="k")
    assert ground.rows() == [(1, None, "b2", None), (2, 20, "b", 2)]
    with pytest.raises(KeyViolationError, match="b"):
        ground.write(values("k, word", "(1, 'b')"), unique_key="k")
    with pytest.raises(KeyViolationError, match="1"):
        ground.write(values("k, word", "(1, 'x')", "(1, 'y')"), unique_key="k")
    # By another key: the row of word `b` goes, so its number is free.
    ground.write(values("k, word", "(2, 'b')"), unique_key="word")
    assert len(ground.rows()) == 2


def test_merge_is_judged_by_what_rows_become(ground: Ground) -> None:
    made(ground, KEY, WORD)
    ground.write(values("k, v", "(1, 11)", "(3, 33)"), strategy="merge", unique_key="k")
    with pytest.raises(KeyViolationError, match="b"):
        ground.write(values("k, word", "(1, 'b')"), strategy="merge", unique_key="k")
    ground.write(values("k, word", "(1, 'b')", "(2, 'a')"), strategy="merge", unique_key="k")
    assert [row[2] for row in ground.rows()] == ["b", "a", None]


def test_partitions_and_all_rows_free_their_keys(ground: Ground) -> None:
    made(ground, KEY, WORD, partitioned_by=("bucket(4, k)", "small"))
    query = values("k, word, small", "(1, 'z', 1)")
    ground.write(query, strategy="overwrite_partitions")
    assert ground.rows() == [(1, None, "z", 1), (2, 20, "b", 2)]
    with pytest.raises(KeyViolationError, match="b"):
        ground.write(values("k, word, small", "(1, 'b', 1)"), strategy="overwrite_partitions")
    ground.write(values("k, word", "(9, 'b')"), strategy="full")
    assert ground.rows() == [(9, None, "b", None)]


def test_keys_that_came_in_between_are_found(ground: Ground) -> None:
    """Checked against one head, written on a branch of it: main moves only if it is that head still."""
    made(ground, KEY)
    rivals = iter([[{"k": 50}], [{"k": 3}]])

    def compete(seen: object) -> None:
        if getattr(seen, "point", None) == "writing":
            ground.lake.table("shop.t").append(next(rivals, []))

    with pytest.raises(KeyViolationError, match="3"):
        ground.write(values("k, v", "(3, 30)"), observe=compete)
    assert sorted(row[0] for row in ground.rows()) == [1, 2, 3, 50]
    assert ground.data_snapshots() == []
    assert [ref.name for ref in ground.lake.table("shop.t").refs()] == ["main"]


def test_a_table_with_keys_that_nobody_has_written_yet(ground: Ground) -> None:
    ground.lake.create_table("shop.t", Definition(COLUMNS, (KEY,)))
    with pytest.raises(KeyViolationError, match="1"):
        ground.write(values("k, v", "(1, 1)", "(1, 2)"))
    ground.write(values("k, v", "(1, 1)", "(2, 2)"))
    assert [row[0] for row in ground.rows()] == [1, 2]
    assert len(ground.data_snapshots()) == 1


def test_checks_are_asked_of_many_rows_piece_by_piece(ground: Ground) -> None:
    rules = (Check("v < 100 OR word IS NULL", "sane"),)
    ground.lake.create_table("shop.t", Definition(COLUMNS, rules))
    many = "SELECT CAST(id AS INT) AS k, CAST(id % 100 AS INT) AS v, 'a' AS word FROM range({})"
    with pytest.raises(ConstraintViolationError, match="1 row"):
        ground.write(f"{many.format(600_000)} UNION ALL SELECT -1, 100, 'z'")
    assert ground.history() == []
    assert ground.write(many.format(600_000)).rows == 600_000
