"""Reading whole tables: limits over splits, closing, and plans that are not exact."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import ROW_ID_FIELD, Definition, require_column
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.ports import ScanPlan, ScanRequest, Split, TableState
from lakeport.catalog.predicates import Compare, Op
from lakeport.catalog.reading import read
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import TableName
from tests.behaviours.lake import schema_of

SCHEMA = schema_of(k=pa.int64(), name=pa.string())
ROWS = 20


class CoarseTable:
    """Three splits of twenty rows that leave every condition to the reader."""

    name = TableName("far", "coarse")

    def __init__(self) -> None:
        self.opened: list[int] = []
        self.closed: list[int] = []

    def state(self) -> TableState:
        return TableState("u", self.name, Definition(SCHEMA), 0, 1, 1)

    def plan(self, request: ScanRequest) -> ScanPlan:
        splits = tuple(Split(1, (part,)) for part in range(3))
        exact = request.predicate is None and request.expression is None
        return ScanPlan(self.state(), _schema(request), splits, exact=exact)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        (part,) = split.parts
        self.opened.append(part)
        schema = _schema(request)
        batches = self._batches(part, schema, request.limit)
        return BatchStream(schema, batches, lambda: self.closed.append(part))

    def _batches(self, part: int, schema: pa.Schema, limit: int | None) -> Iterator[pa.RecordBatch]:
        keys = [part * ROWS + at for at in range(ROWS)][:limit]
        columns: dict[str, Array] = {
            "k": pa.array(keys, pa.int64()),
            "name": pa.array([f"n{key}" for key in keys]),
            "rowid": pa.array(keys, pa.int64()),
        }
        arrays = [columns[name] for name in schema.names]
        batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
        yield batch.slice(0, 8)
        yield batch.slice(8)


def _schema(request: ScanRequest) -> pa.Schema:
    names = SCHEMA.names if request.columns is None else request.columns
    fields = [SCHEMA.field(require_column(SCHEMA, name)) for name in names]
    return pa.schema([*fields, ROW_ID_FIELD] if request.row_ids else fields)


def test_an_inexact_plan_is_made_exact() -> None:
    request = ScanRequest(
        columns=("name",),
        predicate=Compare("K", Op.GE, pa.scalar(17)),
        expression=parse_expression("k % 2 = 1", SCHEMA),
        limit=3,
        row_ids=True,
    )
    found = read(CoarseTable(), request).read_all()
    assert found.schema.names == ["name", "rowid"]
    assert found.to_pylist() == [
        {"name": "n17", "rowid": 17},
        {"name": "n19", "rowid": 19},
        {"name": "n21", "rowid": 21},
    ]


@pytest.mark.parametrize("columns", [None, (), ("k",), ("name", "k")])
def test_an_inexact_plan_keeps_the_columns_asked_for(columns: tuple[str, ...] | None) -> None:
    request = ScanRequest(columns=columns, predicate=Compare("k", Op.LT, pa.scalar(5)))
    stream = read(CoarseTable(), request)
    assert stream.schema.names == list(SCHEMA.names if columns is None else columns)
    assert sum(batch.num_rows for batch in stream) == 5


def test_a_limit_stops_opening_splits() -> None:
    table = CoarseTable()
    assert read(table, ScanRequest(limit=25)).read_all().num_rows == 25
    assert table.opened == table.closed == [0, 1]


def test_closing_early_closes_the_split_that_is_open() -> None:
    table = CoarseTable()
    with read(table) as stream:
        next(stream)
        assert table.closed == []
    assert table.opened == table.closed == [0]


def test_a_stream_never_begun_opens_nothing() -> None:
    table = CoarseTable()
    read(table).close()
    assert table.opened == []


def test_a_condition_must_be_true_or_false() -> None:
    request = ScanRequest(expression=parse_expression("k + 1", SCHEMA))
    with pytest.raises(InvalidRequestError, match="condition"):
        read(CoarseTable(), request).read_all()


def test_a_table_that_cannot_be_read_says_so() -> None:
    class Blind:
        name = TableName("far", "blind")

        def state(self) -> TableState:
            return CoarseTable().state()

    with pytest.raises(UnsupportedError, match=r"`far.blind` cannot be read"):
        read(Blind())
