"""What planning is asked with in these tests: a table's state, and what its plan keeps."""

from __future__ import annotations

import pyarrow as pa
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table.metadata import TableMetadataUtil

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.definition import definition_of
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of
from lakeport.catalog.iceberg.parts import ReadOptions, Source
from lakeport.catalog.iceberg.plan import plan_scan
from lakeport.catalog.iceberg.travel import find
from lakeport.catalog.ports import ScanPlan, ScanRequest
from lakeport.catalog.predicates import Predicate, bind, evaluate
from lakeport.core.names import TableName
from tests.lakes.storage import project_rows
from tests.lakes.table import LakeTable

NOW = 2_000_000_000 * 10**9


def source_of(
    table: LakeTable, *, caches: Caches | None = None, options: ReadOptions | None = None
) -> Source:
    """The table's newest state, with nothing read yet unless caches are given."""
    assert table.metadata_location is not None
    text = table.disk_path(table.metadata_location).read_text()
    return Source(
        TableName("s", "t"),
        TableMetadataUtil.parse_raw(text),
        PyArrowFileIO(),
        caches or Caches(),
        options or ReadOptions(),
    )


def inventory(source: Source) -> Inventory:
    snapshot = source.metadata.current_snapshot()
    assert snapshot is not None
    return inventory_of(source, snapshot)


def plan(source: Source, request: ScanRequest | None = None) -> ScanPlan:
    request = request or ScanRequest()
    return plan_scan(source, find(source, request.at, NOW), request)


def planned_paths(source: Source, request: ScanRequest | None = None) -> set[str]:
    """The files that a plan would read."""
    found = plan(source, request)
    held = inventory(source)
    return {held.file(part).path for split in found.splits for part in split.parts}


def kept_paths(source: Source, predicate: Predicate) -> set[str]:
    return planned_paths(source, ScanRequest(predicate=predicate))


def matching_paths(table: LakeTable, source: Source, predicate: Predicate) -> set[str]:
    """The files that hold a row which the predicate accepts, deleted ones included."""
    schema = definition_of(source, source.metadata.schema()).schema
    bound = bind(predicate, schema)
    found = set()
    for file in table.head.files if table.head else ():
        rows, written = table.contents.rows[file.path]
        shown = project_rows(rows, written, table.schema).cast(schema)
        for batch in shown.combine_chunks().to_batches():
            if evaluate(bound, batch).true_count:
                found.add(file.path)
    return found


def all_rows(table: LakeTable, source: Source) -> pa.Table:
    schema = definition_of(source, source.metadata.schema()).schema
    parts = [
        project_rows(*table.contents.rows[file.path], table.schema).cast(schema)
        for file in (table.head.files if table.head else ())
    ]
    empty = pa.Table.from_batches([], schema)
    return pa.concat_tables([empty, *parts])
