"""Deletes at their edges, each against the oracle: sequence numbers, scopes, strange delete files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
    UUIDType,
)

from lakeport.catalog.ports import ScanRequest
from tests.behaviours.lake import values
from tests.catalog.iceberg.differential.readers import opened, our_rows
from tests.lakes.deletes import PATH_ID, POSITION_ID
from tests.lakes.lake import Lake
from tests.lakes.manifests import FileEntry
from tests.lakes.parquet import Style
from tests.lakes.schemas import KEY
from tests.lakes.storage import arrow_schema
from tests.lakes.table import LakeTable
from tests.lakes.texts import differences

NUMBERS = Schema(
    NestedField(1, KEY, LongType()),
    NestedField(2, "n", IntegerType()),
    NestedField(3, "s", StringType()),
)
BY_S = PartitionSpec(PartitionField(3, 1000, IdentityTransform(), "s"), spec_id=0)


def rows(start: int, count: int = 10) -> pa.Table:
    keys = range(start, start + count)
    return pa.table(
        {
            KEY: list(keys),
            "n": [None if key % 4 == 3 else key % 4 for key in keys],
            "s": ["even" if key % 2 == 0 else "odd" for key in keys],
        },
        arrow_schema(NUMBERS),
    )


def check(lake: Lake, table: LakeTable) -> set[Any]:
    """Ours is what the oracle says; the keys that are left."""
    expected = table.rows()
    with opened(lake, "d.t") as ours:
        assert differences(our_rows(ours), expected, KEY) == []
        assert our_rows(ours, ScanRequest(columns=())).num_rows == expected.num_rows
    return set(values(expected, KEY))


def numbers(*given: int | None) -> pa.Table:
    return pa.table({"n": pa.array(given, pa.int32())})


def only_file(table: LakeTable) -> FileEntry:
    assert table.head is not None
    (file,) = table.head.files
    return file


# -- positions -----------------------------------------------------------------------------------


def test_positions_that_come_twice_or_name_nothing_are_harmless(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    path = only_file(table).path
    for positions in ([1, 2], [2, 3], [9, 10, 2**40]):
        table.commit(add=table.position_deletes({path: positions}), operation="delete")
    assert check(lake, table) == {0, 4, 5, 6, 7, 8}


def test_positions_do_not_count_for_files_that_are_newer(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    deletes = table.position_deletes({only_file(table).path: [0, 1]})
    table.commit(add=[replace(one, sequence=0) for one in deletes], operation="delete")
    assert check(lake, table) == set(range(10))


def test_positions_count_for_files_of_the_same_commit(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    path = only_file(table).path
    table.commit(add=[*table.position_deletes({path: [4]}), *table.data_files(rows(10))])
    table.commit(add=[replace(one, sequence=1) for one in table.position_deletes({path: [5]})])
    assert check(lake, table) == set(range(20)) - {4, 5}


def test_one_delete_file_for_many_data_files(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    for start in (0, 10, 20, 30):
        table.append(rows(start), Style(row_group_rows=3))
    assert table.head is not None
    positions = {file.path: range(0, 10, 3) for file in table.head.files}
    table.commit(add=table.position_deletes(positions, bounds=False), operation="delete")
    assert len(check(lake, table)) == 24


def test_all_rows_of_a_file_may_be_gone(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    table.commit(add=table.position_deletes({only_file(table).path: range(10)}))
    assert check(lake, table) == set()


def test_a_delete_file_may_carry_the_rows_and_a_wide_path_column(lake: Lake) -> None:
    """The specification lets writers keep the deleted row beside its position."""
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    (entry,) = table.position_deletes({only_file(table).path: [2, 7]})
    ids = {"file_path": PATH_ID, "pos": POSITION_ID}
    kinds = {
        "file_path": pa.large_string(),
        "pos": pa.int64(),
        "row": pa.struct([("n", pa.int32())]),
    }
    schema = pa.schema(
        [
            pa.field(name, kind, metadata={"PARQUET:field_id": str(ids.get(name, 7))})
            for name, kind in kinds.items()
        ]
    )
    path = only_file(table).path
    content = [{"file_path": path, "pos": at, "row": {"n": at}} for at in (2, 7)]
    pq.write_table(pa.Table.from_pylist(content, schema), table.disk_path(entry.path))
    size = table.disk_path(entry.path).stat().st_size
    table.commit(add=[replace(entry, bytes=size)], operation="delete")
    assert check(lake, table) == set(range(10)) - {2, 7}


def test_positions_outlive_a_change_of_schema_and_partitions(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS, spec=BY_S)
    table.append(rows(0))
    assert table.head is not None
    table.commit(add=table.position_deletes({file.path: [0] for file in table.head.files}))
    table.respec()
    table.evolve(Schema(NestedField(2, "renamed", LongType()), NestedField(1, KEY, LongType())))
    table.append(pa.table({"renamed": [5], KEY: [100]}, arrow_schema(table.schema)))
    assert check(lake, table) == (set(range(10)) - {0, 1}) | {100}


# -- vectors -------------------------------------------------------------------------------------


def test_a_vector_replaces_position_delete_files(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    path = only_file(table).path
    table.commit(add=table.position_deletes({path: [1]}), operation="delete")
    table.upgrade(3)
    # It lacks position 1, so a reader that still applied the old file would be caught.
    table.commit(add=table.deletion_vectors({path: [5]}), operation="delete")
    assert check(lake, table) == set(range(10)) - {5}


def test_vectors_of_many_files_share_one_puffin_file(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS, version=3)
    for start in (0, 10, 20):
        table.append(rows(start))
    assert table.head is not None
    positions = {file.path: [at, at + 4] for at, file in enumerate(table.head.files)}
    table.commit(add=table.deletion_vectors(positions), operation="delete")
    assert len(check(lake, table)) == 24


def test_a_vector_may_hold_runs_and_positions_beyond_32_bits(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS, version=3)
    table.append(rows(0, 5_000), Style(row_group_rows=700))
    positions = {*range(10, 4_000), 2**33, 2**33 + 1, 2**40}
    table.commit(add=table.deletion_vectors({only_file(table).path: positions}))
    assert len(check(lake, table)) == 1_010


# -- equality ------------------------------------------------------------------------------------


def test_equal_values_go_from_older_files_only(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    delete = table.equality_deletes(numbers(1), [NUMBERS.fields[1]])
    table.commit(add=[delete, *table.data_files(rows(10))])
    table.append(rows(20))
    assert check(lake, table) == set(range(30)) - {1, 5, 9}


def test_null_equals_null_and_nothing_else(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    table.commit(add=[table.equality_deletes(numbers(None), [NUMBERS.fields[1]])])
    assert check(lake, table) == set(range(10)) - {3, 7}


def test_several_fields_must_all_be_equal(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    given = pa.table(
        {"n": pa.array([2, 1, None], pa.int32()), "s": pa.array(["even", "even", "odd"])}
    )
    table.commit(add=[table.equality_deletes(given, NUMBERS.fields[1:])])
    assert check(lake, table) == set(range(10)) - {2, 6, 3, 7}


def test_an_equality_delete_stays_in_its_partition(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS, spec=BY_S)
    table.append(rows(0))
    key = NUMBERS.fields[0]
    everything = pa.table({KEY: pa.array(range(10), pa.int64())})
    table.commit(add=[table.equality_deletes(everything, [key], partition=("odd",))])
    assert check(lake, table) == {0, 2, 4, 6, 8}


def test_an_equality_delete_without_partitions_counts_everywhere(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS, spec=BY_S)
    table.append(rows(0))
    table.respec()
    table.commit(add=[table.equality_deletes(numbers(1, 2), [NUMBERS.fields[1]])])
    assert check(lake, table) == {0, 3, 4, 7, 8}


def test_an_equality_delete_of_another_spec_does_not_count(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS, spec=BY_S)
    table.append(rows(0))
    table.respec(PartitionField(3, 1001, IdentityTransform(), "s2"))
    delete = table.equality_deletes(numbers(1, 2), [NUMBERS.fields[1]], partition=("odd",))
    table.commit(add=[delete])
    assert check(lake, table) == set(range(10))


def test_the_compared_column_may_be_gone_renamed_or_wider_now(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    table.commit(add=[table.equality_deletes(numbers(1), [NUMBERS.fields[1]])])
    wide = NestedField(2, "wide", LongType())
    table.evolve(Schema(NUMBERS.fields[0], wide))
    table.commit(add=[table.equality_deletes(pa.table({"wide": pa.array([2])}), [wide])])
    table.evolve(Schema(NUMBERS.fields[0]))
    assert check(lake, table) == set(range(10)) - {1, 5, 9, 2, 6}


def test_the_compared_column_may_be_newer_than_the_file(lake: Lake) -> None:
    table = lake.create("d.t", NUMBERS)
    table.append(rows(0))
    added = NestedField(4, "added", StringType())
    table.evolve(Schema(*NUMBERS.fields, added))
    table.append(rows(10).append_column("added", pa.array(["x"] * 10)))
    given = pa.table({"added": pa.array([None], pa.string())})
    table.commit(add=[table.equality_deletes(given, [added])])
    assert check(lake, table) == set(range(10, 20))


VALUES: list[tuple[IcebergType, list[Any]]] = [
    (LongType(), [2**63 - 1, -(2**63), 0]),
    (StringType(), ["", "é", "a" * 40]),
    (BinaryType(), [b"", b"\xff", b"a\0b"]),
    (DecimalType(38, 10), ["1.5", "-99999999999999999999999999.9999999999", "0"]),
    (DateType(), [-719_162, 0, 2_932_896]),
    (TimestamptzType(), [-1, 0, 253_402_300_799_999_999]),
    (UUIDType(), [b"\0" * 16, b"\xff" * 16, b"\x01" * 16]),
]


@pytest.mark.parametrize(("kind", "held"), VALUES, ids=lambda given: str(given)[:20])
def test_values_of_every_comparable_type_are_found(
    lake: Lake, kind: IcebergType, held: list[Any]
) -> None:
    schema = Schema(NestedField(1, KEY, LongType()), NestedField(2, "v", kind))
    arrow = arrow_schema(schema).field("v").type
    array: Any = pa.array([*held, None], arrow.storage_type if kind == UUIDType() else _raw(arrow))
    if kind == UUIDType():
        array = pa.ExtensionArray.from_storage(pa.uuid(), array)
    elif array.type != arrow:
        array = array.view(arrow) if pa.types.is_integer(array.type) else array.cast(arrow)
    table = lake.create("d.t", schema)
    content = pa.Table.from_arrays(
        [pa.array(range(4), pa.int64()), array], schema=arrow_schema(schema)
    )
    table.append(content, Style(row_group_rows=2))
    given = pa.Table.from_arrays([array.take(pa.array([0, 2]))], names=["v"])
    table.commit(add=[table.equality_deletes(given, [schema.fields[1]])])
    assert check(lake, table) == {1, 3}


def _raw(arrow: pa.DataType) -> pa.DataType:
    if pa.types.is_date32(arrow):
        return pa.int32()
    if pa.types.is_timestamp(arrow):
        return pa.int64()
    return pa.string() if pa.types.is_decimal(arrow) else arrow


def test_a_field_inside_a_struct_may_be_compared(lake: Lake) -> None:
    inner = NestedField(3, "x", IntegerType())
    schema = Schema(NestedField(1, KEY, LongType()), NestedField(2, "st", StructType(inner)))
    table = lake.create("d.t", schema)
    content = [{KEY: at, "st": None if at == 4 else {"x": at % 3}} for at in range(6)]
    table.append(pa.Table.from_pylist(content, arrow_schema(schema)))
    entry = table.equality_deletes(pa.table({"x": pa.array([1], pa.int32())}), [inner])
    # Writers project the table's schema, so the field keeps its struct.
    nested = arrow_schema(Schema(schema.fields[1]), ids=True)
    path = table.disk_path(entry.path)
    pq.write_table(pa.Table.from_pylist([{"st": {"x": 1}}], nested), path)
    table.commit(add=[replace(entry, bytes=path.stat().st_size)])
    assert check(lake, table) == {0, 2, 3, 4, 5}
