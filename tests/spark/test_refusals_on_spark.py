"""What is refused: at the growth door by name, and elsewhere in a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeport import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)
from lakeport.app.lake.lake import Lake
from lakeport.catalog.memory.catalog import MemoryCatalog
from lakeport.core.errors import ConfigurationError
from tests.spark.ground import Ground


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("ALTER TABLE shop.t DROP COLUMN v", "column `v` would be dropped"),
        ("ALTER TABLE shop.t RENAME COLUMN v TO w", "column `v` would be renamed to `w`"),
        ("ALTER TABLE shop.t DROP COLUMN s.x", "column `s.x` would be dropped"),
        ("DROP TABLE shop.t", "table `shop.t` was not made by"),
        (
            "CREATE OR REPLACE TABLE shop.t USING iceberg AS SELECT 1 AS k",
            "column `v` would be dropped",
        ),
    ],
)
def test_sql_of_a_runs_session_takes_nothing_away(
    ground: Ground, statement: str, told: str
) -> None:
    ground.write("SELECT 1 AS k, 'a' AS v, named_struct('x', 1, 'y', 2) AS s")
    with pytest.raises(Exception, match=told.replace(".", r"\.")):
        ground.lake.spark().sql(statement)
    assert ground.columns() == ["k", "v", "s"]
    assert ground.rows() == [(1, "a", {"x": 1, "y": 2})]


@pytest.mark.parametrize(
    "command", ["DROP TABLE shop.t", "ALTER TABLE shop.t DROP COLUMN v", "DELETE FROM shop.t"]
)
def test_a_command_is_no_query_and_is_not_run(ground: Ground, command: str) -> None:
    ground.write("SELECT 1 AS k, 'a' AS v")
    with pytest.raises(InvalidRequestError, match="Spark cannot run the query"):
        ground.write(command)
    assert ground.rows() == [(1, "a")]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELEKT 1", "PARSE_SYNTAX_ERROR"),
        ("SELECT nowhere FROM range(1)", "`nowhere`"),
        ("SELECT * FROM shop.nowhere", "`shop`.`nowhere`"),
        ("SELECT 1 / 0 AS k", "DIVIDE_BY_ZERO"),
        ("SELECT :missing AS k", "unbound parameter: missing"),
        ("  ;", "the query is empty"),
    ],
)
def test_a_query_that_fails_is_told_in_a_sentence(ground: Ground, query: str, told: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        ground.write(query)
    assert told in caught.value.message
    assert "\n" not in str(caught.value)
    assert "\tat " not in str(caught.value)
    assert "shop.t" not in ground.lake.tables()


def test_javas_trace_is_in_the_log_and_nowhere_else(ground: Ground) -> None:
    with pytest.raises(LakeportError) as caught:
        ground.write("SELECT 1 / (id - id) AS k FROM range(1)")
    log = ground.lake.pipeline().spark().log
    assert str(log) in str(caught.value.hint)
    assert "\tat org.apache.spark" in Path(log).read_text()


def test_names_that_break_tables_later_are_refused(ground: Ground) -> None:
    for name in ("_file", "a.b", "__lakeport_x", "rowid"):
        with pytest.raises(PreconditionError, match="cannot be called"):
            ground.write(f"SELECT 1 AS `{name}`")
    assert ground.lake.tables() == []


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"strategy": "upsert"}, "there is no strategy `upsert`"),
        ({"strategy": "merge"}, "merge needs a unique_key"),
        ({"strategy": "time_range"}, "time_range needs a time_column and a range"),
        ({"unique_key": "x"}, "has no column `x`"),
        ({"null_keys": "keep"}, "null_keys cannot be `keep`"),
        ({"write_mode": "fast"}, "write_mode cannot be `fast`"),
        ({"on_type_change": "guess"}, "on_type_change cannot be `guess`"),
        ({"uniqe_key": "k"}, "there is no setting `uniqe_key`"),
        ({"strategy": "overwrite_partitions"}, "without partitions"),
        ({"partitioned_by": "day(k)"}, "day(k)"),
        ({"parameters": {"a": 1}, "run_id": "\n"}, "a run's id"),
        ({"properties": {"format-version": "3"}}, "format-version"),
    ],
)
def test_wrong_settings_are_told_before_anything_happens(
    ground: Ground, settings: dict[str, str], told: str
) -> None:
    with pytest.raises((InvalidRequestError, NotFoundError)) as caught:
        ground.write("SELECT 1 AS k", **settings)
    assert told in caught.value.message
    assert ground.lake.tables() == []


def test_what_is_no_query_is_told_so(ground: Ground) -> None:
    with pytest.raises(InvalidRequestError, match="int cannot be written"):
        ground.write(5)
    with pytest.raises(InvalidRequestError, match="parameters are for a query"):
        ground.write(pa.table({"k": [1]}), parameters={"a": 1})
    with pytest.raises(ConfigurationError):
        ground.write("SELECT 1 AS k", unique_key=[1])


def test_a_view_is_no_table_to_write_to(ground: Ground) -> None:
    ground.lake.spark().sql("CREATE VIEW shop.v AS SELECT 1 AS k")
    with pytest.raises(LakeportError, match=r"`shop\.v`"):
        ground.write("SELECT 1 AS k", into="v")


def test_a_lake_without_a_project_has_no_spark() -> None:
    with Lake(MemoryCatalog("m")) as lake, pytest.raises(UnsupportedError, match="where Spark is"):
        lake.write("SELECT 1 AS k", into="a.b")
