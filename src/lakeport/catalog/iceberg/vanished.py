"""Files that are missing because their snapshot was expired meanwhile, which is no damage.

Another process may expire a snapshot while it is read here, and remove the files that only it named.
Whether that is the reason is asked only when a file is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import CorruptDataError, ExpiredError
from lakeport.core.names import quoted


@contextmanager
def expired_if_gone(snapshot_id: int | None, latest: Callable[[], Source]) -> Iterator[None]:
    """`ExpiredError` in place of `CorruptDataError` once the table has forgotten this snapshot."""
    try:
        yield
    except CorruptDataError as error:
        source = latest()
        if snapshot_id is None or source.metadata.snapshot_by_id(snapshot_id) is not None:
            raise
        raise ExpiredError(
            f"what was being read of table {quoted(str(source.name))} has expired meanwhile",
            hint="read it again; keep more snapshots where reading takes long",
        ) from error


def has_forgotten(seen: TableMetadata, now: TableMetadata) -> bool:
    """Whether the table expired snapshots between the two: files that only they named may be gone."""
    if seen.table_uuid != now.table_uuid:
        return False  # another table in its place says nothing about the files of this one
    left = {snapshot.snapshot_id for snapshot in now.snapshots}
    return any(snapshot.snapshot_id not in left for snapshot in seen.snapshots)


def stream_of(
    stream: BatchStream, snapshot_id: int | None, latest: Callable[[], Source]
) -> BatchStream:
    """The same batches, told apart from damage in the same way."""
    batches = _batches(stream, snapshot_id, latest)
    return BatchStream(stream.schema, batches, on_close=stream.close)


def _batches(
    stream: BatchStream, snapshot_id: int | None, latest: Callable[[], Source]
) -> Generator[pa.RecordBatch, None, None]:
    with expired_if_gone(snapshot_id, latest):
        yield from stream
