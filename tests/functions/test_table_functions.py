"""Table functions in Python: columns, named parameters, every form of rows, and what is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

from lakeport.catalog.functions import MeasuredFunction, TableFunction
from lakeport.catalog.ports import ColumnStatistics, ScanRequest
from lakeport.core.errors import FunctionError, InvalidRequestError, UnsupportedError
from lakeport.functions import Limits, Scan, table_function
from tests.functions.rows import batch, read

INTEGER: pa.DataType = pa.int32()
WIDE: pa.DataType = pa.int64()
COLUMNS = pa.schema({"id": INTEGER, "name": pa.string()})
ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]
TABLE = pa.table({"Name": ["a", None], "id": [1, 2]})


class Row(TypedDict):
    id: int
    name: str | None


class Pair(NamedTuple):
    id: int
    name: str | None


@dataclass
class Record:
    id: int
    name: str | None


FORMS: list[Any] = [
    TABLE,
    TABLE.to_batches()[0],
    TABLE.to_reader,
    TABLE.to_batches(),
    ROWS,
    {"id": [1, 2], "name": ["a", None]},
    [(1, "a"), (2, None)],
    [Pair(1, "a"), Pair(2, None)],
    [Record(1, "a"), Record(2, None)],
    [{"id": 1, "name": "a"}, {"ID": 2}],
    pd.DataFrame({"id": [1, 2], "name": ["a", None]}, index=[5, 6]),
    pl.DataFrame({"id": [1, 2], "name": ["a", None]}),
    pl.LazyFrame({"id": [1, 2], "name": ["a", None]}),
    lambda: iter(ROWS),
    lambda: iter([ROWS[0], TABLE.slice(1)]),
]


@pytest.mark.parametrize("form", FORMS)
def test_rows_in_every_form(form: Any) -> None:
    @table_function(returns=COLUMNS)
    def rows() -> Any:
        return form() if callable(form) else form

    found = rows.bind(batch()).open(ScanRequest()).read_all()
    assert found.schema == COLUMNS
    assert found.to_pylist() == ROWS


def test_a_row_type_tells_the_columns_and_defaults_are_named_parameters() -> None:
    @table_function
    def people(count: int, prefix: str = "p", limit: int | None = None) -> Iterator[Row]:
        """People."""
        assert limit is None
        for number in range(count):
            yield {"id": number, "name": f"{prefix}{number}"}

    assert isinstance(people, TableFunction)
    assert people.returns == pa.schema({"id": WIDE, "name": pa.string()})
    named = {b"is_named_parameter": b"true"}
    assert [each.metadata for each in people.signature.parameters] == [None, named, named]
    assert read(people, count=1, prefix=None, limit=None) == [{"id": 0, "name": "p0"}]
    assert read(people, count=1, prefix="q", limit=None) == [{"id": 0, "name": "q0"}]
    assert next(people(1)) == {"id": 0, "name": "p0"}


def test_the_arguments_may_decide_about_columns_and_rows() -> None:
    @table_function(
        returns=lambda width: pa.schema([(f"c{n}", pa.int64()) for n in range(width)]),
        rows=lambda count: count,
    )
    def grid(width: int, count: int = 2) -> Any:
        return [tuple(range(width))] * count

    assert grid.returns is None
    bound = grid.bind(batch(width=[2], count=pa.array([None], pa.int64())))
    assert bound.schema.names == ["c0", "c1"]
    assert bound.rows == 2
    assert bound.open(ScanRequest()).read_all().to_pylist() == [{"c0": 0, "c1": 1}] * 2


def test_a_null_for_a_parameter_that_needs_a_value_is_the_callers_to_mend() -> None:
    @table_function(returns=COLUMNS)
    def rows(count: int) -> Any:
        return ROWS * count

    with pytest.raises(
        InvalidRequestError, match="parameter `count` of function `rows` cannot be NULL"
    ):
        read(rows, count=None)


def test_who_takes_the_scan_may_give_less() -> None:
    seen: list[Scan] = []

    @table_function(returns=COLUMNS)
    def rows(scan: Scan) -> Iterator[dict[str, Any]]:
        seen.append(scan)
        for number in range(10):
            yield {"id": number} if scan.columns == ("id",) else {"id": number, "name": "x"}

    assert read(rows, ScanRequest(columns=("id",), limit=2)) == [{"id": 0}, {"id": 1}]
    assert read(rows, ScanRequest(columns=("name", "id"), limit=1)) == [{"name": "x", "id": 0}]
    assert seen[0] == Scan(("id",), limit=2)


def test_functions_have_neither_a_past_nor_row_ids() -> None:
    @table_function(returns=COLUMNS)
    def rows() -> Any:
        return ROWS

    with pytest.raises(UnsupportedError, match="function `rows` cannot give row ids"):
        read(rows, ScanRequest(row_ids=True))


def test_bounds_of_columns_are_told_where_they_are_declared() -> None:
    @table_function(
        returns=COLUMNS, statistics=lambda column: ColumnStatistics(has_null=column != "id")
    )
    def rows() -> Any:
        return ROWS

    assert isinstance(rows, MeasuredFunction)
    assert rows.statistics("id").has_null is False


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (None, "gave nothing instead of rows"),
        (5, "gave a value of type int instead of rows"),
        ("text", "gave a value of type str instead of rows"),
        ([5], "gave a value of type int instead of rows"),
        ([(1,)], "gave a row of 1 values for 2 columns"),
        ([{"id": "x", "name": "a"}], "column `id` of function `rows` declares int32"),
        ([{"id": 2**40, "name": "a"}], "column `id` of function `rows` declares int32"),
        ([{"id": 1, "nome": "a"}], "gave rows with `nome`, and declares `name`"),
        (pa.table({"id": [1], "nome": ["a"]}), "declares the column `name` and gave `id`, `nome`"),
        ({"id": [1, 2], "name": ["a"]}, "gave columns of different lengths"),
    ],
)
def test_rows_that_were_not_declared_are_refused(result: Any, told: str) -> None:
    @table_function(returns=COLUMNS)
    def rows() -> Any:
        return result

    with pytest.raises(FunctionError) as refused:
        read(rows)
    assert told in str(refused.value)


def test_a_null_in_a_column_that_is_not_null_is_refused() -> None:
    @table_function(returns=pa.schema([pa.field("id", pa.int64(), nullable=False)]))
    def rows() -> Any:
        return [{"id": None}]

    with pytest.raises(FunctionError, match="is declared NOT NULL and has a NULL"):
        read(rows)


def test_large_results_come_in_batches_that_fit() -> None:
    @table_function(returns=pa.schema([("n", pa.int64())]), limits=Limits(output=1))
    def many() -> Any:
        return pa.table({"n": pa.array(range(200_000))})

    batches = list(many.bind(batch()).open(ScanRequest()))
    assert sum(each.num_rows for each in batches) == 200_000
    assert max(each.num_rows for each in batches) <= 65_536


def test_closing_the_stream_ends_the_generator() -> None:
    ended: list[bool] = []

    @table_function(returns=pa.schema([("n", pa.int64())]))
    def endless() -> Any:
        try:
            while True:
                yield pa.table({"n": [1]})
        finally:
            ended.append(True)

    with endless.bind(batch()).open(ScanRequest()) as stream:
        assert next(stream).num_rows == 1
    assert ended == [True]


def test_the_scan_of_a_library_is_the_scan_of_a_function() -> None:
    from lakeport import airport, functions  # noqa: PLC0415

    assert airport.Scan is functions.Scan
