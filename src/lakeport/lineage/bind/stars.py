"""Stars: `*`, `t.*`, `struct.*`, with EXCEPT, REPLACE and RENAME, and COLUMNS(regex).

Each relation is expanded on its own: what is known becomes columns, what is not becomes an open
tail with the exclusions remembered, and the result says which of the two happened.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.columns import merged_refs
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.qualified import hidden_by_alias, names_nothing
from lakeport.lineage.bind.row_fields import AROUND, field_column, field_inputs, row_behind
from lakeport.lineage.bind.scope import VALUE, Column, Item, Ref, Relation, Scope, Tail
from lakeport.lineage.bind.star_modifiers import Modifiers, written_path
from lakeport.lineage.bind.struct_fields import makes_structs, query_inside, written_parts
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.types import star_fields, without_field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Merged
    from lakeport.lineage.types import SqlType


def expand_star(binder: Binder, node: exp.Expr, scope: Scope) -> list[Item]:
    """The columns a star in a select list stands for."""
    star = node.this if isinstance(node, exp.Column) else node
    modifiers = Modifiers(binder, star, scope)
    if isinstance(node, exp.Column):
        items = _qualified(binder, node, scope, modifiers)
    else:
        items = _all(binder, scope, modifiers, node)
    exact = not any(isinstance(item, Tail) for item in items)
    if not exact and modifiers.unmet and (modifiers.replaced or modifiers.renamed):
        return _with_unmet(binder, items, scope, modifiers)
    # dbt_utils.star leaves out only what is there, and stands here as an EXCEPT.
    templated = binder.session.request.template_config.mode == "dbt"
    for key, identifier in modifiers.unmet.items() if exact else ():
        if templated and key in modifiers.excluded:
            continue
        binder.report(
            IssueCode.UNKNOWN_COLUMN,
            f"the star has no column `{identifier.name}`",
            at=identifier,
            column=identifier.name,
        )
    return items


def _with_unmet(
    binder: Binder, items: list[Item], scope: Scope, modifiers: Modifiers
) -> list[Item]:
    """What a star replaces or renames is shown, although nobody knows its place among the others."""
    named = {
        key: identifier
        for key, identifier in modifiers.unmet.items()
        if key in modifiers.replaced or key in modifiers.renamed
    }
    opened = [item.relation for item in items if isinstance(item, Tail)]
    items = [
        Tail(item.relation, item.excluded | named.keys()) if isinstance(item, Tail) else item
        for item in items
    ]
    for key, identifier in named.items():
        made = Column(identifier.name, key)
        if key in modifiers.replaced:
            _replace(binder, made, scope, modifiers)
        else:
            found = [binder.inferred(relation, made.name, key) for relation in opened]
            made.refs = [
                Ref(origin, approximate=len(opened) > 1) for origin in found if origin is not None
            ]
            made.identity = True
            made.approximate = len(opened) > 1
        _rename(binder, made, modifiers)
        items.append(made)
    return items


def _all(binder: Binder, scope: Scope, modifiers: Modifiers, node: exp.Expr) -> list[Item]:
    if scope.parent is not None and not scope.sources:
        # `LATERAL (SELECT *)`: only a star with a name shows columns of the query around it.
        return []
    pending = dict(scope.merged)
    items: list[Item] = []
    if not any(source.visible for source in scope.sources):
        binder.report(
            IssueCode.UNRESOLVED_REFERENCE,
            "a star is used, but there is no table in scope",
            at=node,
        )
    in_place = binder.dialect.merged_in_place
    for place, source in enumerate(scope.sources):
        if pending and not in_place:
            begun = [key for key, held in pending.items() if held.start == place]
            items += _merged(binder, begun, pending, scope, modifiers)
        if not source.visible:
            continue
        relation = source.relation
        items += _relation(
            binder,
            relation,
            scope,
            modifiers,
            hidden=scope.hidden.get(id(relation), set()),
            at=node,
            pending=pending if in_place else None,
        )
    return items + _merged(binder, list(pending), pending, scope, modifiers)


def _merged(
    binder: Binder,
    keys: list[str],
    pending: dict[str, Merged],
    scope: Scope,
    modifiers: Modifiers,
) -> list[Item]:
    """Columns that USING or NATURAL made of two, each shown once."""
    items: list[Item] = []
    for key in keys:
        merged = pending.pop(key, None)
        refs = merged_refs(merged, VALUE) if merged is not None else []
        first = refs[0].origin if refs else None
        if isinstance(first, Column):
            items += _shown(binder, first, scope, modifiers, refs)
    return items


def _qualified(binder: Binder, node: exp.Column, scope: Scope, modifiers: Modifiers) -> list[Item]:
    parts = [
        node.args[part] for part in ("catalog", "db", "table") if node.args.get(part) is not None
    ]
    relation = binder.addressed(parts, scope)
    if relation is not None:
        return _relation(binder, relation, scope, modifiers, hidden=set(), at=node)
    known = any(s.relation.find(binder.key(parts[0])) for s in scope.sources)
    hidden = None if known else hidden_by_alias(binder, parts, node.this, scope)
    if hidden is not None:
        return [Tail(hidden)]
    if len(parts) == 1 and not known and _is_nothing(binder, parts[0], scope):
        names_nothing(binder, [*parts, node.this], scope)
        modifiers.unmet.clear()
        return []
    return _struct(binder, parts, scope, modifiers)


def _is_nothing(binder: Binder, name: exp.Expr, scope: Scope) -> bool:
    """Whether neither a column nor anything else can have the name that is written before a star."""
    if binder.blocks or binder.variables:
        return False
    key, level = binder.key(name), scope
    if key in binder.dialect.pseudo_columns or key.lower() in binder.dialect.pseudo_columns:
        return False
    while True:
        if key in level.aliases or key in level.merged:
            return False
        relations = [source.relation for source in level.sources]
        if any(not relation.complete or relation.find(key) for relation in relations):
            return False
        if level.parent is None:
            return True
        level = level.parent


def expand_value(binder: Binder, value: Column, scope: Scope) -> list[Item]:
    """BigQuery's `SELECT AS VALUE struct`: rows with the fields for columns; other values stay alone."""
    node = value.expression or exp.Null()
    row = row_behind(value)
    if row is not None:
        modifiers = Modifiers(binder, exp.Star(), scope)
        if node.__class__ is exp.Column:
            return _relation(binder, row, scope, modifiers, hidden=set(), at=node)
        return _fields_of_row(binder, row, value, scope, modifiers, node)
    parts = written_parts(binder, node) or ()
    copied = {part.name for part in parts if part.value.__class__ is exp.Column}
    fields = star_fields(binder.types.of_column(value))
    made: list[Item] = []
    for field in fields:
        column = Column(field.name, binder.folding.column(field.name))
        column.type, column.typed = field.type, True
        _take_field(binder, column, value, field.name)
        column.identity = field.name in copied and len(column.refs) == 1
        made.append(column)
    return made if "" not in {field.name for field in fields} and made else [value]


