"""Joining manifests changes how files are listed, and nothing else."""

from __future__ import annotations

from pyiceberg.manifest import ManifestEntryStatus

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.statements import insert_rows
from lakeport.catalog.upkeep import Policy, Regrouped, Task
from lakeport.core.timepoint import AtSnapshot
from tests.catalog.iceberg.upkeep.made import BY_GROUP, KEY, Interrupting, keys, some, written
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

Numbers = tuple[int | None, int | None]


def numbers(lake: Lake) -> dict[str, Numbers]:
    """Of every file at the head: the snapshot that added it, and its sequence number."""
    table = lake.load("s.t")
    snapshot = table.current_snapshot()
    assert snapshot is not None
    return {
        entry.data_file.file_path: (entry.snapshot_id, entry.sequence_number)
        for manifest in snapshot.manifests(table.io)
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True)
    }


def test_many_manifests_become_one_with_the_same_entries(
    lake: Lake, duckdb_reader: DuckDBReader
) -> None:
    written(lake, *(some(n) for n in range(12)))
    before = numbers(lake)
    with opened(lake, "s.t") as table:
        past, expected = every_snapshot(table), rows(table)
        done = table.rewrite_manifests(Policy(manifests=10))
        assert done == Regrouped((13,), 12, 1)
        assert numbers(lake) == before
        assert rows(table) == expected
        assert {ident: rows(table, AtSnapshot(ident)) for ident in past} == past
        newest = table.history()[-1]
        assert newest.operation == "replace"
        assert newest.summary["manifests-replaced"] == "12"
        assert table.rewrite_manifests(EVERYTHING) == Regrouped((), 1, 1)
    assert_others_agree(lake, "s.t", duckdb_reader, expected)
    assert_conforming(lake, "s.t", done.versions)


def test_few_manifests_are_not_due(lake: Lake) -> None:
    written(lake, *(some(n) for n in range(5)))
    with opened(lake, "s.t") as table:
        (due,) = table.due(Policy(manifests=5), [Task.MANIFESTS])
        assert (due.is_due, due.numbers) == (False, {"manifests": 5, "small": 0})
        assert table.rewrite_manifests(Policy(manifests=5)) == Regrouped((), 5, 5)
        (due,) = table.due(Policy(manifests=4), [Task.MANIFESTS])
        assert (due.is_due, due.numbers) == (True, {"manifests": 5, "small": 5})
        assert table.state().version == 5


def test_deletes_and_specs_stay_apart(lake: Lake, duckdb_reader: DuckDBReader) -> None:
    table = written(lake, some(1, 2), some(3))
    assert table.head is not None
    for position, file in enumerate(table.head.files):
        table.commit(add=table.position_deletes({file.path: [0]}))
        table.commit(add=[table.equality_deletes(some(position).select(["k"]), [KEY])])
    table.respec(*BY_GROUP.fields)
    for group in "bab":
        table.append(some(7, group=group))
    before = numbers(lake)
    with opened(lake, "s.t") as ours:
        expected = rows(ours)
        done = ours.rewrite_manifests(EVERYTHING)
        assert (done.before, done.after) == (9, 3)
        assert numbers(lake) == before
        assert rows(ours) == expected
    assert_others_agree(lake, "s.t", duckdb_reader, expected)
    assert_conforming(lake, "s.t", done.versions)


def test_entries_are_in_the_order_of_their_partitions(lake: Lake) -> None:
    written(lake, *(some(n, group="cab"[n % 3]) for n in range(6)), spec=BY_GROUP)
    with opened(lake, "s.t") as ours:
        ours.rewrite_manifests(EVERYTHING)
    table = lake.load("s.t")
    snapshot = table.current_snapshot()
    assert snapshot is not None
    (manifest,) = snapshot.manifests(table.io)
    entries = manifest.fetch_manifest_entry(table.io, discard_deleted=False)
    assert [entry.data_file.partition[0] for entry in entries] == list("aabbcc")
    assert {entry.status for entry in entries} == {ManifestEntryStatus.EXISTING}


def test_what_is_committed_meanwhile_is_kept(lake: Lake) -> None:
    written(lake, *(some(n) for n in range(4)))
    clock = Interrupting()
    with (
        opened(lake, "s.t") as other,
        IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog,
    ):
        ours = catalog.namespace("s").table("t")
        clock.waiting.append(lambda: insert_rows(other, some(9)))
        done = ours.rewrite_manifests(EVERYTHING)
        assert (done.versions, done.after) == ((6,), 1)
        assert sorted(keys(other)) == [0, 1, 2, 3, 9]
        # What was written for the first attempt is not left behind.
        assert not list(other.orphans(grace=0))
