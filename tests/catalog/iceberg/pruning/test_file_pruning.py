"""Which files a condition rules out, by what manifests say of their columns and partitions.

The data files do not exist: planning opens none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    IdentityTransform,
    TruncateTransform,
    VoidTransform,
)
from pyiceberg.types import (
    DateType,
    DoubleType,
    FixedType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
)

from lakeport.catalog.iceberg.types.property import TYPES
from lakeport.catalog.iceberg.types.stored import stored_type
from lakeport.catalog.predicates import (
    And,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
)
from lakeport.catalog.predicates.kinds import HUGEINT
from tests.catalog.iceberg.planning.planned import kept_paths, source_of
from tests.lakes.lake import Lake
from tests.lakes.manifests import FileEntry
from tests.lakes.metrics import UNMEASURED, Metrics, single_value
from tests.lakes.table import LakeTable

ROWS = 10


def metrics(
    kind: IcebergType,
    low: Any = None,
    high: Any = None,
    *,
    nulls: int | None = 0,
    nans: int | None = None,
    values: int | None = ROWS,
) -> Metrics:
    """What is said of the column with the id 1."""

    def said(value: Any) -> Mapping[int, Any]:
        return {} if value is None else {1: value}

    return Metrics(
        said(values),
        said(nulls),
        said(nans),
        said(None if low is None else single_value(kind, low)),
        said(None if high is None else single_value(kind, high)),
    )


def column(kind: IcebergType, *more: NestedField) -> Schema:
    return Schema(NestedField(1, "x", kind, required=False), *more)


def file(
    path: str, said: Metrics = UNMEASURED, *, partition: tuple[Any, ...] = (), spec_id: int = 0
) -> FileEntry:
    return FileEntry(path, spec_id, partition, ROWS, 100, said)


def made(
    tmp_path: Path,
    schema: Schema,
    *files: FileEntry,
    spec: PartitionSpec | None = None,
    **more: Any,
) -> LakeTable:
    table = Lake(tmp_path).create("s.t", schema, spec=spec or PartitionSpec(), **more)
    if files:
        table.commit(add=list(files))
    return table


def kept(table: LakeTable, predicate: Predicate) -> set[str]:
    return kept_paths(source_of(table), predicate)


def eq(value: Any, op: Op = Op.EQ) -> Compare:
    return Compare("x", op, pa.scalar(value))


def partitioned(transform: Any, ident: int = 1000) -> PartitionSpec:
    return PartitionSpec(PartitionField(1, ident, transform, "p"))


# -- bounds of columns ---------------------------------------------------------------------------


def test_bounds_rule_files_out(tmp_path: Path) -> None:
    kind = LongType()
    table = made(
        tmp_path,
        column(kind),
        file("low", metrics(kind, 0, 9)),
        file("high", metrics(kind, 10, 19)),
        file("unmeasured"),
    )
    assert kept(table, eq(5)) == {"low", "unmeasured"}
    assert kept(table, eq(9, Op.GT)) == {"high", "unmeasured"}
    assert kept(table, Not(eq(9, Op.LE))) == {"high", "unmeasured"}
    assert kept(table, IsIn("x", pa.array([30, 31]))) == {"unmeasured"}
    assert kept(table, IsNull("x")) == {"unmeasured"}


def test_a_count_of_nulls_decides_null_tests(tmp_path: Path) -> None:
    kind = LongType()
    table = made(
        tmp_path,
        column(kind),
        file("none", metrics(kind, 0, 9)),
        file("some", metrics(kind, 0, 9, nulls=1)),
        file("all", metrics(kind, nulls=ROWS)),
    )
    assert kept(table, IsNull("x")) == {"some", "all"}
    assert kept(table, Not(IsNull("x"))) == {"none", "some"}
    assert kept(table, eq(5)) == {"none", "some"}


def test_an_upper_bound_of_floats_counts_only_without_nan(tmp_path: Path) -> None:
    """NaN is above everything for DuckDB and in no bound."""
    kind = DoubleType()
    table = made(
        tmp_path,
        column(kind),
        file("none", metrics(kind, 0.0, 1.0, nans=0)),
        file("some", metrics(kind, 0.0, 1.0, nans=1)),
        file("uncounted", metrics(kind, 0.0, 1.0)),
    )
    assert kept(table, eq(5.0, Op.GT)) == {"some", "uncounted"}
    assert kept(table, eq(-1.0, Op.LT)) == set()
    assert kept(table, eq(math.nan)) == {"some", "uncounted"}


def test_nan_as_a_bound_says_nothing(tmp_path: Path) -> None:
    kind = DoubleType()
    said = metrics(kind, math.nan, math.nan, nans=0)
    assert kept(made(tmp_path, column(kind), file("odd", said)), eq(1.0)) == {"odd"}


def test_bounds_of_cut_texts_hold(tmp_path: Path) -> None:
    kind = StringType()
    table = made(tmp_path, column(kind), file("cut", metrics(kind, "aaaa", "aaac")))
    assert kept(table, eq("aaabzzz")) == {"cut"}
    assert kept(table, StartsWith("x", "aaab")) == {"cut"}
    assert kept(table, eq("b")) == set()


def test_bounds_are_of_a_field_and_not_of_a_name(tmp_path: Path) -> None:
    """A column that was dropped and added again is another one."""
    kind = LongType()
    table = made(tmp_path, column(kind), file("old", metrics(kind, 0, 9)))
    table.evolve(Schema(NestedField(2, "x", kind, required=False)))
    assert kept(table, eq(100)) == {"old"}
    assert kept(table, IsNull("x")) == {"old"}


def test_bounds_from_before_a_column_was_widened(tmp_path: Path) -> None:
    table = made(tmp_path, column(IntegerType()), file("old", metrics(IntegerType(), 0, 9)))
    table.evolve(column(LongType()))
    table.commit(add=[file("new", metrics(LongType(), 2**40, 2**41))])
    assert kept(table, eq(5)) == {"old"}
    assert kept(table, eq(2**40)) == {"new"}


# -- statistics that cannot be ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        metrics(LongType(), 9, 0),
        Metrics(lower={1: b"\x01"}, upper={1: b"123456789"}),
        Metrics({1: ROWS}, {1: ROWS + 1}),
        Metrics({1: ROWS}, {1: -1}),
        Metrics({1: ROWS - 3}, {1: ROWS}),
        metrics(LongType(), 0, 9, nulls=ROWS),
    ],
    ids=[
        "minimum above maximum",
        "bounds of no length",
        "more nulls than rows",
        "negative nulls",
        "counts another number of rows",
        "only nulls, and values",
    ],
)
def test_what_contradicts_itself_says_nothing(tmp_path: Path, said: Metrics) -> None:
    table = made(tmp_path, column(LongType()), file("odd", said))
    assert kept(table, eq(5)) == {"odd"}
    assert kept(table, Not(IsNull("x"))) == {"odd"}


def test_a_doubtful_count_of_nulls_does_not_rule_out_nulls(tmp_path: Path) -> None:
    said = Metrics({1: ROWS - 3}, {1: 0})
    assert kept(made(tmp_path, column(LongType()), file("odd", said)), IsNull("x")) == {"odd"}


# -- partitions ----------------------------------------------------------------------------------


def test_an_identity_partition_is_the_value(tmp_path: Path) -> None:
    table = made(
        tmp_path,
        column(StringType()),
        *(file(name or "null", partition=(name,)) for name in ("a", "b", None)),
        spec=partitioned(IdentityTransform()),
    )
    assert kept(table, eq("a")) == {"a"}
    assert kept(table, Not(eq("a"))) == {"b"}
    assert kept(table, IsNull("x")) == {"null"}
    assert kept(table, Not(IsNull("x"))) == {"a", "b"}


def test_an_identity_partition_wins_over_metrics_that_miss_it(tmp_path: Path) -> None:
    """As in files from Hive, whose partition columns are only in folder names."""
    said = metrics(LongType(), nulls=ROWS)
    spec = partitioned(IdentityTransform())
    table = made(tmp_path, column(LongType()), file("five", said, partition=(5,)), spec=spec)
    assert kept(table, eq(5)) == {"five"}
    assert kept(table, eq(6)) == set()


def test_nan_and_infinity_as_partitions(tmp_path: Path) -> None:
    table = made(
        tmp_path,
        column(DoubleType()),
        *(file(str(value), partition=(value,)) for value in (math.nan, math.inf, 1.0)),
        spec=partitioned(IdentityTransform()),
    )
    assert kept(table, eq(math.nan)) == {"nan"}
    assert kept(table, eq(2.0, Op.GT)) == {"nan", "inf"}
    # Bounds cannot say that there is nothing but NaN.
    assert kept(table, eq(math.inf)) - {"nan"} == {"inf"}
    assert kept(table, eq(2.0, Op.LT)) - {"nan"} == {"1.0"}


def test_days_and_truncated_numbers_are_ranges(tmp_path: Path) -> None:
    spec = PartitionSpec(
        PartitionField(1, 1000, DayTransform(), "day"),
        PartitionField(2, 1001, TruncateTransform(10), "tens"),
    )
    schema = column(TimestampType(), NestedField(2, "n", IntegerType(), required=False))
    table = made(
        tmp_path,
        schema,
        file("one", partition=(19_000, 10)),
        file("two", partition=(19_001, 20)),
        spec=spec,
    )
    day = pa.scalar(19_001 * 86_400 * 10**6, pa.timestamp("us"))
    assert kept(table, Compare("x", Op.LT, day)) == {"one"}
    assert kept(table, Compare("x", Op.GE, day)) == {"two"}
    assert kept(table, Compare("n", Op.EQ, pa.scalar(19))) == {"one"}
    assert kept(table, Compare("n", Op.GT, pa.scalar(29))) == set()


@pytest.mark.parametrize("kind", [TimestampNanoType(), TimestamptzNanoType()], ids=str)
def test_nanoseconds_as_partitions(tmp_path: Path, kind: IcebergType) -> None:
    """PyIceberg writes such manifests and cannot read them."""
    table = made(
        tmp_path,
        column(kind),
        *(file(str(value), partition=(value,)) for value in (-1_000, 5_000)),
        spec=partitioned(IdentityTransform()),
        version=3,
    )
    moment = pa.scalar(5_000, pa.int64()).cast(stored_type(kind))
    assert kept(table, Compare("x", Op.EQ, moment)) == {"5000"}


def test_void_partitions_say_nothing(tmp_path: Path) -> None:
    spec = partitioned(VoidTransform())
    table = made(tmp_path, column(LongType()), file("any", partition=(None,)), spec=spec)
    assert kept(table, eq(5)) == {"any"}
    assert kept(table, IsNull("x")) == {"any"}


def test_each_file_is_judged_by_the_spec_it_was_written_with(tmp_path: Path) -> None:
    table = made(
        tmp_path,
        column(DateType()),
        file("days", partition=(100,)),
        spec=partitioned(DayTransform()),
    )
    table.respec(PartitionField(1, 1001, IdentityTransform(), "x"))
    table.commit(add=[file("dates", partition=(200,), spec_id=1)])
    table.respec()
    table.commit(add=[file("unpartitioned", spec_id=2)])
    assert kept(table, Compare("x", Op.EQ, pa.scalar(100, pa.date32()))) == {
        "days",
        "unpartitioned",
    }
    assert kept(table, Compare("x", Op.EQ, pa.scalar(200, pa.date32()))) == {
        "dates",
        "unpartitioned",
    }


def test_a_partition_whose_column_was_dropped_does_no_harm(tmp_path: Path) -> None:
    other = NestedField(2, "n", LongType(), required=False)
    table = made(
        tmp_path,
        column(StringType(), other),
        file("a", partition=("a",)),
        spec=partitioned(IdentityTransform()),
    )
    table.evolve(Schema(other))
    assert kept(table, Compare("n", Op.EQ, pa.scalar(1))) == {"a"}


def test_a_date_partition_of_a_column_that_became_a_timestamp_says_nothing(tmp_path: Path) -> None:
    table = made(
        tmp_path,
        column(DateType()),
        file("old", partition=(19_000,)),
        spec=partitioned(IdentityTransform()),
        version=3,
    )
    table.evolve(column(TimestampType()))
    moment = pa.scalar(19_000 * 86_400 * 10**6, pa.timestamp("us"))
    assert kept(table, Compare("x", Op.EQ, moment)) == {"old"}


# -- buckets -------------------------------------------------------------------------------------


def bucketed(tmp_path: Path, kind: IcebergType) -> LakeTable:
    return made(
        tmp_path,
        column(kind),
        *(file(str(bucket), partition=(bucket,)) for bucket in (0, 1, 2, 3, None)),
        spec=partitioned(BucketTransform(4)),
    )


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (IntegerType(), 34),
        (LongType(), 34),
        (StringType(), "iceberg"),
        (DateType(), 17_486),
        (TimestampType(), 1_510_871_468_000_000),
    ],
    ids=str,
)
def test_a_value_is_looked_for_in_its_bucket(tmp_path: Path, kind: IcebergType, value: Any) -> None:
    table = bucketed(tmp_path, kind)
    bucket = BucketTransform(4).transform(kind)(value)
    constant = pa.scalar(value, stored_type(kind))
    assert kept(table, Compare("x", Op.EQ, constant)) == {str(bucket)}
    assert kept(table, Compare("x", Op.NE, constant)) == {"0", "1", "2", "3"}


def test_buckets_through_lists_and_or(tmp_path: Path) -> None:
    table = bucketed(tmp_path, LongType())
    bucket = BucketTransform(4).transform(LongType())
    expected = {str(bucket(value)) for value in (1, 2)}
    assert kept(table, IsIn("x", pa.array([1, 2, None]))) == expected
    assert kept(table, Or((eq(1), eq(2)))) == expected
    assert kept(table, Or((eq(1), eq(2, Op.GT)))) == {"0", "1", "2", "3"}
    assert kept(table, And((eq(1), eq(0, Op.GT)))) == {str(bucket(1))}
    assert kept(table, IsNull("x")) == {"None"}
    assert kept(table, Or((eq(1), IsNull("x")))) == {"0", "1", "2", "3", "None"}


# -- logical types -------------------------------------------------------------------------------


def test_a_type_in_another_order_than_its_bytes_is_not_pruned(tmp_path: Path) -> None:
    kind = FixedType(16)
    said = metrics(kind, b"\x01" + bytes(15), b"\x02" + bytes(15), nulls=0)
    table = made(tmp_path, column(kind), file("huge", said), properties={TYPES: '{"1": "hugeint"}'})
    value = pa.scalar((2**100).to_bytes(16, "little"), pa.binary(16))
    huge = pa.ExtensionScalar.from_storage(HUGEINT, value)
    assert kept(table, Compare("x", Op.EQ, huge)) == {"huge"}
    assert kept(table, IsNull("x")) == set()


def test_a_logical_type_is_compared_in_its_own_terms(tmp_path: Path) -> None:
    kind = LongType()
    table = made(
        tmp_path,
        column(kind),
        file("morning", metrics(kind, 0, 10**6)),
        properties={TYPES: '{"1": "time64[us]"}'},
    )
    assert kept(table, Compare("x", Op.GT, pa.scalar(2, pa.time64("us")))) == {"morning"}
    late = pa.scalar(2 * 10**6, pa.time64("us"))
    assert kept(table, Compare("x", Op.GE, late)) == set()


@pytest.mark.parametrize("word", ["string_view", "large_string", "dictionary<int8, string>"])
def test_contradictions_are_harmless_in_every_form_of_text(tmp_path: Path, word: str) -> None:
    kind = StringType()
    table = made(
        tmp_path,
        column(kind),
        file("odd", metrics(kind, "z", "a")),
        file("good", metrics(kind, "m", "n")),
        properties={TYPES: json.dumps({"1": word})},
    )
    assert kept(table, eq("k")) == {"odd"}
    assert kept(table, eq("mm")) == {"odd", "good"}
