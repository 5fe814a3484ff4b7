"""Statistics from metadata: each claim is true of the live rows, and what cannot be sure is unknown."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.transforms import IdentityTransform, TruncateTransform
from pyiceberg.types import (
    DoubleType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    UUIDType,
)

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.definition import definition_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.statistics import column_statistics
from lakeport.catalog.iceberg.travel import find
from lakeport.catalog.ports import ColumnStatistics
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName
from tests.catalog.iceberg.planning.claims import assert_true
from tests.catalog.iceberg.planning.planned import NOW, source_of
from tests.lakes.generated import Profile, random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.spark_tables import NAMES, unpack_spark_table
from tests.lakes.storage import arrow_type
from tests.lakes.table import LakeTable
from tests.strategies import seeded


def table_of(tmp_path: Path, kind: IcebergType, *parts: list[Any], **more: Any) -> LakeTable:
    """A file for each list of values of the column `x`."""
    made = Lake(tmp_path).create("s.t", Schema(NestedField(1, "x", kind, required=False)), **more)
    for values in parts:
        made.append(pa.table({"x": pa.array(values, arrow_type(kind))}))
    return made


def measured(table: LakeTable, column: str = "x") -> ColumnStatistics:
    source = source_of(table)
    return column_statistics(source, find(source, None, NOW), column)


def ends(found: ColumnStatistics) -> tuple[Any, Any]:
    low, high = found.minimum, found.maximum
    return None if low is None else low.as_py(), None if high is None else high.as_py()


def delete(table: LakeTable, file: int, *positions: int) -> None:
    """From the file of that number, in the order they were written."""
    assert table.head is not None
    manifests = [one for one in reversed(table.head.manifests) if not one.deletes]
    path = manifests[file].entries[0][1].path
    table.commit(add=table.position_deletes({path: positions}))


def test_numbers_have_exact_ends(tmp_path: Path) -> None:
    found = measured(table_of(tmp_path, LongType(), [3, 5], [None, 1], [None]))
    assert ends(found) == (1, 5)
    assert (found.has_null, found.has_values, found.distinct) == (True, True, None)


def test_without_rows_there_is_nothing(tmp_path: Path) -> None:
    nothing = ColumnStatistics(has_null=False, has_values=False, distinct=0)
    table = table_of(tmp_path, LongType(), [1])
    assert table.head is not None
    table.commit(remove=table.head.files)
    assert measured(table) == nothing
    assert measured(table_of(tmp_path / "fresh", LongType())) == nothing


def test_only_nulls_have_no_ends(tmp_path: Path) -> None:
    found = measured(table_of(tmp_path, StringType(), [None], [None, None]))
    assert found == ColumnStatistics(has_null=True, has_values=False, distinct=0, longest=0)


def test_one_value_everywhere_is_one_distinct_value(tmp_path: Path) -> None:
    found = measured(table_of(tmp_path, StringType(), ["abc", None], ["abc"]))
    assert ends(found) == ("abc", "abc")
    assert (found.distinct, found.longest) == (1, 3)


def test_texts_may_be_cut_and_so_are_no_ends(tmp_path: Path) -> None:
    found = measured(table_of(tmp_path, StringType(), ["apple", "pear"]))
    assert (ends(found), found.longest) == ((None, None), None)
    assert (found.has_null, found.has_values) == (False, True)


def test_a_text_that_is_alone_in_its_file_can_be_an_end(tmp_path: Path) -> None:
    found = measured(table_of(tmp_path, StringType(), ["a", "a"], ["mm", "nn"], ["z"]))
    assert (ends(found), found.longest) == (("a", "z"), None)


def test_uuids_are_ordered_in_two_ways_by_their_writers(tmp_path: Path) -> None:
    values = [bytes([first]) + bytes(15) for first in (1, 200)]
    storage = pa.array(values, pa.binary(16))
    table = Lake(tmp_path).create("s.t", Schema(NestedField(1, "x", UUIDType(), required=False)))
    table.append(pa.table({"x": pa.ExtensionArray.from_storage(pa.uuid(), storage)}))
    assert ends(measured(table)) == (None, None)


def test_bounds_of_orc_files_need_not_be_values(tmp_path: Path) -> None:
    """Its timestamps are counted in milliseconds and rounded up, NaN becomes infinity."""
    table = table_of(tmp_path, LongType())
    (file,) = table.data_files(pa.table({"x": [1, 5]}))
    table.commit(add=[dataclasses.replace(file, format="ORC")])
    found = measured(table)
    assert (ends(found), found.has_null, found.has_values) == ((None, None), False, True)


def test_nan_is_the_largest(tmp_path: Path) -> None:
    low, high = ends(measured(table_of(tmp_path, DoubleType(), [1.0, math.nan], [0.5])))
    assert low == 0.5
    assert math.isnan(high)
    low, high = ends(measured(table_of(tmp_path / "alone", DoubleType(), [math.nan, None])))
    assert math.isnan(low)
    assert math.isnan(high)


def test_an_uncounted_nan_leaves_the_maximum_unknown(tmp_path: Path) -> None:
    table = table_of(tmp_path, DoubleType())
    (file,) = table.data_files(pa.table({"x": pa.array([1.0, 2.0])}))
    file.metrics.nan_counts.clear()  # type: ignore[attr-defined] # a dict, as built
    table.commit(add=[file])
    assert ends(measured(table)) == (1.0, None)


def test_a_file_without_metrics_leaves_everything_unknown(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [1, 2])
    table.append(pa.table({"x": pa.array([5])}), metrics=False)
    found = measured(table)
    assert found == ColumnStatistics(has_values=True)


def test_an_identity_partition_is_exact(tmp_path: Path) -> None:
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "x"))
    table = table_of(tmp_path, StringType(), spec=spec)
    table.append(pa.table({"x": ["a", "b", None]}), metrics=False)
    found = measured(table)
    assert (ends(found), found.has_null, found.longest) == (("a", "b"), True, 1)


def test_other_partitions_are_not(tmp_path: Path) -> None:
    spec = PartitionSpec(PartitionField(1, 1000, TruncateTransform(10), "tens"))
    table = table_of(tmp_path, LongType(), spec=spec)
    table.append(pa.table({"x": [12, 13]}), metrics=False)
    found = measured(table)
    assert (ends(found), found.has_null, found.has_values) == ((None, None), False, True)


# -- deletes -------------------------------------------------------------------------------------


def test_an_end_that_may_be_deleted_is_unknown(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [1, 5], [2, 9])
    delete(table, 0, 0)
    assert ends(measured(table)) == (None, 9)


def test_an_end_in_a_file_without_deletes_is_known(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [3, 5], [2, 9])
    delete(table, 0, 0)
    assert ends(measured(table)) == (2, 9)


def test_one_value_survives_while_a_row_does(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [4, 4, 4])
    delete(table, 0, 0)
    assert ends(measured(table)) == (4, 4)
    delete(table, 0, 1, 2)
    assert ends(measured(table)) == (None, None)


def test_deletes_leave_presence_unknown_only_where_they_may_have_taken_all(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [None, None, 1])
    delete(table, 0, 0)
    found = measured(table)
    assert (found.has_null, found.has_values) == (True, None)
    delete(table, 0, 1)
    assert measured(table).has_null is None


def test_what_was_never_there_is_still_not_there(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [1, 2])
    delete(table, 0, 0)
    found = measured(table)
    assert (found.has_null, found.has_values) == (False, True)


def test_an_equality_delete_may_take_every_row(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [1, 1])
    table.commit(add=[table.equality_deletes(pa.table({"x": [7]}), [table.schema.fields[0]])])
    assert measured(table) == ColumnStatistics(has_null=False)


# -- sketches ------------------------------------------------------------------------------------


def with_sketch(table: LakeTable, snapshot_id: int, **blob: Any) -> Source:
    metadata = table.metadata()
    metadata["statistics"] = [
        {
            "snapshot-id": snapshot_id,
            "statistics-path": "s.puffin",
            "file-size-in-bytes": 1,
            "file-footer-size-in-bytes": 1,
            "blob-metadata": [
                {
                    "type": "apache-datasketches-theta-v1",
                    "snapshot-id": snapshot_id,
                    "sequence-number": 1,
                    "fields": [1],
                    "properties": {"ndv": "17"},
                    **blob,
                }
            ],
        }
    ]
    parsed = TableMetadataUtil.parse_raw(json.dumps(metadata))
    return Source(TableName("s", "t"), parsed, PyArrowFileIO(), Caches())


def distinct(source: Source) -> int | None:
    return column_statistics(source, find(source, None, NOW), "x").distinct


def test_a_sketch_of_this_snapshot_tells_how_many_are_distinct(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [1, 2])
    assert table.head is not None
    assert distinct(with_sketch(table, table.head.ident)) == 17
    assert distinct(with_sketch(table, table.head.ident, fields=[2])) is None
    assert distinct(with_sketch(table, table.head.ident, type="deletion-vector-v1")) is None
    assert distinct(with_sketch(table, table.head.ident, properties={"ndv": "-1"})) is None
    assert distinct(with_sketch(table, table.head.ident, properties={})) is None


def test_a_sketch_of_another_snapshot_tells_nothing(tmp_path: Path) -> None:
    table = table_of(tmp_path, LongType(), [1, 2])
    assert table.head is not None
    before = table.head.ident
    table.append(pa.table({"x": [3]}))
    assert distinct(with_sketch(table, before)) is None


def test_an_unknown_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="y"):
        measured(table_of(tmp_path, LongType(), [1]), "y")


# -- every claim, on tables with a past ----------------------------------------------------------


@pytest.mark.parametrize("seed", range(16))
def test_every_claim_is_true_of_the_rows_that_are_visible(tmp_path: Path, seed: int) -> None:
    table = random_lake_table(seeded(seed), Lake(tmp_path), "s.t", Profile(steps=5))
    rows = table.rows()
    for name in rows.column_names:
        assert_true(measured(table, name), rows[name].combine_chunks())


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_is_true_of_what_spark_wrote(tmp_path: Path, name: str) -> None:
    lake = Lake(tmp_path)
    rows = unpack_spark_table(lake, name).head
    table = lake.load(f"spark.{name}")
    source = Source(TableName("spark", name), table.metadata, table.io, Caches())
    for column in rows.column_names:
        found = column_statistics(source, find(source, None, NOW), column)
        shown = definition_of(source, source.metadata.schema()).schema.field(column).type
        assert_true(found, rows[column].combine_chunks().cast(shown))
