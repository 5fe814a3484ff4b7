"""Rows inserted into Iceberg tables: all of them in one commit, checked, or none and nothing left."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.table import Table as Native
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.definition import described
from lakeport.catalog.iceberg.write.insert import Insert
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnavailableError,
    UnsupportedError,
)
from tests.behaviours.exact import assert_same_rows, numbered
from tests.behaviours.lake import values
from tests.catalog.iceberg.types.visible import visible_table
from tests.catalog.iceberg.write.fresh import Fresh, batch
from tests.lakes.lake import Lake
from tests.seeds import few_of
from tests.strategies import ENCODED, LEAVES, random_schema, random_table, seeded

PLAIN = pa.schema([pa.field("k", pa.int64()), pa.field("v", pa.uint8())])
SMALL = WriteOptions(
    row_group_rows=10, row_group_bytes=1 << 20, waiting_bytes=1 << 20, file_bytes=2_000
)


@pytest.mark.parametrize("seed", few_of(range(25), 12))
def test_generated_rows_come_back_exactly(fresh: Fresh, seed: int) -> None:
    rng = seeded(seed)
    table = numbered(random_table(rng, random_schema(rng), rng.choice((1, 50, 200))))
    fresh.create(table.schema)
    assert fresh.insert(table.to_batches(max_chunksize=30), options=SMALL) == table.num_rows
    assert_same_rows(visible_table(fresh.rows()), visible_table(table))
    fresh.conforms()


def test_every_type_comes_back_exactly(fresh: Fresh) -> None:
    kinds = (*LEAVES, *ENCODED)
    schema = pa.schema([pa.field(f"c{at}", kind) for at, kind in enumerate(kinds)])
    table = numbered(random_table(seeded(9), schema, 60))
    fresh.create(table.schema)
    fresh.insert(table.to_batches(max_chunksize=25), options=SMALL)
    assert_same_rows(visible_table(fresh.rows()), visible_table(table))
    fresh.conforms()


def test_many_batches_are_one_commit_of_several_files(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    rows = [batch(PLAIN, *((at * 7 + n, n) for n in range(7))) for at in range(100)]
    assert fresh.insert(rows, options=SMALL) == 700
    assert len(fresh.load().metadata.snapshots) == 1
    assert len(fresh.data_files()) > 3
    assert values(fresh.rows(), "k") == list(range(700))


def test_files_keep_their_order_wherever_a_table_puts_them(fresh: Fresh) -> None:
    fresh.create(Definition(PLAIN, properties={"write.object-storage.enabled": "true"}))
    fresh.insert([batch(PLAIN, *((n, 1) for n in range(700)))], options=SMALL)
    assert len({file.parent for file in fresh.data_files()}) > 3
    assert values(fresh.rows(), "k") == list(range(700))


def test_row_groups_are_whole_until_the_last(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    options = WriteOptions(row_group_rows=10)
    fresh.insert((batch(PLAIN, *((n, n) for n in range(7))) for _ in range(5)), options=options)
    (file,) = fresh.data_files()
    footer = pq.read_metadata(file)
    sizes = [footer.row_group(at).num_rows for at in range(footer.num_row_groups)]
    assert sizes == [10, 10, 10, 5]


def test_no_rows_make_no_commit(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    assert fresh.insert([]) == 0
    assert fresh.insert([batch(PLAIN)]) == 0
    assert fresh.load().metadata.snapshots == []
    assert fresh.data_files() == []


def test_rows_are_brought_into_the_shape_of_the_table(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    other = pa.schema([pa.field("V", pa.int32()), pa.field("K", pa.int8())])
    fresh.insert([batch(other, (7, 1))])
    fresh.insert([batch(pa.schema([pa.field("k", pa.int64())]), (2,))])
    assert fresh.rows().to_pylist() == [{"k": 1, "v": 7}, {"k": 2, "v": None}]
    with pytest.raises(InvalidRequestError, match="`v`"):
        fresh.insert([batch(other, (300, 1))])


def test_a_malformed_batch_is_refused_before_anything_reads_it(fresh: Fresh) -> None:
    fresh.create(pa.schema([pa.field("s", pa.string())]))
    offsets = pa.py_buffer(np.array([0, 1_000_000, 1], np.int32).tobytes())
    wild = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"x")])
    with pytest.raises(InvalidRequestError, match="malformed"):
        fresh.insert([pa.RecordBatch.from_arrays([wild], names=["s"])])
    assert fresh.data_files() == []


# -- the statement itself ------------------------------------------------------------------------


def test_a_statement_shows_what_it_stores(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    with fresh.table().insert() as write:
        shown = write.add(batch(pa.schema([pa.field("v", pa.int64())]), (7,)), returning=True)
        assert shown is not None
        assert shown.to_pylist() == [{"k": None, "v": 7}]
        assert write.add(batch(PLAIN, (1, 1))) is None
        done = write.commit()
    assert (done.rows, done.version) == (2, 1)
    assert done.snapshot_id == fresh.load().metadata.current_snapshot_id


def test_nothing_is_seen_before_the_commit_and_nothing_stays_after_an_abort(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    with Insert(fresh.table().source(), fresh.catalog.commits, options=SMALL) as write:
        for n in range(0, 40, 10):
            write.add(batch(PLAIN, *((n + m, 1) for m in range(10))))
        (begun, *_) = fresh.data_files()
        assert RUNNING.holds(begun.as_uri())
        assert fresh.rows().num_rows == 0
    assert fresh.data_files() == []
    assert not RUNNING.holds(begun.as_uri())
    with pytest.raises(PreconditionError, match="ended"):
        write.commit()


def test_files_that_were_committed_are_running_no_more(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 1)))
        write.commit()
        with pytest.raises(PreconditionError, match="ended"):
            write.add(batch(PLAIN, (2, 2)))
        write.abort()
    (file,) = fresh.data_files()
    assert not RUNNING.holds(file.as_uri())


def test_a_statement_that_failed_can_only_be_aborted(fresh: Fresh) -> None:
    fresh.create(RULED)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 1)))
        with pytest.raises(InvalidRequestError):
            write.add(batch(pa.schema([pa.field("nobody", pa.int64())]), (1,)))
        with pytest.raises(PreconditionError, match="ended"):
            write.commit()
    assert fresh.rows().num_rows == 0
    assert fresh.data_files() == []


def test_an_interrupted_statement_leaves_nothing(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    with pytest.raises(KeyboardInterrupt):
        fresh.insert(_failing(KeyboardInterrupt()), options=SMALL)
    with pytest.raises(RuntimeError, match="went away"):
        fresh.insert(_failing(RuntimeError("the client went away")), options=SMALL)
    assert fresh.data_files() == []
    assert fresh.load().metadata.snapshots == []


def _failing(error: BaseException) -> Iterator[pa.RecordBatch]:
    for at in range(200):
        yield batch(PLAIN, (at, 1))
    raise error


def test_a_file_that_cannot_grow_is_told_and_removed(fresh: Fresh) -> None:
    schema = pa.schema([pa.field("b", pa.binary(1_000))])
    fresh.create(schema)
    noise = np.random.default_rng(1).bytes(1_000_000)
    rows = pa.RecordBatch.from_arrays(
        [pa.Array.from_buffers(pa.binary(1_000), 1_000, [None, pa.py_buffer(noise)])],
        schema=schema,
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    options = WriteOptions(row_group_rows=100)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))
    try:
        with pytest.raises(UnavailableError, match="file too large") as caught:
            fresh.insert([rows] * 5, options=options)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.hint == "make room in the warehouse, or move it"
    assert fresh.data_files() == []
    assert fresh.insert([rows]) == 1_000


def test_a_folder_that_cannot_be_is_told(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    folder = Path(native.location().removeprefix("file://"))
    (folder / "data").write_text("in the way")
    with pytest.raises(UnavailableError, match="cannot be written") as caught:
        fresh.insert([batch(PLAIN, (1, 1))])
    assert caught.value.hint
    assert fresh.rows().num_rows == 0


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
    fresh.create(RULED)
    fresh.insert([batch(PLAIN, (1, 11), (2, None))])
    before = fresh.data_files()
    with pytest.raises(error):
        fresh.insert([batch(PLAIN, (70, 70)), batch(PLAIN, *rows)])
    assert fresh.data_files() == before
    assert fresh.rows().num_rows == 2
    assert fresh.insert([batch(PLAIN, (3, 12), (4, None))]) == 2


@pytest.mark.parametrize(
    "rule",
    [PrimaryKey(("v",)), Unique(("k", "v"), "both"), Check("v < 100", "small")],
    ids=lambda rule: rule.name,
)
def test_a_rule_whose_column_another_engine_dropped_admits_no_row(fresh: Fresh, rule: Any) -> None:
    native = fresh.create(Definition(PLAIN, (rule,)))
    with native.update_schema() as update:
        update.delete_column("v")
    with pytest.raises(PreconditionError, match=rule.name) as caught:
        fresh.insert([batch(pa.schema([pa.field("k", pa.int64())]), (1,))])
    assert caught.value.hint == "drop the constraint, or bring its columns back"
    assert fresh.rows().num_rows == 0
    assert fresh.data_files() == []


# -- other writers -------------------------------------------------------------------------------


def test_appends_do_not_conflict(fresh: Fresh) -> None:
    fresh.create(PLAIN)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 1)))
        fresh.insert([batch(PLAIN, (2, 2))])
        fresh.insert([batch(PLAIN, (3, 3))])
        assert write.commit().version == 3
    assert sorted(values(fresh.rows(), "k")) == [1, 2, 3]


def test_a_key_that_another_writer_took_meanwhile_is_refused(fresh: Fresh) -> None:
    fresh.create(RULED)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 1)))
        fresh.insert([batch(PLAIN, (1, 2))])
        with pytest.raises(KeyViolationError, match=r"PRIMARY KEY \(k\).*k = 1"):
            write.commit()
    assert fresh.rows().to_pylist() == [{"k": 1, "v": 2}]
    assert len(fresh.data_files()) == 1


def _renamed(native: Native) -> None:
    with native.update_schema() as update:
        update.rename_column("v", "w")
        update.rename_column("k", "v")


def _added(native: Native) -> None:
    with native.update_schema() as update:
        update.add_column("more", LongType())


def _ruled(native: Native) -> None:
    rule = '[{"kind":"check","name":"few","expression":"k < 100","columns":{"k":1}}]'
    with native.transaction() as transaction:
        transaction.set_properties({"lakeport.constraints": rule})


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (_renamed, {"v": 1, "w": 200}),
        (_added, {"k": 1, "v": 200, "more": None}),
        (_ruled, {"k": 1, "v": 200}),
    ],
)
def test_rows_follow_their_columns(
    fresh: Fresh, change: Callable[[Native], None], shown: dict[str, object]
) -> None:
    native = fresh.create(PLAIN)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 200)))
        change(native)
        assert write.commit().rows == 1
    assert fresh.rows().to_pylist() == [shown]
    assert len(fresh.data_files()) == 1
    fresh.conforms()


def test_rows_are_held_against_a_rule_that_came_meanwhile(fresh: Fresh) -> None:
    native = fresh.create(PLAIN)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (100, 1)))
        _ruled(native)
        with pytest.raises(ConstraintViolationError, match="few"):
            write.commit()
    assert fresh.data_files() == []


def _dropped(native: Native) -> None:
    with native.update_schema() as update:
        update.delete_column("v")


def _dropped_and_added(native: Native) -> None:
    _dropped(native)
    with native.update_schema() as update:
        update.add_column("v", LongType())


def _retyped(native: Native) -> None:
    """As another engine widens it: the word that made it unsigned no longer fits."""
    with native.update_schema() as update:
        update.update_column("v", LongType())


@pytest.mark.parametrize("change", [_dropped, _dropped_and_added, _retyped])
def test_rows_whose_column_is_another_now_have_to_come_again(
    fresh: Fresh, change: Callable[[Native], None]
) -> None:
    native = fresh.create(PLAIN)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 1)))
        change(native)
        with pytest.raises(ConflictError, match="again"):
            write.commit()
    assert fresh.data_files() == []
    assert fresh.rows().num_rows == 0


def _replaced(fresh: Fresh) -> None:
    fresh.catalog.pyiceberg.drop_table("s.t")
    fresh.create(PLAIN)


def _gone(fresh: Fresh) -> None:
    fresh.catalog.pyiceberg.drop_table("s.t")


@pytest.mark.parametrize(("change", "error"), [(_replaced, ConflictError), (_gone, NotFoundError)])
def test_rows_do_not_end_up_in_another_table_of_the_same_name(
    fresh: Fresh, change: Callable[[Fresh], None], error: type[LakeportError]
) -> None:
    fresh.create(PLAIN)
    with fresh.table().insert() as write:
        write.add(batch(PLAIN, (1, 1)))
        change(fresh)
        with pytest.raises(error):
            write.commit()
    assert fresh.data_files() == []


@pytest.mark.parametrize("version", [1, 3])
def test_other_formats_are_read_only(tmp_path: Path, version: Literal[1, 3]) -> None:
    lake = Lake(tmp_path)
    lake.create("s.old", Schema(NestedField(1, "k", LongType())), version=version)
    with (
        IcebergCatalog.open(lake.profile) as catalog,
        pytest.raises(UnsupportedError, match=f"format {version}") as caught,
    ):
        catalog.namespace("s").table("old").insert()
    assert caught.value.hint == "create one of format 2 and copy the rows"


def test_a_foreign_column_named_twice_can_be_written(fresh: Fresh) -> None:
    schema = Schema(NestedField(1, "a", LongType()), NestedField(2, "A", LongType()))
    native = fresh.catalog.pyiceberg.create_table("s.t", schema)
    shown = described(native.metadata, native.schema()).definition.schema
    assert shown.names == ["a", "A_1"]
    fresh.insert([batch(shown, (1, 2))])
    assert fresh.rows().to_pylist() == [{"a": 1, "A_1": 2}]


def test_files_are_written_as_the_table_asks(fresh: Fresh) -> None:
    asked = {"write.parquet.row-group-limit": "4", "write.parquet.compression-codec": "snappy"}
    fresh.create(Definition(PLAIN, properties=asked))
    fresh.insert([batch(PLAIN, *((n, n) for n in range(10)))])
    (file,) = fresh.data_files()
    footer = pq.read_metadata(file)
    assert footer.num_row_groups == 3
    assert footer.row_group(0).column(0).compression == "SNAPPY"
    fresh.create(Definition(PLAIN, properties={"write.parquet.compression-codec": "lzo"}), "other")
    with pytest.raises(UnsupportedError, match="lzo"):
        fresh.insert([batch(PLAIN, (1, 1))], "other")
