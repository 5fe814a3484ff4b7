"""DuckDB's `PIVOT t ON y USING sum(v)` and `UNPIVOT t ON a, b`: pivots that are queries of their own.

Without `IN`, the values of the ON columns are data, so the produced columns cannot be listed: they
stay an open part of the output whose columns, once named, derive from the aggregates.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.pivots import pass_groups, pass_through, value_text
from lakeport.lineage.bind.scope import (
    AGGREGATE,
    CONDITIONAL,
    FILTER,
    Column,
    Output,
    Ref,
    Relation,
    Scope,
    Source,
)
from lakeport.lineage.bind.stars import expand_star
from lakeport.lineage.types import SqlType

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def bind_pivot(
    binder: Binder, node: exp.Pivot, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """The output of a PIVOT or UNPIVOT statement."""
    scope = Scope(parent, ctes)
    binder.source(node.this, scope)
    made = binder.derived(None, local_kind="derived")
    made.inputs += [source.relation for source in scope.sources]
    base = scope.sources[0].relation
    if node.args.get("unpivot"):
        _unpivot(binder, node, base, made, scope)
    else:
        _pivot(binder, node, base, made, scope)
    outer = Scope(parent, ctes)
    outer.sources.append(Source(made.label, made))
    return Output(expand_star(binder, exp.Star(), outer), scope.indirect, [made])


def _keys(refs: list[Ref]) -> set[str]:
    return {ref.origin.key for ref in refs if isinstance(ref.origin, Column)}


def _pivot(binder: Binder, node: exp.Pivot, base: Relation, made: Relation, scope: Scope) -> None:
    aggregates = list(node.args.get("using") or [])
    inputs = [collect(binder, aggregate, scope, AGGREGATE) for aggregate in aggregates]
    fields = [field.this if isinstance(field, exp.In) else field for field in node.expressions]
    on = [ref for field in fields for ref in collect(binder, field, scope, CONDITIONAL)]
    for field in node.expressions:
        if isinstance(field, exp.In) and isinstance(field.args.get("query"), exp.Expr):
            # Which columns there are is in the rows of the query.
            scope.indirect += [(ref, "FILTER") for ref in collect(binder, field, scope, FILTER)]
    group = node.args.get("group")
    grouped = collect(binder, group, scope) if group is not None else None
    consumed = _keys(on).union(*map(_keys, inputs))
    pass_groups(binder, base, made, consumed, grouped)
    listed = [
        field.expressions
        for field in node.expressions
        if isinstance(field, exp.In) and field.args.get("query") is None
    ]
    if len(listed) < len(fields):
        made.complete = False
        made.arguments = [*(ref for refs in inputs for ref in refs), *on]
        return
    for values in product(*listed):
        prefix = "_".join(value_text(value) for value in values)
        for aggregate, refs in zip(aggregates, inputs, strict=True):
            # One aggregate without a name needs none in the column's.
            plain = len(aggregates) == 1 and not aggregate.alias
            name = (
                prefix if plain else f"{prefix}_{aggregate.alias or binder.sql(aggregate).lower()}"
            )
            column = Column(name, binder.folding.column(name))
            column.refs = [*refs, *on]
            made.add(column)


def _unpivot(binder: Binder, node: exp.Pivot, base: Relation, made: Relation, scope: Scope) -> None:
    refs = [ref for item in node.expressions for ref in collect(binder, item, scope)]
    pass_through(base, made, _keys(refs))
    into = node.args.get("into")
    names = [into.this, *into.expressions] if isinstance(into, exp.Expr) else []
    # A text cut after INTO leaves True where the names would stand.
    shown = [name.name for name in names if isinstance(name, exp.Expr)] or ["name", "value"]
    label = Column(shown[0], binder.folding.column(shown[0]))
    label.type, label.typed = SqlType("string"), True
    made.add(label)
    for name in shown[1:]:
        column = Column(name, binder.folding.column(name))
        column.refs = refs
        made.add(column)
