"""Field access: `s.a.b` on a column, on a struct that is written out, on a row that a query gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.columns import bind_column
from lakeport.lineage.bind.qualified import field_of_row
from lakeport.lineage.bind.row_fields import AROUND, field_inputs, value_inside
from lakeport.lineage.bind.scope import Column
from lakeport.lineage.bind.struct_fields import (
    part_named,
    query_inside,
    row_field,
    written_parts,
)
from lakeport.lineage.bind.subqueries import MASK, bound_subquery, flow
from lakeport.lineage.dialects import FIRST_SCHEMAS

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.constructs import Work
    from lakeport.lineage.bind.scope import Ref, Scope


def read_field(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """The base column with the path, or whatever the base expression reads."""
    base, path, behind_call = _unfolded(binder, node, scope, role, work)
    if base is None:
        return
    found: list[Ref] = []
    if base.__class__ is exp.Identifier and behind_call is not None:
        owner = _method_owner(binder, [base, *reversed(path[behind_call:])], scope)
        if owner is not None:
            found = bind_column(binder, owner, scope, role & ~MASK)
        elif len(path) == behind_call and _may_be_column(binder, base, scope):
            column = exp.Column(this=base)
            found = bind_column(binder, column, scope, role & ~MASK)
            found = [replace(ref, approximate=True) for ref in found]
    elif base.__class__ is exp.Column and path:
        found = _field_of_column(binder, base, path[::-1], scope, role & ~MASK)
    elif path and (query := query_inside(base)) is not None:
        while base is not query and isinstance(base, exp.Bracket):
            work.extend((index, role) for index in reversed(base.expressions))
            base = base.this
        _field_of_query(binder, query, path[::-1], scope, role, refs)
    elif path and isinstance(base, AROUND) and value_inside(base).__class__ is not exp.Dot:
        flow([_field_of_value(binder, base, path[-1].name, scope)], role, refs)
    else:
        work.append((base, role))
    refs.extend(replace(ref, masking=role >= MASK) for ref in found)


def _unfolded(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work
) -> tuple[exp.Expr | None, list[exp.Expr], int | None]:
    """What fields are taken of, their names from the outermost on, and how many stand behind a call."""
    path: list[exp.Expr] = []
    behind_call = None
    base: exp.Expr | None = node
    while True:
        while isinstance(base, exp.Dot | exp.Paren):
            right = base.args.get("expression")
            if isinstance(right, exp.Identifier):
                path.append(right)
            elif isinstance(right, exp.Expr):
                work.append((right, role))
                behind_call = len(path)
            base = base.this
        value = _part_of_struct(binder, base, path, scope) if behind_call is None else None
        if value is None:
            return base, path, behind_call
        base = value
        path.pop()


def _field_of_column(
    binder: Binder, column: exp.Expr, path: list[exp.Expr], scope: Scope, role: int
) -> list[Ref]:
    row = field_of_row(binder, column, path, scope, role)
    return _inside(bind_column(binder, column, scope, role), path) if row is None else row


def _inside(refs: list[Ref], path: list[exp.Expr]) -> list[Ref]:
    """Inputs that are only read at the end of a path."""
    end = ".".join(part.name for part in path)
    return [replace(ref, path=f"{ref.path}.{end}" if ref.path else end) for ref in refs]


def _field_of_value(binder: Binder, base: exp.Expr, name: str, scope: Scope) -> Column:
    """`ANY_VALUE(t).a`, `ARRAY_AGG(STRUCT(a, b))[OFFSET(0)].b`: the field, or all of it if it cannot be told."""
    value = Column("", "", refs=binder.read(base, scope), expression=base)
    field = field_inputs(binder, value, name)
    return value if field is None else Column("", "", refs=field[0])


def _part_of_struct(
    binder: Binder, base: exp.Expr | None, path: list[exp.Expr], scope: Scope
) -> exp.Expr | None:
    """The value of the innermost field of a path, if the struct is written out; others are only read."""
    parts = written_parts(binder, base) if path and base.__class__ is not exp.Column else None
    chosen = part_named(binder, parts, path[-1].name) if parts is not None else None
    if chosen is None or parts is None:
        return None
    for part in parts:
        if part is not chosen:
            binder.read(part.value, scope)
    return chosen.value


def _field_of_query(
    binder: Binder, query: exp.Expr, path: list[exp.Expr], scope: Scope, role: int, refs: list[Ref]
) -> None:
    """`(SELECT AS STRUCT a, b FROM t).b`: what the field is made of, or all that the query gives."""
    items = bound_subquery(binder, query, scope)
    field = row_field(binder, query, path[0].name)
    made: list[Ref] = []
    flow(items if field is None else [field], role, made)
    deeper = field is not None and field.identity and len(path) > 1
    refs += _inside(made, path[1:]) if deeper else made


def _may_be_column(binder: Binder, name: exp.Expr, scope: Scope) -> bool:
    """`c.lower()` where nobody knows a `c`: it may be a schema as well."""
    dialect = binder.dialect
    if not dialect.method_calls or binder.key(name) == FIRST_SCHEMAS.get(dialect.name):
        return False
    return any(source.visible and not source.relation.complete for source in scope.sources)


def _method_owner(binder: Binder, names: list[exp.Expr], scope: Scope) -> exp.Column | None:
    """The column of `t.doc.value(…)`, which the parser takes for a function with a schema, as `dbo.f(…)` is."""
    first = binder.key(names[0])
    seen: Scope | None = scope
    while seen is not None:
        for source in seen.sources:
            if len(names) > 1 and source.alias == first:
                return exp.Column(this=names[1], table=names[0])
            if len(names) == 1 and source.visible and source.relation.find(first) is not None:
                return exp.Column(this=names[0])
        seen = seen.parent
    return None
