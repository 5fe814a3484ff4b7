"""Expiry: which snapshots go, and that no file goes which a remaining one names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.iceberg.upkeep import expire
from lakeport.catalog.iceberg.upkeep.named import all_manifests
from lakeport.catalog.ports import Ref
from lakeport.catalog.upkeep import DAY, Expired, Policy, Task
from lakeport.core.errors import CorruptDataError, PreconditionError
from lakeport.core.timepoint import AtRef, AtSnapshot, AtVersion
from tests.catalog.iceberg.upkeep.made import KEY, SCHEMA, Interrupting, keys, some, written
from tests.catalog.iceberg.upkeep.readers import (
    EVERYTHING,
    SMALL,
    every_snapshot,
    files_on_disk,
    opened,
)
from tests.lakes.lake import Lake

MILLISECOND = 1_000_000


def versions(table: IcebergTable) -> list[int | None]:
    return [info.version for info in table.history()]


def parquet_files(folder: Path) -> set[str]:
    return {name for name in files_on_disk(folder) if name.endswith(".parquet")}


@contextmanager
def opened_at(lake: Lake, now_ms: int) -> Iterator[IcebergTable]:
    clock = lambda: now_ms * MILLISECOND  # noqa: E731
    with IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog:
        yield catalog.namespace("s").table("t")


# -- which snapshots -----------------------------------------------------------------------------


def test_only_what_is_older_than_the_moment_goes(lake: Lake) -> None:
    table = written(lake, *(some(n) for n in range(5)))
    moments = [snapshot.timestamp_ms for snapshot in table.snapshots.values()]
    with opened(lake, "s.t") as ours:
        assert ours.expire(keep=1, older_than=moments[2] * MILLISECOND) == 2
        assert versions(ours) == [3, 4, 5]
        assert ours.expire(keep=2, older_than=moments[4] * MILLISECOND) == 1
        assert versions(ours) == [4, 5]


def test_the_policy_keeps_the_recent_and_the_young(lake: Lake) -> None:
    table = written(lake, *(some(n) for n in range(6)))
    moments = [snapshot.timestamp_ms for snapshot in table.snapshots.values()]
    policy = Policy(keep_snapshots=2, keep_for=DAY)
    with opened_at(lake, moments[2] + DAY // MILLISECOND) as ours:
        (due,) = ours.due(policy, [Task.EXPIRE])
        assert due.numbers == {"snapshots": 6, "expirable": 2}
        assert ours.forget(policy).snapshots == 2
        assert versions(ours) == [3, 4, 5, 6]
        assert ours.forget(policy) == Expired()


def test_the_tables_own_properties_win_over_the_policy(lake: Lake) -> None:
    table = lake.create(
        "s.t",
        SCHEMA,
        properties={
            "history.expire.min-snapshots-to-keep": "3",
            "history.expire.max-snapshot-age-ms": "1",
        },
    )
    for n in range(5):
        table.append(some(n))
    with opened(lake, "s.t") as ours:
        assert ours.forget(Policy(keep_snapshots=1, keep_for=0)).snapshots == 2
        assert versions(ours) == [3, 4, 5]


def test_a_branch_keeps_as_much_of_its_past_as_it_asks_for(lake: Lake) -> None:
    table = written(lake, *(some(n) for n in range(5)))
    first_four = list(table.snapshots)[3]
    table.refs["audit"] = {
        "snapshot-id": first_four,
        "type": "branch",
        "min-snapshots-to-keep": 2,
    }
    table.write_metadata()
    with opened(lake, "s.t") as ours:
        assert ours.expire(keep=1) == 2
        assert versions(ours) == [3, 4, 5]


def test_a_table_that_shares_its_files_is_left_alone(lake: Lake) -> None:
    table = lake.create("s.t", SCHEMA, properties={"gc.enabled": "false"})
    table.append(some(1))
    table.append(some(2))
    with opened(lake, "s.t") as ours:
        with pytest.raises(PreconditionError, match=r"gc\.enabled"):
            ours.expire(keep=1)
        with pytest.raises(PreconditionError, match=r"gc\.enabled"):
            ours.remove_orphans(grace=0)
        assert versions(ours) == [1, 2]
        due = {told.task: told for told in ours.due(EVERYTHING)}
        assert (due[Task.EXPIRE].is_due, due[Task.COMPACT].is_due) == (False, True)
        assert "gc.enabled" in due[Task.ORPHANS].reason


# -- which files ---------------------------------------------------------------------------------


def test_files_that_only_the_past_named_are_gone(lake: Lake) -> None:
    table = written(lake, some(1, 2), some(3))
    assert table.head is not None
    path = table.head.files[0].path
    table.commit(add=table.position_deletes({path: [0]}))
    with opened(lake, "s.t") as ours:
        ours.compact(EVERYTHING)
        expected = keys(ours)
        done = ours.forget(EVERYTHING)
        assert (done.snapshots, done.left) == (3, 0)
        assert len(parquet_files(table.folder)) == 1
        assert keys(ours) == expected
        # Metadata files are all that is left for others to clear away; the table names them still.
        assert not list(ours.orphans(grace=0))


def test_what_a_tag_holds_keeps_its_files(lake: Lake) -> None:
    table = written(lake, some(1), some(2))
    first = next(iter(table.snapshots))
    with opened(lake, "s.t") as ours:
        ours.create_ref(Ref("v1", "tag", first))
        ours.compact(EVERYTHING)
        ours.forget(EVERYTHING)
        assert keys(ours, AtRef("v1")) == [1]
        assert sorted(keys(ours)) == [1, 2]
        assert len(parquet_files(table.folder)) == 2
        ours.drop_ref("v1")
        ours.forget(EVERYTHING)
        assert len(parquet_files(table.folder)) == 1


def test_a_file_in_a_rewritten_manifest_stays(lake: Lake) -> None:
    """The old manifest goes, and its files are named by the one in its place."""
    table = written(lake, *(some(n) for n in range(4)))
    with opened(lake, "s.t") as ours:
        ours.rewrite_manifests(EVERYTHING)
        expected = keys(ours)
        assert ours.expire(keep=1) == 4
        assert keys(ours) == expected
        assert len(parquet_files(table.folder)) == 4


def test_another_spelling_of_a_path_saves_the_file(lake: Lake) -> None:
    table = written(lake, some(1))
    assert table.head is not None
    (file,) = table.head.files
    respelled = replace(file, path=file.path.replace("file:///", "file:/"), sequence=None)
    table.commit(add=[respelled], remove=[file])
    with opened(lake, "s.t") as ours:
        assert ours.expire(keep=1) == 1
        assert keys(ours) == [1]


def test_statistics_files_go_with_their_snapshots(lake: Lake) -> None:
    table = written(lake, some(1), some(2))
    folder = table.folder / "metadata"
    for snapshot_id in table.snapshots:
        (folder / f"{snapshot_id}.stats").write_bytes(b"x")
    metadata = lake.load("s.t").metadata
    told = metadata.model_dump_json(by_alias=True)
    content = json.loads(told)
    content["statistics"] = [
        {
            "snapshot-id": ident,
            "statistics-path": f"{table.location}/metadata/{ident}.stats",
            "file-size-in-bytes": 1,
            "file-footer-size-in-bytes": 1,
            "blob-metadata": [],
        }
        for ident in table.snapshots
    ]
    content["partition-statistics"] = [
        {
            "snapshot-id": ident,
            "statistics-path": f"{table.location}/metadata/{ident}.parts",
            "file-size-in-bytes": 1,
        }
        for ident in table.snapshots
    ]
    for ident in table.snapshots:
        (folder / f"{ident}.parts").write_bytes(b"x")
    (folder / "99999-x.metadata.json").write_text(json.dumps(content))
    lake.publish("s.t", f"{table.location}/metadata/99999-x.metadata.json")
    with opened(lake, "s.t") as ours:
        assert not [one for one in ours.orphans(grace=0) if not one.path.endswith("json")]
        ours.expire(keep=1)
    left = {name for name in files_on_disk(folder) if name.endswith((".stats", ".parts"))}
    head = list(table.snapshots)[-1]
    assert left == {f"{head}.stats", f"{head}.parts"}
    after = lake.load("s.t").metadata
    assert [one.snapshot_id for one in after.statistics] == [head]
    assert [one.snapshot_id for one in after.partition_statistics] == [head]


def test_what_cannot_be_read_of_the_rest_saves_every_file(lake: Lake) -> None:
    table = written(lake, some(1), some(2))
    assert table.head is not None
    table.commit(add=table.data_files(some(3)), remove=[table.head.files[0]])
    before = parquet_files(table.folder)
    manifest = table.disk_path(table.head.manifests[0].path)
    content = manifest.read_bytes()
    with opened(lake, "s.t") as ours:
        manifest.write_bytes(content[:-10])
        with pytest.raises(CorruptDataError):
            ours.expire(keep=1)
        assert parquet_files(table.folder) == before
        manifest.write_bytes(content)
        # The snapshots are forgotten; what they alone named is found as orphans.
        assert ours.expire(keep=1) == 0
        assert ours.remove_orphans(grace=0).files > 0
        assert sorted(keys(ours)) == sorted(keys(ours, AtSnapshot(table.head.ident)))


def test_a_forgotten_snapshot_that_is_damaged_is_no_hindrance(lake: Lake) -> None:
    table = written(lake, some(1), some(2))
    oldest = next(iter(table.snapshots.values()))
    table.disk_path(oldest.manifest_list).unlink()
    with opened(lake, "s.t") as ours:
        assert ours.expire(keep=1) == 1
        assert sorted(keys(ours)) == [1, 2]


def test_a_tag_made_meanwhile_is_honoured(lake: Lake) -> None:
    """Between looking and committing: the commit is refused, and the second look sees the tag."""
    table = written(lake, some(1), some(2), some(3))
    first = next(iter(table.snapshots))
    clock = Interrupting()
    with (
        opened(lake, "s.t") as other,
        IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog,
    ):
        ours = catalog.namespace("s").table("t")
        clock.waiting.append(lambda: other.create_ref(Ref("v1", "tag", first)))
        assert ours.expire(keep=1) == 1
        assert keys(ours, AtRef("v1")) == [1]
        assert versions(ours) == [1, 3]


def test_two_expiries_at_once_leave_what_is_needed(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one removes what the first one left, while the first one still reads it."""
    written(lake, some(1), some(2), some(3), some(4))
    with opened(lake, "s.t") as ours, opened(lake, "s.t") as other:

        def overtaken(source: Source, snapshots: Sequence[Snapshot]) -> dict[str, int]:
            monkeypatch.undo()
            assert other.expire(keep=1) == 1
            return all_manifests(source, snapshots)

        monkeypatch.setattr(expire, "all_manifests", overtaken)
        assert ours.expire(keep=2) == 2
        assert sorted(keys(ours)) == [1, 2, 3, 4]
        assert ours.remove_orphans(grace=0).files == 0


def test_every_remaining_version_reads_as_before(lake: Lake) -> None:
    table = written(lake, some(1, 2), some(3, 4))
    table.commit(add=[table.equality_deletes(some(2).select(["k"]), [KEY])])
    table.append(some(5))
    with opened(lake, "s.t") as ours:
        past = every_snapshot(ours)
        assert ours.expire(keep=2) == 2
        left = every_snapshot(ours)
        assert left == {ident: past[ident] for ident in left}
        assert keys(ours, AtVersion(0)) == []
