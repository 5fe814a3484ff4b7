"""Data files as odd writers leave them, each against the oracle."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
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
)

from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, IsNull, Not, Op, Predicate
from tests.behaviours.lake import values
from tests.catalog.iceberg.differential.readers import opened, our_rows
from tests.lakes.lake import Lake
from tests.lakes.metrics import UNMEASURED, Metrics, single_value
from tests.lakes.parquet import Codec, Style
from tests.lakes.schemas import KEY, name_mapping
from tests.lakes.storage import arrow_schema
from tests.lakes.table import LakeTable
from tests.lakes.texts import differences

K = NestedField(1, KEY, LongType())
MAPPING = "schema.name-mapping.default"


def check(lake: Lake, table: LakeTable) -> None:
    with opened(lake, "f.t") as ours:
        assert differences(our_rows(ours), table.rows(), KEY) == []


def kept(lake: Lake, predicate: Predicate) -> list[Any]:
    with opened(lake, "f.t") as ours:
        return sorted(values(our_rows(ours, ScanRequest(columns=(KEY,), predicate=predicate)), KEY))


def make(lake: Lake, schema: Schema, rows: list[dict[str, Any]], style: Style) -> LakeTable:
    table = lake.create("f.t", schema)
    table.append(pa.Table.from_pylist(rows, arrow_schema(schema)), style)
    return table


EVERYTHING = Schema(
    K,
    NestedField(2, "n", IntegerType()),
    NestedField(3, "d", DoubleType()),
    NestedField(4, "s", StringType()),
    NestedField(5, "day", DateType()),
    NestedField(6, "ts", TimestamptzType()),
    NestedField(7, "money", DecimalType(9, 2)),
    NestedField(
        8,
        "st",
        StructType(
            NestedField(9, "x", IntegerType()),
            NestedField(10, "li", ListType(11, StringType(), element_required=False)),
        ),
    ),
    NestedField(12, "m", MapType(13, StringType(), 14, LongType(), value_required=False)),
)
ROWS: list[dict[str, Any]] = [
    {
        KEY: at,
        "n": at % 5,
        "d": at / 3,
        "s": f"text {at % 7}",
        "day": datetime(2020, 1, 1 + at % 28, tzinfo=UTC).date(),
        "ts": datetime(2020, 1, 1, at % 24, tzinfo=UTC),
        "money": Decimal(at) / 4,
        "st": None
        if at % 6 == 5
        else {"x": at, "li": None if at % 4 == 3 else ["a", None][: at % 3]},
        "m": None if at % 9 == 8 else {str(at): at, "null": None},
    }
    if at % 11
    else {KEY: at}
    for at in range(50)
]


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
def test_every_codec_and_page_version(lake: Lake, codec: Codec, page_version: Any) -> None:
    style = Style(codec=codec, page_version=page_version, row_group_rows=13)
    check(lake, make(lake, EVERYTHING, ROWS, style))


@pytest.mark.parametrize("writer", ["pyarrow", "pyiceberg", "duckdb"])
@pytest.mark.parametrize("ids", [True, False])
def test_files_of_every_writer_with_ids_or_a_mapping(lake: Lake, writer: Any, *, ids: bool) -> None:
    table = make(lake, EVERYTHING, ROWS, Style(writer=writer, ids=ids, row_group_rows=13))
    table.evolve(Schema(NestedField(4, "renamed", StringType()), K, *EVERYTHING.fields[7:]))
    table.set_properties(**{MAPPING: name_mapping(table.schemas)})
    check(lake, table)


@pytest.mark.parametrize(
    ("column", "encoding"),
    [
        ("n", "DELTA_BINARY_PACKED"),
        ("n", "PLAIN"),
        ("n", "BYTE_STREAM_SPLIT"),
        ("s", "DELTA_LENGTH_BYTE_ARRAY"),
        ("s", "DELTA_BYTE_ARRAY"),
        ("d", "BYTE_STREAM_SPLIT"),
        ("ts", "DELTA_BINARY_PACKED"),
    ],
)
def test_every_encoding(lake: Lake, column: str, encoding: str) -> None:
    table = make(lake, EVERYTHING, ROWS, Style())
    assert table.head is not None
    path = table.disk_path(table.head.files[0].path)
    content = pq.read_table(path)
    pq.write_table(content, path, use_dictionary=False, column_encoding={column: encoding})
    check(lake, table)


@pytest.mark.parametrize("kind", [TimestampType(), TimestamptzType()])
def test_timestamps_in_96_bits(lake: Lake, kind: IcebergType) -> None:
    schema = Schema(K, NestedField(2, "ts", kind))
    zone = UTC if isinstance(kind, TimestamptzType) else None
    moments = [
        datetime(year, 2, 3, 4, 5, 6, 789_012, tzinfo=zone) for year in (1700, 1969, 2020, 2262)
    ]
    rows = [{KEY: at, "ts": moment} for at, moment in enumerate([*moments, None])]
    table = make(lake, schema, rows, Style(int96=True))
    check(lake, table)
    constant = pa.scalar(moments[2], arrow_schema(schema).field("ts").type)
    assert kept(lake, Compare("ts", Op.GT, constant)) == [3]


IDENTITIES: list[tuple[IcebergType, list[Any]]] = [
    (IntegerType(), [1, -5]),
    (LongType(), [2**40]),
    (BooleanType(), [True, False]),
    (StringType(), ["a", ""]),
    (DateType(), [datetime(1969, 12, 31, tzinfo=UTC).date()]),
    (TimestampType(), [datetime(2020, 1, 2, 3, 4, 5, 6)]),  # noqa: DTZ001 it has no zone
    (TimestamptzType(), [datetime(2020, 1, 2, 3, 4, 5, 6, UTC)]),
    (DecimalType(9, 2), [Decimal("-1.25")]),
]


@pytest.mark.parametrize(("kind", "held"), IDENTITIES, ids=lambda given: str(given)[:16])
def test_partition_columns_that_the_file_lacks(
    lake: Lake, kind: IcebergType, held: list[Any]
) -> None:
    schema = Schema(K, NestedField(2, "p", kind), NestedField(3, "s", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "p"), spec_id=0)
    table = lake.create("f.t", schema, spec=spec)
    rows = [{KEY: at, "p": value, "s": "x"} for at, value in enumerate([*held, None] * 2)]
    content = pa.Table.from_pylist(rows, arrow_schema(schema))
    table.append(content, Style(without=frozenset({"p"})))
    check(lake, table)
    assert kept(lake, IsNull("p")) == [at for at, row in enumerate(rows) if row["p"] is None]
    constant = content.column("p")[0]
    assert kept(lake, Compare("p", Op.EQ, constant)) == [
        at for at, row in enumerate(rows) if row["p"] == held[0]
    ]


def test_a_file_with_no_rows(lake: Lake) -> None:
    table = make(lake, EVERYTHING, ROWS[:3], Style())
    entry = table.data_file(pa.Table.from_pylist([], arrow_schema(EVERYTHING)))
    table.commit(add=[entry], operation="append")
    check(lake, table)


def test_a_file_with_columns_the_table_never_had(lake: Lake) -> None:
    table = make(lake, EVERYTHING, ROWS, Style())
    assert table.head is not None
    path = table.disk_path(table.head.files[0].path)
    content = pq.read_table(path)
    strange = pa.field("n", pa.string(), metadata={"PARQUET:field_id": "999"})
    names = pa.array([str(at) for at in range(len(ROWS))])
    pq.write_table(
        content.rename_columns([f"c{at}" for at in range(9)]).add_column(0, strange, names), path
    )
    check(lake, table)


def test_names_that_differ_by_case_only_or_hold_dots(lake: Lake) -> None:
    schema = Schema(
        K,
        NestedField(2, "a.b", StructType(NestedField(3, "c", IntegerType()))),
        NestedField(
            4, "a", StructType(NestedField(5, "B", StringType()), NestedField(6, "d.e", LongType()))
        ),
        NestedField(7, "c", IntegerType()),
    )
    rows = [
        {KEY: at, "a.b": {"c": at}, "a": {"B": str(at), "d.e": -at}, "c": 100 + at}
        for at in range(5)
    ]
    check(lake, make(lake, schema, rows, Style()))


def test_the_sign_of_zero_and_every_nan_is_kept(lake: Lake) -> None:
    schema = Schema(K, NestedField(2, "d", DoubleType()), NestedField(3, "f", FloatType()))
    numbers: list[float | None] = [
        0.0,
        -0.0,
        float("nan"),
        float("inf"),
        float("-inf"),
        5e-324,
        None,
    ]
    rows: list[dict[str, Any]] = [{KEY: at, "d": x, "f": x} for at, x in enumerate(numbers)]
    table = make(lake, schema, rows, Style())
    with opened(lake, "f.t") as ours:
        found = our_rows(ours).sort_by(KEY)
    for name in ("d", "f"):
        expected = table.rows().column(name).to_pylist()
        assert [repr(one) for one in values(found, name)] == [repr(one) for one in expected]


# -- bounds that need care -----------------------------------------------------------------------


def measured(table: LakeTable, rows: pa.Table, metrics: Metrics) -> None:
    table.commit(add=[replace(table.data_file(rows), metrics=metrics)], operation="append")


def test_nan_as_a_bound_prunes_nothing(lake: Lake) -> None:
    """Some writers put NaN there; the specification says to ignore it."""
    schema = Schema(K, NestedField(2, "d", DoubleType()))
    table = lake.create("f.t", schema)
    nan = single_value(DoubleType(), float("nan"))
    rows = pa.table({KEY: [0, 1, 2], "d": [1.0, float("nan"), 5.0]}, arrow_schema(schema))
    measured(table, rows, Metrics({2: 3}, {2: 0}, {}, {2: nan}, {2: nan}))
    assert kept(lake, Compare("d", Op.GT, pa.scalar(2.0))) == [1, 2]  # NaN is the largest
    assert kept(lake, Compare("d", Op.LT, pa.scalar(2.0))) == [0]
    assert kept(lake, Compare("d", Op.EQ, pa.scalar(float("nan")))) == [1]


def test_nan_above_an_upper_bound_is_found(lake: Lake) -> None:
    schema = Schema(K, NestedField(2, "d", DoubleType()))
    found: list[float | None] = [1.0, float("nan"), None]
    rows: list[dict[str, Any]] = [{KEY: at, "d": value} for at, value in enumerate(found)]
    make(lake, schema, rows, Style())
    assert kept(lake, Compare("d", Op.GT, pa.scalar(100.0))) == [1]
    assert kept(lake, Compare("d", Op.GE, pa.scalar(float("inf")))) == [1]
    assert kept(lake, Not(Compare("d", Op.LE, pa.scalar(100.0)))) == [1]


@pytest.mark.parametrize("text", ["a" * 16, "a" * 17, "z" * 40, "\U0010ffff" * 20, "é" * 30])
def test_long_text_is_found_behind_cut_bounds(lake: Lake, text: str) -> None:
    schema = Schema(K, NestedField(2, "s", StringType()))
    make(lake, schema, [{KEY: 0, "s": text}], Style())
    for op, found in ((Op.EQ, [0]), (Op.GE, [0]), (Op.LE, [0]), (Op.GT, []), (Op.LT, [])):
        assert kept(lake, Compare("s", op, pa.scalar(text))) == found
    assert kept(lake, Compare("s", Op.GT, pa.scalar(text[:-1]))) == [0]


def test_bounds_of_a_narrower_type_still_hold(lake: Lake) -> None:
    schema = Schema(K, NestedField(2, "n", IntegerType()), NestedField(3, "f", FloatType()))
    table = make(lake, schema, [{KEY: at, "n": at, "f": at / 4} for at in range(8)], Style())
    table.evolve(Schema(K, NestedField(2, "n", LongType()), NestedField(3, "f", DoubleType())))
    assert kept(lake, Compare("n", Op.GE, pa.scalar(6))) == [6, 7]
    assert kept(lake, Compare("n", Op.LT, pa.scalar(2**40))) == list(range(8))
    assert kept(lake, Compare("f", Op.GT, pa.scalar(1.5))) == [7]
    assert kept(lake, Compare("f", Op.LT, pa.scalar(-1e300))) == []


@pytest.mark.parametrize("counted", [True, False])
def test_missing_metrics_prune_nothing(lake: Lake, *, counted: bool) -> None:
    schema = Schema(K, NestedField(2, "n", IntegerType()))
    table = lake.create("f.t", schema)
    rows = pa.table({KEY: [0, 1], "n": [None, 5]}, arrow_schema(schema))
    measured(table, rows, Metrics({2: 2}) if counted else UNMEASURED)
    assert kept(lake, IsNull("n")) == [0]
    assert kept(lake, Not(IsNull("n"))) == [1]
    assert kept(lake, Compare("n", Op.EQ, pa.scalar(5))) == [1]


def test_a_column_newer_than_the_file_is_null_or_its_default(lake: Lake) -> None:
    table = lake.create("f.t", Schema(K), version=3)
    table.append(pa.table({KEY: [0]}, arrow_schema(Schema(K))))
    fields = [
        NestedField(2, "plain", StringType()),
        NestedField(3, "given", IntegerType(), initial_default=7, write_default=8),
    ]
    table.evolve(Schema(K, *fields))
    rows = pa.table({KEY: [1], "plain": ["x"], "given": [8]}, arrow_schema(table.schema))
    table.append(rows)
    check(lake, table)
    assert kept(lake, IsNull("plain")) == [0]
    assert kept(lake, Compare("given", Op.EQ, pa.scalar(7))) == [0]
    assert kept(lake, Compare("given", Op.GT, pa.scalar(7))) == [1]


def test_statistics_that_lie_about_nulls_lose_no_value(lake: Lake) -> None:
    """The manifest says there is none; whoever reads the column still gets them, and no crash."""
    schema = Schema(K, NestedField(2, "n", IntegerType()))
    table = lake.create("f.t", schema)
    rows = pa.table({KEY: [0, 1, 2], "n": [None, 5, None]}, arrow_schema(schema))
    entry = table.data_file(rows)
    lying = replace(entry.metrics, null_counts={1: 0, 2: 0})
    table.commit(add=[replace(entry, metrics=lying)], operation="append")
    check(lake, table)
    assert kept(lake, Compare("n", Op.EQ, pa.scalar(5))) == [1]


# -- where files are -----------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_locations_are_paths_or_urls(tmp_path: Path, scheme: str) -> None:
    lake = Lake(tmp_path / "a b ü", scheme=scheme)
    table = make(lake, EVERYTHING, ROWS, Style())
    assert table.head is not None
    table.commit(add=table.position_deletes({table.head.files[0].path: [1]}))
    check(lake, table)


def test_metadata_may_be_compressed(lake: Lake) -> None:
    table = make(lake, EVERYTHING, ROWS, Style())
    table.gzip_metadata = True
    table.set_properties(x="y")
    check(lake, table)
