"""The readers that are compared: ours through the ports, and PyIceberg's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, StructType

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanPlan, ScanRequest
from lakeport.catalog.reading import read
from tests.lakes.lake import Lake

SMALL = ReadOptions(split_bytes=4_096, batch_bytes=2_048, batch_rows=7)
"""So that a handful of rows make several splits and batches."""


@contextmanager
def opened(lake: Lake, name: str, options: ReadOptions = SMALL) -> Iterator[IcebergTable]:
    namespace, _, table = name.rpartition(".")
    with IcebergCatalog(lake.profile, options=options) as catalog:
        yield catalog.namespace(namespace).table(table)


def our_rows(table: IcebergTable, request: ScanRequest | None = None) -> pa.Table:
    with read(table, request) as stream:
        return stream.read_all()


def streamed_rows(table: IcebergTable, request: ScanRequest, plan: ScanPlan) -> pa.Table:
    """What the splits themselves give, without what `read` would make good."""
    batches = [
        batch
        for split in plan.splits
        for batch in table.open(request, split).read_all().to_batches()
    ]
    return pa.Table.from_batches(batches, plan.schema)


def pyiceberg_rows(lake: Lake, name: str, snapshot_id: int | None = None) -> pa.Table:
    return lake.load(name).scan(snapshot_id=snapshot_id).to_arrow()


def pyiceberg_loses_nulls(schema: Schema) -> bool:
    """PyIceberg 0.12 gives [] for NULL lists and maps that have structs inside."""
    return any(_loses(field.field_type) for field in schema.fields)


def _loses(kind: IcebergType) -> bool:
    match kind:
        case StructType():
            return any(_loses(field.field_type) for field in kind.fields)
        case ListType():
            return _nested(kind.element_type)
        case MapType():
            return _nested(kind.value_type)
    return False


def _nested(kind: IcebergType) -> bool:
    return isinstance(kind, StructType | ListType | MapType)
