"""Reads a data file in chunks of rows, in the order of the file and with their exact positions.

A plain Parquet file is decoded lazily, batch by batch, straight into the columns asked for; any other
goes through PyIceberg's own projection. Closing the generator closes the file at once.
"""

from __future__ import annotations

from collections.abc import Generator

from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files.footer import footer_of
from lakeport.catalog.iceberg.files.plain import read_plain
from lakeport.catalog.iceberg.files.task import task_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import Chunk, DataFile, Source
from lakeport.catalog.iceberg.storage import open_file


def read_file(source: Source, file: DataFile, wanted: Wanted) -> Generator[Chunk, None, None]:
    """Every row of the file, but for row groups that the predicate rules out. For one thread only."""
    task = task_of(source, file, wanted)
    with reading(task.what), open_file(source.io, file.path) as opened:
        footer = footer_of(source, file.path, opened, task.what)
        yield from read_plain(task, opened, footer)
