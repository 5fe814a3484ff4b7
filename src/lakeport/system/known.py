"""The system tables: their columns, and how a row is made of what a caller may see.

Rows are made a piece at a time, so that a lake of many tables is not held in memory; a table that is
dropped meanwhile is left out, and one that cannot be opened has a `problem` in place of the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

import pyarrow as pa

from lakeport.catalog.definition import comment_of, default_of
from lakeport.catalog.expressions.type_text import type_text
from lakeport.catalog.ports import SnapshotInfo, Table, TableState, Travelable
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import TableName
from lakeport.system.form import MOMENT, PLACE, Known, Row, known, moment
from lakeport.system.history import SNAPSHOT, snapshot_row
from lakeport.system.runs import RUN_TABLES
from lakeport.system.view import View


def _tables(view: View) -> Iterator[Row]:
    for name in view.names():
        place = {"namespace": name.namespace, "table": name.table}
        try:
            yield {**place, **_table(view, view.table(name))}
        except NotFoundError:
            continue
        except LakeportError as error:
            yield place | {"problem": error.message}


def _table(view: View, table: Table) -> Row:
    state = table.state()
    newest = _newest(table, state)
    rows, size = None, None
    if isinstance(table, Travelable):  # without a past nobody counted them
        rows, size = view.size(None if newest is None else newest.summary)
    return {
        "uuid": state.uuid,
        "comment": state.definition.comment,
        "columns": len(state.definition.schema),
        "rows": rows,
        "bytes": size,
        "version": state.version,
        "snapshot_id": state.snapshot_id,
        "changed_at": None if newest is None else moment(newest.timestamp_ns),
    }


def _columns(view: View) -> Iterator[Row]:
    for name, table in _opened(view):
        for position, column in enumerate(table.state().definition.schema, 1):
            yield {
                "namespace": name.namespace,
                "table": name.table,
                "position": position,
                "column": column.name,
                "type": type_text(column),
                "arrow_type": str(column.type),
                "nullable": column.nullable,
                "default": default_of(column),
                "comment": comment_of(column),
            }


def _snapshots(view: View) -> Iterator[Row]:
    for name, table in _opened(view):
        for snapshot in table.history() if isinstance(table, Travelable) else ():
            place = {"namespace": name.namespace, "table": name.table}
            yield {**place, **snapshot_row(snapshot)}


def _views(view: View) -> Iterator[Row]:
    """One row for each dialect that a view has a query in."""
    for name in view.view_names():
        place = {"namespace": name.namespace, "view": name.table}
        try:
            found = view.view(name)
        except NotFoundError:
            continue
        except LakeportError as error:
            yield place | {"problem": error.message}
            continue
        known = {
            "uuid": found.uuid,
            "comment": found.comment,
            "columns": found.schema.names,
            "version": found.version,
            "changed_at": moment(found.changed_ns),
        }
        for query in found.queries:
            yield place | known | {"dialect": query.dialect, "sql": query.sql}


def _audit(view: View) -> Iterator[Row]:
    for entries in view.audit():
        for entry in entries:
            row = asdict(entry)
            yield row | {"at": moment(row.pop("at_ns"))}


def _opened(view: View) -> Iterator[tuple[TableName, Table]]:
    for name in view.names():
        try:
            table = view.table(name)
            table.state()
        except LakeportError:
            continue  # `lakeport.tables` tells why
        yield name, table


def _newest(table: Table, state: TableState) -> SnapshotInfo | None:
    if not isinstance(table, Travelable):
        return None
    return next((one for one in table.history() if one.snapshot_id == state.snapshot_id), None)


KNOWN: Mapping[str, Known] = {
    "tables": known(
        "The tables that you may read.",
        (
            *PLACE,
            ("uuid", pa.string()),
            ("comment", pa.string()),
            ("columns", pa.int32()),
            ("rows", pa.int64()),
            ("bytes", pa.int64()),
            ("version", pa.int64()),
            ("snapshot_id", pa.int64()),
            ("changed_at", MOMENT),
            ("problem", pa.string()),
        ),
        _tables,
    ),
    "columns": known(
        "The columns of the tables that you may read.",
        (
            *PLACE,
            ("position", pa.int32()),
            ("column", pa.string()),
            ("type", pa.string()),
            ("arrow_type", pa.string()),
            ("nullable", pa.bool_()),
            ("default", pa.string()),
            ("comment", pa.string()),
        ),
        _columns,
    ),
    "snapshots": known(
        "What happened to the tables that you may read.",
        (*PLACE, *SNAPSHOT),
        _snapshots,
    ),
    "views": known(
        "The views that you may read, with their SQL: other engines run it.",
        (
            ("namespace", pa.string()),
            ("view", pa.string()),
            ("dialect", pa.string()),
            ("sql", pa.string()),
            ("uuid", pa.string()),
            ("comment", pa.string()),
            ("columns", pa.list_(pa.string())),
            ("version", pa.int64()),
            ("changed_at", MOMENT),
            ("problem", pa.string()),
        ),
        _views,
    ),
    "audit": known(
        "Calls: all for an admin, those about it for a catalog's, their own for everybody else.",
        (
            ("at", MOMENT),
            ("identity", pa.string()),
            ("method", pa.string()),
            ("action", pa.string()),
            ("outcome", pa.string()),
            ("catalog", pa.string()),
            *PLACE,
            ("rows_in", pa.int64()),
            ("rows_out", pa.int64()),
            ("rows_changed", pa.int64()),
            ("bytes_in", pa.int64()),
            ("bytes_out", pa.int64()),
            ("ms", pa.float64()),
            ("trace_id", pa.string()),
            ("session_id", pa.string()),
            ("transaction_id", pa.string()),
            ("peer", pa.string()),
        ),
        _audit,
    ),
    **RUN_TABLES,
}
