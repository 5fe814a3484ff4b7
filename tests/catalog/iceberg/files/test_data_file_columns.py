"""Columns are found by field id through everything that can happen to a schema after a file was written."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lakeport.catalog.iceberg.files import read_file
from lakeport.core.errors import CorruptDataError, UnsupportedError
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.lakes.parquet import Style, write_parquet
from tests.lakes.storage import arrow_schema, arrow_type


def column(
    field_id: int, name: str, kind: IcebergType, *, required: bool = False, **more: Any
) -> NestedField:
    return NestedField(field_id, name, kind, required=required, **more)


NUMBER = column(1, "number", IntegerType())
LABEL = column(2, "label", StringType())
ROWS: list[dict[str, Any]] = [
    {"number": 1, "label": "a"},
    {"number": None, "label": None},
    {"number": 3, "label": "c"},
]


def written(
    folder: Path,
    schema: Schema,
    rows: list[dict[str, Any]],
    style: Style | None = None,
    **more: Any,
) -> OneFile:
    path = folder / "data.parquet"
    table = pa.Table.from_pylist(rows, schema=arrow_schema(schema))
    write_parquet(path, table, schema, style or Style())
    return one_file(path, schema, len(rows), **more)


@pytest.fixture
def plain(tmp_path: Path) -> OneFile:
    return written(tmp_path, Schema(NUMBER, LABEL), ROWS)


def test_a_file_comes_back_as_written(plain: OneFile) -> None:
    assert plain.rows() == ROWS


def test_columns_have_the_plain_storage_types(plain: OneFile) -> None:
    schema = plain.read().schema
    assert schema.equals(arrow_schema(plain.schema), check_metadata=True)
    assert schema.types == [pa.int32(), pa.string()]


def test_columns_come_in_the_order_asked_for(plain: OneFile) -> None:
    assert plain.read("label", "number").column_names == ["label", "number"]


def test_a_renamed_column_keeps_its_values(plain: OneFile) -> None:
    renamed = plain.evolved(column(1, "label", IntegerType()), column(2, "number", StringType()))
    assert renamed.rows() == [{"label": row["number"], "number": row["label"]} for row in ROWS]


def test_a_column_dropped_and_added_again_is_another_one(plain: OneFile) -> None:
    again = plain.evolved(NUMBER, column(3, "label", StringType()))
    assert again.rows() == [{**row, "label": None} for row in ROWS]


def test_an_added_column_has_its_initial_default(plain: OneFile) -> None:
    grown = plain.evolved(NUMBER, column(3, "rate", DoubleType(), initial_default=0.5))
    assert grown.rows("rate") == [{"rate": 0.5}] * 3


def test_a_default_counts_for_required_columns_too(plain: OneFile) -> None:
    grown = plain.evolved(column(3, "rate", LongType(), required=True, initial_default=7))
    assert grown.rows() == [{"rate": 7}] * 3
    assert not grown.read().schema.field("rate").nullable


def test_a_required_column_that_the_file_lacks_is_an_error(plain: OneFile) -> None:
    grown = plain.evolved(column(3, "rate", LongType(), required=True))
    with pytest.raises(
        CorruptDataError, match=r"`data.parquet` of table `shop.orders` lacks .*`rate`"
    ):
        grown.rows()


def test_a_required_column_that_holds_null_is_an_error(plain: OneFile) -> None:
    strict = plain.evolved(column(1, "number", IntegerType(), required=True))
    with pytest.raises(CorruptDataError, match="NULL in the required column `number`"):
        strict.rows()


def test_widened_columns_are_read_in_the_new_type(tmp_path: Path) -> None:
    inner = StructType(column(4, "x", FloatType()))
    schema = Schema(
        NUMBER,
        column(3, "point", inner),
        column(5, "list", ListType(6, IntegerType(), element_required=True)),
    )
    rows = [{"number": 1, "point": {"x": 0.5}, "list": [1, 2]}]
    wide = written(tmp_path, schema, rows).evolved(
        column(1, "number", LongType()),
        column(3, "point", StructType(column(4, "x", DoubleType()))),
        column(5, "list", ListType(6, LongType(), element_required=True)),
    )
    assert wide.rows() == rows
    assert wide.read().schema.types == [
        pa.int64(),
        pa.struct([("x", pa.float64())]),
        pa.list_(pa.field("element", pa.int64(), nullable=False)),
    ]


# -- nested fields -------------------------------------------------------------------------------

POINT = StructType(
    column(11, "x", IntegerType()),
    column(12, "y", IntegerType()),
    column(13, "label", StringType()),
)
VALUE = StructType(column(32, "v", LongType()))


def nested_file(folder: Path) -> OneFile:
    elements = StructType(column(21, "x", IntegerType()), column(22, "y", IntegerType()))
    schema = Schema(
        column(1, "point", POINT),
        column(2, "points", ListType(20, elements, element_required=False)),
        column(3, "by_name", MapType(30, StringType(), 31, VALUE, value_required=False)),
    )
    rows: list[dict[str, Any]] = [
        {
            "point": {"x": 1, "y": 2, "label": "p"},
            "points": [{"x": 1, "y": 2}, None],
            "by_name": [("k", {"v": 1})],
        },
        {"point": None, "points": None, "by_name": None},
        {"point": {"x": None, "y": None, "label": None}, "points": [], "by_name": []},
        {
            "point": {"x": 5, "y": 6, "label": "q"},
            "points": [{"x": None, "y": 9}],
            "by_name": [("k", None), ("l", {"v": None})],
        },
    ]
    return written(folder, schema, rows)


def test_fields_of_a_struct_are_renamed_dropped_added_and_moved(tmp_path: Path) -> None:
    point = StructType(
        column(12, "latitude", LongType()),
        column(14, "z", IntegerType(), initial_default=9),
        column(11, "label", IntegerType()),
    )
    evolved = nested_file(tmp_path).evolved(column(1, "place", point))
    assert [row["place"] for row in evolved.rows()] == [
        {"latitude": 2, "z": 9, "label": 1},
        None,
        {"latitude": None, "z": 9, "label": None},
        {"latitude": 6, "z": 9, "label": 5},
    ]


def test_a_struct_without_any_of_its_old_fields_still_knows_where_it_is_null(
    tmp_path: Path,
) -> None:
    fresh = StructType(column(15, "w", StringType()))
    evolved = nested_file(tmp_path).evolved(
        column(1, "point", fresh),
        column(2, "points", ListType(20, StructType(column(25, "w", StringType())))),
        column(
            3,
            "by_name",
            MapType(
                30,
                StringType(),
                31,
                StructType(column(35, "w", StringType())),
                value_required=False,
            ),
        ),
    )
    assert evolved.rows() == [
        {"point": {"w": None}, "points": [{"w": None}, None], "by_name": [("k", {"w": None})]},
        {"point": None, "points": None, "by_name": None},
        {"point": {"w": None}, "points": [], "by_name": []},
        {
            "point": {"w": None},
            "points": [{"w": None}],
            "by_name": [("k", None), ("l", {"w": None})],
        },
    ]


def test_null_lists_and_maps_of_structs_stay_null(tmp_path: Path) -> None:
    """PyIceberg's own projection makes empty ones of them."""
    rows = nested_file(tmp_path).rows("points", "by_name")
    assert rows[1] == {"points": None, "by_name": None}


