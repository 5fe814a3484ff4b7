"""ALTER: the next version of an implied table, an overlay on an imported one.

An imported list is the user's word, so it never changes; names the workload adds or renames still
bind, the contradiction is reported, and stars over the table become approximate.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.scope import Column, Ref, Relation
from lakeport.lineage.bind.tables import bind_table, known_table, report_lookup
from lakeport.lineage.bind.written_names import written_name
from lakeport.lineage.capture import declared_column, types_differ
from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted, written_parts
from lakeport.lineage.result import Conflict
from lakeport.lineage.statements.define import bind_definition
from lakeport.lineage.statements.renamed import current_entry, rename_table, swap_tables
from lakeport.lineage.struct_edits import edited, renamed_field, retyped, without
from lakeport.lineage.types import SqlType, read_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.struct_edits import Fields


def bind_alter(binder: Binder, node: exp.Expr) -> None:
    """Every action of one ALTER, in order."""
    table = node.this
    actions = node.args.get("actions") or []
    query = next((action for action in actions if isinstance(action, exp.Query)), None)
    if query is not None:
        known = binder.registry.lookup(written_name(binder, table)[0]).entry
        temporary = known is not None and known.temporary
        bind_definition(binder, table, query, {}, kind="view", temporary=temporary)
        return
    parts, shown = written_name(binder, table)
    target = known_table(binder, parts, shown, table, write=True)
    if not node.args.get("exists"):
        report_lookup(binder, binder.registry.lookup(parts), target)
    target.written = True
    binder.writes.setdefault(dotted(target.name))
    for action in actions:
        if isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
            rename_table(binder, target, action.this)
        elif isinstance(action, exp.SwapTable) and isinstance(action.this, exp.Table):
            swap_tables(binder, target, action.this)
        elif isinstance(action, exp.ReplacePartition) and isinstance(
            source := action.args.get("source"), exp.Table
        ):
            # ClickHouse's `REPLACE PARTITION p FROM s`: the rows of `s` come along.
            target.table_inputs.append((bind_table(binder, source, None), "ATTACH"))
        elif isinstance(action, exp.Alter):
            # The next pair of `RENAME TABLE a TO b, c TO a`.
            bind_alter(binder, action)
        else:
            _alter_columns(binder, target, action, shown)


def _alter_columns(
    binder: Binder, target: Relation, action: exp.Expr, shown: tuple[str, ...]
) -> None:
    entry = current_entry(binder, target)
    if entry is None:
        entry = TableEntry(target.name, shown, [], "implied", complete=False, inference="usage")
    change = _Change(binder, target, entry)
    for kind, apply in _ACTIONS:
        if isinstance(action, kind):
            apply(change, action)
    change.finish()


def _dropped(action: exp.Expr) -> list[exp.Expr]:
    if str(action.args.get("kind") or "").upper() not in {"COLUMN", "COLUMNS"}:
        return []
    found: list[exp.Expr] = []
    for item in [action.args.get("this"), *(action.args.get("tables") or []), *action.expressions]:
        if isinstance(item, exp.Schema):
            found += item.expressions
        elif isinstance(item, exp.Expr):
            found.append(item)
    return found


def _path(node: exp.Expr) -> list[exp.Expr]:
    """The names of `a.b.c`: a column, and the field of its struct that is meant."""
    if isinstance(node, exp.Dot):
        return [*_path(node.this), *_path(node.expression)]
    if isinstance(node, exp.Table | exp.Column):
        return list(node.parts)
    return [node]


# What may stand between a column and its new type.
_TYPE_WORDS = re.compile(r"^(?:SET\s+)?(?:DATA\s+)?TYPE\s+", re.IGNORECASE)


class _Change:
    """One action on a table's columns; `finish` stores what came of it."""

    def __init__(self, binder: Binder, target: Relation, entry: TableEntry) -> None:
        self._binder = binder
        self._target = target
        self._entry = entry
        self._columns = list(entry.columns)
        self._overlay = dict(entry.overlay)
        self._dropped = dict(entry.dropped_columns)
        self._extra: list[str] = []
        self._missing: list[str] = []
        self._retyped: list[str] = []
        # What the workload had added to an import, and takes away again.
        self._gone: list[str] = []
        self._touched = False
        # Whether what is imported cannot be right any more, which is more than a column too few.
        self._severe = False

    @property
    def _imported(self) -> bool:
        return self._entry.origin == "imported"

    def _position(self, key: str) -> int | None:
        return next((i for i, column in enumerate(self._columns) if column.key == key), None)

    def _show(self, column: ColumnEntry) -> Column:
        shown = self._target.index.get(column.key)
        if shown is None:
            shown = self._target.add(Column(column.name, column.key))
        shown.entry = column
        return shown

    def add(self, node: exp.ColumnDef) -> None:
        self._touched = True
        if isinstance(node.this, exp.Dot):
            self._nested(node)
            return
        column = declared_column(self._binder, node)
        self._show(column)
        self._dropped.pop(column.key, None)
        if self._position(column.key) is not None:
            return
        if self._imported:
            self._extra.append(column.name)
            if self._binder.registry.merge_columns:
                self._columns.append(replace(column, uncertain=True))
            else:
                self._overlay[column.key] = column
            return
        folders = self._entry.partitions
        at = len(self._columns)
        while folders and at and self._columns[at - 1].key in folders:
            at -= 1
        self._columns.insert(at, column)
        self._move(column, node.args.get("position"))

    def _move(self, column: ColumnEntry, place: object) -> None:
        """`FIRST`, `AFTER c`: the others keep their order. What is imported keeps all of it."""
        if not isinstance(place, exp.ColumnPosition) or self._imported:
            return
        others = [other for other in self._columns if other is not column]
        at = len(others)
        if str(place.args.get("position")).upper() == "FIRST":
            at = 0
        elif isinstance(place.this, exp.Expr):
            key = self._binder.key(place.this)
            at = next((n + 1 for n, other in enumerate(others) if other.key == key), at)
        self._columns = [*others[:at], column, *others[at:]]

    def _nested(self, node: exp.ColumnDef) -> None:
        """`ADD COLUMN a.b int`: the struct's type grows."""
        added = self._read(node.args.get("kind"))
        if added is not None:
            self._edit(_path(node.this), lambda fields, name: [*fields, (name, added)])

    def _read(self, kind: object) -> SqlType | None:
        binder = self._binder
        return (
            read_type(binder.sql(kind), binder.dialect.name) if isinstance(kind, exp.Expr) else None
        )

    def _is_nested(self, path: list[exp.Expr]) -> bool:
        """Whether a dotted name means a field: its first part is a column, no table."""
        return len(path) > 1 and self._position(self._binder.key(path[0])) is not None

    def _edit(self, path: list[exp.Expr], change: Callable[[Fields, str], Fields]) -> None:
        """Another type for the column whose field is added, dropped, renamed or changed."""
        at = self._position(self._binder.key(path[0]))
        if at is None:
            return
        column = self._columns[at]
        dialect = self._binder.dialect.name
        held = read_type(column.data_type, dialect) if column.data_type else None
        kind = edited(held, [part.name for part in path[1:]], change)
        if kind is None:
            return
        changed = replace(column, data_type=self._binder.types.text(kind))
        self._show(changed)
        if self._imported:
            self._retyped.append(column.name)
        else:
            self._columns[at] = changed

    def _require(self, identifier: exp.Expr, at: int | None) -> None:
        """A column that is changed must be there."""
        known = at is not None or self._binder.key(identifier) in self._overlay
        if self._entry.complete and not known:
            self._binder.report(
                IssueCode.UNKNOWN_COLUMN,
                f"`{dotted(self._entry.name)}` has no column `{identifier.name}`",
                at=identifier,
                relation=self._target,
                column=identifier.name,
            )

    def drop(self, node: exp.Expr, *, required: bool = True) -> None:
        self._touched = True
        path = _path(node)
        if self._is_nested(path):
            self._edit(path, without)
            return
        identifier = path[-1]
        key = self._binder.key(identifier)
        at = self._position(key)
        self._dropped[key] = self._binder.index
        if required:
            self._require(identifier, at)
        if at is None:
            self._overlay.pop(key, None)
            return
        self._show(self._columns[at])
        if self._imported and not self._columns[at].uncertain:
            self._missing.append(self._columns[at].name)
            return
        if self._imported:
            self._gone.append(self._columns[at].name)
        del self._columns[at]

    def rename(self, old: exp.Expr, new: exp.Expr) -> None:
        """In place, with an identity edge from the old column to the new one."""
        self._touched = True
        path, new = _path(old), _path(new)[-1]
        if self._is_nested(path):
            self._edit(path, lambda fields, name: renamed_field(fields, name, new.name))
            return
        old = path[-1]
        key, renamed = self._binder.key(old), self._binder.key(new)
        at = self._position(key)
        self._require(old, at)
        held = self._columns[at] if at is not None else self._overlay.get(key)
        if held is None:
            held = ColumnEntry(old.name, key, "implied")
            if not self._imported:
                self._columns.append(held)
                at = len(self._columns) - 1
        before = self._show(held)
        column = replace(held, name=new.name, key=renamed, renamed_from=held.name)
        after = self._show(column)
        after.refs, after.identity = [Ref(before, operation="RENAME")], True
        if self._imported:
            # Both names bind, to one column.
            self._overlay[renamed] = column
            self._extra.append(new.name)
            self._missing.append(held.name)
        elif at is not None:
            self._columns[at] = column

    def alter(self, node: exp.Expr) -> None:
        """ALTER COLUMN TYPE, CHANGE, SET NOT NULL, COMMENT, FIRST, AFTER."""
        self._touched = True
        renamed = node.args.get("rename_to")
        path = _path(node.this)
        if self._is_nested(path):
            wanted = self._read(node.args.get("dtype"))
            if wanted is not None:
                self._edit(path, lambda fields, name: retyped(fields, name, wanted))
            return
        identifier = path[-1]
        if isinstance(renamed, exp.Expr) and self._binder.key(renamed) != self._binder.key(
            identifier
        ):
            self.rename(identifier, renamed)
            identifier = renamed
        key = self._binder.key(identifier)
        at = self._position(key)
        kind = node.args.get("dtype")
        self._require(identifier, at)
        if at is None:
            return
        self._show(self._columns[at])
        if isinstance(kind, exp.Expr):
            self._retype(at, self._written_type(identifier, kind))
        self._move(self._columns[at], node.args.get("position"))

    def _retype(self, at: int, text: str) -> None:
        column = self._columns[at]
        if not self._imported:
            self._columns[at] = replace(column, data_type=text, type_origin="declared")
        elif types_differ(self._binder, column.data_type, text):
            self._retyped.append(column.name)
            self._severe = True

    def _written_type(self, identifier: exp.Expr, kind: exp.Expr) -> str:
        """The new type as it is written, if it can be cut out."""
        binder = self._binder
        made, dialect = binder.sql(kind), binder.dialect.name
        span = binder.span(identifier)
        written = binder.fragments.type_after(span[0]) if span else None
        text = _TYPE_WORDS.sub("", written or "")
        return text if text and read_type(text, dialect) is not None else made

    def replace(self, nodes: list[exp.ColumnDef]) -> None:
        self._touched = True
        listed = [declared_column(self._binder, node) for node in nodes]
        keys = {column.key for column in listed}
        held = {column.key for column in self._columns}
        for column in listed:
            self._show(column)
        folders = self._entry.partitions - keys
        if folders:
            listed += [column for column in self._columns if column.key in folders]
            keys |= folders
        if self._imported:
            self._severe = True
            self._extra += [column.name for column in listed if column.key not in held]
            self._missing += [column.name for column in self._columns if column.key not in keys]
            self._overlay.update({c.key: c for c in listed if c.key not in held})
        else:
            self._dropped.update(dict.fromkeys(held - keys, self._binder.index))
            self._columns = listed

    def finish(self) -> None:
        """Store the next version; contradictions of an import are reported."""
        if not self._touched:
            return
        entry = self._entry.with_columns(
            self._columns, overlay=self._overlay, dropped_columns=self._dropped
        )
        if not self._imported:
            entry.statement_index = entry.statement_index if entry.inference == "ddl" else None
            self._binder.registry.update(entry)
            return
        if not self._binder.registry.allow_implied:
            return
        if not (self._extra or self._missing or self._retyped or self._gone):
            # NOT NULL, a comment, a type that is imported already: nothing that a query can see.
            return
        merging = self._binder.registry.merge_columns
        held = self._entry.conflict
        conflict = Conflict(
            extra=[
                name
                for name in [*(held.extra if held else []), *self._extra]
                if name not in self._gone
            ],
            missing=[*(held.missing if held else []), *self._missing],
            type_changed=[*(held.type_changed if held else []), *self._retyped],
        )
        self._binder.registry.update(replace(entry, conflict=conflict))
        self._target.conflicting = True
        self._binder.session.report(
            IssueCode.SCHEMA_CONFLICT,
            f"the workload alters `{dotted(entry.name)}`, but its columns are imported",
            statement=self._binder.index,
            extent=self._target.span,
            relation=dotted(entry.name),
            resolution="imported",
            severity=None if self._severe or (merging and self._missing) else "info",
            hint="update schema.tables",
        )


