"""Whole tables that get another name, or that of each other: `RENAME TO`, `SWAP WITH`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from lakeport.lineage.bind.scope import Column, Ref, Relation
from lakeport.lineage.bind.tables import known_table
from lakeport.lineage.bind.written_names import written_name
from lakeport.lineage.capture import check_conflict
from lakeport.lineage.entries import TableEntry
from lakeport.lineage.names import Name, dotted

if TYPE_CHECKING:
    from sqlglot import exp

    from lakeport.lineage.bind.binder import Binder


def current_entry(binder: Binder, target: Relation) -> TableEntry | None:
    """The registry's present entry: an earlier action of the same ALTER may have changed it."""
    return binder.registry.entry(target.name)


def _new_name(binder: Binder, old: Name, table: exp.Expr) -> tuple[Name, tuple[str, ...]]:
    parts, shown = written_name(binder, table)
    if len(parts) == 1 and len(old) > 1:
        return (*old[:-1], *parts), shown
    return binder.registry.namespaces.canonical(parts), shown


def rename_table(binder: Binder, target: Relation, table: exp.Expr) -> None:
    name, shown = _new_name(binder, target.name, table)
    if not shown:
        return
    entry = current_entry(binder, target)
    renamed = binder.relation(target.kind, shown[-1], name)
    renamed.written = True
    renamed.resolution = "implied"
    binder.writes.setdefault(dotted(name))
    renamed.table_inputs.append((target, "RENAME"))
    _read(binder, target)
    if entry is None:
        entry = TableEntry(name, shown, [], "implied", complete=False, inference="usage")
    elif entry.temporary:
        renamed.metadata["temporary"] = True
    _carry(target, renamed, entry, "RENAME")
    moved = _moved(entry, name, shown)
    moved.statement_index = entry.statement_index if entry.origin == "implied" else binder.index
    binder.registry.move(target.name, moved, binder.index)


def swap_tables(binder: Binder, target: Relation, table: exp.Expr) -> None:
    name, shown = _new_name(binder, target.name, table)
    if not shown:
        return
    other = known_table(binder, name, shown, table, write=True)
    other.written = True
    binder.writes.setdefault(dotted(name))
    other.table_inputs.append((target, "SWAP"))
    target.table_inputs.append((other, "SWAP"))
    _read(binder, target)
    _read(binder, other)
    first, second = current_entry(binder, target), current_entry(binder, other)
    _exchange(target.known(), other.known(), target, other)
    for entry, place, spelled in ((first, other, shown), (second, target, (target.label,))):
        if entry is None:
            continue
        moved = _moved(entry, place.name, spelled)
        imported = binder.registry.imported.get(place.name)
        if imported is None or place.name in binder.registry.implied:
            binder.registry.update(moved)
        elif binder.registry.allow_implied:
            # What was imported is kept under its name, so the import is not true any more.
            check_conflict(binder, imported, moved, place)


def _moved(entry: TableEntry, name: Name, shown: tuple[str, ...]) -> TableEntry:
    """The same table under another name."""
    return entry.with_columns(
        [replace(column, origin="implied") for column in entry.columns],
        name=name,
        shown=shown,
        origin="implied",
        conflict=None,
        inference=entry.inference or "ddl",
    )


def _read(binder: Binder, relation: Relation) -> None:
    """Its rows go to another name: whoever filled it comes first."""
    relation.is_read = True
    binder.reads.setdefault(dotted(relation.name))


def _exchange(
    former: list[Column], latter: list[Column], target: Relation, other: Relation
) -> None:
    """Identity edges from every column of two tables to the other, where it may be new."""
    found: list[tuple[Column, Column]] = []
    for columns, place in ((former, other), (latter, target)):
        for origin in columns:
            made = place.find(origin.key)
            if made is None:
                made = place.add(Column(origin.name, origin.key))
                made.entry = origin.entry
            found.append((made, origin))
    for made, origin in found:
        made.refs, made.identity = [Ref(origin, operation="SWAP")], True


def _carry(source: Relation, target: Relation, entry: TableEntry, operation: str) -> None:
    """Identity edges from every column of the old name to the new."""
    for held in entry.columns:
        origin = source.find(held.key)
        made = Column(held.name, held.key)
        made.entry = held
        if origin is not None:
            made.refs, made.identity = [Ref(origin, operation=operation)], True
        target.add(made)
