"""Reads a data file in chunks of rows, in the order of the file and with their exact positions.

Closing the generator closes the file at once, from whatever thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from functools import cache

from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files.avro import read_avro
from lakeport.catalog.iceberg.files.orc import read_orc
from lakeport.catalog.iceberg.files.parquet import read_parquet
from lakeport.catalog.iceberg.files.task import Task, task_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import Chunk, DataFile, Source
from lakeport.catalog.iceberg.storage import OpenFile, open_file
from lakeport.core.errors import UnsupportedError

_FORMATS: dict[str, Callable[[Task, Callable[[], OpenFile]], Iterator[Chunk]]] = {
    "PARQUET": read_parquet,
    "ORC": read_orc,
    "AVRO": read_avro,
}


def read_file(source: Source, file: DataFile, wanted: Wanted) -> Generator[Chunk, None, None]:
    """Every row of the file, but for row groups that the predicate rules out. One thread at a time."""
    task = task_of(source, file, wanted)
    with reading(task.what), ExitStack() as stack:

        @cache
        def opened() -> OpenFile:
            return stack.enter_context(open_file(source.io, file.path))

        read = _FORMATS.get(file.format.upper())
        if read is None:
            raise UnsupportedError(f"{task.what} is in the unknown format {file.format}")
        yield from read(task, opened)
