"""Manifests in a store that is far away: asked for by several threads, which are gone afterwards."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs
from pyiceberg.io.pyarrow import PyArrowFileIO

from lakeport.catalog.iceberg.manifests import Listed, load_manifests
from lakeport.catalog.iceberg.parts import Source
from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.manifests.test_manifest_decoding import SCHEMA
from tests.catalog.iceberg.planning.planned import inventory, source_of
from tests.lakes.lake import Lake
from tests.lakes.manifests import FileEntry

MANIFESTS = 12


class FarAway(PyArrowFileIO):
    """Local files under another scheme. Remembers which threads asked for one."""

    def __init__(self, at_once: int) -> None:
        super().__init__()
        self.threads: set[str] = set()
        self.fs_by_scheme = self._asked_for
        self._together = threading.Barrier(at_once, timeout=30)

    @staticmethod
    def parse_location(location: str, _: Any = None) -> tuple[str, str, str]:
        return "far", "", location.removeprefix("far://")

    def _asked_for(self, *_: str | None) -> fs.FileSystem:
        """Answers once as many as wanted have asked."""
        self.threads.add(threading.current_thread().name)
        self._together.wait()
        return fs.LocalFileSystem()


def far(tmp_path: Path, at_once: int) -> tuple[Source, FarAway, list[Listed]]:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    files = [FileEntry(f"f{at:02}", 0, (), 1, 10) for at in range(MANIFESTS)]
    table.commit(add=files, manifests=MANIFESTS)
    source, storage = source_of(table), FarAway(at_once)
    listed = [
        dataclasses.replace(each, path=each.path.replace("file://", "far://"))
        for each in inventory(source).listing.data
    ]
    return dataclasses.replace(source, io=storage), storage, listed


def readers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if "manifests" in thread.name]


def test_several_are_asked_for_at_once_and_come_in_order(tmp_path: Path) -> None:
    source, storage, listed = far(tmp_path, at_once=4)
    found = load_manifests(source, listed)
    names = [path for manifest in found for path in manifest.paths.to_pylist()]
    assert sorted(map(str, names)) == [f"f{at:02}" for at in range(MANIFESTS)]
    assert found == [source.caches.manifests.peek(each.path) for each in listed]
    assert len(storage.threads) > 1
    assert not readers()


def test_one_alone_needs_no_thread(tmp_path: Path) -> None:
    source, storage, listed = far(tmp_path, at_once=1)
    load_manifests(source, listed[:1])
    assert storage.threads == {threading.current_thread().name}


def test_what_is_held_is_not_asked_for_again(tmp_path: Path) -> None:
    source, storage, listed = far(tmp_path, at_once=1)
    first = load_manifests(source, listed)
    storage.threads.clear()
    assert load_manifests(source, listed) == first
    assert not storage.threads


def test_one_that_is_missing_fails_all_and_leaves_no_thread(tmp_path: Path) -> None:
    source, _, listed = far(tmp_path, at_once=1)
    Path(listed[5].path.removeprefix("far://")).unlink()
    with pytest.raises(CorruptDataError, match="missing"):
        load_manifests(source, listed)
    assert not readers()
