"""Compaction: the same rows in fewer files, whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest, Write
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.catalog.upkeep import Compacted, Policy
from lakeport.core.errors import ConflictError, ExpiredError
from lakeport.core.timepoint import AtSnapshot
from tests.catalog.iceberg.upkeep.made import (
    BY_GROUP,
    KEY,
    SCHEMA,
    Interrupting,
    keys,
    some,
    written,
)
from tests.catalog.iceberg.upkeep.readers import (
    EVERYTHING,
    SMALL,
    assert_conforming,
    assert_others_agree,
    every_snapshot,
    opened,
    rows,
)
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake


def data_files(table: IcebergTable) -> int:
    return table.due()[1].numbers["data_files"]


def delete_files(table: IcebergTable) -> int:
    return table.due()[1].numbers["delete_files"]


# -- what is rewritten ---------------------------------------------------------------------------


def test_small_files_become_one_and_keep_their_order(lake: Lake) -> None:
    written(lake, *(some(n, n + 100) for n in range(10)))
    with opened(lake, "s.t") as table:
        before = keys(table)
        done = table.compact()
        assert (done.rewritten, done.written, done.rows, done.skipped) == (10, 1, 20, 0)
        assert keys(table) == before
        assert table.history()[-1].operation == "replace"
        assert done.versions == (11,)
    assert_conforming(lake, "s.t", done.versions)


def test_few_small_files_are_left_alone(lake: Lake) -> None:
    written(lake, *(some(n) for n in range(5)))
    with opened(lake, "s.t") as table:
        assert table.compact() == Compacted()
        assert table.state().version == 5
        assert table.compact(Policy(small_files=5)).rewritten == 5


def test_files_of_different_partitions_are_not_joined(
    lake: Lake, duckdb_reader: DuckDBReader
) -> None:
    batches = [some(n, group=group) for n in range(3) for group in "ab"]
    written(lake, *batches, spec=BY_GROUP)
    with opened(lake, "s.t") as table:
        expected = rows(table)
        done = table.compact(Policy(small_files=3))
        assert (done.rewritten, done.written, len(done.versions)) == (6, 2, 1)
        assert rows(table) == expected
        assert table.compact(EVERYTHING) == Compacted()
    assert_others_agree(lake, "s.t", duckdb_reader, expected)
    assert_conforming(lake, "s.t", done.versions)


def test_large_files_are_left_alone(lake: Lake) -> None:
    table = lake.create("s.t", SCHEMA, properties={"write.target-file-size-bytes": "400"})
    for n in range(10):
        table.append(some(n))
    with opened(lake, "s.t") as ours:
        assert ours.compact(EVERYTHING) == Compacted()


def test_position_deletes_are_written_out(lake: Lake, duckdb_reader: DuckDBReader) -> None:
    table = written(lake, some(*range(20)), some(*range(20, 40)))
    assert table.head is not None
    first, second = (file.path for file in table.head.files)
    table.commit(add=table.position_deletes({first: [1, 2, 3], second: [0]}))
    with opened(lake, "s.t") as ours:
        expected = rows(ours)
        done = ours.compact(Policy(deleted_share=0.1))
        # The other one has few deleted rows, but is small and comes along.
        assert (done.rewritten, done.written, done.deletes) == (2, 1, 1)
        assert (data_files(ours), delete_files(ours)) == (1, 0)
        assert rows(ours) == expected
    assert_others_agree(lake, "s.t", duckdb_reader, expected)
    assert_conforming(lake, "s.t", done.versions)


def test_a_delete_file_without_bounds_does_not_outlive_its_data_files(lake: Lake) -> None:
    """By its partition alone it might be about any file, also about the one just written."""
    table = written(lake, some(1, 2), some(3, 4))
    assert table.head is not None
    paths = {file.path: [0] for file in table.head.files}
    table.commit(add=table.position_deletes(paths, bounds=False))
    with opened(lake, "s.t") as ours:
        assert ours.compact(EVERYTHING).deletes == 1
        assert sorted(keys(ours)) == [2, 4]
        assert delete_files(ours) == 0
        assert ours.compact(EVERYTHING) == Compacted()


def test_few_deleted_rows_are_no_reason(lake: Lake) -> None:
    table = written(lake, some(*range(100)))
    assert table.head is not None
    table.commit(add=table.position_deletes({table.head.files[0].path: [7]}))
    with opened(lake, "s.t") as ours:
        assert ours.compact() == Compacted()
        assert ours.compact(Policy(delete_files=1)).rewritten == 1
        assert delete_files(ours) == 0


def test_equality_deletes_are_applied(lake: Lake, duckdb_reader: DuckDBReader) -> None:
    table = written(lake, some(1, 2, 3), some(3, 4))
    table.commit(add=[table.equality_deletes(some(2, 3).select(["k"]), [KEY])])
    table.append(some(3, 5))  # newer than the delete: 3 stays
    with opened(lake, "s.t") as ours:
        expected = rows(ours)
        done = ours.compact()
        assert (done.rewritten, done.deletes) == (3, 1)
        assert rows(ours) == expected
        assert sorted(keys(ours)) == [1, 3, 4, 5]
        assert delete_files(ours) == 0
    assert_others_agree(lake, "s.t", duckdb_reader, expected)


def test_a_file_whose_rows_are_all_gone_leaves_nothing(lake: Lake) -> None:
    table = written(lake, some(1, 2))
    assert table.head is not None
    table.commit(add=table.position_deletes({table.head.files[0].path: [0, 1]}))
    with opened(lake, "s.t") as ours:
        done = ours.compact()
        assert (done.rewritten, done.written, done.deletes) == (1, 0, 1)
        assert rows(ours) == []
        assert (data_files(ours), delete_files(ours)) == (0, 0)


def test_delete_files_that_apply_to_nothing_are_taken_out(lake: Lake) -> None:
    table = written(lake, some(1, 2), some(3))
    assert table.head is not None
    gone = table.head.files[0]
    table.commit(add=table.position_deletes({gone.path: [0]}))
    table.commit(remove=[gone])
    with opened(lake, "s.t") as ours:
        expected = rows(ours)
        assert delete_files(ours) == 1
        done = ours.compact()
        assert (done.rewritten, done.deletes, len(done.versions)) == (0, 1, 1)
        assert delete_files(ours) == 0
        assert rows(ours) == expected
    assert_conforming(lake, "s.t", done.versions)


def test_files_under_an_old_spec_move_to_the_current_one(
    lake: Lake, duckdb_reader: DuckDBReader
) -> None:
    table = written(lake, some(1, group="a"), some(2, group="b"))
    table.respec(*BY_GROUP.fields)
    table.append(some(3, group="b"))
    with opened(lake, "s.t") as ours:
        expected = rows(ours)
        done = ours.compact(EVERYTHING)
        assert done.rewritten >= 2
        assert rows(ours) == expected
        specs = {task.file.spec_id for task in lake.load("s.t").scan().plan_files()}
        assert specs == {1}
        ours.compact(EVERYTHING)
        assert data_files(ours) == 2
    assert_others_agree(lake, "s.t", duckdb_reader, expected)
    assert_conforming(lake, "s.t", done.versions)


def test_an_empty_table_needs_nothing(lake: Lake) -> None:
    written(lake)
    with opened(lake, "s.t") as table:
        assert table.compact(EVERYTHING) == Compacted()
        assert not any(due.is_due for due in table.due(EVERYTHING))


# -- in several commits --------------------------------------------------------------------------


def sized(lake: Lake, files: int) -> Policy:
    """Groups that take so many of the table's files, which are all of about one size."""
    sizes = [task.file.file_size_in_bytes for task in lake.load("s.t").scan().plan_files()]
    return replace(EVERYTHING, group_bytes=files * max(sizes))


