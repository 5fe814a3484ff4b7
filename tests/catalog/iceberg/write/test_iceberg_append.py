"""Rows appended to Iceberg tables: all of them in one commit, checked, or none and nothing left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.exceptions import CommitStateUnknownException
from pyiceberg.schema import Schema
from pyiceberg.table import Table as Native
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique
from lakeport.catalog.iceberg.create import append
from lakeport.catalog.iceberg.definition import described
from lakeport.catalog.iceberg.write.files import WriteOptions
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    PreconditionError,
    UnsupportedError,
)
from tests.behaviours.exact import assert_same_rows, numbered
from tests.behaviours.lake import values
from tests.catalog.iceberg.types.visible import visible_table
from tests.catalog.iceberg.write.fresh import Fresh, batch
from tests.lakes.lake import Lake
from tests.strategies import random_schema, random_table, seeded

PLAIN = pa.schema([pa.field("k", pa.int64()), pa.field("v", pa.uint8())])
SMALL = WriteOptions(
    row_group_rows=10, row_group_bytes=1 << 20, waiting_bytes=1 << 20, file_bytes=2_000
)


@pytest.mark.parametrize("seed", range(25))
def test_generated_rows_come_back_exactly(fresh: Fresh, seed: int) -> None:
    rng = seeded(seed)
    table = numbered(random_table(rng, random_schema(rng), rng.choice((1, 50, 200))))
    native = fresh.create(table.schema)
    assert append(native, table.to_batches(), SMALL) == table.num_rows
    assert_same_rows(visible_table(fresh.rows()), visible_table(table))


def test_many_batches_are_one_commit_of_several_files(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    rows = [batch(PLAIN, *((at * 7 + n, n) for n in range(7))) for at in range(100)]
    assert append(native, rows, SMALL) == 700
    assert len(native.metadata.snapshots) == 1
    assert len(fresh.data_files()) > 3
    assert sorted(values(fresh.rows(), "k")) == list(range(700))


def test_row_groups_are_whole_until_the_last(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    options = WriteOptions(row_group_rows=10)
    append(native, (batch(PLAIN, *((n, n) for n in range(7))) for _ in range(5)), options)
    (file,) = fresh.data_files()
    footer = pq.read_metadata(file)
    sizes = [footer.row_group(at).num_rows for at in range(footer.num_row_groups)]
    assert sizes == [10, 10, 10, 5]


def test_no_rows_make_no_commit(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    assert append(native, []) == 0
    assert append(native, [batch(PLAIN)]) == 0
    assert native.metadata.snapshots == []
    assert fresh.data_files() == []


def test_rows_are_brought_into_the_shape_of_the_table(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    other = pa.schema([pa.field("V", pa.int32()), pa.field("K", pa.int8())])
    append(native, [batch(other, (7, 1))])
    append(native, [batch(pa.schema([pa.field("k", pa.int64())]), (2,))])
    assert fresh.rows().to_pylist() == [{"k": 1, "v": 7}, {"k": 2, "v": None}]
    with pytest.raises(InvalidRequestError, match="`v`"):
        append(native, [batch(other, (300, 1))])


# -- rules ---------------------------------------------------------------------------------------


RULED = Definition(
    PLAIN, (PrimaryKey(("k",)), Unique(("v",), "one_v"), Check("v < 100 OR k < 0", "small"))
)


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([(None, 1)], ConstraintViolationError),
        ([(5, 100)], ConstraintViolationError),
        ([(5, 5), (5, 6)], KeyViolationError),
        ([(1, 50)], KeyViolationError),
        ([(5, 11)], KeyViolationError),
        ([(5, 5), (6, 5)], KeyViolationError),
    ],
)
def test_rows_that_break_a_rule_are_refused_and_leave_nothing(
    fresh: Fresh, rows: list[tuple[object, ...]], error: type[Exception]
) -> None:
    native = fresh.create(RULED)
    append(native, [batch(PLAIN, (1, 11), (2, None))])
    before = fresh.data_files()
    with pytest.raises(error):
        append(native, [batch(PLAIN, (70, 70)), batch(PLAIN, *rows)])
    assert fresh.data_files() == before
    assert fresh.rows().num_rows == 2
    assert append(native, [batch(PLAIN, (3, 12), (4, None))]) == 2


def test_keys_are_compared_with_the_rows_at_the_head(fresh: Fresh) -> None:
    native, stale = fresh.create(RULED), fresh.load()
    append(native, [batch(PLAIN, (1, 11))])
    with pytest.raises(KeyViolationError):
        append(stale, [batch(PLAIN, (1, 12))])


def test_a_key_whose_column_another_engine_dropped_admits_no_row(fresh: Fresh) -> None:
    native = fresh.create(Definition(PLAIN, (Unique(("v",), "one_v"),)))
    with native.update_schema() as update:
        update.delete_column("v")
    with pytest.raises(PreconditionError, match="one_v"):
        append(native, [batch(pa.schema([pa.field("k", pa.int64())]), (1,))])
    assert fresh.rows().num_rows == 0


# -- other writers -------------------------------------------------------------------------------


def racing(
    native: Native, rows: pa.RecordBatch, *others: pa.RecordBatch
) -> Iterator[pa.RecordBatch]:
    """Another writer commits while these rows are being written."""
    yield rows
    for other in others:
        append(native, [other])


def test_appends_do_not_conflict(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    mine = batch(PLAIN, (1, 1))
    theirs = [batch(PLAIN, (at, at)) for at in (2, 3)]
    append(native, racing(fresh.load(), mine, *theirs))
    assert sorted(values(fresh.rows(), "k")) == [1, 2, 3]
    assert len(native.metadata.snapshots) == 3


def test_a_key_that_another_writer_took_meanwhile_is_refused(fresh: Fresh) -> None:
    native = fresh.create(RULED)
    with pytest.raises(KeyViolationError):
        append(native, racing(fresh.load(), batch(PLAIN, (1, 1)), batch(PLAIN, (1, 2))))
    assert fresh.rows().to_pylist() == [{"k": 1, "v": 2}]


def altering(native: Native, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    yield rows
    with native.update_schema() as update:
        update.delete_column("v")


def test_rows_that_were_checked_against_other_columns_are_not_committed(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    with pytest.raises(ConflictError, match="columns or constraints"):
        append(native, altering(fresh.load(), batch(PLAIN, (1, 1))))
    assert fresh.data_files() == []


def replacing(fresh: Fresh, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    yield rows
    fresh.catalog.pyiceberg.drop_table("s.t")
    fresh.create(PLAIN)


def test_rows_do_not_end_up_in_another_table_of_the_same_name(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    with pytest.raises(ConflictError, match="replaced"):
        append(native, replacing(fresh, batch(PLAIN, (1, 1))))
    assert fresh.rows().num_rows == 0


def failing() -> Iterator[pa.RecordBatch]:
    for at in range(200):
        yield batch(PLAIN, (at, 1))
    message = "the client went away"
    raise RuntimeError(message)


def test_a_source_that_fails_leaves_nothing(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    with pytest.raises(RuntimeError, match="went away"):
        append(native, failing(), SMALL)
    assert fresh.data_files() == []
    assert native.metadata.snapshots == []


@pytest.mark.parametrize("version", [1, 3])
def test_other_formats_are_read_only(tmp_path: Path, version: Literal[1, 3]) -> None:
    lake = Lake(tmp_path)
    lake.create("s.old", Schema(NestedField(1, "k", LongType())), version=version)
    with pytest.raises(UnsupportedError, match=f"format {version}"):
        append(lake.load("s.old"), [batch(pa.schema([pa.field("k", pa.int64())]), (1,))])


def test_a_foreign_column_named_twice_can_be_written(fresh: Fresh) -> None:
    schema = Schema(NestedField(1, "a", LongType()), NestedField(2, "A", LongType()))
    native = fresh.catalog.pyiceberg.create_table("s.t", schema)
    shown = described(native.metadata, native.schema()).definition.schema
    assert shown.names == ["a", "A_1"]
    append(native, [batch(shown, (1, 2))])
    assert fresh.rows().to_pylist() == [{"a": 1, "A_1": 2}]


def test_files_are_written_as_the_table_asks(fresh: Fresh) -> None:
    asked = {"write.parquet.row-group-limit": "4", "write.parquet.compression-codec": "snappy"}
    native = fresh.create(Definition(PLAIN, properties=asked))
    append(native, [batch(PLAIN, *((n, n) for n in range(10)))])
    (file,) = fresh.data_files()
    footer = pq.read_metadata(file)
    assert footer.num_row_groups == 3
    assert footer.row_group(0).column(0).compression == "SNAPPY"
    other = fresh.create(
        Definition(PLAIN, properties={"write.parquet.compression-codec": "lzo"}), "other"
    )
    with pytest.raises(UnsupportedError, match="lzo"):
        append(other, [batch(PLAIN, (1, 1))])


def test_files_stay_when_nobody_knows_whether_they_were_committed(
    fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = fresh.create(PLAIN)
    commit = type(native.catalog).commit_table

    def lost(*arguments: Any) -> Any:
        commit(*arguments)
        raise CommitStateUnknownException

    monkeypatch.setattr(type(native.catalog), "commit_table", lost)
    with pytest.raises(CommitStateUnknownException):
        append(native, [batch(PLAIN, (1, 1))])
    assert fresh.rows().to_pylist() == [{"k": 1, "v": 1}]


def test_the_table_is_left_at_the_state_it_produced(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    append(native, [batch(PLAIN, (1, 1))])
    assert native.metadata_location == fresh.load().metadata_location
    assert native.metadata == fresh.load().metadata
    assert "commit.retry.num-retries" not in native.properties
