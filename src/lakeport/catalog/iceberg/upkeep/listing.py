"""Lists the files below a folder of a local disk or an object store, folder by folder where there are any.

What PyIceberg reaches through Arrow is listed through Arrow, the rest through fsspec. A folder or a file
that goes away meanwhile is no error.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow.fs as pafs
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import PyArrowFileIO

from lakeport.catalog.upkeep import Orphan
from lakeport.core.errors import UnsupportedError

_SECOND = 1_000_000_000
_UNKNOWN = 1 << 62  # a file of unknown age counts as one of the future, which is never old enough


def files_below(io: FileIO, location: str) -> Iterator[Orphan]:
    """Every file with its size and time, named as the table would name it."""
    if isinstance(io, PyArrowFileIO):
        yield from _through_arrow(io, location)
    elif hasattr(io, "get_fs"):
        yield from _through_fsspec(io, location)
    else:
        raise UnsupportedError(
            f"the files of a {type(io).__name__} cannot be listed",
            hint="use PyIceberg's PyArrowFileIO or FsspecFileIO for the warehouse",
        )


def _through_arrow(io: PyArrowFileIO, location: str) -> Iterator[Orphan]:
    scheme, host, root = io.parse_location(location, io.properties)
    filesystem = io.fs_by_scheme(scheme, host)
    folders = [root.rstrip("/")]
    while folders:
        selector = pafs.FileSelector(folders.pop(), allow_not_found=True, recursive=False)
        for found in filesystem.get_file_info(selector):
            if found.type == pafs.FileType.Directory:
                folders.append(found.path)
            elif found.type == pafs.FileType.File:
                path = _renamed(found.path, root, location)
                modified = _UNKNOWN if found.mtime_ns is None else found.mtime_ns
                yield Orphan(path, found.size or 0, modified)


def _through_fsspec(io: Any, location: str) -> Iterator[Orphan]:
    scheme = location.partition("://")[0] if "://" in location else "file"
    filesystem = io.get_fs(scheme)
    root = filesystem._strip_protocol(location)  # noqa: SLF001  fsspec has no other word for it
    try:
        found: dict[str, Any] = filesystem.find(root, detail=True)
    except FileNotFoundError:
        return
    for path, about in found.items():
        yield Orphan(_renamed(path, root, location), int(about.get("size") or 0), _modified(about))


def _renamed(path: str, root: str, location: str) -> str:
    """A path of the storage as the table's location begins: with its scheme, as it spells it."""
    return location.rstrip("/") + "/" + path[len(root.rstrip("/")) :].lstrip("/")


def _modified(about: dict[str, Any]) -> int:
    """Each store has another word for it."""
    for word in ("mtime", "LastModified", "last_modified", "updated", "modified", "created"):
        value = about.get(word)
        if isinstance(value, datetime):
            return int(value.timestamp() * _SECOND)
        if isinstance(value, int | float):
            return int(value * _SECOND)
    return _UNKNOWN
