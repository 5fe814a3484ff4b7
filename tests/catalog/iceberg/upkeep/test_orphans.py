"""Orphans: files that nothing names, and above all those that something does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.iceberg.upkeep import orphans
from lakeport.catalog.iceberg.upkeep.named import all_names
from lakeport.catalog.upkeep import DAY, Orphan, Swept
from lakeport.core.errors import ConflictError, CorruptDataError, PreconditionError
from tests.catalog.iceberg.upkeep.made import KEY, SCHEMA, Interrupting, keys, some, written
from tests.catalog.iceberg.upkeep.readers import SMALL, every_snapshot, files_on_disk, opened
from tests.lakes.lake import Lake
from tests.lakes.table import LakeTable

NOW = 1_900_000_000
SECOND = 1_000_000_000


def planted(table: LakeTable, name: str = "data/stray.parquet", age: float = 0.0) -> Path:
    """A file that nobody names, so many days old."""
    path = table.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"left over")
    moment = NOW - age * 86_400
    os.utime(path, (moment, moment))
    return path


def found_names(table: IcebergTable, grace: int = 0) -> set[str]:
    return {orphan.path.rpartition("/")[2] for orphan in table.orphans(grace=grace)}


def test_what_nothing_names_is_found_with_size_and_age(lake: Lake) -> None:
    table = written(lake, some(1))
    planted(table)
    with opened(lake, "s.t") as ours:
        assert list(ours.orphans(grace=0)) == [
            Orphan(f"{table.location}/data/stray.parquet", 9, NOW * SECOND)
        ]
        assert ours.remove_orphans(grace=0) == Swept(1, 9, 0)
        assert list(ours.orphans(grace=0)) == []
        assert ours.remove_orphans(grace=0) == Swept()


def test_a_table_without_leftovers_has_none(lake: Lake) -> None:
    """With deletes of both kinds, a branch, a tag and a rewritten manifest."""
    table = written(lake, some(1, 2), some(3))
    assert table.head is not None
    table.ref("v1", table.head.ident)
    table.commit(add=table.position_deletes({table.head.files[0].path: [0]}))
    table.commit(add=table.data_files(some(9)), branch="audit")
    table.commit(add=[table.equality_deletes(some(3).select(["k"]), [KEY])])
    table.commit(remove=[table.head.files[0]])
    before = files_on_disk(table.folder)
    with opened(lake, "s.t") as ours:
        past = every_snapshot(ours)
        assert ours.remove_orphans(grace=0) == Swept()
        assert files_on_disk(table.folder) == before
        assert every_snapshot(ours) == past


def test_only_files_older_than_the_grace_period_go(lake: Lake) -> None:
    table = written(lake, some(1))
    planted(table, "data/old.parquet", age=4)
    planted(table, "data/young.parquet", age=2)
    clock = lambda: NOW * SECOND  # noqa: E731
    with IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog:
        ours = catalog.namespace("s").table("t")
        assert found_names(ours, grace=3 * DAY) == {"old.parquet"}
        assert ours.remove_orphans().files == 1
        assert found_names(ours, grace=DAY) == {"young.parquet"}


def test_files_of_running_writes_are_left_alone(lake: Lake) -> None:
    table = written(lake, some(1))
    path = planted(table)
    location = f"{table.location}/data/{path.name}"
    with opened(lake, "s.t") as ours:
        RUNNING.begin(location)
        try:
            assert ours.remove_orphans(grace=0) == Swept()
        finally:
            RUNNING.end([location])
        assert ours.remove_orphans(grace=0).files == 1


def test_a_statement_that_has_not_committed_keeps_its_files(lake: Lake) -> None:
    written(lake, some(1))
    with opened(lake, "s.t") as ours, opened(lake, "s.t") as other:
        with ours.insert() as statement:
            for batch in some(*range(2, 200)).to_batches():
                statement.add(batch)
            other.remove_orphans(grace=0)
            statement.commit()
        assert sorted(keys(other)) == list(range(1, 200))


def test_a_table_inside_the_folder_of_another_is_not_its_leftovers(lake: Lake) -> None:
    outer = written(lake, some(1))
    inner = lake.create("s.t.inner", SCHEMA)
    inner.append(some(5))
    assert inner.folder.is_relative_to(outer.folder)
    planted(inner, "data/of-inner.parquet")
    planted(outer, "data/of-outer.parquet")
    with opened(lake, "s.t") as ours:
        assert found_names(ours) == {"of-outer.parquet"}
        ours.remove_orphans(grace=0)
    with opened(lake, "s.t.inner") as ours:
        assert keys(ours) == [5]
        assert found_names(ours) == {"of-inner.parquet"}


def test_a_table_inside_the_folder_is_found_behind_a_link(lake: Lake, tmp_path: Path) -> None:
    outer = written(lake, some(1))
    (tmp_path / "link").symlink_to(outer.folder)
    inner = lake.create("s.t.inner", SCHEMA)
    inner.append(some(5))
    outer.location, outer.folder = f"file://{tmp_path / 'link'}", tmp_path / "link"
    outer.write_metadata()
    planted(outer)
    with opened(lake, "s.t") as ours:
        assert found_names(ours) == {"stray.parquet"}


def test_two_names_for_one_folder_protect_each_other(lake: Lake) -> None:
    """A second table that was registered at an older state, and has gone its own way since."""
    table = written(lake, some(1))
    assert table.metadata_location is not None
    lake.publish("s.copy", table.metadata_location)
    table.append(some(2))
    planted(table)
    with opened(lake, "s.copy") as copy:
        assert found_names(copy) == {"stray.parquet"}
        copy.remove_orphans(grace=0)
    with opened(lake, "s.t") as ours:
        assert sorted(keys(ours)) == [1, 2]


def test_a_neighbour_that_cannot_be_opened_stops_it(lake: Lake) -> None:
    table = written(lake, some(1))
    lake.publish("s.lost", f"{table.location}/metadata/nowhere.metadata.json")
    with opened(lake, "s.t") as ours:
        assert ours.remove_orphans(grace=0) == Swept()  # nothing to remove, nobody to ask
        stray = planted(table)
        with pytest.raises(PreconditionError, match=r"s\.lost"):
            ours.remove_orphans(grace=0)
        assert stray.exists()


def test_a_manifest_that_cannot_be_read_stops_it(lake: Lake) -> None:
    table = written(lake, some(1))
    stray = planted(table)
    assert table.head is not None
    table.disk_path(table.head.manifests[0].path).write_bytes(b"Obj")
    with opened(lake, "s.t") as ours, pytest.raises(CorruptDataError):
        ours.remove_orphans(grace=0)
    assert stray.exists()


def test_another_spelling_of_the_folder_loses_nothing(tmp_path: Path) -> None:
    """The table says where it is through a link; its files are named without it."""
    lake = Lake(tmp_path)
    table = written(lake, some(1), some(2))
    (tmp_path / "link").symlink_to(table.folder)
    table.location = f"file://{tmp_path / 'link'}"
    table.folder = tmp_path / "link"
    table.write_metadata()
    planted(table)
    with opened(lake, "s.t") as ours:
        assert ours.storage().location.endswith("/link")
        assert found_names(ours) == {"stray.parquet"}
        ours.remove_orphans(grace=0)
        assert sorted(keys(ours)) == [1, 2]


def test_notes_of_other_engines_are_left_alone(lake: Lake) -> None:
    table = written(lake, some(1))
    for name in ("metadata/version-hint.text", "data/_SUCCESS", "data/.x.parquet.crc"):
        planted(table, name)
    planted(table, "data/_g=a/stray.parquet")  # a partition whose column is called so
    with opened(lake, "s.t") as ours:
        assert found_names(ours) == {"stray.parquet"}


def test_a_file_that_vanishes_meanwhile_is_no_error(lake: Lake) -> None:
    table = written(lake, some(1))
    paths = [planted(table, f"data/{n}.parquet") for n in range(3)]
    with opened(lake, "s.t") as ours:
        orphans = ours.orphans(grace=0)
        next(orphans)
        for path in paths:
            path.unlink()
        assert len(list(orphans)) == 2
        assert ours.remove_orphans(grace=0) == Swept()


def test_what_an_interrupted_expiry_left_is_found(lake: Lake) -> None:
    """Forgotten by another engine, which removed no file."""
    table = written(lake, some(1))
    assert table.head is not None
    first = table.head
    table.commit(add=table.data_files(some(2)), remove=first.files)
    table.expire(first.ident)
    with opened(lake, "s.t") as ours:
        assert found_names(ours) == {
            first.files[0].path.rpartition("/")[2],
            first.manifests[0].path.rpartition("/")[2],
            first.manifest_list.rpartition("/")[2],
        }
        ours.remove_orphans(grace=0)
        assert keys(ours) == [2]


def test_an_expiry_meanwhile_is_no_damage(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it forgot is missing; what is left is read again from the table's new state."""
    table = written(lake, some(1), some(2), some(3))
    planted(table)
    with opened(lake, "s.t") as ours, opened(lake, "s.t") as other:

        def overtaken(source: Source, location: str) -> Iterator[str]:
            monkeypatch.undo()
            assert other.expire(keep=1) == 2
            return all_names(source, location)

        monkeypatch.setattr(orphans, "all_names", overtaken)
        assert found_names(ours) == {"stray.parquet"}
        assert sorted(keys(ours)) == [1, 2, 3]


def test_a_table_that_is_replaced_meanwhile_keeps_the_files_of_both(lake: Lake) -> None:
    """To the new one, everything of the old one would be left over."""
    table = written(lake, some(1))
    clock = Interrupting()
    with IcebergCatalog(lake.profile, clock=clock, options=SMALL) as catalog:
        ours = catalog.namespace("s").table("t")

        def replaced() -> None:
            assert table.metadata_location is not None
            moved = Lake(lake.folder / "elsewhere").create("s.t", SCHEMA)
            moved.uuid = "00000000-0000-4000-8000-00000000ffff"
            lake.publish("s.t", moved.write_metadata())

        planted(table, age=10_000)
        before = files_on_disk(table.folder)
        clock.waiting.append(replaced)
        with pytest.raises(ConflictError):
            ours.remove_orphans(grace=1)
        assert files_on_disk(table.folder) == before
