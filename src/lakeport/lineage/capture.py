"""From DDL to implied tables: columns, types, keys, and the check against what was imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.request import ForeignKey
from lakeport.lineage.result import Conflict, Constraint
from lakeport.lineage.types import canonical_family

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation


def declared_column(binder: Binder, node: exp.ColumnDef) -> ColumnEntry:
    """A column definition, its type as the user wrote it."""
    identifier = node.this
    span = binder.span(identifier)
    text = binder.fragments.type_after(span[0]) if span else None
    kind = node.args.get("kind")
    if isinstance(kind, exp.Expr) and (
        # What TIMESTAMP means is not for the text to say if the session does.
        text is None or (binder.registry.settings.wall_clock and "timestamp" in text.lower())
    ):
        text = binder.sql(kind)
    primary = nullable = None
    comment: str | None = None
    foreign: ForeignKey | None = None
    for constraint in node.args.get("constraints") or []:
        rule = constraint.args.get("kind")
        if isinstance(rule, exp.PrimaryKeyColumnConstraint):
            primary = True
        elif isinstance(rule, exp.NotNullColumnConstraint):
            nullable = bool(rule.args.get("allow_null"))
        elif isinstance(rule, exp.CollateColumnConstraint) and binder.dialect.naming == "spark":
            # There it is part of the type.
            text = f"{text} collate {rule.this.name}"
        elif isinstance(rule, exp.CommentColumnConstraint):
            comment = rule.name
        elif isinstance(rule, exp.Reference):
            foreign = _reference(rule)
    return ColumnEntry(
        name=identifier.name,
        key=binder.key(identifier),
        origin="implied",
        data_type=text if kind is not None else None,
        type_origin="declared" if kind is not None else None,
        is_primary_key=bool(primary),
        foreign_key=foreign,
        nullable=nullable,
        description=comment,
    )


def _reference(node: exp.Expr) -> ForeignKey | None:
    schema = node.this
    table = schema.this if isinstance(schema, exp.Schema) else schema
    if not isinstance(table, exp.Table):
        return None
    columns = schema.expressions if isinstance(schema, exp.Schema) else []
    return ForeignKey(
        table=dotted(part.name for part in table.parts), column=columns[0].name if columns else ""
    )


def declared_columns(
    binder: Binder, schema: exp.Expr
) -> tuple[list[ColumnEntry], list[Constraint]]:
    """Columns and keys of a column list."""
    columns: list[ColumnEntry] = []
    constraints: list[Constraint] = []
    for item in schema.expressions:
        if isinstance(item, exp.ColumnDef):
            columns.append(declared_column(binder, item))
            constraints += _column_constraints(item)
            continue
        if isinstance(item, exp.Identifier):
            # SQLite's `CREATE TABLE t (a, b)`: columns without types.
            columns.append(ColumnEntry(item.name, binder.key(item), "implied"))
            continue
        rule = (
            item.expressions[0] if isinstance(item, exp.Constraint) and item.expressions else item
        )
        found = _constraint(rule)
        if found is not None:
            constraints.append(found)
    keys = [column.name for column in columns if column.is_primary_key]
    if keys:
        constraints.insert(0, Constraint(constraint_type="primary_key", columns=keys))
    primary = {
        binder.folding.column(n)
        for c in constraints
        if c.constraint_type == "primary_key"
        for n in c.columns
    }
    return [
        replace(c, is_primary_key=True) if c.key in primary else c for c in columns
    ], constraints


def _column_constraints(node: exp.ColumnDef) -> list[Constraint]:
    """The keys written beside a column; a primary key may have several, so it is gathered later."""
    found: list[Constraint] = []
    for constraint in node.args.get("constraints") or []:
        rule = constraint.args.get("kind")
        if isinstance(rule, exp.UniqueColumnConstraint):
            found.append(Constraint(constraint_type="unique", columns=[node.name]))
        elif isinstance(rule, exp.Reference) and (key := _reference(rule)) is not None:
            found.append(
                Constraint(
                    constraint_type="foreign_key",
                    columns=[node.name],
                    referenced_table=key.table,
                    referenced_columns=[key.column] if key.column else [],
                )
            )
    return found


def _constraint(rule: exp.Expr) -> Constraint | None:
    def names(items: list[exp.Expr]) -> list[str]:
        return [item.this.name if isinstance(item, exp.Ordered) else item.name for item in items]

    if isinstance(rule, exp.PrimaryKey):
        return Constraint(constraint_type="primary_key", columns=names(rule.expressions))
    if isinstance(rule, exp.ForeignKey):
        reference = rule.args.get("reference")
        schema = reference.this if reference is not None else None
        table = schema.this if isinstance(schema, exp.Schema) else schema
        return Constraint(
            constraint_type="foreign_key",
            columns=names(rule.expressions),
            referenced_table=dotted(p.name for p in table.parts)
            if isinstance(table, exp.Table)
            else None,
            referenced_columns=names(schema.expressions) if isinstance(schema, exp.Schema) else [],
        )
    if isinstance(rule, exp.UniqueColumnConstraint):
        inner = rule.this
        return Constraint(
            constraint_type="unique",
            columns=names(inner.expressions) if isinstance(inner, exp.Schema) else [],
        )
    return None


def output_columns(binder: Binder, relation: Relation) -> list[ColumnEntry]:
    """The columns a query gave to the table made from it; types are inferred."""
    entries: list[ColumnEntry] = []
    for column in relation.columns:
        if column.entry is not None:
            entries.append(replace(column.entry, origin="implied"))
            continue
        kind = binder.types.shown(column)
        entries.append(
            ColumnEntry(
                name=column.name,
                key=column.key,
                origin="implied",
                data_type=kind,
                type_origin="inferred" if kind is not None else None,
            )
        )
    return entries


def capture(
    binder: Binder, entry: TableEntry, relation: Relation, *, if_not_exists: bool = False
) -> None:
    """Record what the workload defines, and report where it contradicts the import."""
    registry = binder.registry
    registry.watch(entry.name)
    imported = registry.imported.get(entry.name)
    if imported is not None and registry.hides_import(entry):
        imported, relation.resolution = None, "implied"
    if imported is not None and registry.allow_implied:
        check_conflict(binder, imported, entry, relation)
        known = registry.imported[entry.name]
        if entry.file_format is not None and known.file_format is None:
            # No list of columns says it, so it is what the workload says.
            registry.describe(replace(known, file_format=entry.file_format))
    held = registry.implied.get(entry.name)
    if if_not_exists and (imported is not None or (held is not None and held.inference == "ddl")):
        registry.arrived(entry.name)
        return
    if (
        held is not None
        and held.inference == "ddl"
        and not binder.explain_only
        and held.source_name != entry.source_name
        and not entry.temporary
    ):
        binder.session.report(
            IssueCode.DUPLICATE_DEFINITION,
            f"`{dotted(entry.name)}` is defined in `{held.source_name}` and in `{entry.source_name}`; the last one is used",
            statement=binder.index,
            extent=relation.span,
            relation=dotted(entry.name),
            hint="rename one of the two",
        )
    registry.define(entry)


def _imported_key(imported: TableEntry, column: ColumnEntry) -> str:
    """The key of a column in the import, where it may be the same name without its quotes."""
    held = imported.overlay.get(column.key) if imported.overlay else None
    return held.key if held is not None and held.name == column.name else column.key


def check_conflict(
    binder: Binder, imported: TableEntry, entry: TableEntry, relation: Relation
) -> None:
    """Compare a definition with the imported table as sets of names, and types by meaning."""
    if not entry.complete:
        return
    mine, theirs = (
        {_imported_key(imported, c): c for c in entry.columns},
        {c.key: c for c in imported.columns if not c.uncertain},
    )
    if binder.registry.merge_columns:
        _add_types(binder, imported, mine)
    extra = [c for key, c in mine.items() if key not in theirs]
    missing = [c.name for key, c in theirs.items() if key not in mine] if imported.complete else []
    changed = [
        c.name
        for key, c in theirs.items()
        if key in mine and types_differ(binder, c.data_type, mine[key].data_type)
    ]
    if not (extra or missing or changed):
        return
    conflict = Conflict(extra=[c.name for c in extra], missing=missing, type_changed=changed)
    binder.registry.contradict(entry.name, conflict, extra)
    relation.conflicting = True
    differences = [
        f"{label}: {', '.join(names)}"
        for label, names in (
            ("extra", conflict.extra),
            ("missing", missing),
            ("type changed", changed),
        )
        if names
    ]
    only_extra = binder.registry.merge_columns and not missing and not changed
    binder.session.report(
        IssueCode.SCHEMA_CONFLICT,
        f"the workload defines `{dotted(entry.name)}` differently from the imported schema ({'; '.join(differences)})",
        statement=binder.index,
        extent=relation.span,
        relation=dotted(entry.name),
        resolution="imported",
        severity="info" if only_extra else None,
        hint="update schema.tables, or remove the CREATE",
    )


def _add_types(binder: Binder, imported: TableEntry, mine: dict[str, ColumnEntry]) -> None:
    """Columns that are imported as names alone get the types of the definition."""
    columns = [
        replace(held, data_type=mine[held.key].data_type, type_origin=mine[held.key].type_origin)
        if held.data_type is None and held.key in mine
        else held
        for held in imported.columns
    ]
    if columns != imported.columns:
        binder.registry.update(imported.with_columns(columns))


def types_differ(binder: Binder, first: str | None, second: str | None) -> bool:
    """Whether both are known and mean different types."""
    if first is None or second is None or first.lower() == second.lower():
        return False
    return canonical_family(first, binder.dialect.name) != canonical_family(
        second, binder.dialect.name
    )
