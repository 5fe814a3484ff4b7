"""Opens the files of a table for reading at any place, wherever PyIceberg's `FileIO` finds them.

Local files are mapped into memory. Object stores are read through Arrow's own filesystems, without
Python in between; what only Python can read (fsspec) comes through a Python file. A location is taken
apart by PyIceberg's rules and no other: it does not unescape `file:` URIs, so `%20` is a file's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import PyArrowFileIO

# What one request to an object store may as well fetch, because its latency is worth more than that:
# the end of a file, where most footers fit, and the whole of a small file.
TAIL = 1 << 16
_SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open file; leaving the `with` block closes it. One that is not local is worth reading in bulk."""

    handle: pa.NativeFile
    size: int
    is_local: bool

    def read_tail(self, count: int) -> bytes:
        """The last `count` bytes, or all there are."""
        count = min(count, self.size)
        read_at: Any = self.handle.read_at
        tail: bytes = read_at(count, self.size - count)
        return tail

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.handle.close()


def open_file(io: FileIO, location: str) -> OpenFile:
    if isinstance(io, PyArrowFileIO):
        scheme, host, path = io.parse_location(location, io.properties)
        if scheme == "file":
            mapped = pa.memory_map(path, "r")
            return OpenFile(mapped, mapped.size(), is_local=True)
        filesystem = io.fs_by_scheme(scheme, host)
        return _remote(filesystem.open_input_file(path))
    stream: Any = io.new_input(location).open(seekable=True)
    return _remote(pa.PythonFile(stream, mode="r"))


def is_mapped(io: FileIO, location: str) -> bool:
    """Whether `open_file` would map it: then reading some of it costs nothing for the rest."""
    return isinstance(io, PyArrowFileIO) and io.parse_location(location, io.properties)[0] == "file"


def _remote(handle: pa.NativeFile) -> OpenFile:
    try:
        size = handle.size()
        if size > _SMALL:
            return OpenFile(handle, size, is_local=False)
        fetched = pa.BufferReader(handle.read_buffer(size))
    except BaseException:
        handle.close()
        raise
    handle.close()
    return OpenFile(fetched, size, is_local=True)
