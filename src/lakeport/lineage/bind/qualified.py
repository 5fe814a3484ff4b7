"""Qualified names: `t.c`, `db.t.c`, `struct.field`, `t.*`: which relation, which column, which path.

The qualifier is looked for here and then outside. If it names no relation, it may be a column whose
type is a struct, and the rest is a path into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.core.names import nearest
from lakeport.lineage.bind.infer import infer
from lakeport.lineage.bind.loops import means_variable, script_refs
from lakeport.lineage.bind.misses import ambiguous, out_of_reach, pseudo_column, unknown_column
from lakeport.lineage.bind.row_fields import field_ref
from lakeport.lineage.bind.scope import Column, Ref, Relation, Scope
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.types import field_type

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.names import Name


# What a sequence is asked for: `orders_seq.nextval`.
_NUMBERS = frozenset({"nextval", "currval"})


def qualified(
    binder: Binder, parts: list[exp.Expr], identifier: exp.Expr, scope: Scope, role: int
) -> list[Ref]:
    level: Scope | None = scope
    while level is not None:
        found = addressed(binder, parts, level)
        if found is not None:
            relation, path = found
            chain = [*path, identifier]
            twins = _twins(binder, parts, identifier, level) if not path else []
            if len(twins) > 1:
                refs = ambiguous(binder, identifier, twins, role)
            else:
                refs = _column_of(binder, relation, chain[0], chain[1:], role)
            correlate(binder, identifier, scope, level, refs)
            return refs
        level = level.parent
    return _struct_column(binder, [*parts, identifier], scope, role)


def _twins(
    binder: Binder, parts: list[exp.Expr], identifier: exp.Expr, scope: Scope
) -> list[Column]:
    """The columns a qualified name fits when two relations answer to its qualifier."""
    alias, key = binder.key(parts[-1]), binder.key(identifier)
    named = [source.relation for source in scope.sources if source.alias == alias]
    if len(named) < 2:
        return []
    written = tuple(
        binder.folding.table(part.name, quoted=bool(part.args.get("quoted"))) for part in parts
    )
    fitting = {
        id(relation): relation
        for relation in named
        if len(parts) == 1 or relation.name[-len(written) :] == written
    }
    found = [relation.find(key) for relation in fitting.values()]
    return [column for column in found if column is not None]


def field_of_row(
    binder: Binder, base: exp.Expr, path: list[exp.Expr], scope: Scope, role: int
) -> list[Ref] | None:
    """`(t).name`: a column of the row `t`; None when `t` is no row here."""
    level: Scope | None = scope if base.args.get("table") is None and path else None
    key = binder.key(base.this) if level is not None else ""
    while level is not None:
        if any(source.relation.find(key) for source in level.sources if source.visible):
            return None
        relation = row_named(binder, key, level)
        if relation is not None:
            return _column_of(binder, relation, path[0], path[1:], role)
        level = level.parent
    return None


def addressed(
    binder: Binder, parts: list[exp.Expr], scope: Scope
) -> tuple[Relation, list[exp.Expr]] | None:
    """The relation the leading parts address, and the parts left over as a struct path."""
    if len(parts) == 1:
        key = binder.key(parts[0])
        relation = scope.relation(key) or _left_behind(key, scope)
        return (relation, []) if relation is not None else None
    written = tuple(
        binder.folding.table(part.name, quoted=bool(part.args.get("quoted"))) for part in parts
    )
    for source in scope.sources:
        if source.alias == binder.key(parts[-1]) and _is_called(binder, source.relation, written):
            return source.relation, []
    relation = scope.relation(binder.key(parts[0]))
    if relation is not None:
        return relation, parts[1:]
    for source in scope.sources:
        shorter = written[:-1]
        if len(shorter) > 1 and _is_called(binder, source.relation, shorter):
            return source.relation, parts[-1:]
    last = scope.relation(binder.key(parts[-1]))
    if (
        last is not None
        and last.entry is None
        and last.kind in {"table", "view"}
        and len(last.name) == 1
    ):
        return last, []
    return None


def _left_behind(key: str, scope: Scope) -> Relation | None:
    """A relation that a pipe has left behind without taking its name away."""
    for source in scope.sources:
        if key in source.relation.carried:
            return source.relation.carried[key]
    return None


def _is_called(binder: Binder, relation: Relation, written: Name) -> bool:
    """Whether a name of several parts can mean the relation."""
    name = relation.name
    if name[-len(written) :] == written:
        return True
    if 1 < len(name) < len(written) and written[-len(name) :] == name:
        return True
    if binder.dialect.naming != "spark" or relation.metadata.get("temporary"):
        return False
    full = binder.registry.namespaces.full_name
    return relation.kind != "cte" and full(list(name)) == full(list(written))


def _column_of(
    binder: Binder,
    relation: Relation,
    identifier: exp.Expr,
    path: list[exp.Expr],
    role: int,
) -> list[Ref]:
    key = binder.key(identifier)
    column = relation.find(key)
    if column is None and not relation.complete:
        column = infer(binder, relation, identifier.name, key)
    if column is None:
        struct = _only_struct(relation, key)
        if struct is not None:
            return [
                Ref(struct, role, path=".".join([identifier.name, *(part.name for part in path)]))
            ]
        if key in binder.dialect.pseudo_columns or key.lower() in binder.dialect.pseudo_columns:
            fields = ".".join(part.name for part in path) or None
            return [Ref(pseudo_column(binder, relation, identifier.name, key), role, path=fields)]
        return unknown_column(binder, identifier, identifier.name, key, [relation], role)
    if key in relation.duplicates and relation.entry is None and not are_copies(relation, key):
        same = [candidate for candidate in relation.columns if candidate.key == key]
        return ambiguous(binder, identifier, same, role)
    fields = ".".join(p.name for p in path) or None
    field = field_ref(binder, column, fields, role) if fields else None
    if field is not None:
        return [field]
    return [Ref(column, role, column.approximate and column.inferred, fields)]


def _only_struct(relation: Relation, key: str) -> Column | None:
    """BigQuery's `UNNEST(array_of_struct) AS x`: `x.field` goes into the one column `x`.

    What counts the elements stands beside it.
    """
    if relation.local_kind != "lateral" or not relation.columns:
        return None
    first = relation.columns[0]
    alone = len(relation.columns) == 1 or first.name == relation.label
    return first if alone and first.key != key else None


def _struct_column(binder: Binder, chain: list[exp.Expr], scope: Scope, role: int) -> list[Ref]:
    """`a.b.c` where `a` is no relation: a field of column `a`, if there is such a column."""
    first = chain[0]
    key = binder.key(first)
    path = ".".join(part.name for part in chain[1:])
    level: Scope | None = scope
    while level is not None:
        known = [source.relation.find(key) for source in level.sources if source.visible]
        columns = [column for column in known if column is not None]
        if columns:
            return [_field_of(binder, columns, path, role)]
        alias = level.aliases.get(key)
        if alias is not None:
            fields = [part.name for part in chain[1:]]
            binder.types.memo[id(chain[-1].parent)] = field_type(
                binder.types.of_column(alias), fields
            )
            # A field of something computed is no field of what it was computed from.
            inner = path if alias.identity else None
            return [
                replace(ref, path=inner, role=role or ref.role, derived=ref.derived or not inner)
                for ref in alias.refs
            ]
        level = level.parent
    scripted = script_refs(binder, chain, role) if binder.blocks else None
    if scripted is not None or means_variable(binder, chain):
        return scripted or []
    if chain[-1].name.lower() in _NUMBERS and not chain[-1].args.get("quoted"):
        return []
    sources = [source.relation for source in scope.sources if source.visible]
    if sources and key.lower() in binder.dialect.pseudo_columns:
        return [Ref(pseudo_column(binder, sources[0], first.name, key), role, path=path)]
    if hidden_by_alias(binder, chain[:-1], chain[-1], scope) is not None:
        return []
    unsure = [relation for relation in sources if not relation.complete]
    if len(unsure) == 1 and len(chain) >= 2 and binder.struct_paths:
        column = infer(binder, unsure[0], first.name, key)
        if column is not None:
            return [Ref(column, role, approximate=len(sources) > 1, path=path)]
    names_nothing(binder, chain, scope)
    return []


def names_nothing(binder: Binder, chain: list[exp.Expr], scope: Scope) -> None:
    """Report that what stands before the last part of a name is no table."""
    names = [source.alias for source in scope.sources if source.alias]
    close = nearest(chain[0].name, names)
    binder.report(
        IssueCode.UNRESOLVED_REFERENCE,
        f"`{dotted(part.name for part in chain[:-1])}` names no table in scope",
        at=chain[-2] if len(chain) > 1 else chain[0],
        column=chain[-1].name,
        relation_name=dotted(part.name for part in chain[:-1]),
        suggestions=[close] if close else [],
        hint=f"did you mean `{close}`?" if close else _in_scope(names),
    )


def _field_of(binder: Binder, columns: list[Column], path: str, role: int) -> Ref:
    """A path into the first column; with more than one it is a guess which is meant."""
    field = field_ref(binder, columns[0], path, role) if len(columns) == 1 and path else None
    return field or Ref(columns[0], role, approximate=len(columns) > 1, path=path)


def _in_scope(names: list[str]) -> str | None:
    return f"in scope: {', '.join(names[:12])}" if names else None


def hidden_by_alias(
    binder: Binder, parts: list[exp.Expr], item: exp.Expr, scope: Scope
) -> Relation | None:
    """The table that is meant by its own name although it has an alias, which is reported."""
    name = tuple([binder.key(part) for part in parts])
    for source in scope.sources:
        relation = source.relation
        if relation.local_kind is not None or source.alias == name[-1]:
            continue
        if relation.name[-len(name) :] == name:
            written = dotted(part.name for part in parts)
            binder.report(
                IssueCode.UNRESOLVED_REFERENCE,
                f"`{written}` is called `{source.alias}` here",
                at=parts[-1],
                column="*" if isinstance(item, exp.Star) else item.name,
                relation_name=written,
                suggestions=[source.alias],
                hint=f"write `{source.alias}`",
            )
            return relation
    return None


def whole_relation(binder: Binder, node: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """`f(t.*)`: every known column of the relation, or the relation itself."""
    parts = [
        node.args[part] for part in ("catalog", "db", "table") if node.args.get(part) is not None
    ]
    level: Scope | None = scope
    while level is not None:
        found = addressed(binder, parts, level)
        if found is not None:
            # What is left over is a column of it, whose fields are meant.
            return [] if found[1] else relation_refs(found[0], role)
        level = level.parent
    return []


def relation_refs(relation: Relation, role: int) -> list[Ref]:
    """All columns of a relation as inputs; the relation itself where columns are not known."""
    refs = [Ref(column, role) for column in relation.known()]
    if not relation.complete:
        refs.append(Ref(relation, role, approximate=True))
    return refs


def row_named(binder: Binder, key: str, scope: Scope) -> Relation | None:
    """The relation whose whole row a bare name means: `row_to_json(t)`, `SELECT t FROM people t`.

    An unknown table may have a column of its own name, so there only a given alias means the row.
    """
    if not binder.dialect.row_values:
        return None
    relation = scope.relation(key)
    if relation is None or (not relation.complete and relation.name[-1] == key):
        return None
    return relation


def are_copies(relation: Relation, key: str) -> bool:
    """A name repeated for one and the same column is not ambiguous."""
    same = [column for column in relation.columns if column.key == key]
    first = same[0]
    return first.identity and all(column.identity and column.refs == first.refs for column in same)


def correlate(
    binder: Binder, identifier: exp.Expr, inner: Scope, outer: Scope, refs: list[Ref]
) -> None:
    """Every query between the name and its table depends on a row from outside."""
    level: Scope | None = inner
    distance = 0
    while level is not None and level is not outer:
        level.correlated.extend(refs)
        level = level.parent
        distance += 1
    if distance > outer.reach and not binder.dialect.far_correlation:
        out_of_reach(binder, identifier)
