"""A lake written through a Spark Connect server: the same engine, staged in tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pytest

from lakeport import Check, Definition, KeyViolationError, PrimaryKey
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.core.errors import ConstraintViolationError, InvalidRequestError
from lakeport.pipeline.session import SparkOptions, start_spark
from lakeport.pipeline.staging import STAGING
from lakeport.pipeline.writing import Point, Progress


@pytest.fixture
def remote(lake: Lake, options: SparkOptions, server: str) -> Iterator[Lake]:
    """The same lake, with its Spark on the server."""
    told = replace(options, connect=server, conf={})

    def pipeline() -> Pipeline:
        return Pipeline(lake.catalog, lambda: start_spark(told), told.log)

    with Lake(lake.catalog, pipeline=pipeline) as opened:
        yield opened


def rows(lake: Lake, table: str) -> list[tuple[object, ...]]:
    with lake.table(table).scan() as found:
        return sorted((tuple(row.values()) for row in found.read_all().to_pylist()), key=repr)


def test_queries_frames_and_arrow_are_staged_in_tables_and_written(remote: Lake) -> None:
    staged: list[list[str]] = []

    def observe(seen: Progress) -> None:
        if seen.point is Point.STAGED:
            staged.append(remote.tables(STAGING))

    made = remote.write(
        "SELECT id AS k, concat('n', id) AS name FROM range(:n)",
        into="shop.t",
        parameters={"n": 3},
        observe=observe,
    )
    assert (made.created, made.rows, made.version) == (True, 3, 1)
    frame = remote.spark().sql("SELECT k, k * 10 AS v FROM shop.t WHERE k > 0")
    remote.write(frame, into="shop.t", unique_key="k", observe=observe)
    remote.write(pa.table({"k": [9]}), into="shop.t", unique_key="k", observe=observe)
    assert rows(remote, "shop.t") == [
        (0, "n0", None),
        (1, None, 10),
        (2, None, 20),
        (9, None, None),
    ]
    assert [len(tables) for tables in staged] == [1, 1, 1]
    assert remote.tables() == ["shop.t"]


def test_refusals_are_the_same_sentences(remote: Lake) -> None:
    key, check = PrimaryKey(("k",), "pk"), Check("k < 100", "small")
    remote.create_table("shop.t", Definition(pa.schema({"k": pa.int64()}), (key, check)))
    remote.write("SELECT 1L AS k", into="shop.t")
    with pytest.raises(KeyViolationError, match="1"):
        remote.write("SELECT 1L AS k", into="shop.t")
    with pytest.raises(ConstraintViolationError, match="CHECK"):
        remote.write("SELECT 100L AS k", into="shop.t")
    with pytest.raises(InvalidRequestError, match="DIVIDE_BY_ZERO") as caught:
        remote.write("SELECT 1L / 0 AS k", into="shop.new")
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidRequestError, match="cannot run the query"):
        remote.write("DROP TABLE shop.t", into="shop.new")
    assert rows(remote, "shop.t") == [(1,)]
    assert remote.tables() == ["shop.t"]
