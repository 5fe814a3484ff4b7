"""Which fields a Parquet file really has: metadata may count values that only its partition says."""

from __future__ import annotations

from contextlib import ExitStack

from pyiceberg.schema import Schema

from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files.footer import footer_of
from lakeport.catalog.iceberg.files.task import task_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.storage import open_file


def fields_held(source: Source, file: DataFile) -> frozenset[int]:
    """The ids of its columns, by its footer."""
    task = task_of(source, file, Wanted(Schema(), ()))
    with reading(task.what), ExitStack() as stack:
        footer = footer_of(task, lambda: stack.enter_context(open_file(source.io, file.path)))
        return frozenset(node.field_id for node in footer.nodes if node.field_id is not None)


def is_at_hand(source: Source, file: DataFile) -> bool:
    """Whether its footer is known already."""
    return source.caches.footers.peek(file.path) is not None
