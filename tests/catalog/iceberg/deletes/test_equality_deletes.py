"""Equality deletes on real tables: fields by id, through every change of the schema, as specified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    DateType,
    DecimalType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)

from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.parts import Source
from lakeport.core.errors import CancelledError, CorruptDataError, UnsupportedError
from tests.catalog.iceberg.planning.planned import inventory, source_of
from tests.lakes.lake import Lake
from tests.lakes.parquet import Style
from tests.lakes.table import LakeTable

ID = NestedField(1, "id", LongType(), required=True)
NAME = NestedField(2, "name", StringType())
SIZE = NestedField(3, "size", IntegerType())
X, Y = NestedField(11, "x", IntegerType()), NestedField(12, "y", StringType())
SPOT = NestedField(10, "spot", StructType(X, Y))

ROWS = pa.table(
    {
        "id": pa.array([0, 1, 2, 3, 4, 5]),
        "name": pa.array(["a", "b", None, "a", "", None]),
        "size": pa.array([1, None, 1, 2, None, None], pa.int32()),
    }
)


@pytest.fixture
def table(tmp_path: Path) -> LakeTable:
    found = Lake(tmp_path).create("s.t", Schema(ID, NAME, SIZE), version=3)
    found.append(ROWS)
    return found


def gone(source: Source | LakeTable) -> list[list[int]]:
    """The positions deleted in each file, in the order of commits."""
    source = source_of(source) if isinstance(source, LakeTable) else source
    files = sorted(inventory(source).files(), key=lambda file: file.ordinal)
    return [deleted_rows(source, file).positions.tolist() for file in files]


def delete(table: LakeTable, *fields: NestedField, **values: list[Any]) -> None:
    columns = {field.name: values[field.name] for field in fields}
    types = Schema(*fields).as_arrow()
    rows = pa.table(
        {name: pa.array(given, types.field(name).type) for name, given in columns.items()}
    )
    table.commit(add=[table.equality_deletes(rows, list(fields))])


@pytest.mark.parametrize(
    ("fields", "values", "expected"),
    [
        ((ID,), {"id": [1, 4, 99]}, [1, 4]),
        ((NAME,), {"name": ["a"]}, [0, 3]),
        ((NAME,), {"name": [None]}, [2, 5]),
        ((NAME,), {"name": ["A", "aa"]}, []),
        ((NAME,), {"name": []}, []),
        ((NAME, SIZE), {"name": ["a"], "size": [1]}, [0]),
        ((NAME, SIZE), {"name": ["a", "a"], "size": [1, 2]}, [0, 3]),
        ((NAME, SIZE), {"name": ["a", None], "size": [None, 1]}, [2]),
        ((NAME, SIZE), {"name": [None, ""], "size": [None, None]}, [4, 5]),
        ((SIZE, NAME), {"name": ["a", "b"], "size": [2, 1]}, [3]),
        ((ID, NAME, SIZE), {"id": [0, 2], "name": ["a", None], "size": [1, 1]}, [0, 2]),
    ],
)
def test_rows_equal_in_all_fields_are_gone(
    table: LakeTable,
    fields: tuple[NestedField, ...],
    values: dict[str, list[Any]],
    expected: list[int],
) -> None:
    delete(table, *fields, **values)
    assert gone(table) == [expected]


def test_deletes_on_different_fields_take_rows_together(table: LakeTable) -> None:
    delete(table, ID, id=[5])
    delete(table, NAME, name=["b"])
    delete(table, ID, id=[0, 5])
    assert gone(table) == [[0, 1, 5]]


def test_rows_written_with_or_after_the_delete_stay(table: LakeTable) -> None:
    delete(table, ID, id=[1])
    table.append(ROWS)
    assert gone(table) == [[1], []]


def test_together_with_positions(table: LakeTable) -> None:
    assert table.head
    table.commit(add=table.deletion_vectors({table.head.files[0].path: [5]}))
    delete(table, ID, id=[1])
    assert gone(table) == [[1, 5]]


def test_a_renamed_field_is_still_the_same(table: LakeTable) -> None:
    delete(table, NAME, name=["b"])
    renamed = NAME.model_copy(update={"name": "title"})
    table.evolve(Schema(ID, renamed, SIZE))
    delete(table, renamed, title=[""])
    assert gone(table) == [[1, 4]]


def test_a_dropped_field_is_still_compared(table: LakeTable) -> None:
    delete(table, NAME, SIZE, name=["a"], size=[1])
    table.evolve(Schema(ID, SIZE))
    assert gone(table) == [[0]]


def test_a_new_field_of_the_same_name_is_another_one(table: LakeTable) -> None:
    again = NestedField(20, "name", StringType())
    table.evolve(Schema(ID, SIZE, again))
    delete(table, again, name=["a"])
    assert gone(table) == [[]]
    delete(table, again, name=[None])  # no row of the old file has a value
    assert gone(table) == [[0, 1, 2, 3, 4, 5]]


def test_a_field_the_file_lacks_has_its_first_default(table: LakeTable) -> None:
    added = NestedField(20, "kind", StringType(), initial_default="plain")
    table.evolve(Schema(ID, NAME, SIZE, added))
    delete(table, added, ID, kind=["plain", "other", None], id=[1, 2, 3])
    assert gone(table) == [[1]]


def test_a_type_that_grew_after_the_delete(table: LakeTable) -> None:
    delete(table, SIZE, size=[1])
    wider = SIZE.model_copy(update={"field_type": LongType()})
    table.evolve(Schema(ID, NAME, wider))
    assert gone(table) == [[0, 2]]


def test_a_type_that_grew_before_the_delete(table: LakeTable) -> None:
    wider = SIZE.model_copy(update={"field_type": LongType()})
    table.evolve(Schema(ID, NAME, wider))
    delete(table, wider, size=[2, 2**40])
    assert gone(table) == [[3]]


def test_a_grown_type_counts_at_an_old_snapshot_too(table: LakeTable) -> None:
    delete(table, SIZE, size=[1])
    wide = SIZE.model_copy(update={"field_type": LongType()})
    table.evolve(Schema(ID, NAME, wide))
    table.evolve(Schema(ID, NAME))
    assert gone(table) == [[0, 2]]


@pytest.mark.parametrize(
    ("narrow", "wide", "values", "deleted"),
    [
        (DecimalType(5, 2), DecimalType(12, 2), ["1.50", "2.00"], ["2.00"]),
        (DateType(), TimestampType(), ["2024-01-01", "2024-01-02"], ["2024-01-02"]),
    ],
    ids=str,
)
def test_other_types_that_can_grow(
    tmp_path: Path, narrow: Any, wide: Any, values: list[str], deleted: list[str]
) -> None:
    before, after = NestedField(2, "v", narrow), NestedField(2, "v", wide)
    found = Lake(tmp_path).create("s.t", Schema(before), version=3)

    def column(texts: list[str]) -> pa.Table:
        return pa.table({"v": pa.array(texts).cast(Schema(before).as_arrow().field(0).type)})

    found.append(column(values))
    found.commit(add=[found.equality_deletes(column(deleted), [before])])
    found.evolve(Schema(after))
    assert gone(found) == [[1]]


# -- fields within structs -----------------------------------------------------------------------

SPOTS = pa.table(
    {
        "id": pa.array([0, 1, 2, 3]),
        "spot": pa.array(
            [{"x": 1, "y": "a"}, {"x": 1, "y": "b"}, {"x": None, "y": "a"}, None],
            pa.struct([("x", pa.int32()), ("y", pa.string())]),
        ),
    }
)


@pytest.fixture
def spots(tmp_path: Path) -> LakeTable:
    found = Lake(tmp_path).create("s.t", Schema(ID, SPOT), version=3)
    found.append(SPOTS)
    return found


@pytest.mark.parametrize(
    ("fields", "values", "expected"),
    [
        ((X,), {"x": [1]}, [0, 1]),
        ((X,), {"x": [None]}, [2, 3]),
        ((X, Y), {"x": [1, None], "y": ["b", "a"]}, [1, 2]),
        ((Y, ID), {"y": ["a", None], "id": [0, 3]}, [0, 3]),
    ],
)
def test_fields_of_structs(
    spots: LakeTable,
    fields: tuple[NestedField, ...],
    values: dict[str, list[Any]],
    expected: list[int],
) -> None:
    delete(spots, *fields, **values)
    assert gone(spots) == [expected]


def test_a_delete_file_that_keeps_the_struct_around_the_field(spots: LakeTable) -> None:
    rows = pa.table({"x": pa.array([1], pa.int32()), "y": pa.array(["b"])})
    entry = spots.equality_deletes(rows, [X, Y])

    def with_id(field: Any, ident: int) -> Any:
        return field.with_metadata({"PARQUET:field_id": str(ident)})

    inner = [with_id(pa.field("x", pa.int32()), 11), with_id(pa.field("y", pa.string()), 12)]
    schema = pa.schema([with_id(pa.field("spot", pa.struct(inner)), 10)])
    written = pa.Table.from_pylist([{"spot": {"x": 1, "y": "b"}}], schema)
    pq.write_table(written, spots.disk_path(entry.path))
    spots.commit(add=[entry])
    assert gone(spots) == [[1]]


def test_a_dropped_field_of_a_struct(spots: LakeTable) -> None:
    delete(spots, X, Y, x=[1], y=["a"])
    spots.evolve(Schema(ID, SPOT.model_copy(update={"field_type": StructType(Y)})))
    assert gone(spots) == [[0]]
    spots.evolve(Schema(ID))
    assert gone(spots) == [[0]]


# -- keeping and refusing ------------------------------------------------------------------------


def test_many_chunks_and_row_groups(tmp_path: Path) -> None:
    count = 200_000
    found = Lake(tmp_path).create("s.t", Schema(ID), version=2)
    found.append(pa.table({"id": pa.array(range(count))}), Style(row_group_rows=30_000))
    chosen = list(range(7, count, 997))
    delete(found, ID, id=chosen)
    assert gone(found) == [chosen]


def test_a_table_is_compared_once(table: LakeTable) -> None:
    delete(table, ID, id=[1])
    assert table.head
    source = source_of(table)
    assert gone(source) == [[1]]
    table.disk_path(table.head.files[0].path).unlink()
    table.disk_path(table.head.deletes[0].path).unlink()
    assert gone(source) == [[1]]


def test_comparing_ends_when_nobody_wants_it_and_can_be_asked_again(table: LakeTable) -> None:
    delete(table, ID, id=[1])
    source = source_of(table)
    (file,) = inventory(source).files()
    with pytest.raises(CancelledError):
        deleted_rows(source, file, lambda: True)
    assert deleted_rows(source, file).positions.tolist() == [1]


def emptied(path: Path) -> None:
    path.write_bytes(b"PAR1")


def without_the_field(path: Path) -> None:
    schema = pa.schema([pa.field("other", pa.int64(), metadata={"PARQUET:field_id": "3"})])
    pq.write_table(pa.Table.from_pylist([{"other": 1}], schema), path)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (Path.unlink, "is missing"),
        (emptied, "is damaged"),
        (without_the_field, "it lacks the field `id`"),
    ],
)
def test_a_delete_file_that_cannot_be_read(
    table: LakeTable, damage: Callable[[Path], None], words: str
) -> None:
    delete(table, ID, id=[1])
    assert table.head
    damage(table.disk_path(table.head.deletes[0].path))
    with pytest.raises(CorruptDataError, match="delete file `") as got:
        gone(table)
    assert words in got.value.message


@pytest.mark.parametrize("ids", [(), (99,), (1, 99)])
def test_fields_that_the_table_never_had(table: LakeTable, ids: tuple[int, ...]) -> None:
    rows = pa.table({"id": pa.array([1])})
    table.commit(add=[replace(table.equality_deletes(rows, [ID]), equality_ids=ids)])
    with pytest.raises(CorruptDataError, match="fields that the table does not have"):
        gone(table)


def test_a_list_is_no_value_to_compare(tmp_path: Path) -> None:
    many = NestedField(2, "many", ListType(3, LongType(), element_required=False))
    found = Lake(tmp_path).create("s.t", Schema(ID, many))
    found.append(pa.table({"id": pa.array([1]), "many": pa.array([[1]])}))
    rows = pa.table({"id": pa.array([1])})
    found.commit(add=[replace(found.equality_deletes(rows, [ID]), equality_ids=(2,))])
    with pytest.raises(UnsupportedError, match="the field `many`, which is no plain value"):
        gone(found)
