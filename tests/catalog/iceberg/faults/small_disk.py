"""Statements where files cannot be written: run by `test_storage_trouble` in processes of their own.

Each prints one line of JSON per statement: its name, and the error it met or null. That nothing is lost,
half or left behind is asserted here, right after it happened.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.core.errors import LakeportError
from tests.catalog.iceberg.faults.statements import (
    STATEMENTS,
    State,
    assert_nothing_is_left,
    make_table,
    refusal_of,
)

PAGE = 4_096
MEBIBYTE = 1 << 20


def open_lake(folder: Path) -> IcebergCatalog:
    properties = {"lakeport.busy-seconds": "0.5", "lakeport.settle-seconds": "0.1"}
    uri = f"sqlite:///{folder / 'catalog.db'}"
    return IcebergCatalog(Profile("lake", "embedded", uri, f"{folder}/warehouse", properties))


def report(name: str, error: LakeportError | None) -> None:
    shown = None if error is None else {**error.as_dict(), "shown": str(error)}
    sys.stdout.write(json.dumps({"statement": name, "error": shown}) + "\n")


def try_each(catalog: IcebergCatalog, table: IcebergTable, trouble: Trouble) -> bool:
    """Every kind of statement in this trouble, then without it; whether one was refused."""
    refused = False
    for name, statement in STATEMENTS.items():
        before = State.of(table)
        with trouble:
            error = refusal_of(table, statement)
        report(name, error)
        if error is not None:
            refused = True
            assert State.of(table) == before, f"{name} was refused and did something"
        if error is not None and "snapshot_id" in error.details:
            # Nobody knows whether the catalog's database kept it: its files wait for `orphans`.
            table.remove_orphans(grace=0)
        assert_nothing_is_left(catalog, table)
    return refused


class Trouble:
    """Begins and ends, as often as it is asked."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class FullDisk(Trouble):
    """Fills the file system of a folder up to a number of free pages."""

    def __init__(self, folder: Path, free: int) -> None:
        self._filler = folder / "filler"
        self._free = free

    def __enter__(self) -> None:
        with self._filler.open("wb") as filler:
            room = os.statvfs(self._filler.parent)
            os.posix_fallocate(
                filler.fileno(), 0, max(room.f_bavail - self._free, 1) * room.f_frsize
            )

    def __exit__(self, *_: object) -> None:
        self._filler.unlink()


class ShortFiles(Trouble):
    """No file of this process may grow beyond so many bytes: a full disk that needs no rights."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def __enter__(self) -> None:
        self._limit(self._longest)

    def __exit__(self, *_: object) -> None:
        self._limit(resource.RLIM_INFINITY)

    @staticmethod
    def _limit(longest: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (longest, resource.RLIM_INFINITY))


class ReadOnly(Trouble):
    """Mounts a folder read-only; only for a process with mounts of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._remount("ro")

    def __exit__(self, *_: object) -> None:
        self._remount("rw")

    def _remount(self, how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", str(self._folder)], check=True)


class InTheWay(Trouble):
    """A file is where a folder should be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._aside = folder.with_name(f"{folder.name} aside")

    def __enter__(self) -> None:
        self._folder.rename(self._aside)
        self._folder.write_text("in the way")

    def __exit__(self, *_: object) -> None:
        self._folder.unlink()
        self._aside.rename(self._folder)


@contextmanager
def fresh_table(folder: Path, name: str) -> Iterator[tuple[IcebergCatalog, IcebergTable]]:
    with open_lake(folder) as catalog:
        yield catalog, make_table(catalog, name)


def full_disk(folder: Path) -> None:
    """With less and less room, down to none."""
    for free in (0, 1, 3, 8):
        with fresh_table(folder, f"orders_{free}") as (catalog, table):
            try_each(catalog, table, FullDisk(folder / "warehouse", free))


def full_everywhere(folder: Path) -> None:
    """The catalog's database lies on the full disk, too."""
    for free in (0, 4, 10):
        with fresh_table(folder, f"orders_{free}") as (catalog, table):
            try_each(catalog, table, FullDisk(folder, free))


def short_files(folder: Path) -> None:
    """The data file is the first that does not fit, then a manifest, the list, the metadata file."""
    for longest in (0, 1_000, 3_000, 6_000):
        with fresh_table(folder, f"orders_{longest}") as (catalog, table):
            try_each(catalog, table, ShortFiles(longest))


def read_only(folder: Path) -> None:
    with fresh_table(folder, "orders") as (catalog, table):
        assert try_each(catalog, table, ReadOnly(folder / "warehouse"))


def main(folder: str, scene: str) -> None:
    scenes = {
        "full-disk": full_disk,
        "full-everywhere": full_everywhere,
        "short-files": short_files,
        "read-only": read_only,
    }
    scenes[scene](Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