def _fields_of_row(
    binder: Binder,
    row: Relation,
    value: Column,
    scope: Scope,
    modifiers: Modifiers,
    node: exp.Expr,
) -> list[Item]:
    """The columns of a relation of which a value is one row, chosen as the value says."""
    items = _relation(binder, row, scope, modifiers, hidden=set(), at=node)
    for item in items:
        # What REPLACE computes is no field.
        origin = item.refs[0].origin if isinstance(item, Column) and item.refs else None
        if isinstance(item, Column) and isinstance(origin, Column) and origin.relation is row:
            _take_field(binder, item, value, origin.name)
    return items


def _take_field(binder: Binder, column: Column, value: Column, name: str) -> None:
    """Let a column be the field of that name of a value."""
    field = field_inputs(binder, value, name)
    if field is None:
        column.refs = [_field(binder, ref, name) for ref in value.refs]
    else:
        column.refs = field[0]
    column.identity, column.text = False, value.text
    column.approximate = any(ref.approximate for ref in column.refs)


def expand_fields(binder: Binder, node: exp.Dot, scope: Scope) -> list[Item]:
    """`(composite).*`, `f(x).*`: the fields of whatever stands before the star."""
    modifiers = Modifiers(binder, node.expression, scope)
    inner = node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if inner.__class__ is exp.Column:
        row = binder.addressed([inner.this], scope) if inner.args.get("table") is None else None
        if row is not None and row.find(binder.key(inner.this)) is None:
            return _relation(binder, row, scope, modifiers, hidden=set(), at=node)
    parts = _parts_of_struct(binder, inner, scope)
    refs = [ref for made in parts.values() for ref in made] or collect(binder, inner, scope)
    if isinstance(inner, AROUND):
        value = Column("", "", refs=refs, expression=inner)
        row = row_behind(value)
        if row is not None:
            return _fields_of_row(binder, row, value, scope, modifiers, node)
    kind = binder.types.of(inner)
    if kind is None and len(refs) == 1 and isinstance(inner, exp.Column | exp.Dot):
        kind = binder.types.of_ref(refs[0])
    name = inner.this if isinstance(inner.this, exp.Identifier) else exp.to_identifier("struct")
    return _fields(binder, _Struct(refs, kind, name, parts), scope, modifiers)