def test_each_group_is_a_commit_of_its_own(lake: Lake, duckdb_reader: DuckDBReader) -> None:
    written(lake, *(some(n, group="abc"[n % 3]) for n in range(9)), spec=BY_GROUP)
    with opened(lake, "s.t") as table:
        expected = rows(table)
        done = table.compact(sized(lake, 3))
        assert done.versions == (10, 11, 12)
        assert (done.rewritten, done.written) == (9, 3)
        assert rows(table) == expected
        assert every_snapshot(table)[table.history()[-2].snapshot_id] == expected
    assert_others_agree(lake, "s.t", duckdb_reader, expected)
    assert_conforming(lake, "s.t", done.versions)


def test_a_partition_too_large_for_a_group_takes_several(lake: Lake) -> None:
    written(lake, *(some(n) for n in range(7)))
    with opened(lake, "s.t") as table:
        before = keys(table)
        done = table.compact(sized(lake, 2))
        assert (len(done.versions), done.rewritten, done.written) == (4, 7, 4)
        assert sorted(keys(table)) == sorted(before)


def test_a_commit_between_two_groups_makes_the_rest_planned_again(lake: Lake) -> None:
    written(lake, *(some(n, group="abc"[n % 3]) for n in range(9)), spec=BY_GROUP)
    policy = sized(lake, 3)
    clock = Interrupting()
    with (
        opened(lake, "s.t") as other,
        IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog,
    ):
        table = catalog.namespace("s").table("t")
        clock.waiting += [
            lambda: None,
            lambda: delete_where(other, "k IN (1, 4)"),
            lambda: insert_rows(other, some(99, group="c")),
        ]
        done = table.compact(policy)
        assert done.skipped == 0
        assert sorted(keys(other)) == [0, 2, 3, 5, 6, 7, 8, 99]
        assert not list(other.orphans(grace=0))


# -- who comes in between ------------------------------------------------------------------------


def compacted_while(
    lake: Lake, *actions: Callable[[], object]
) -> tuple[Compacted, list[tuple[str, ...]]]:
    clock = Interrupting()
    with IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog:
        table = catalog.namespace("s").table("t")
        clock.waiting += actions
        done = table.compact(EVERYTHING)
        clock.waiting.clear()
        return done, rows(table)


