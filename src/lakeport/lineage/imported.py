"""The imported schema, normalised once and remembered.

A catalog of thousands of columns comes with every request; folding its names again each time would
cost more than binding a query. Entries are never changed in place, so requests may share them.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.names import Folding, Name, folding_of, unsharded, written_parts

if TYPE_CHECKING:
    from lakeport.lineage.dialects import Dialect
    from lakeport.lineage.request import SchemaMetadata, SchemaTable

_REMEMBERED = 16
# Of all that are remembered, as they are written. What is made of them takes some nine times as much.
_REMEMBERED_BYTES = 1 << 23


class Imported(NamedTuple):
    """Tables by canonical name, other spellings of them, and what is odd about the list."""

    tables: dict[Name, TableEntry]
    spellings: dict[Name, Name]
    repeated: list[Name]
    tagged: bool


_ENCODER = msgspec.msgpack.Encoder()
_known: OrderedDict[tuple[str, bytes], Imported] = OrderedDict()
# The schema object seen last, so that a caller who keeps it pays nothing at all.
_latest: dict[str, tuple[SchemaMetadata, Imported]] = {}
_lock = Lock()


def imported_tables(schema: SchemaMetadata, dialect: Dialect) -> Imported:
    """The normalised tables of a schema; equal schemas give the same object."""
    latest = _latest.get(dialect.name)
    if latest is not None and latest[0] is schema:
        return latest[1]
    made = _remembered(schema, dialect)
    _latest[dialect.name] = (schema, made)
    return made


def _remembered(schema: SchemaMetadata, dialect: Dialect) -> Imported:
    key = (dialect.name, _ENCODER.encode((schema.case_sensitivity, schema.tables)))
    with _lock:
        found = _known.get(key)
        if found is not None:
            _known.move_to_end(key)
            return found
    made = _load(schema, folding_of(dialect, schema.case_sensitivity))
    with _lock:
        _known[key] = made
        while len(_known) > _REMEMBERED or (len(_known) > 1 and _size() > _REMEMBERED_BYTES):
            _known.popitem(last=False)
    return made


def _size() -> int:
    return sum(len(written) for _, written in _known)


def _load(schema: SchemaMetadata, folding: Folding) -> Imported:
    made = Imported({}, {}, [], any(c.tags for t in schema.tables for c in t.columns))
    for table in schema.tables:
        entry = imported_entry(table, folding)
        # Shards of one table are that table many times over.
        is_shard = folding.shards and unsharded(entry.shown[-1]) != entry.shown[-1]
        held = made.tables.get(entry.name)
        if held is not None and entry.temporary and not held.temporary:
            # Exported beside the table that it hid: the workload makes it again.
            continue
        if held is not None and not is_shard:
            made.repeated.append(entry.name)
        made.tables[entry.name] = entry
        if table.quoted:
            made.spellings.setdefault(tuple(folding.tables[p] for p in entry.name), entry.name)
        elif entry.shown != entry.name:
            # An imported name is found as it is spelt, too: quoted in SQL, it keeps its case.
            made.spellings[entry.shown] = entry.name
    return made


def imported_entry(table: SchemaTable, folding: Folding) -> TableEntry:
    """An imported table under its canonical name. Names match as written and as folded."""
    quoted = table.quoted
    if table.schema is None and table.catalog is None and "/" not in table.name and not quoted:
        parts = written_parts(table.name)
    else:
        parts = [(part, quoted) for part in (table.catalog, table.schema, table.name) if part]
    name = tuple(folding.table(text, quoted=quoted) for text, quoted in parts)
    if folding.shards:
        name = (*name[:-1], unsharded(name[-1]))
    columns: list[ColumnEntry] = []
    overlay: dict[str, ColumnEntry] = {}
    for column in table.columns:
        entry = ColumnEntry(
            name=column.name,
            key=folding.column(column.name, quoted=column.quoted),
            origin="imported",
            data_type=column.data_type,
            type_origin="declared" if column.data_type else None,
            is_primary_key=column.is_primary_key,
            foreign_key=column.foreign_key,
            nullable=column.nullable,
            tags=tuple(column.tags),
        )
        columns.append(entry)
        if entry.key != column.name:
            overlay[column.name] = entry
        elif column.quoted:
            overlay[folding.columns[column.name]] = entry
    complete = table.columns_complete if table.columns_complete is not None else bool(columns)
    return TableEntry(
        name=name,
        shown=tuple(text for text, _ in parts),
        columns=columns,
        origin="imported",
        complete=complete,
        kind=table.kind,
        temporary=table.temporary,
        overlay=overlay,
    )
