"""Statements as nobody would write them, and as programs do: no columns, no rows, thousands of columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import batch_of, descriptor_of
from tests.behaviours.lake import Lake, Subject, ids_batch, schema_of

PATH = descriptor_of("shop", "items")
SENT = pa.schema([(field.name, field.type) for field in ITEMS])
MANY = 2_000


def test_rows_without_a_column_are_rows_of_defaults(served: Served, lake: Lake) -> None:
    table = lake.create(schema_of(a=pa.int64(), b=pa.string()), name="plain")
    nothing = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))  # type: ignore[arg-type]  # the stubs call it Array
    answer = served.writer.run("insert", descriptor_of("shop", "plain"), [nothing], returning=True)
    assert answer.rows == [{"a": None, "b": None}] * 2
    assert answer.changed == 2
    assert table.rows() == [(None, None)] * 2


def test_defaults_are_shown_by_returning(served: Served, items: Subject) -> None:
    sent = batch_of(schema_of(id=pa.int64()), (7,))
    answer = served.writer.run("insert", PATH, [sent], returning=True)
    assert answer.rows == [{"id": 7, "name": "unknown", "price": None}]
    assert items.rows(where="id = 7") == [(7, "unknown", None)]


@pytest.mark.parametrize("operation", ["insert", "update", "delete"])
def test_batches_without_rows_are_answered_and_change_nothing(
    served: Served, items: Subject, operation: str
) -> None:
    schemas = {
        "insert": SENT,
        "update": schema_of(name=pa.string(), rowid=pa.int64()),
        "delete": ids_batch([]).schema,
    }
    empty = batch_of(schemas[operation])
    before = items.state
    answer = served.writer.run(operation, PATH, [empty, empty], returning=True)
    assert [batch.num_rows for batch in answer.batches] == [0, 0]
    assert answer.changed == 0
    assert items.state == before


def test_an_update_that_sets_nothing_counts_its_rows(served: Served, items: Subject) -> None:
    before = items.rows()
    assert served.writer.run("update", PATH, [ids_batch(items.row_ids())]).changed == 2
    assert items.rows() == before


def test_a_row_named_twice_is_changed_once(served: Served, items: Subject) -> None:
    (row_id,) = items.row_ids("id = 1")
    schema = schema_of(name=pa.string(), rowid=pa.int64())
    first, last = (batch_of(schema, (name, row_id)) for name in ("first", "last"))
    answer = served.writer.run("update", PATH, [first, last], returning=True)
    assert answer.changed == 1
    assert items.rows("name", where="id = 1") == [("last",)]
    (row_id,) = items.row_ids("id = 1")
    answer = served.writer.run("delete", PATH, [ids_batch([row_id, row_id])], returning=True)
    assert (answer.changed, len(answer.rows)) == (1, 2)


def test_thousands_of_columns_are_written_changed_and_read(served: Served, lake: Lake) -> None:
    """What asks for each column by its name must not look at all of them each time."""
    names = [f"Column{number}" for number in range(MANY)]
    schema = pa.schema({name: pa.int32() for name in names})
    table = lake.create(schema, name="wide")
    path = descriptor_of("shop", "wide")
    values = pa.RecordBatch.from_arrays([pa.array([n], pa.int32()) for n in range(MANY)], names)
    assert served.writer.run("insert", path, [values], returning=True).rows == values.to_pylist()
    edit = batch_of(schema_of(column7=pa.int32(), rowid=pa.int64()), (-7, *table.row_ids()))
    assert served.writer.run("update", path, [edit]).changed == 1
    assert table.rows("Column6", "Column7", "Column8") == [(6, -7, 8)]
    assert len(served.duck.scan(path).schema) == MANY + 1
