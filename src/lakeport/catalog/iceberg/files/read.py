"""Reads a data file in chunks of rows, in the order of the file and with their exact positions.

Closing the generator closes the file at once, from whatever thread.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from functools import cache

from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files.parquet import read_parquet
from lakeport.catalog.iceberg.files.task import task_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import Chunk, DataFile, Source
from lakeport.catalog.iceberg.storage import OpenFile, open_file


def read_file(source: Source, file: DataFile, wanted: Wanted) -> Generator[Chunk, None, None]:
    """Every row of the file, but for row groups that the predicate rules out. One thread at a time."""
    task = task_of(source, file, wanted)
    with reading(task.what), ExitStack() as stack:

        @cache
        def opened() -> OpenFile:
            return stack.enter_context(open_file(source.io, file.path))

        yield from read_parquet(task, opened)
