"""The small files of one attempt to commit, and how any file is made to survive a power failure.

Nobody else knows these files until the attempt succeeds; if it fails for certain, they are removed. An
object store keeps what it has acknowledged, a local disk only what was synced, with its folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pyiceberg.exceptions import CommitStateUnknownException
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import PyArrowFileIO

from lakeport.catalog.iceberg.commit.running import RUNNING

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_MODE = 0o666


class Scratch:
    """Files written so far. With `durable` each is synced before the pointer may name it."""

    def __init__(self, io: FileIO, *, durable: bool) -> None:
        self._io = io
        self._durable = durable
        self._paths: list[str] = []

    def put(self, path: str, data: bytes) -> None:
        RUNNING.begin(path)
        self._paths.append(path)
        put(self._io, path, data, durable=self._durable)

    def settled(self) -> None:
        """They belong to the table now, or nobody knows whether they do."""
        RUNNING.end(self._paths)
        self._paths = []

    def discard(self) -> None:
        remove(self._io, self._paths)
        self.settled()

    @contextmanager
    def decided(self) -> Iterator[None]:
        """Around what writes them and makes them known; they go if that is sure not to have been done."""
        try:
            yield
        except CommitStateUnknownException:
            self.settled()
            raise
        except BaseException:
            self.discard()
            raise
        self.settled()


def put(io: FileIO, path: str, data: bytes, *, durable: bool = False) -> None:
    """A new file. Local ones do without PyIceberg's look whether it is there."""
    local = local_path(io, path)
    if local is None:
        with io.new_output(path).create() as stream:
            stream.write(data)
        return
    try:
        file = os.open(local, _NEW, _MODE)
    except FileNotFoundError:
        Path(local).parent.mkdir(parents=True, exist_ok=True)
        file = os.open(local, _NEW, _MODE)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
        if durable:
            os.fsync(file)
    finally:
        os.close(file)
    if durable:
        _sync_folders([local])


def remove(io: FileIO, paths: Iterable[str]) -> None:
    """As far as possible: what cannot be removed now is found as an orphan later."""
    for path in paths:
        with suppress(OSError):
            io.delete(path)


def sync(io: FileIO, paths: Iterable[str]) -> None:
    """Files that were written and closed before."""
    local = [found for path in paths if (found := local_path(io, path)) is not None]
    for path in local:
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
    _sync_folders(local)


def local_path(io: FileIO, location: str) -> str | None:
    if not isinstance(io, PyArrowFileIO):
        return None
    scheme, _, path = io.parse_location(location, io.properties)
    return path if scheme == "file" else None


# The folders of a table and of its namespace may be as new as the file, and are entries in others. They
# stay, so that each is synced into the one above it once.
_LEVELS = 4
_kept_folders: set[Path] = set()


def _sync_folders(paths: Iterable[str]) -> None:
    own = {Path(path).parent for path in paths}
    above = {folder for each in own for folder in list(each.parents)[: _LEVELS - 1]}
    for folder in (*own, *sorted(above - _kept_folders, reverse=True)):
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except PermissionError:
            continue  # one that we may not open is none that we made
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    _kept_folders.update(above)