def _parts_of_struct(binder: Binder, node: exp.Expr, scope: Scope) -> dict[str, list[Ref]]:
    """What each field of a struct that is written out reads, by its key; nothing for others."""
    made: dict[str, list[Ref]] = {}
    parts = written_parts(binder, node)
    for part in parts or ():
        refs = collect(binder, part.value, scope)
        made.setdefault(binder.folding.column(part.name), []).extend(refs)
    query = query_inside(node) if parts is None else None
    if query is not None and makes_structs(query):
        binder.read(node, scope)
        for item in binder.struct_rows.get(id(query)) or ():
            if isinstance(item, Column):
                made.setdefault(item.key, []).extend(item.refs)
    return made


class _Struct(NamedTuple):
    """A value whose fields a star shows."""

    refs: list[Ref]
    kind: SqlType | None
    identifier: exp.Expr
    # What each field is made of, where the struct is put together in place.
    parts: Mapping[str, list[Ref]] = MappingProxyType({})

    def field(self, binder: Binder, name: str) -> list[Ref]:
        """What a field is made of."""
        own = self.parts.get(binder.folding.column(name))
        return own if own is not None else [_field(binder, ref, name) for ref in self.refs]


def _struct(
    binder: Binder, parts: list[exp.Expr], scope: Scope, modifiers: Modifiers
) -> list[Item]:
    """`struct_column.*`: one column per field of its type."""
    chain = [part.copy() for part in parts]
    names = ("this", "table", "db", "catalog")
    column = exp.Column(**dict(zip(names, reversed(chain), strict=False)))
    refs = collect(binder, column, scope)
    if not refs or not isinstance(refs[0].origin, Column):
        return []
    struct = _Struct(refs, binder.types.of_ref(refs[0]), parts[-1])
    return _fields(binder, struct, scope, modifiers)


def _fields(binder: Binder, struct: _Struct, scope: Scope, modifiers: Modifiers) -> list[Item]:
    """One column per field, or one for all of them where the type is not known."""
    refs, identifier = struct.refs, struct.identifier
    row = _row(binder, refs, identifier, scope, modifiers)
    if row is not None:
        return row
    fields = star_fields(struct.kind)
    if not fields:
        # Which fields there are nobody knows, so none is missing.
        modifiers.unmet.clear()
        opened = Column(identifier.name, binder.key(identifier))
        opened.refs = [replace(ref, approximate=True) for ref in refs]
        return [opened]
    items: list[Item] = []
    for name, field in ((field.name, field.type) for field in fields):
        made = Column(name, binder.folding.column(name))
        if made.key in modifiers.excluded:
            modifiers.unmet.pop(made.key, None)
            continue
        if made.key in modifiers.replaced:
            _replace(binder, made, scope, modifiers)
        else:
            made.refs = struct.field(binder, name)
            made.type, made.typed = field, True
            for path in modifiers.fields.get(made.key, ()):
                _leave_out(made, path, modifiers)
        _rename(binder, made, modifiers)
        items.append(made)
    return items


def _row(
    binder: Binder, refs: list[Ref], at: exp.Expr, scope: Scope, modifiers: Modifiers
) -> list[Item] | None:
    """The columns of the row that a struct is; None if it is something else."""
    whole = refs[0].origin if len(refs) == 1 and not refs[0].path else None
    row = row_behind(whole) if isinstance(whole, Column) else None
    if row is None or not isinstance(whole, Column):
        return None
    items = _relation(binder, row, scope, modifiers, hidden=set(), at=at)
    for item in items:
        # What REPLACE computes is no field.
        origin = item.refs[0].origin if isinstance(item, Column) and item.refs else None
        if isinstance(item, Column) and isinstance(origin, Column) and origin.relation is row:
            made = field_column(binder, whole, origin.name)
            if made is not None:
                item.refs = [replace(item.refs[0], origin=made)]
    return items


def _field(binder: Binder, ref: Ref, name: str) -> Ref:
    if ref.path is None and isinstance(ref.origin, Column):
        field = field_column(binder, ref.origin, name)
        if field is not None:
            return replace(ref, origin=field)
    return replace(ref, path=f"{ref.path}.{name}" if ref.path else name)


