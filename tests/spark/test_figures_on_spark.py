"""What is counted while rows are computed is what counting them afterwards tells."""

from __future__ import annotations

import pytest

from lakeport.core.names import TableName
from lakeport.pipeline.session import Spark
from lakeport.pipeline.staging import Query
from lakeport.pipeline.target import Run
from lakeport.pipeline.writing import WriteRequest
from tests.spark.daemon.figures import both
from tests.spark.ground import Ground


@pytest.mark.parametrize("rows", [0, 1, 1000])
def test_figures_taken_in_passing_are_those_of_the_rows(jvm: Spark, rows: int) -> None:
    passing, asked = both(jvm.fresh(), rows)
    assert passing == asked


@pytest.mark.parametrize(
    ("query", "strategy", "figures"),
    [
        ("SELECT id AS k FROM range(3, 5)", "delete_insert", (2, 0, 3, 4)),
        ("SELECT id AS k FROM range(3, 5)", "merge", None),  # which must know whether keys repeat
        ("SELECT CAST(id AS INT) AS k FROM range(3)", "delete_insert", None),  # the key is cast
        ("SELECT id AS k FROM range(3, 5)", "append", (2,)),
    ],
)
def test_an_increment_comes_with_its_figures(
    ground: Ground, query: str, strategy: str, figures: tuple[int, ...] | None
) -> None:
    ground.write("SELECT 1L AS k")
    key = () if strategy == "append" else ("k",)
    request = WriteRequest(TableName("shop", "t"), strategy=strategy, unique_key=key)
    with (
        ground.lake.pipeline().engine() as engine,
        engine.stage(Query(query), request, Run()) as staged,
    ):
        found = staged.figures
    assert (None if found is None else found.values) == figures
