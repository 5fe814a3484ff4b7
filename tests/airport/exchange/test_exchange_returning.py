"""RETURNING, and what a row id and a column may be: chapters 5.2 to 5.5."""

from __future__ import annotations

import grpc
import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Array
from lakeport.catalog.changes import AddColumn, DropColumn, RenameColumn
from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import batch_of, descriptor_of
from tests.behaviours.lake import Lake, Subject, ids_batch, schema_of

PATH = descriptor_of("shop", "items")
SENT = pa.schema([(field.name, field.type) for field in ITEMS])


def test_an_insert_shows_whole_rows_with_their_defaults(served: Served, items: Subject) -> None:
    sent = batch_of(schema_of(price=pa.float64(), ID=pa.int64()), (2.0, 3), (None, 4))
    answer = served.writer.run("insert", PATH, [sent], returning=True)
    assert answer.rows == [
        {"id": 3, "name": "unknown", "price": 2.0},
        {"id": 4, "name": "unknown", "price": None},
    ]
    assert answer.schema.types == ITEMS.types
    assert answer.changed == 2
    assert items.rows("id", "name")[2:] == [(3, "unknown"), (4, "unknown")]


def test_a_delete_shows_the_rows_that_went(served: Served, items: Subject) -> None:
    answer = served.writer.run("delete", PATH, [ids_batch(items.row_ids())], returning=True)
    assert answer.rows == [
        {"id": 1, "name": "apple", "price": 1.0},
        {"id": 2, "name": "pear", "price": None},
    ]
    assert (answer.changed, items.rows()) == (2, [])


def test_an_update_shows_what_was_sent_in_the_order_it_was_sent(
    served: Served, items: Subject
) -> None:
    (row_id,) = items.row_ids("id = 2")
    schema = schema_of(price=pa.float64(), name=pa.string(), id=pa.int64(), rowid=pa.int64())
    answer = served.writer.run(
        "update", PATH, [batch_of(schema, (9.5, "nashi", 2, row_id))], returning=True
    )
    assert answer.schema.names == ["price", "name", "id", "rowid"]
    assert answer.schema.types == schema.types
    assert [bool((field.metadata or {}).get(b"is_rowid")) for field in answer.schema] == [
        False,
        False,
        False,
        True,
    ]
    assert answer.rows == [{"price": 9.5, "name": "nashi", "id": 2, "rowid": row_id}]
    assert items.rows() == [(1, "apple", 1.0), (2, "nashi", 9.5)]


def test_the_row_id_is_shown_last_wherever_it_was_sent(served: Served, items: Subject) -> None:
    (row_id,) = items.row_ids("id = 2")
    schema = schema_of(ROWID=pa.int64(), name=pa.string())
    answer = served.writer.run(
        "update", PATH, [batch_of(schema, (row_id, "nashi"))], returning=True
    )
    assert answer.rows == [{"name": "nashi", "rowid": row_id}]


ZONED = pa.timestamp("us", tz="Etc/UTC")
COLOURS = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.uint8()), pa.array(["red", "blue"]))
SENT_KINDS: dict[str, tuple[pa.DataType, Array]] = {
    "zone": (pa.timestamp("us", tz="UTC"), pa.array([5, None], ZONED)),
    "list child": (
        pa.list_(pa.field("item", pa.int32())),
        pa.array([[1, None], []], pa.list_(pa.field("l", pa.int32()))),
    ),
    "enum": (pa.string(), COLOURS),
    "large text": (pa.string(), pa.array(["a", None], pa.large_string())),
    "narrow": (pa.int64(), pa.array([1, None], pa.int8())),
    "nothing known": (pa.float64(), pa.nulls(2)),
    "struct": (
        pa.struct([("a", pa.int64()), ("b", pa.string())]),
        pa.array([{"b": "x", "a": 1}, None], pa.struct([("b", pa.string()), ("a", pa.int16())])),
    ),
    "not nullable": (pa.int32(), pa.array([1, 2], pa.int32())),
}


@pytest.mark.parametrize("kind", SENT_KINDS)
def test_an_update_shows_the_types_it_was_sent_and_stores_its_own(
    served: Served, lake: Lake, kind: str
) -> None:
    stored, values = SENT_KINDS[kind]
    table = lake.create(pa.schema([("k", pa.int64()), ("v", stored)]), name="kinds")
    table.insert(pa.table({"k": [1, 2]}))
    value = pa.field("v", values.type, nullable=kind != "not nullable")
    ids = pa.array(table.row_ids(), pa.int64())
    schema = pa.schema([value, pa.field("rowid", pa.int64())])
    sent = pa.RecordBatch.from_arrays([values, ids], schema=schema)
    answer = served.writer.run("update", descriptor_of("shop", "kinds"), [sent], returning=True)
    (shown,) = answer.batches
    assert shown.schema.field("v").type.equals(values.type)
    assert shown.column(0).to_pylist() == values.to_pylist()
    found = table.read()
    assert found.schema.field("v").type == stored
    assert found.column("v").to_pylist() == values.to_pylist()


def test_what_clients_cannot_take_is_shown_as_it_is_announced(served: Served, lake: Lake) -> None:
    """They read the indices of a dictionary inside another type as its values."""
    colour = pa.dictionary(pa.int8(), pa.string())
    lake.create(schema_of(k=pa.int64(), paint=pa.struct([("colour", colour)])), name="paints")
    plain = schema_of(k=pa.int64(), paint=pa.struct([("colour", pa.string())]))
    sent = batch_of(plain, (1, {"colour": "red"}), (2, None))
    answer = served.writer.run("insert", descriptor_of("shop", "paints"), [sent], returning=True)
    assert answer.schema == plain
    assert answer.rows == sent.to_pylist()


# -- row ids -----------------------------------------------------------------------------------------


