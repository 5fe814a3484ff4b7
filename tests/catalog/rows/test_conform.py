from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.definition import Definition, with_comment, with_default
from lakeport.catalog.rows.conform import conform_delete, conform_insert, conform_update
from lakeport.core.errors import InvalidRequestError
from tests.catalog.tables import columns, rows, table
from tests.strategies import random_batch, random_schema, seeded

ORDERS = Definition(
    pa.schema(
        [
            with_comment(pa.field("Id", pa.int64(), nullable=False), "the order"),
            with_default(pa.field("state", pa.string()), "'new'"),
            pa.field("price", pa.decimal128(9, 2)),
        ]
    )
)


# -- INSERT --------------------------------------------------------------------------------------


def test_columns_come_in_any_order_and_spelling() -> None:
    sent = rows(columns(PRICE=pa.float64(), id=pa.int32(), State=pa.string()), (1.5, 7, "x"))
    stored = conform_insert(sent, ORDERS)
    assert stored.schema.equals(ORDERS.schema, check_metadata=True)
    assert [str(value) for value in stored.to_pylist()[0].values()] == ["7", "x", "1.50"]


def test_a_missing_column_gets_its_default_or_null() -> None:
    stored = conform_insert(rows(columns(id=pa.int64()), (1,), (2,)), ORDERS)
    assert stored.column("state").to_pylist() == ["new", "new"]
    assert stored.column("price").null_count == 2


def test_an_explicit_null_is_not_the_default() -> None:
    sent = rows(columns(id=pa.int64(), state=pa.string()), (1, None))
    assert conform_insert(sent, ORDERS).column("state").to_pylist() == [None]


def test_rows_of_nothing_but_defaults_are_counted() -> None:
    empty = with_columns([], pa.schema([]), 2)
    assert conform_insert(empty, ORDERS).num_rows == 2


def test_an_unknown_column_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidRequestError, match=r"no column `prize`.*did you mean `price`"):
        conform_insert(rows(columns(id=pa.int64(), prize=pa.int64()), (1, 2)), ORDERS)


def test_a_column_sent_twice_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="sent twice"):
        conform_insert(rows(columns(id=pa.int64(), ID=pa.int64()), (1, 2)), ORDERS)


def test_a_row_id_is_not_inserted() -> None:
    with pytest.raises(InvalidRequestError, match="`rowid`"):
        conform_insert(rows(columns(id=pa.int64(), rowid=pa.int64()), (1, 2)), ORDERS)


def test_a_misfit_names_the_tables_column() -> None:
    with pytest.raises(InvalidRequestError, match=r"`price`.*99999999"):
        conform_insert(rows(columns(PRICE=pa.int64()), (1,), (99999999,)), ORDERS)


def _malformed() -> pa.RecordBatch:
    """Text whose offsets lead out of its buffer: reading it would crash."""
    offsets = pa.array([0, 1_000_000, 3], pa.int32()).buffers()[1]
    text = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    return pa.RecordBatch.from_arrays([text], names=["state"])


def _bad_text() -> pa.RecordBatch:
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    text = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    return pa.RecordBatch.from_arrays([text], names=["state"])


@pytest.mark.parametrize("batch", [_malformed(), _bad_text()], ids=["offsets", "utf-8"])
def test_a_malformed_batch_is_refused_before_it_is_read(batch: pa.RecordBatch) -> None:
    with pytest.raises(InvalidRequestError, match="malformed"):
        conform_insert(batch, ORDERS)


@pytest.mark.parametrize("seed", range(200))
def test_rows_of_every_type_are_stored_as_they_were_sent(seed: int) -> None:
    rng = seeded(seed)
    schema = random_schema(rng)
    sent = random_batch(rng, schema, rng.randint(0, 12))
    bare = pa.schema([pa.field(field.name.upper(), field.type) for field in schema])
    places = list(range(len(schema)))
    rng.shuffle(places)
    if len({name.casefold() for name in bare.names}) < len(schema):
        bare = schema
    shuffled = pa.RecordBatch.from_arrays(
        [sent.column(place) for place in places],
        schema=pa.schema([bare.field(place) for place in places]),
    )
    stored = conform_insert(shuffled, Definition(schema))
    assert stored.schema.equals(schema, check_metadata=True)
    for before, after in zip(sent.columns, stored.columns, strict=True):
        assert after.type.equals(before.type, check_metadata=True)
        assert after.equals(before) or str(after) == str(before)


# -- UPDATE and DELETE ---------------------------------------------------------------------------


def test_an_update_is_row_ids_and_values_in_the_order_sent() -> None:
    sent = rows(
        columns(PRICE=pa.int64(), State=pa.string(), rowid=pa.int64()), (1, "x", 5), (2, None, 6)
    )
    assignment = conform_update(sent, ORDERS)
    assert assignment.row_ids.to_pylist() == [5, 6]
    assert assignment.values.schema.names == ["price", "state"]
    assert assignment.values.schema.field("price").type == pa.decimal128(9, 2)


def test_the_row_id_may_stand_anywhere_and_in_any_spelling() -> None:
    sent = rows(columns(RowID=pa.int32(), state=pa.string()), (5, "x"))
    assert conform_update(sent, ORDERS).row_ids.to_pylist() == [5]


def test_an_update_of_an_unknown_column_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="did you mean `state`"):
        conform_update(rows(columns(stat=pa.string(), rowid=pa.int64()), ("x", 1)), ORDERS)


@pytest.mark.parametrize(
    ("schema", "row"),
    [
        (columns(state=pa.string()), ("x",)),
        (columns(state=pa.string(), rowid=pa.int64(), ROWID=pa.int64()), ("x", 1, 2)),
        (columns(state=pa.string(), rowid=pa.int64()), ("x", None)),
        (columns(state=pa.string(), rowid=pa.string()), ("x", "1")),
        (columns(state=pa.string(), rowid=pa.float64()), ("x", 1.5)),
    ],
    ids=["missing", "twice", "null", "text", "fraction"],
)
def test_an_update_needs_one_whole_row_id(schema: pa.Schema, row: tuple[object, ...]) -> None:
    with pytest.raises(InvalidRequestError, match="rowid"):
        conform_update(rows(schema, row), ORDERS)


def test_a_delete_is_row_ids_alone() -> None:
    assert conform_delete(rows(columns(rowid=pa.int64()), (3,), (4,))).to_pylist() == [3, 4]
    with pytest.raises(InvalidRequestError, match="alone"):
        conform_delete(rows(columns(rowid=pa.int64(), state=pa.string()), (3, "x")))


def test_a_table_may_have_one_column_only() -> None:
    stored = conform_insert(rows(columns(a=pa.int8()), (1,)), table(a=pa.int64()))
    assert stored.column(0).to_pylist() == [1]
