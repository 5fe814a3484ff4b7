"""A delete file as messages call it, and as the reader of data files sees it."""

from __future__ import annotations

from pyiceberg.typedef import Record

from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.parts import DataFile, DeleteFile, Source
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