def test_a_field_within_a_struct_can_be_a_column_of_its_own(tmp_path: Path) -> None:
    rows = nested_file(tmp_path).rows("point.y", "points", "point.x")
    assert [(row["y"], row["x"]) for row in rows] == [(2, 1), (None, None), (None, None), (6, 5)]


def test_a_whole_struct_and_a_field_of_it_may_both_be_asked_for(tmp_path: Path) -> None:
    rows = nested_file(tmp_path).rows("point.y", "point")
    assert rows[0] == {"y": 2, "point": {"x": 1, "y": 2, "label": "p"}}


def test_a_field_that_the_schema_dropped_can_still_be_read(tmp_path: Path) -> None:
    file = nested_file(tmp_path)
    evolved = file.evolved(column(7, "other", StringType()))
    wanted = evolved.wanted()
    dropped = (column(1, "point", POINT), *wanted.fields)
    (chunk,) = read_file(evolved.source, evolved.file, replace(wanted, fields=dropped))
    assert chunk.rows.column(0).to_pylist()[0] == {"x": 1, "y": 2, "label": "p"}


def test_a_field_within_a_list_cannot_be_a_column(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="part of a list or a map"):
        nested_file(tmp_path).rows("points.element.x")


def test_a_dotted_name_is_no_path(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    inner = pa.struct([numbered("b", pa.int32(), 2)])
    schema = pa.schema([numbered("a", inner, 1), numbered("a.b", pa.string(), 3)])
    pq.write_table(pa.Table.from_pylist([{"a": {"b": 1}, "a.b": "text"}], schema), path)
    struct = column(1, "a", StructType(column(2, "b", IntegerType())))
    file = one_file(path, Schema(struct, column(3, "renamed", StringType())), 1)
    assert file.rows("renamed") == [{"renamed": "text"}]
    assert file.rows("a") == [{"a": {"b": 1}}]


def numbered(name: str, kind: pa.DataType, field_id: int) -> pa.Field[Any]:
    return pa.field(name, kind, metadata={"PARQUET:field_id": str(field_id)})


def test_deep_and_wide_nesting(tmp_path: Path) -> None:
    kind: IcebergType = IntegerType()
    value: Any = 42
    for depth in range(40):
        kind = StructType(
            column(100 + depth, f"f{depth}", kind), column(200 + depth, "side", StringType())
        )
        value = {f"f{depth}": value, "side": "s"}
    wide = [column(1000 + place, f"c{place}", LongType()) for place in range(500)]
    schema = Schema(column(1, "deep", kind), *wide)
    row = {"deep": value, **{field.name: field.field_id for field in wide}}
    assert written(tmp_path, schema, [row]).rows() == [row]


# -- partitions ----------------------------------------------------------------------------------

REGION = column(3, "region", StringType())
BY_REGION = PartitionSpec(
    PartitionField(3, 1000, IdentityTransform(), "region"),
    PartitionField(1, 1001, BucketTransform(4), "number_bucket"),
)


def test_identity_partition_values_fill_in_for_columns_that_the_file_leaves_out(
    tmp_path: Path,
) -> None:
    schema = Schema(NUMBER, REGION)
    file = written(
        tmp_path,
        schema,
        [{"number": 1, "region": "north"}],
        Style(without=frozenset({"region"})),
        spec=BY_REGION,
        partition=("north", 2),
    )
    assert file.rows() == [{"number": 1, "region": "north"}]


def test_values_in_the_file_win_over_the_partition(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        Schema(NUMBER, REGION),
        [{"number": 1, "region": "north"}],
        spec=BY_REGION,
        partition=("south", 2),
    )
    assert file.rows() == [{"number": 1, "region": "north"}]


def test_a_null_partition_value_is_null_and_not_the_default(tmp_path: Path) -> None:
    region = column(3, "region", StringType(), initial_default="east")
    file = written(
        tmp_path,
        Schema(NUMBER, region),
        [{"number": 1, "region": None}],
        Style(without=frozenset({"region"})),
        spec=BY_REGION,
        partition=(None, 2),
    )
    assert file.rows() == [{"number": 1, "region": None}]


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (DateType(), 19_000),
        (UUIDType(), b"0123456789abcdef"),
        (UUIDType(), UUID(bytes=b"0123456789abcdef")),
        (TimestampType(), 10**15),
        (TimestamptzType(), 10**15),
        (TimeType(), 1_000_001),
        (DecimalType(9, 2), Decimal("1.20")),
        (BooleanType(), False),
        (DoubleType(), float("inf")),
        (BinaryType(), b"\x00"),
        (FixedType(2), b"ab"),
        (LongType(), 7),
    ],
    ids=str,
)
def test_partition_values_are_in_their_stored_form(
    tmp_path: Path, kind: IcebergType, stored: Any
) -> None:
    """Dates count days and timestamps microseconds, as manifests do."""
    region = column(3, "region", kind)
    path = tmp_path / "data.parquet"
    write_parquet(path, pa.table({"number": pa.array([1], pa.int32())}), Schema(NUMBER))
    file = one_file(path, Schema(NUMBER, region), 1, spec=BY_REGION, partition=(stored, 0))
    raw = stored.bytes if isinstance(stored, UUID) else stored
    assert file.read().column("region").to_pylist() == [pa.scalar(raw, arrow_type(kind)).as_py()]


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        (DateType(), dt.date(2024, 2, 29)),
        (TimestampType(), dt.datetime(2024, 2, 29, 1, 2, 3, 4)),  # noqa: DTZ001  it has no zone
        (TimestamptzType(), dt.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=dt.UTC)),
        (TimeType(), dt.time(1, 2, 3, 4)),
        (DecimalType(9, 2), Decimal("1.20")),
        (UUIDType(), UUID(bytes=b"0123456789abcdef")),
        (FixedType(2), b"ab"),
        (BinaryType(), b""),
        (StringType(), ""),
        (BooleanType(), False),
        (FloatType(), 0.5),
    ],
    ids=str,
)
def test_defaults_of_every_type(plain: OneFile, kind: IcebergType, default: Any) -> None:
    grown = plain.evolved(column(3, "added", kind, initial_default=default))
    assert grown.read().column("added").type == arrow_type(kind)
    assert grown.rows() == [{"added": default}] * 3
