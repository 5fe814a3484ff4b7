"""Row groups are skipped when the footer proves that they hold no match, and only then."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
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
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lakeport.catalog.predicates import Compare, IsNull, Not, Op, Predicate, StartsWith, keep
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.catalog.iceberg.files.thrift import Item, binary, change_footer, long
from tests.lakes.parquet import Style, write_parquet
from tests.lakes.storage import arrow_schema
from tests.random_predicates import random_predicate
from tests.strategies import random_batch, seeded

NUMBER = NestedField(1, "number", LongType(), required=False)
ROWS = 10


def written(
    folder: Path,
    kind: IcebergType,
    values: Sequence[Any],
    style: Style | None = None,
    *,
    group: int = ROWS,
) -> OneFile:
    schema = Schema(NestedField(1, "x", kind, required=False))
    path = folder / "data.parquet"
    table = pa.table({"x": pa.array(values, arrow_schema(schema).field("x").type)})
    write_parquet(path, table, schema, style or Style(row_group_rows=group))
    return one_file(path, schema, len(values))


def groups_read(file: OneFile, where: Predicate, *, group: int = ROWS) -> list[int]:
    spans = [(chunk.start, chunk.start + chunk.rows.num_rows) for chunk in file.chunks(where=where)]
    return [start // group for first, end in spans for start in range(first, end, group)]


def x(op: str, value: Any, kind: pa.DataType | None = None) -> Compare:
    return Compare("x", Op(op), pa.scalar(value, kind))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (x("=", 12), [1]),
        (x("<", 10), [0]),
        (x(">=", 19), [1, 2]),
        (x("=", 99), []),
        (x("<>", 99), [0, 1, 2]),
        (IsNull("x"), []),
        (Not(IsNull("x")), [0, 1, 2]),
    ],
)
def test_groups_outside_the_bounds_are_skipped(
    tmp_path: Path, where: Predicate, expected: list[int]
) -> None:
    assert groups_read(written(tmp_path, LongType(), range(30)), where) == expected


def test_positions_jump_over_skipped_groups(tmp_path: Path) -> None:
    file = written(tmp_path, LongType(), [*range(20), *range(10)])
    chunks = file.chunks(where=x("<", 10))
    assert [(chunk.start, chunk.rows.num_rows) for chunk in chunks] == [(0, 10), (20, 10)]


def test_null_counts_find_nulls(tmp_path: Path) -> None:
    file = written(tmp_path, LongType(), [None] * 10 + [1] * 10 + [1, None] * 5)
    assert groups_read(file, IsNull("x")) == [0, 2]
    assert groups_read(file, Not(IsNull("x"))) == [1, 2]
    assert groups_read(file, x("=", 1)) == [1, 2]


def test_prefixes_skip_groups_of_other_texts(tmp_path: Path) -> None:
    file = written(tmp_path, StringType(), ["apple"] * 10 + ["banana"] * 10)
    assert groups_read(file, StartsWith("x", "ban")) == [1]


def test_floats_are_bounded_from_below_only(tmp_path: Path) -> None:
    file = written(tmp_path, DoubleType(), [1.0] * 9 + [float("nan")] + [7.0] * 10)
    assert groups_read(file, x("<", 5.0)) == [0]
    assert groups_read(file, x(">", 100.0)) == [0, 1]


def test_a_widened_column_is_compared_in_its_new_type(tmp_path: Path) -> None:
    file = written(tmp_path, IntegerType(), range(30))
    wider = file.evolved(NestedField(1, "x", LongType(), required=False))
    assert groups_read(wider, x("=", 2**40)) == []
    assert groups_read(wider, x(">", 25)) == [2]


def test_a_renamed_column_is_compared_by_its_id(tmp_path: Path) -> None:
    file = written(tmp_path, LongType(), range(30)).evolved(
        NestedField(2, "x", LongType(), required=False),
        NestedField(1, "y", LongType(), required=False),
    )
    assert groups_read(file, Compare("y", Op.EQ, pa.scalar(12))) == [1]


def test_a_column_that_the_file_lacks_decides_for_all_groups(tmp_path: Path) -> None:
    file = written(tmp_path, LongType(), range(30)).evolved(
        NestedField(2, "x", LongType(), required=False, initial_default=5),
        NestedField(3, "y", StringType(), required=False),
    )
    assert groups_read(file, x("=", 5)) == [0, 1, 2]
    assert groups_read(file, x("=", 6)) == []
    assert groups_read(file, IsNull("x")) == []
    assert groups_read(file, IsNull("y")) == [0, 1, 2]
    assert groups_read(file, Not(IsNull("y"))) == []


def test_a_partition_value_decides_for_all_groups(tmp_path: Path) -> None:
    region = NestedField(2, "region", StringType(), required=False)
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "region"))
    path = written(tmp_path, LongType(), range(30)).file.path
    file = one_file(path, Schema(NUMBER, region), 30, spec=spec, partition=("north",))
    assert file.chunks(where=Compare("region", Op.EQ, pa.scalar("south"))) == []
    assert len(file.chunks(where=Compare("region", Op.EQ, pa.scalar("north")))) == 1


def test_empty_files_have_no_chunks(tmp_path: Path) -> None:
    assert written(tmp_path, LongType(), []).chunks() == []


def test_a_file_without_statistics_is_read_whole(tmp_path: Path) -> None:
    style = Style(row_group_rows=ROWS, footer_statistics=False)
    file = written(tmp_path, LongType(), range(30), style)
    assert groups_read(file, x("=", 99)) == [0, 1, 2]


# -- what is not believed ------------------------------------------------------------------------

# parquet.thrift: FileMetaData.row_groups, RowGroup.columns, ColumnChunk.meta_data,
# ColumnMetaData.statistics and the fields of Statistics.
_GROUPS, _COLUMNS, _META, _STATISTICS = 4, 1, 3, 12
_OLD_MAX, _OLD_MIN, _NULLS, _MAX, _MIN = 1, 2, 3, 5, 6


def with_statistics(change: Callable[[dict[int, Item]], None]) -> Callable[[Item], None]:
    def apply(footer: Item) -> None:
        for group in footer[_GROUPS].value:
            change(group[_COLUMNS].value[0][_META][_STATISTICS].value)

    return apply


def only_deprecated(statistics: dict[int, Item]) -> None:
    statistics[_OLD_MIN], statistics[_OLD_MAX] = statistics.pop(_MIN), statistics.pop(_MAX)
    statistics.pop(7, None)
    statistics.pop(8, None)


def test_deprecated_bounds_of_texts_prove_nothing(tmp_path: Path) -> None:
    """They were in the order of signed bytes."""
    file = written(tmp_path, StringType(), ["a"] * 10)
    change_footer(tmp_path / "data.parquet", with_statistics(only_deprecated))
    assert groups_read(file, x("=", "zzz")) == [0]


def test_more_nulls_than_rows_prove_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, LongType(), range(10))

    def lie(statistics: dict[int, Item]) -> None:
        statistics[_NULLS] = long(11)

    change_footer(tmp_path / "data.parquet", with_statistics(lie))
    assert groups_read(file, x("=", 5)) == [0]
    assert groups_read(file, x("=", 50)) == []


def test_nothing_but_nulls_and_yet_bounds_prove_nothing_about_nulls(tmp_path: Path) -> None:
    file = written(tmp_path, LongType(), range(10))

    def lie(statistics: dict[int, Item]) -> None:
        statistics[_NULLS] = long(10)

    change_footer(tmp_path / "data.parquet", with_statistics(lie))
    assert groups_read(file, x("=", 5)) == [0]


def test_a_bound_cut_in_the_middle_of_a_character_proves_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, StringType(), ["ä"] * 10)

    def cut(statistics: dict[int, Item]) -> None:
        statistics[_MIN] = statistics[_MAX] = binary("ä".encode()[:1])

    change_footer(tmp_path / "data.parquet", with_statistics(cut))
    assert groups_read(file, x("=", "zzz")) == [0]


def test_a_nan_bound_proves_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, DoubleType(), [1.0] * 10)

    def spoil(statistics: dict[int, Item]) -> None:
        nan = pa.array([float("nan")]).buffers()[1]
        assert nan is not None
        statistics[_MIN] = statistics[_MAX] = binary(nan.to_pybytes()[:8])

    change_footer(tmp_path / "data.parquet", with_statistics(spoil))
    assert groups_read(file, x("<", 0.0)) == [0]


def test_unsigned_numbers_are_not_bounded(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    field = pa.field("x", pa.uint32(), metadata={"PARQUET:field_id": "1"})
    pq.write_table(
        pa.table([pa.array([1, 2**32 - 1], pa.uint32())], schema=pa.schema([field])), path
    )
    file = one_file(path, Schema(NestedField(1, "x", LongType(), required=False)), 2)
    assert groups_read(file, x("=", 2**31)) == [0]
    assert file.rows() == [{"x": 1}, {"x": 2**32 - 1}]


def test_int96_is_not_bounded(tmp_path: Path) -> None:
    kind = TimestampType()
    file = written(tmp_path, kind, [1, 2], Style(int96=True))
    assert groups_read(file, x("=", 99, pa.timestamp("us"))) == [0]


# -- no row is lost ------------------------------------------------------------------------------

KINDS: tuple[IcebergType, ...] = (
    BooleanType(),
    IntegerType(),
    LongType(),
    FloatType(),
    DoubleType(),
    DecimalType(9, 2),
    DecimalType(18, 4),
    DecimalType(38, 10),
    DateType(),
    TimeType(),
    TimestampType(),
    TimestamptzType(),
    StringType(),
    BinaryType(),
    FixedType(3),
    UUIDType(),
)
EVERYTHING = Schema(
    *(NestedField(place + 1, f"c{place}", kind, required=False) for place, kind in enumerate(KINDS))
)


def random_style(rng: random.Random) -> Style:
    return Style(
        writer=rng.choice(("pyarrow", "pyarrow", "pyiceberg")),
        row_group_rows=rng.choice((1, 3, 7, 100)),
        dictionary=rng.random() < 0.5,
        page_version=rng.choice(("1.0", "2.0")),
        codec=rng.choice(("none", "snappy", "gzip", "zstd", "lz4", "brotli")),
        integer_decimals=rng.random() < 0.5,
        page_index=rng.random() < 0.5,
    )


@pytest.mark.parametrize("seed", range(12))
def test_skipping_never_loses_a_matching_row(tmp_path: Path, seed: int) -> None:
    rng = seeded(seed)
    batch = random_batch(rng, arrow_schema(EVERYTHING), 24)
    path = tmp_path / "data.parquet"
    write_parquet(path, pa.Table.from_batches([batch]), EVERYTHING, random_style(rng))
    file = one_file(path, EVERYTHING, batch.num_rows)
    whole = file.read()
    assert shown(whole.to_batches()) == shown([batch])
    for _ in range(25):
        predicate = random_predicate(rng, whole)
        bound = file.wanted(where=predicate).predicate
        assert bound is not None
        kept = [keep(bound, chunk.rows) for chunk in file.chunks(where=predicate)]
        expected = [keep(bound, one) for one in whole.to_batches()]
        assert shown(kept) == shown(expected), predicate


def shown(batches: list[pa.RecordBatch]) -> list[str]:
    """As text: Arrow's NaN differs from itself, and Python cannot hold every date."""
    table = pa.Table.from_batches(
        [one for one in batches if one.num_rows], arrow_schema(EVERYTHING)
    )
    whole = table.combine_chunks()
    return [column.to_string(window=100, container_window=100) for column in whole.columns]