def _relation(  # noqa: PLR0913 - a relation, a star, and what the star may not show
    binder: Binder,
    relation: Relation,
    scope: Scope,
    modifiers: Modifiers,
    *,
    hidden: set[str],
    at: exp.Expr,
    pending: dict[str, Merged] | None = None,
) -> list[Item]:
    items: list[Item] = []
    for column in relation.known():
        if column.key in hidden:
            items += _merged(binder, [column.key], pending or {}, scope, modifiers)
            continue
        if column.entry is None and _is_pseudo(binder, relation, column):
            continue
        uncertain = (
            not relation.complete
            or relation.conflicting
            or bool(column.entry and column.entry.uncertain)
        )
        items += _shown(
            binder, column, scope, modifiers, [Ref(column, VALUE, uncertain or column.approximate)]
        )
    if not relation.complete:
        left_out = frozenset({*modifiers.excluded, *hidden})
        items += _tails(relation, left_out)
        _report_open(
            binder, relation, at, known=[item.name for item in items if isinstance(item, Column)]
        )
    relation.used = True
    return items


def _is_pseudo(binder: Binder, relation: Relation, column: Column) -> bool:
    """A column that the engine adds to a table: whoever wants it has to name it."""
    added = binder.dialect.pseudo_columns
    return relation.local_kind is None and (column.key in added or column.key.lower() in added)


def _tails(relation: Relation, excluded: frozenset[str]) -> list[Item]:
    return [Tail(relation, excluded)]


def _report_open(binder: Binder, relation: Relation, at: exp.Expr, known: list[str]) -> None:
    """One report per star; columns of CTEs over unknown stars were reported at the base already."""
    if relation.tails:
        for tail in relation.tails:
            if not tail.told:
                shown = [c for c in tail.relation.known() if c.key not in tail.excluded]
                _report_open(binder, tail.relation, at, [column.name for column in shown])
        return
    name, place = dotted(relation.name), _place(binder, at, relation)
    if known:
        binder.report(
            IssueCode.APPROXIMATE_LINEAGE,
            f"the column list of `{name}` is partial; the star expands to what is known: {', '.join(known[:12])}",
            extent=place,
            relation=relation,
            severity="info",
            hint="add its columns to schema.tables, or move its CREATE before this statement",
        )
    else:
        binder.report(
            IssueCode.APPROXIMATE_LINEAGE,
            f"no columns of `{name}` are known, so the star cannot be expanded",
            extent=place,
            relation=relation,
            hint="add its columns to schema.tables, or move its CREATE before this statement",
        )


def _place(binder: Binder, star: exp.Expr, relation: Relation) -> tuple[int, int] | None:
    """Where a star is written; `FROM t` alone has none, and is about the name."""
    return binder.extent(star) or relation.span


def _shown(
    binder: Binder, column: Column, scope: Scope, modifiers: Modifiers, refs: list[Ref]
) -> list[Item]:
    """A column as the star shows it: left out, replaced, renamed or as it is."""
    key = column.key
    if key in modifiers.excluded:
        modifiers.unmet.pop(key, None)
        return []
    if modifiers.pattern is not None and not modifiers.pattern.fullmatch(column.name):
        return []
    made = Column(column.name, key)
    made.inferred = False
    if key in modifiers.replaced:
        _replace(binder, made, scope, modifiers)
    else:
        made.refs = refs
        made.identity = True
        made.approximate = any(ref.approximate for ref in refs)
        made.type, made.typed = binder.types.of_column(column), True
        for path in modifiers.fields.get(key, ()):
            _leave_out(made, path, modifiers)
    _rename(binder, made, modifiers)
    return [made]


def _replace(binder: Binder, made: Column, scope: Scope, modifiers: Modifiers) -> None:
    replacement = modifiers.replaced[made.key]
    modifiers.unmet.pop(made.key, None)
    made.refs = collect(binder, replacement, scope)
    made.expression = replacement
    made.text = binder.sql(replacement)


def _rename(binder: Binder, made: Column, modifiers: Modifiers) -> None:
    renamed = modifiers.renamed.get(made.key)
    if renamed is not None:
        modifiers.unmet.pop(made.key, None)
        made.name, made.key = renamed.name, binder.key(renamed)


def _leave_out(made: Column, path: list[exp.Expr], modifiers: Modifiers) -> None:
    """`* EXCEPT (data.field)`: the struct is built anew without the field."""
    rest = without_field(made.type, [part.name for part in path])
    if rest is not None or made.type is None:
        modifiers.unmet.pop(written_path(path), None)
        made.type, made.identity = rest, False
