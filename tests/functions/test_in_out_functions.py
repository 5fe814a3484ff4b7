"""Functions of a whole table: per batch, with state, and as a generator that reads its input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

from lakeport.catalog.functions import InOutFunction
from lakeport.core.errors import FunctionError, InvalidRequestError
from lakeport.functions import table_in_out
from tests.functions.rows import batch, poured

NUMBERS = pa.record_batch({"n": [1, 2, 3]})
TOTAL = pa.schema([("total", pa.int64())])


def added(rows: pa.RecordBatch) -> int:
    return sum(row["n"] for row in rows.to_pylist())


def test_a_function_of_batches_is_called_for_each() -> None:
    @table_in_out(returns=lambda columns: columns.append(pa.field("k", pa.float64())))
    def scaled(rows: pa.RecordBatch, factor: float) -> pa.RecordBatch:
        return rows.append_column("k", pa.array([factor] * rows.num_rows))

    assert isinstance(scaled, InOutFunction)
    assert [each.name for each in scaled.signature.parameters] == ["rows", "factor"]
    assert scaled.signature.parameters.field("rows").metadata == {b"is_table_type": b"true"}
    each, last = poured(scaled, NUMBERS, NUMBERS.slice(0, 1), factor=2.0)
    assert each[1] == [{"n": 1, "k": 2.0}]
    assert last == []


@pytest.mark.parametrize(
    "frame", [pa.Table, pd.DataFrame, pl.DataFrame], ids=lambda f: f.__module__
)
def test_batches_come_as_the_frame_that_is_asked_for(frame: type) -> None:
    def same(rows: Any) -> Any:
        assert isinstance(rows, frame)
        return rows

    same.__annotations__["rows"] = frame
    assert poured(table_in_out(returns=lambda columns: columns)(same), NUMBERS) == (
        [[{"n": 1}, {"n": 2}, {"n": 3}]],
        [],
    )


def test_a_class_keeps_what_it_needs_and_gives_rows_at_the_end() -> None:
    @table_in_out(returns=TOTAL)
    class Total:
        def __init__(self, start: int) -> None:
            self.total = start

        def process(self, rows: pa.RecordBatch) -> None:
            self.total += added(rows)

        def finish(self) -> list[dict[str, int]]:
            return [{"total": self.total}]

    function: Any = Total  # what a class decorator gives is lost on mypy
    assert poured(function, NUMBERS, NUMBERS, start=100) == ([[], []], [{"total": 112}])
    assert Total(5).total == 5


def test_a_generator_reads_its_input_when_it_wants_to() -> None:
    @table_in_out(returns=TOTAL)
    def running(batches: Iterator[pa.RecordBatch], factor: int) -> Iterator[dict[str, int]]:
        total = 0
        for rows in batches:
            total += factor * added(rows)
            yield {"total": total}
        yield {"total": -total}

    assert poured(running, NUMBERS, NUMBERS, factor=2) == (
        [[{"total": 12}], [{"total": 24}]],
        [{"total": -24}],
    )


def test_a_generator_may_end_before_its_input() -> None:
    @table_in_out(returns=lambda columns: columns)
    def first(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield next(batches).slice(0, 1)

    assert poured(first, NUMBERS, NUMBERS) == ([[{"n": 1}], []], [])


def test_what_a_generator_raises_is_raised_where_its_rows_are_waited_for() -> None:
    @table_in_out(returns=TOTAL)
    def broken(batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, int]]:
        next(batches)
        raise LookupError("gone")
        yield {}

    with pytest.raises(LookupError, match="gone"):
        poured(broken, NUMBERS)


def test_a_generator_that_is_left_half_way_ends() -> None:
    ended: list[bool] = []

    @table_in_out(returns=TOTAL)
    def half(batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, int]]:
        try:
            for rows in batches:
                yield {"total": rows.num_rows}
        finally:
            ended.append(True)

    call = half.start(batch(), NUMBERS.schema)
    assert [each.num_rows for each in call.process(NUMBERS)] == [1]
    call.close()
    assert ended == [True]


def test_a_table_without_rows_still_has_an_end() -> None:
    @table_in_out(returns=TOTAL)
    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, int]]:
        yield {"total": sum(rows.num_rows for rows in batches)}

    call = count.start(batch(), NUMBERS.schema)
    assert [each.to_pylist() for each in call.finish()] == [[{"total": 0}]]
    call.close()


def test_rows_that_were_not_declared_are_refused() -> None:
    @table_in_out(returns=TOTAL)
    def wrong(rows: pa.RecordBatch) -> pa.RecordBatch:
        return rows

    with pytest.raises(FunctionError, match="declares the column `total` and gave `n`"):
        poured(wrong, NUMBERS)


def test_a_null_argument_is_the_callers_to_mend() -> None:
    @table_in_out(returns=TOTAL)
    def strict(rows: pa.RecordBatch, factor: int) -> None: ...

    with pytest.raises(InvalidRequestError, match="parameter `factor`"):
        strict.start(batch(factor=pa.array([None], pa.int64())), NUMBERS.schema)
