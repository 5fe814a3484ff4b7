"""`snapshots(table)`: the commits of one table, as `lakeport.snapshots` has them of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa

from lakeport.catalog.functions import Signature
from lakeport.catalog.parameters import parameter
from lakeport.catalog.ports import SnapshotInfo, Travelable, require
from lakeport.core.names import quoted
from lakeport.system.builtin import Arguments, Builtin, Rows, table_of
from lakeport.system.form import MOMENT, Column, Row, moment
from lakeport.system.view import View

NAME = "snapshots"

SNAPSHOT: tuple[Column, ...] = (
    ("snapshot_id", pa.int64()),
    ("parent_id", pa.int64()),
    ("version", pa.int64()),
    ("committed_at", MOMENT),
    ("operation", pa.string()),
    ("schema_id", pa.int32()),
    ("summary", pa.map_(pa.string(), pa.string())),
)
_SCHEMA = pa.schema(list(SNAPSHOT))


def snapshots(view: View) -> tuple[Builtin, ...]:
    signature = Signature(
        NAME, pa.schema([parameter("table", pa.string())]), "The commits of a table, oldest first."
    )
    return (Builtin(signature, partial(_bind, view), _SCHEMA),)


def _bind(view: View, arguments: Arguments) -> Rows:
    name = table_of(arguments, NAME)
    known = require(view.table(name), Travelable, f"table {quoted(str(name))}").history()
    return Rows(_SCHEMA, partial(_batches, known), len(known))


def _batches(known: Sequence[SnapshotInfo], names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if known:
        rows = [snapshot_row(snapshot) for snapshot in known]
        yield pa.RecordBatch.from_pylist(rows, schema=_SCHEMA).select(list(names))


def snapshot_row(snapshot: SnapshotInfo) -> Row:
    return {
        "snapshot_id": snapshot.snapshot_id,
        "parent_id": snapshot.parent_id,
        "version": snapshot.version,
        "committed_at": moment(snapshot.timestamp_ns),
        "operation": snapshot.operation,
        "schema_id": snapshot.schema_id,
        "summary": list(snapshot.summary.items()),
    }
