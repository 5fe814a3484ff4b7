"""Opening all or some files of a table as one split, with options of one's own."""

from __future__ import annotations

from lakeport.catalog.iceberg.parts import ReadOptions, Source
from lakeport.catalog.iceberg.scan import open_split
from lakeport.catalog.iceberg.travel import find
from lakeport.catalog.ports import ScanRequest, Split
from lakeport.catalog.streams import BatchStream
from tests.catalog.iceberg.planning.planned import NOW, inventory, source_of
from tests.lakes.table import LakeTable

INLINE, THREADED = ReadOptions(threads=1), ReadOptions(threads=2)


def whole(source: Source) -> Split:
    """All files in the order of commits."""
    snapshot = source.metadata.current_snapshot()
    assert snapshot is not None
    ordinals = sorted(file.ordinal for file in inventory(source).files())
    return Split(snapshot.snapshot_id, tuple(ordinals))


def opened(
    table: LakeTable | Source, request: ScanRequest | None = None, options: ReadOptions = THREADED
) -> BatchStream:
    source = source_of(table, options=options) if isinstance(table, LakeTable) else table
    request = request or ScanRequest()
    return open_split(source, find(source, request.at, NOW), request, whole(source))