def test_a_row_named_twice_changes_once_and_the_last_value_wins(
    served: Served, items: Subject
) -> None:
    (row_id,) = items.row_ids("id = 2")
    schema = schema_of(price=pa.float64(), rowid=pa.int64())
    batches = [batch_of(schema, (1.0, row_id), (2.0, row_id)), batch_of(schema, (3.0, row_id))]
    assert served.writer.run("update", PATH, batches).changed == 1
    assert items.rows("id", "price") == [(1, 1.0), (2, 3.0)]
    (row_id,) = items.row_ids("id = 2")
    twice = [ids_batch([row_id, row_id]), ids_batch([row_id])]
    assert served.writer.run("delete", PATH, twice).changed == 1


@pytest.mark.parametrize("returning", [False, True])
@pytest.mark.parametrize("row_id", [None, -1, 0, 10**6, 2**62], ids=str)
def test_a_row_id_that_was_never_given_out_is_refused(
    served: Served, items: Subject, row_id: int | None, *, returning: bool
) -> None:
    before = items.state
    schema = schema_of(price=pa.float64(), rowid=pa.int64())
    for operation, batch in (
        ("update", batch_of(schema, (1.0, row_id))),
        ("delete", batch_of(schema_of(rowid=pa.int64()), (row_id,))),
    ):
        refused = served.writer.refused(operation, PATH, [batch], returning=returning)
        assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    assert items.state == before


def test_useless_assignments_are_no_harm(served: Served, items: Subject) -> None:
    rows = items.rows()
    ids = items.row_ids()
    schema = schema_of(price=pa.float64(), name=pa.string(), id=pa.int64(), rowid=pa.int64())
    sent = batch_of(schema, (1.0, "apple", 1, ids[0]), (None, "pear", 2, ids[1]))
    assert served.writer.run("update", PATH, [sent]).changed == 2
    assert items.rows() == rows


@pytest.mark.parametrize(
    ("operation", "columns"),
    [
        ("insert", ["id", "what"]),
        ("insert", ["id", "rowid"]),
        ("insert", ["id", "ID"]),
        ("update", ["price", "what", "rowid"]),
        ("update", ["price"]),
        ("update", ["price", "PRICE", "rowid"]),
        ("delete", ["id"]),
        ("delete", ["rowid", "id"]),
    ],
)
def test_columns_that_mean_nothing_are_refused(
    served: Served, items: Subject, operation: str, columns: list[str]
) -> None:
    before = items.state
    (row_id,) = items.row_ids("id = 2")
    schema = pa.schema([(name, pa.int64()) for name in columns])
    sent = batch_of(schema, [row_id if name == "rowid" else 5 for name in columns])
    for returning in (False, True):
        refused = served.writer.refused(operation, PATH, [sent], returning=returning)
        assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    assert items.state == before


def test_values_of_another_kind_are_refused(served: Served, items: Subject) -> None:
    before = items.state
    sent = batch_of(schema_of(id=pa.int64(), price=pa.string()), (5, "dear"))
    refused = served.writer.refused("insert", PATH, [sent])
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "`price`" in refused.text
    assert items.state == before


# -- older columns -----------------------------------------------------------------------------------


def told(table: Subject) -> list[str]:
    """The path as DuckDB's client was told it when it attached."""
    state = table.state
    return ["shop", state.name.table, f"@{state.schema_id}.{state.uuid.replace('-', '')[:8]}"]


def test_a_client_that_does_not_know_of_a_new_column_goes_on(
    served: Served, items: Subject
) -> None:
    path = told(items)
    items.alter(AddColumn(pa.field("shelf", pa.int32())))
    sent = batch_of(SENT, (3, "fig", 2.0))
    answer = served.writer.run("insert", descriptor_of(*path), [sent], returning=True)
    assert answer.schema.names == ["id", "name", "price", "shelf"]
    assert items.rows("id", "shelf")[2] == (3, None)
    gone = served.writer.run(
        "delete", descriptor_of(*path), [ids_batch(items.row_ids("id = 3"))], returning=True
    )
    assert gone.rows == [{"id": 3, "name": "fig", "price": 2.0, "shelf": None}]


def test_columns_are_shown_as_the_client_spells_them(served: Served, items: Subject) -> None:
    path = told(items)
    items.alter(RenameColumn("name", "Name"))
    sent = batch_of(SENT, (3, "fig", 2.0))
    answer = served.writer.run("insert", descriptor_of(*path), [sent], returning=True)
    assert answer.rows == [{"id": 3, "name": "fig", "price": 2.0}]


@pytest.mark.parametrize("operation", ["insert", "update", "delete"])
def test_a_client_whose_columns_are_gone_has_to_attach_again(
    served: Served, items: Subject, operation: str
) -> None:
    path = told(items)
    items.alter(DropColumn("name"))
    before = items.state
    refused = served.writer.refused(operation, descriptor_of(*path), [], schema=SENT)
    assert refused.code is grpc.StatusCode.FAILED_PRECONDITION
    assert "ATTACH" in refused.text
    assert items.state == before


def test_a_table_made_anew_under_the_name_is_another(served: Served, items: Subject) -> None:
    path = told(items)
    row_ids = items.row_ids()
    served.lake.namespace().drop_table("items")
    again = served.lake.create(ITEMS, name="items")
    again.insert(pa.table({"id": [1, 2], "name": ["x", "y"], "price": [0.0, 0.0]}))
    for operation, batch in (
        ("insert", batch_of(SENT, (3, "fig", 2.0))),
        ("delete", ids_batch(row_ids)),
    ):
        refused = served.writer.refused(operation, descriptor_of(*path), [batch])
        assert refused.code is grpc.StatusCode.ABORTED
    assert again.rows("id") == [(1,), (2,)]
