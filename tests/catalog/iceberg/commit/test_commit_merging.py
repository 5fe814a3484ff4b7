"""Many small commits: the manifest list stays short, and no file is lost, doubled or aged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.manifest import ManifestContent, ManifestFile
from pyiceberg.table import Table

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Effect
from lakeport.catalog.iceberg.commit.merging import FAN, size_class
from tests.catalog.iceberg.commit.members import (
    NAME,
    Statement,
    commit,
    head,
    ids_in,
    insert,
    new_table,
    write_deletes,
    write_rows,
)
from tests.lakes.conformance import assert_conforms


def loaded(catalog: IcebergCatalog) -> Table:
    return catalog.pyiceberg.load_table((NAME.namespace, NAME.table))


def manifests(catalog: IcebergCatalog) -> list[ManifestFile]:
    source = head(catalog)
    snapshot = source.metadata.current_snapshot()
    assert snapshot is not None
    return snapshot.manifests(source.io)


@given(st.integers(1, FAN**4))
def test_a_class_holds_manifests_of_like_size(count: int) -> None:
    assert FAN ** size_class(count) <= count < FAN ** (size_class(count) + 1)


def test_the_list_of_many_small_commits_stays_short(catalog: IcebergCatalog) -> None:
    fan, commits = 3, 40  # three classes and a few of the fourth
    source = new_table(catalog, properties={"commit.manifest.min-count-to-merge": str(fan)})
    longest = 0
    for number in range(commits):
        commit(catalog, source, insert(source, [number]))
        longest = max(longest, len(manifests(catalog)))
    assert longest <= 4 * fan
    assert ids_in(catalog) == list(range(commits))
    assert_conforms(loaded(catalog).metadata_location)


def test_a_merged_file_keeps_its_numbers(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    for number in range(FAN + 2):
        commit(catalog, source, insert(source, [number]))
    snapshots = {
        each.snapshot_id: each.sequence_number for each in head(catalog).metadata.snapshots
    }
    entries = loaded(catalog).inspect.entries().to_pylist()
    assert len(entries) == FAN + 2
    assert len({entry["sequence_number"] for entry in entries}) == FAN + 2
    for entry in entries:
        assert entry["sequence_number"] == snapshots[entry["snapshot_id"]]
        assert entry["file_sequence_number"] == entry["sequence_number"]


def test_manifests_of_deletes_are_merged_apart_and_still_apply(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    file = write_rows(source, range(2 * FAN))
    commit(catalog, source, Statement(Effect(added=(file,))))
    for position in range(FAN + 3):
        deletes = write_deletes(source, file, [position])
        commit(catalog, source, Statement(Effect(rows=1, deletes=(deletes,))))
    kinds = [manifest.content for manifest in manifests(catalog)]
    assert kinds.count(ManifestContent.DATA) == 1
    assert kinds.count(ManifestContent.DELETES) < FAN
    assert ids_in(catalog) == list(range(FAN + 3, 2 * FAN))
    assert_conforms(loaded(catalog).metadata_location)


def test_files_leave_a_merged_manifest(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    files = [write_rows(source, [number]) for number in range(FAN + 4)]
    for file in files:
        commit(catalog, source, Statement(Effect(rows=1, added=(file,))))
    gone = frozenset(file.file_path for file in files[::2])
    commit(catalog, source, Statement(Effect(removed=gone)))
    assert ids_in(catalog) == list(range(1, FAN + 4, 2))
    assert_conforms(loaded(catalog).metadata_location)


def test_manifests_that_are_emptied_together_become_one(catalog: IcebergCatalog) -> None:
    """As by compaction: whoever reads all manifests of the snapshot does not read dozens of empty ones."""
    source = new_table(catalog)
    files = [write_rows(source, [number]) for number in range(FAN - 2)]
    for file in files:
        commit(catalog, source, Statement(Effect(rows=1, added=(file,))))
    gone = frozenset(file.file_path for file in files)
    joined = write_rows(source, range(FAN - 2))
    commit(catalog, source, Statement(Effect(removed=gone, added=(joined,))))
    holding = sorted(
        (each.added_files_count or 0, each.deleted_files_count or 0) for each in manifests(catalog)
    )
    assert holding == [(0, FAN - 2), (1, 0)]
    assert ids_in(catalog) == list(range(FAN - 2))
    assert_conforms(loaded(catalog).metadata_location)
    commit(catalog, source, insert(source, [100]))
    assert all(each.has_added_files() or each.has_existing_files() for each in manifests(catalog))


def test_old_snapshots_read_what_they_read_before(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    for number in range(FAN + 2):
        commit(catalog, source, insert(source, [number]))
    table = loaded(catalog)
    for count, snapshot in enumerate(table.metadata.snapshots, start=1):
        scan = table.scan(snapshot_id=snapshot.snapshot_id)
        assert sum(task.file.record_count for task in scan.plan_files()) == count


def test_manifests_of_other_writers_are_merged_without_loss(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    rows = loaded(catalog).scan().to_arrow().schema.empty_table()
    for number in range(FAN):
        table = loaded(catalog)
        table.append(rows.from_pylist([{"id": number, "region": "x"}], schema=rows.schema))
    before = {
        entry["data_file"]["file_path"]: entry["data_file"]
        for entry in loaded(catalog).inspect.entries().to_pylist()
    }
    for number in (100, 101):
        commit(catalog, source, insert(source, [number]))
    after = {
        entry["data_file"]["file_path"]: entry["data_file"]
        for entry in loaded(catalog).inspect.entries().to_pylist()
    }
    assert len(manifests(catalog)) < FAN
    assert {path: after[path] for path in before} == before


def test_a_table_may_refuse_merging(catalog: IcebergCatalog) -> None:
    source = new_table(catalog, properties={"commit.manifest-merge.enabled": "false"})
    for number in range(FAN + 3):
        commit(catalog, source, insert(source, [number]))
    assert len(manifests(catalog)) == FAN + 3