def _add_columns(change: _Change, action: exp.Expr) -> None:
    for item in action.expressions if isinstance(action, exp.Schema) else [action]:
        if isinstance(item, exp.ColumnDef):
            change.add(item)


def _drop_columns(change: _Change, action: exp.Expr) -> None:
    for item in _dropped(action):
        change.drop(item, required=not action.args.get("exists"))


_LISTED = re.compile(r"\s*\(([^()]*)\)")
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)


def _drop_listed(change: _Change, action: exp.Expr) -> None:
    """Oracle's `DROP (a, b)`, which the parser leaves as text."""
    listed = _LISTED.match(_COMMENT.sub(" ", str(action.args.get("expression") or "")))
    if str(action.this).upper() == "DROP" and listed:
        for name in listed[1].split(","):
            part, quoted = written_parts(name.strip())[-1]
            change.drop(exp.to_identifier(part, quoted=quoted))


def _rename_column(change: _Change, action: exp.Expr) -> None:
    change.rename(action.this, action.args["to"])


def _replace_columns(change: _Change, action: exp.Expr) -> None:
    change.replace([item for item in action.expressions if isinstance(item, exp.ColumnDef)])


def _modify_column(change: _Change, action: exp.Expr) -> None:
    """MySQL's MODIFY, and CHANGE with a new name: the column is written out anew."""
    column, old = action.this, action.args.get("rename_from")
    altered = {"this": old, "rename_to": column.this} if old else {"this": column.this}
    place = column.args.get("position")
    change.alter(exp.AlterColumn(**altered, dtype=column.args.get("kind"), position=place))


_ACTIONS: tuple[tuple[type[exp.Expr], Callable[[_Change, exp.Expr], None]], ...] = (
    (exp.ColumnDef, _add_columns),
    (exp.Schema, _add_columns),
    (exp.Drop, _drop_columns),
    (exp.Command, _drop_listed),
    (exp.RenameColumn, _rename_column),
    (exp.AlterColumn, _Change.alter),
    (exp.ModifyColumn, _modify_column),
    (exp.ReplaceColumns, _replace_columns),
)
