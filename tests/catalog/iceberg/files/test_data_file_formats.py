"""ORC and Avro files give the same chunks as Parquet does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.io.pyarrow import PyArrowFileIO, schema_to_pyarrow
from pyiceberg.manifest import FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.name_mapping import create_mapping_from_schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
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

from lakeport.core.errors import CorruptDataError, UnsupportedError
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.lakes.storage import arrow_schema

POINT = StructType(
    NestedField(11, "x", IntegerType(), required=False),
    NestedField(12, "y", FloatType(), required=False),
)
ELEMENT = StructType(
    NestedField(22, "x", IntegerType(), required=False),
    NestedField(23, "y", FloatType(), required=False),
)
SCHEMA = Schema(
    NestedField(1, "number", IntegerType(), required=False),
    NestedField(2, "label", StringType(), required=False),
    NestedField(3, "flag", BooleanType(), required=False),
    NestedField(4, "price", DecimalType(9, 2), required=False),
    NestedField(5, "day", DateType(), required=False),
    NestedField(6, "moment", TimestampType(), required=False),
    NestedField(7, "instant", TimestamptzType(), required=False),
    NestedField(8, "data", BinaryType(), required=False),
    NestedField(9, "rate", DoubleType(), required=False),
    NestedField(10, "point", POINT, required=False),
    NestedField(20, "points", ListType(21, ELEMENT, element_required=False), required=False),
    NestedField(
        30, "named", MapType(31, StringType(), 32, LongType(), value_required=False), required=False
    ),
)

NOTHING: dict[str, Any] = dict.fromkeys(field.name for field in SCHEMA.fields)
ROWS: list[dict[str, Any]] = [
    {
        "number": 1,
        "label": "ä",
        "flag": True,
        "price": pa.scalar("1.20").cast(pa.decimal128(9, 2)).as_py(),
        "day": pa.scalar(-1, pa.date32()).as_py(),
        "moment": pa.scalar(-1, pa.timestamp("us")).as_py(),
        "instant": pa.scalar(1_700_000_000_123_456, pa.timestamp("us", "UTC")).as_py(),
        "data": b"\x00\xff",
        "rate": 0.1,
        "point": {"x": 1, "y": None},
        "points": [{"x": 2, "y": 0.5}, {"x": None, "y": None}],
        "named": [("k", 1), ("l", 2)],
    },
    NOTHING,
    {**NOTHING, "number": 3, "points": [], "named": []},
]


def orc_file(
    path: Path, table: pa.Table, schema: Schema, *, ids: bool = True, **more: Any
) -> OneFile:
    stored = schema_to_pyarrow(schema, file_format=FileFormat.ORC, include_field_ids=ids)
    orc.write_table(table.cast(stored), path, stripe_size=1024, batch_size=1024)
    return one_file(path, schema, table.num_rows, kind="ORC", **more)


def avro_file(path: Path, schema: Schema, records: list[Record]) -> OneFile:
    output = PyArrowFileIO().new_output(str(path))
    with AvroOutputFile[Record](output, schema, "shop") as file:
        file.write_block(records[:2])
        file.write_block(records[2:])
    return one_file(path, schema, len(records), kind="AVRO")


@pytest.fixture
def in_orc(tmp_path: Path) -> OneFile:
    table = pa.Table.from_pylist(ROWS, schema=arrow_schema(SCHEMA))
    return orc_file(tmp_path / "data.orc", table, SCHEMA)


def record(row: dict[str, Any], schema: Schema) -> Record:
    def value(field: NestedField, found: Any) -> Any:
        kind = field.field_type
        if found is None:
            return None
        if isinstance(kind, StructType):
            return Record(*(value(inner, found[inner.name]) for inner in kind.fields))
        if isinstance(kind, ListType):
            return [value(kind.element_field, one) for one in found]
        return dict(found) if isinstance(kind, MapType) else found

    return Record(*(value(field, row[field.name]) for field in schema.fields))


@pytest.fixture
def in_avro(tmp_path: Path) -> OneFile:
    counted = pa.Table.from_pylist(ROWS, schema=arrow_schema(SCHEMA))
    for name, ticks in (("day", pa.int32()), ("moment", pa.int64()), ("instant", pa.int64())):
        place = counted.schema.get_field_index(name)
        counted = counted.set_column(place, name, counted[name].cast(ticks))
    records = [record(row, SCHEMA) for row in counted.to_pylist()]
    return avro_file(tmp_path / "data.avro", SCHEMA, records)


@pytest.fixture(params=["in_orc", "in_avro"])
def file(request: pytest.FixtureRequest) -> OneFile:
    found: OneFile = request.getfixturevalue(request.param)
    return found


def test_every_type_comes_back_as_written(file: OneFile) -> None:
    table = file.read()
    assert table.schema.equals(arrow_schema(SCHEMA), check_metadata=True)
    assert table.to_pylist() == ROWS


def test_columns_are_found_by_id(file: OneFile) -> None:
    evolved = file.evolved(
        NestedField(
            20,
            "places",
            ListType(
                21,
                StructType(
                    NestedField(23, "lat", DoubleType(), required=False),
                    NestedField(24, "alt", LongType(), required=False, initial_default=5),
                ),
                element_required=False,
            ),
            required=False,
        ),
        NestedField(99, "label", StringType(), required=False),
        NestedField(1, "count", LongType(), required=False),
    )
    assert evolved.rows() == [
        {"places": [{"lat": 0.5, "alt": 5}, {"lat": None, "alt": 5}], "label": None, "count": 1},
        {"places": None, "label": None, "count": None},
        {"places": [], "label": None, "count": 3},
    ]


def test_positions_are_exact(file: OneFile) -> None:
    chunks = file.chunks("number", batch_rows=2)
    assert [(chunk.start, chunk.rows.num_rows) for chunk in chunks] == [(0, 2), (2, 1)]


def test_nothing_of_the_file_may_be_asked_for(file: OneFile) -> None:
    evolved = file.evolved(NestedField(99, "new", StringType(), required=False))
    assert evolved.rows() == [{"new": None}] * 3


def test_a_wrong_number_of_rows_is_an_error(in_orc: OneFile) -> None:
    wrong = one_file(in_orc.file.path, SCHEMA, 7, kind="ORC")
    with pytest.raises(CorruptDataError, match="holds 3 rows, the table's metadata says 7"):
        wrong.rows()


@pytest.mark.parametrize("kind", ["PARQUET", "ORC", "AVRO"])
def test_what_is_no_such_file_is_damaged(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(b"this is a text that somebody put there")
    with pytest.raises(
        CorruptDataError, match=r"data file `data.bin` of table `shop.orders` is damaged"
    ):
        one_file(path, SCHEMA, 1, kind=kind).rows()


@pytest.mark.parametrize("kind", ["PARQUET", "ORC", "AVRO"])
def test_a_missing_file_is_named(tmp_path: Path, kind: str) -> None:
    with pytest.raises(CorruptDataError, match=r"`gone` of table `shop.orders` is missing"):
        one_file(tmp_path / "gone", SCHEMA, 1, kind=kind).rows()


def test_an_unknown_format_is_unsupported(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="unknown format LANCE"):
        one_file(tmp_path / "data", SCHEMA, 1, kind="LANCE").rows()


def test_orc_files_without_ids_are_read_by_the_name_mapping(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS, schema=arrow_schema(SCHEMA))
    mapping = create_mapping_from_schema(SCHEMA).model_dump_json()
    file = orc_file(
        tmp_path / "data.orc",
        table,
        SCHEMA,
        ids=False,
        properties={"schema.name-mapping.default": mapping},
    )
    assert file.rows() == ROWS


def test_iceberg_types_that_orc_lacks(tmp_path: Path) -> None:
    """Times are numbers there, UUIDs and fixed bytes are bytes."""
    schema = Schema(
        NestedField(1, "at", LongType(), required=False),
        NestedField(2, "who", BinaryType(), required=False),
        NestedField(3, "four", BinaryType(), required=False),
    )
    table = pa.table(
        {"at": [1_000_001, None], "who": [b"0123456789abcdef", None], "four": [b"abcd", None]}
    )
    file = orc_file(tmp_path / "data.orc", table.cast(arrow_schema(schema)), schema).evolved(
        NestedField(1, "at", TimeType(), required=False),
        NestedField(2, "who", UUIDType(), required=False),
        NestedField(3, "four", FixedType(4), required=False),
    )
    assert file.read().schema.types == [pa.time64("us"), pa.uuid(), pa.binary(4)]
    assert file.rows()[0] == {
        "at": pa.scalar(1_000_001, pa.time64("us")).as_py(),
        "who": pa.scalar(b"0123456789abcdef", pa.uuid()).as_py(),
        "four": b"abcd",
    }


def test_identity_partition_values_fill_in(in_orc: OneFile) -> None:
    region = NestedField(40, "region", StringType(), required=False)
    spec = PartitionSpec(PartitionField(40, 1000, IdentityTransform(), "region"))
    schema = Schema(SCHEMA.fields[0], region)
    file = one_file(in_orc.file.path, schema, 3, kind="ORC", spec=spec, partition=("north",))
    assert [row["region"] for row in file.rows()] == ["north"] * 3


def test_an_avro_file_whose_schema_makes_no_sense_is_damaged(in_avro: OneFile) -> None:
    path = Path(in_avro.file.path)
    path.write_bytes(path.read_bytes().replace(b'"boolean"', b'"bolleam"'))
    with pytest.raises(CorruptDataError, match=r"`data.avro` of table `shop.orders` is damaged"):
        in_avro.rows()


def test_an_orc_file_with_texts_that_are_none_is_damaged(tmp_path: Path) -> None:
    schema = Schema(NestedField(1, "label", StringType(), required=False))
    table = pa.table({"label": [f"word {number}" for number in range(100)]})
    file = orc_file(tmp_path / "data.orc", table.cast(arrow_schema(schema)), schema)
    path = tmp_path / "data.orc"
    path.write_bytes(path.read_bytes().replace(b"word 50", b"word \xff0"))
    with pytest.raises(CorruptDataError, match="is damaged"):
        file.rows()
