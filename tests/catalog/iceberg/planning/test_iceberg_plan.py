"""Plans: splits of about the same size, early ends, empty points, and nothing read twice."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, Op
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.timepoint import AtSnapshot, AtVersion
from tests.catalog.iceberg.manifests.test_manifest_decoding import SCHEMA, rows
from tests.catalog.iceberg.planning.planned import inventory, plan, planned_paths, source_of
from tests.lakes.lake import Lake
from tests.lakes.manifests import FileEntry
from tests.lakes.table import LakeTable


def sized(tmp_path: Path, *sizes: int, rows: int = 5, manifests: int = 1) -> LakeTable:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    entries = [FileEntry(f"f{at:03}", 0, (), rows, size) for at, size in enumerate(sizes)]
    table.commit(add=entries, manifests=manifests)
    return table


def split_sizes(table: LakeTable, split_bytes: int) -> list[list[int]]:
    source = source_of(table, options=ReadOptions(split_bytes=split_bytes))
    held = inventory(source)
    return [[held.file(part).bytes for part in split.parts] for split in plan(source).splits]


def test_small_files_share_a_split(tmp_path: Path) -> None:
    assert split_sizes(sized(tmp_path, 10, 10, 10, 10), 20) == [[10, 10], [10, 10]]


def test_a_large_file_is_a_split_of_its_own(tmp_path: Path) -> None:
    assert split_sizes(sized(tmp_path, 1, 1, 100, 1, 1), 50) == [[1, 1], [100], [1, 1]]


@settings(derandomize=True, max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 100), min_size=1, max_size=30), split_bytes=st.integers(1, 200)
)
def test_splits_hold_every_file_once_and_are_balanced(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], split_bytes: int
) -> None:
    splits = split_sizes(sized(tmp_path_factory.mktemp("lake"), *sizes), split_bytes)
    assert [size for split in splits for size in split] == sizes
    shares = max(1, -(-sum(sizes) // split_bytes))
    assert len(splits) <= shares
    assert max(map(sum, splits)) <= sum(sizes) / shares + max(sizes)


def test_estimates_tell_rows_and_bytes_of_what_is_read(tmp_path: Path) -> None:
    source = source_of(sized(tmp_path, 10, 20, 30))
    assert (plan(source).rows, plan(source).bytes) == (15, 60)
    assert plan(source, ScanRequest(limit=7)).rows == 7


def test_a_limit_reads_no_more_files_than_it_needs(tmp_path: Path) -> None:
    table = sized(tmp_path, *[10] * 12, manifests=6)
    source = source_of(table)
    assert len(planned_paths(source, ScanRequest(limit=10))) == 2
    assert len(source.caches.manifests) == 1
    assert len(planned_paths(source, ScanRequest(limit=11))) == 3
    assert len(source.caches.manifests) == 3
    assert len(planned_paths(source, ScanRequest(limit=1000))) == 12


def test_a_limit_counts_only_rows_that_are_left_for_sure(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    for key in range(4):
        table.append(rows(key, key + 10))
    assert table.head is not None
    paths = [manifest.entries[0][1].path for manifest in reversed(table.head.manifests)]
    table.commit(add=table.position_deletes({paths[0]: [0, 1]}))
    table.commit(add=[table.equality_deletes(pa.table({"k": [1]}), [SCHEMA.fields[0]])])
    kept = planned_paths(source_of(table), ScanRequest(limit=2))
    assert kept == set(paths), "an equality delete may have removed any row"


def test_a_limit_with_a_condition_keeps_every_possible_file(tmp_path: Path) -> None:
    source = source_of(sized(tmp_path, *[10] * 4))
    predicate = Compare("k", Op.EQ, pa.scalar(1))
    assert len(planned_paths(source, ScanRequest(predicate=predicate, limit=1))) == 4


def test_a_limit_of_nothing_reads_nothing(tmp_path: Path) -> None:
    source = source_of(sized(tmp_path, 10))
    found = plan(source, ScanRequest(limit=0))
    assert (found.splits, found.rows, found.bytes) == ((), 0, 0)
    assert len(source.caches.listings) == 0


def test_a_table_without_a_snapshot_has_an_empty_plan(tmp_path: Path) -> None:
    found = plan(source_of(Lake(tmp_path).create("s.t", SCHEMA)))
    assert (found.splits, found.state.snapshot_id, found.state.version) == ((), None, 0)
    assert found.schema.names == ["k", "name", "x"]


def test_files_without_rows_are_not_read(tmp_path: Path) -> None:
    assert plan(source_of(sized(tmp_path, 10, 10, rows=0))).splits == ()


def test_no_columns_is_a_plan_that_counts(tmp_path: Path) -> None:
    found = plan(source_of(sized(tmp_path, 10)), ScanRequest(columns=()))
    assert found.schema.names == []
    assert found.rows == 5


def test_a_request_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    source = source_of(sized(tmp_path, 10))
    with pytest.raises(NotFoundError, match="nam"):
        plan(source, ScanRequest(columns=("nam",)))
    with pytest.raises(InvalidRequestError, match="negative"):
        plan(source, ScanRequest(limit=-1))
    assert len(source.caches.listings) == 0


def test_a_plan_of_the_past_names_that_snapshot(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    before = table.append(rows(1))
    table.append(rows(2))
    for point in (AtSnapshot(before.ident), AtVersion(1)):
        found = plan(source_of(table), ScanRequest(at=point))
        assert {split.snapshot_id for split in found.splits} == {before.ident}
        assert (found.rows, found.state.version) == (1, 1)


def test_what_snapshots_share_is_read_once(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    before = table.append(rows(1))
    table.append(rows(2))
    caches = Caches()
    source = source_of(table, caches=caches)
    predicate = Compare("k", Op.EQ, pa.scalar(1))
    plan(source, ScanRequest(predicate=predicate))
    held = len(caches.manifests), len(caches.bounds)
    assert held == (2, 2)
    plan(source, ScanRequest(predicate=predicate, at=AtSnapshot(before.ident)))
    assert (len(caches.manifests), len(caches.bounds)) == held


def test_a_cache_that_holds_nothing_changes_nothing(tmp_path: Path) -> None:
    table = sized(tmp_path, 10, 20, 30, manifests=2)
    predicate = Compare("k", Op.EQ, pa.scalar(1))
    request = ScanRequest(predicate=predicate)
    small = plan(source_of(table, caches=Caches(0)), request)
    assert small.splits == plan(source_of(table), request).splits
