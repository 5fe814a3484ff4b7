"""Input that makes no sense: refused with a reason, and the table is as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn, AddField, Change, RenameColumn
from lakeport.catalog.definition import ROW_ID_FIELD, Definition
from lakeport.core.errors import InvalidRequestError, LakeportError
from tests.behaviours.lake import Lake, schema_of
from tests.behaviours.malformed import MALFORMED, ROWS


def assert_told(error: LakeportError) -> None:
    """Something a person can act on, with nothing of our inside in it."""
    shown = str(error)
    assert error.code not in {"error", "internal"}, shown
    assert error.hint, shown
    for inside in ("Traceback", "0x", "pyarrow", "site-packages", "\n"):
        assert inside not in shown


def batch_of(array: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([array], names=["x"])


@pytest.fixture(params=sorted(MALFORMED))
def malformed(request: pytest.FixtureRequest) -> Any:
    return MALFORMED[str(request.param)]()


def plain_type(array: Any) -> Any:
    data_type = array.type
    return data_type.value_type if pa.types.is_dictionary(data_type) else data_type


def test_a_malformed_batch_is_not_inserted(lake: Lake, malformed: Any) -> None:
    subject = lake.create(schema_of(x=plain_type(malformed), n=pa.int64()))
    subject.insert([{"n": 1}])
    with subject.insertable.insert() as write:
        write.add(pa.RecordBatch.from_pydict({"n": [2]}))
        with pytest.raises(InvalidRequestError, match="malformed") as caught:
            write.add(batch_of(malformed))
        with pytest.raises(LakeportError):
            write.commit()
    assert_told(caught.value)
    assert (subject.rows("n"), subject.state.version) == ([(1,)], 1)


def test_a_malformed_batch_updates_nothing(lake: Lake, malformed: Any) -> None:
    subject = lake.create(schema_of(x=plain_type(malformed), n=pa.int64()))
    subject.insert([{"n": n} for n in range(ROWS)])
    fields = [pa.field("x", malformed.type), ROW_ID_FIELD]
    columns = [malformed, pa.array(subject.row_ids(), pa.int64())]
    broken = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
    with (
        subject.updatable.update() as write,
        pytest.raises(InvalidRequestError, match="malformed") as caught,
    ):
        write.add(broken)
    assert_told(caught.value)
    assert subject.state.version == 1


def test_malformed_row_ids_delete_nothing(lake: Lake) -> None:
    subject = lake.create(schema_of(n=pa.int64()))
    subject.insert([{"n": 1}])
    lying = pa.DictionaryArray.from_arrays(pa.array([77]), pa.array([0]), safe=False)
    ids = pa.RecordBatch.from_arrays([lying], names=["rowid"])
    with subject.deletable.delete() as write, pytest.raises(InvalidRequestError) as caught:
        write.add(ids)
    assert_told(caught.value)
    assert subject.rows() == [(1,)]


@pytest.mark.parametrize(
    "columns",
    [
        {"rowid": pa.array(["one"])},
        {"rowid": pa.array([None], pa.int64())},
        {"rowid": pa.array([0.5])},
        {"rowid": pa.array([0]), "n": pa.array([1])},
        {"n": pa.array([1])},
        {},
    ],
    ids=["text", "null", "fraction", "more than ids", "no ids", "nothing"],
)
def test_row_ids_that_are_none_delete_nothing(lake: Lake, columns: dict[str, Any]) -> None:
    subject = lake.create(schema_of(n=pa.int64()))
    subject.insert([{"n": 1}])
    with subject.deletable.delete() as write, pytest.raises(InvalidRequestError) as caught:
        write.add(pa.RecordBatch.from_pydict(columns))
    assert_told(caught.value)
    assert subject.rows() == [(1,)]


@pytest.mark.parametrize(
    "columns",
    [
        {"n": pa.array(["one"])},
        {"n": pa.array([[1]])},
        {"n": pa.array([1.5])},
        {"n": pa.array([2**63], pa.uint64())},
        {"n": pa.array([1]), "N": pa.array([2])},
        {"n": pa.array([1]), "colour": pa.array(["red"])},
        {"n": pa.array([1]), "rowid": pa.array([0])},
        {"": pa.array([1])},
    ],
    ids=["text", "list", "fraction", "too big", "twice", "extra", "row id", "no name"],
)
def test_rows_that_do_not_fit_are_refused_with_a_hint(lake: Lake, columns: dict[str, Any]) -> None:
    subject = lake.create(schema_of(n=pa.int64()))
    with pytest.raises(InvalidRequestError) as caught:
        subject.insert(pa.RecordBatch.from_pydict(columns))
    assert_told(caught.value)
    assert subject.state.version == 0


@pytest.mark.parametrize("column", ["n", "missing", "rowid", ""])
def test_an_update_of_columns_that_are_none_is_refused(lake: Lake, column: str) -> None:
    subject = lake.create(schema_of(n=pa.int64()))
    subject.insert([{"n": 1}])
    (row_id,) = subject.row_ids()
    columns: list[Any] = [pa.array(["one"]), pa.array([row_id])]
    broken = pa.RecordBatch.from_arrays(columns, names=[column, "rowid"])
    with subject.updatable.update() as write, pytest.raises(InvalidRequestError) as caught:
        write.add(broken)
    assert_told(caught.value)
    assert subject.rows() == [(1,)]


NAMES = ["", "rowid", "ROWID", "_pos", "a\x07b", "n", "N"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        lambda name: AddColumn(pa.field(name, pa.int8())),
        lambda name: RenameColumn("x", name),
    ],
    ids=["add", "rename"],
)
def test_a_column_cannot_get_a_bad_or_taken_name(
    lake: Lake, name: str, change: Callable[[str], Change]
) -> None:
    subject = lake.create(schema_of(n=pa.int64(), x=pa.int64()))
    with pytest.raises(LakeportError) as caught:
        subject.alter(change(name))
    assert caught.value.code in {"invalid_request", "already_exists"}
    assert_told(caught.value)
    assert (subject.schema.names, subject.state.version) == (["n", "x"], 0)


@pytest.mark.parametrize("name", ["", "a", "A"])
def test_a_field_cannot_get_a_bad_or_taken_name(lake: Lake, name: str) -> None:
    subject = lake.create(schema_of(s=pa.struct([pa.field("a", pa.int64())])))
    with pytest.raises(LakeportError) as caught:
        subject.alter(AddField(("s",), pa.field(name, pa.int8())))
    assert caught.value.code in {"invalid_request", "already_exists"}
    assert_told(caught.value)
    assert subject.state.version == 0


@pytest.mark.parametrize("name", ["", "..", "a\\b", "__lakeport_x", "a\x00b"])
def test_a_refused_name_of_a_table_comes_with_a_hint(lake: Lake, name: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        lake.namespace().create_table(name, Definition(schema_of(n=pa.int64())))
    assert_told(caught.value)
    lake.create(schema_of(n=pa.int64()))
    with pytest.raises(InvalidRequestError) as caught:
        lake.namespace().rename_table("orders", name)
    assert_told(caught.value)
    assert list(lake.catalog.namespace("shop").tables()) == ["orders"]


@pytest.mark.parametrize(
    "schema",
    [
        pa.schema([]),
        pa.schema([pa.field("a", pa.int64()), pa.field("A", pa.int64())]),
        pa.schema([pa.field("", pa.int64())]),
        pa.schema([pa.field("rowid", pa.int64())]),
        pa.schema([pa.field("h", pa.float16())]),
        pa.schema([pa.field("s", pa.struct([pa.field("", pa.int8())]))]),
        pa.schema([pa.field("l", pa.list_(pa.float16()))]),
    ],
    ids=[
        "nothing",
        "twins",
        "empty name",
        "rowid",
        "float16",
        "field without name",
        "nested float16",
    ],
)
def test_a_schema_that_cannot_be_kept_is_refused_with_a_hint(lake: Lake, schema: pa.Schema) -> None:
    with pytest.raises(LakeportError) as caught:
        lake.create(schema)
    assert caught.value.code in {"invalid_request", "unsupported"}
    assert_told(caught.value)
    assert list(lake.catalog.namespace("shop").tables()) == []