def test_rows_appended_meanwhile_stay(lake: Lake) -> None:
    written(lake, some(1), some(2))
    with opened(lake, "s.t") as other:
        done, found = compacted_while(lake, lambda: insert_rows(other, some(3)))
        assert (done.rewritten, done.skipped) == (2, 0)
        assert found == rows(other)
        assert sorted(keys(other)) == [1, 2, 3]


def test_rows_deleted_meanwhile_stay_deleted(lake: Lake, duckdb_reader: DuckDBReader) -> None:
    written(lake, some(1, 2), some(3, 4))
    with opened(lake, "s.t") as other:
        done, found = compacted_while(lake, lambda: delete_where(other, "k = 2"))
        assert sorted(keys(other)) == [1, 3, 4]
        assert done.skipped == 0
        assert data_files(other) == 1
    assert_others_agree(lake, "s.t", duckdb_reader, found)


def test_a_file_that_leaves_meanwhile_is_not_brought_back(lake: Lake) -> None:
    written(lake, some(1), some(2), some(3))
    with opened(lake, "s.t") as other:
        compacted_while(lake, lambda: delete_where(other, "k = 2"))
        assert sorted(keys(other)) == [1, 3]


def test_rows_updated_meanwhile_keep_their_new_values(lake: Lake) -> None:
    written(lake, some(1), some(2))
    with opened(lake, "s.t") as other:
        compacted_while(lake, lambda: update_where(other, {"k": "20"}, "k = 2"))
        assert sorted(keys(other)) == [1, 20]


def test_equality_deletes_committed_meanwhile_still_apply(
    lake: Lake, duckdb_reader: DuckDBReader
) -> None:
    """The new files are as old as the rows in them: no second plan, and no row comes back."""
    table = written(lake, some(1, 2), some(2, 3))

    def upserting() -> None:
        delete = table.equality_deletes(some(2).select(["k"]), [KEY])
        table.commit(add=[delete, *table.data_files(some(2))])

    done, found = compacted_while(lake, upserting)
    assert (done.rewritten, done.written, done.deletes) == (2, 1, 0)
    with opened(lake, "s.t") as ours:
        assert sorted(keys(ours)) == [1, 2, 3]
        assert ours.compact(EVERYTHING).deletes == 1
        assert sorted(keys(ours)) == [1, 2, 3]
    assert_others_agree(lake, "s.t", duckdb_reader, found)


def test_a_table_that_never_rests_is_left_after_a_while(lake: Lake) -> None:
    written(lake, *(some(n, n + 100) for n in range(30)))
    with opened(lake, "s.t") as other:
        actions = [lambda n=n: delete_where(other, f"k = {n}") for n in range(20)]
        done, found = compacted_while(lake, *actions)
        assert (done.skipped, done.rewritten) == (1, 0)
        assert found == rows(other)
        assert not list(other.orphans(grace=0))


def test_a_table_that_was_emptied_meanwhile_stays_empty(lake: Lake) -> None:
    written(lake, some(1), some(2))
    with opened(lake, "s.t") as other:
        done, found = compacted_while(lake, lambda: delete_where(other, None))
        assert found == []
        assert done.written == 0


def test_what_expired_meanwhile_is_planned_again(lake: Lake) -> None:
    """The files that were planned are gone from the disk: another compaction replaced them."""
    written(lake, *(some(n) for n in range(4)))
    with opened(lake, "s.t") as other, opened(lake, "s.t") as slow:
        stale = slow.source()

        def overtaking() -> None:
            other.compact(EVERYTHING)
            other.expire(keep=1)

        overtaking()
        assert stale.metadata.current_snapshot_id != other.state().snapshot_id
        done, found = compacted_while(lake, overtaking)
        assert found == rows(other)
        assert done.skipped == 0


def added_and_committed(statement: Write, batch: pa.RecordBatch) -> None:
    with statement:
        statement.add(batch)
        statement.commit()


# -- row ids -------------------------------------------------------------------------------------


def test_a_row_id_from_before_fails_and_hits_no_other_row(lake: Lake) -> None:
    written(lake, *(some(n) for n in range(4)))
    with opened(lake, "s.t") as table:
        with read(table, ScanRequest(row_ids=True)) as stream:
            batch = stream.read_all().combine_chunks().to_batches()[0]
        ids = batch.select([batch.schema.names[-1]])
        with table.delete() as statement:
            statement.add(ids.slice(0, 1))
            table.compact(EVERYTHING)
            with pytest.raises(ConflictError):
                statement.commit()
        assert sorted(keys(table)) == [0, 1, 2, 3]
        table.expire(keep=1)
        late = table.delete()
        with pytest.raises(ExpiredError):
            added_and_committed(late, ids.slice(0, 1))
        assert sorted(keys(table)) == [0, 1, 2, 3]


def test_the_past_stays_readable(lake: Lake) -> None:
    table = written(lake, some(1), some(2))
    assert table.head is not None
    past = table.head.ident
    with opened(lake, "s.t") as ours:
        before = rows(ours, AtSnapshot(past))
        ours.compact(EVERYTHING)
        assert rows(ours, AtSnapshot(past)) == before
