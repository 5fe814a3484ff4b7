"""A delete file as messages call it, and as those who read data files see it."""

from __future__ import annotations

from dataclasses import replace

from pyiceberg.schema import Schema
from pyiceberg.typedef import Record

from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.files import Wanted
from lakeport.catalog.iceberg.files.footer import Footer, footer_of
from lakeport.catalog.iceberg.files.task import task_of
from lakeport.catalog.iceberg.parts import DataFile, DeleteFile, Source
from lakeport.catalog.iceberg.storage import OpenFile
from lakeport.core.names import quoted


def delete_name(source: Source, delete: DeleteFile) -> str:
    return f"delete file {quoted(last_name(delete.path))} of table {quoted(str(source.name))}"


def as_data_file(delete: DeleteFile) -> DataFile:
    """Of no partition: what it compares is in it, never implied."""
    return DataFile(
        ordinal=-1,
        path=delete.path,
        format=delete.format,
        rows=delete.rows,
        bytes=delete.bytes,
        sequence=delete.sequence,
        spec_id=-1,
        partition=Record(),
    )


def delete_footer(source: Source, delete: DeleteFile, opened: OpenFile) -> Footer:
    """Of one in Parquet: proven to be sound, which pyarrow's own is not."""
    task = task_of(source, as_data_file(delete), Wanted(Schema(), ()))
    return footer_of(replace(task, what=delete_name(source, delete)), lambda: opened)
