"""PIVOT and UNPIVOT: a relation in, a derived relation out.

Columns that are neither aggregated nor pivoted on pass through; produced columns derive from the
aggregate's argument and, as a condition, from the column pivoted on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.scope import (
    AGGREGATE,
    CONDITIONAL,
    FILTER,
    Column,
    Ref,
    Relation,
    Scope,
    Source,
    Tail,
)
from lakeport.lineage.naming import output_name
from lakeport.lineage.types import SqlType

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_COMMENT = re.compile(r"\s*/\*.*?\*/", re.DOTALL)


def pivoted(
    binder: Binder, pivot: exp.Expr, source: Source, outer: Scope, joined: Scope | None = None
) -> Source:
    """The source after one PIVOT or UNPIVOT; a `joined` one still has its relations by their names."""
    scope = joined
    if scope is None:
        scope = Scope(outer.parent, outer.ctes)
        scope.sources.append(source)
    alias = pivot.args.get("alias")
    identifier = alias.this if alias is not None else None
    relation = binder.derived(
        identifier.name if identifier is not None else None, local_kind="derived"
    )
    relation.inputs.append(source.relation)
    if pivot.args.get("unpivot"):
        _unpivot(binder, pivot, source.relation, relation, scope)
    else:
        _pivot(binder, pivot, source.relation, relation, scope)
    names = alias.args.get("columns") if alias is not None else None
    if names and relation.tails:
        _name_from_the_end(binder, relation, names, source.relation)
    else:
        binder.rename(relation, names)
    key = binder.key(identifier) if isinstance(identifier, exp.Identifier) else source.alias
    return Source(key, relation)


def _name_from_the_end(
    binder: Binder, relation: Relation, names: list[exp.Expr], base: Relation
) -> None:
    """How many columns pass through an unknown table nobody can say, but the produced come last."""
    produced = [column for column in relation.columns if not column.identity]
    leading = max(len(names) - len(produced), 0)
    relation.columns, relation.index, relation.duplicates = [], {}, set()
    relation.tails, relation.complete = (), True
    for identifier in names[:leading]:
        made = Column(identifier.name, binder.key(identifier))
        made.refs, made.approximate = [Ref(base, approximate=True)], True
        relation.add(made)
    for column, identifier in zip(produced, names[leading:], strict=False):
        column.name, column.key = identifier.name, binder.key(identifier)
        relation.add(column)


def pass_through(base: Relation, relation: Relation, consumed: set[str]) -> None:
    """The columns a pivot leaves alone."""
    for column in base.known():
        if column.key in consumed:
            continue
        made = Column(column.name, column.key)
        made.refs, made.identity = [Ref(column, approximate=not base.complete)], True
        relation.add(made)
    if not base.complete:
        relation.tails = (*relation.tails, Tail(base, frozenset(consumed), told=False))
        relation.complete = False


def pass_groups(
    binder: Binder,
    base: Relation,
    relation: Relation,
    consumed: set[str],
    grouped: list[Ref] | None,
) -> None:
    """What a pivot groups by: the columns that are listed for it, or those that it leaves alone."""
    if grouped is None:
        pass_through(base, relation, consumed)
    else:
        _pass_listed(relation, grouped)
    if binder.wants_indirect:
        keys = [ref for column in relation.columns for ref in column.refs]
        relation.indirect += [(replace(ref, role=FILTER), "GROUP_BY") for ref in keys]


def _pass_listed(relation: Relation, refs: list[Ref]) -> None:
    """These columns in their order and no others, whatever the pivot does with them besides."""
    for ref in refs:
        if isinstance(ref.origin, Column):
            made = Column(ref.origin.name, ref.origin.key)
            made.refs, made.identity = [ref], True
            relation.add(made)


def _keys(refs: list[Ref]) -> set[str]:
    return {ref.origin.key for ref in refs if isinstance(ref.origin, Column)}


def _pivot(
    binder: Binder, pivot: exp.Expr, base: Relation, relation: Relation, scope: Scope
) -> None:
    aggregates = pivot.expressions
    inputs = [collect(binder, aggregate, scope, AGGREGATE) for aggregate in aggregates]
    on: list[Ref] = []
    values: list[exp.Expr] = []
    for field in pivot.args.get("fields") or []:
        if isinstance(field, exp.In):
            on += collect(binder, field.this, scope, CONDITIONAL)
            values += field.expressions
        else:
            on += collect(binder, field, scope, CONDITIONAL)
    if binder.dialect.naming == "spark":
        # Elsewhere a bare word is a value; in Spark it is a name like any other.
        for value in values:
            collect(binder, value.this if isinstance(value, exp.PivotAlias) else value, scope)
    group = pivot.args.get("group")
    grouped = collect(binder, group, scope) if group is not None else None
    consumed = _keys(on).union(*map(_keys, inputs))
    pass_groups(binder, base, relation, consumed, grouped)
    names = pivot.args.get("columns") or []
    if not names:
        # `IN (ANY)` or a subquery: the produced columns are data, nobody can list them.
        relation.complete = False
        relation.arguments = [ref for refs in inputs for ref in refs] + on
        return
    kinds = [binder.types.of(a.this if isinstance(a, exp.Alias) else a) for a in aggregates]
    endings = _spark_endings(binder, pivot, scope)
    for position, name in enumerate(names):
        turn = position % len(inputs) if inputs else 0
        turned = position // max(len(inputs), 1)
        text = value_text(values[turned]) if turned < len(values) else ""
        # The parser writes comments into the names it makes.
        shown = (_COMMENT.sub("", name.name) if "/*" in name.name else name.name) or text
        if turn in endings and text:
            shown = f"{text}_{endings[turn]}"
        elif binder.dialect.name == "bigquery" and turned < len(values):
            shown = _bigquery_name(aggregates[turn], values[turned])
        made = Column(shown, binder.folding.column(shown))
        made.refs = [*(inputs[turn] if inputs else []), *on]
        made.type, made.typed = (kinds[turn] if kinds else None), True
        relation.add(made)


def _spark_endings(binder: Binder, pivot: exp.Expr, scope: Scope) -> dict[int, str]:
    """How Spark's columns end that have a value and one of several aggregates without a name."""
    aggregates = pivot.expressions
    unnamed = [n for n, item in enumerate(aggregates) if not isinstance(item, exp.Alias)]
    extent = binder.extent(pivot) if binder.dialect.naming == "spark" else None
    if extent is None or len(aggregates) < 2 or not unnamed or len(pivot.args["fields"]) != 1:
        return {}
    written = binder.fragments.pivot_items(extent[0])
    if len(written) != len(aggregates):
        return {}
    return {n: output_name(binder, aggregates[n], scope, written[n], []) for n in unnamed}


def _bigquery_name(aggregate: exp.Expr, value: exp.Expr) -> str:
    """`total_minus_1`, `_2024_01_31`: a value spelt as a name, behind that of the aggregate."""
    name = _spelt(value)
    if isinstance(aggregate, exp.Alias):
        return f"{aggregate.alias}_{name}"
    return f"_{name}" if name[:1].isdigit() else name


def _spelt(value: exp.Expr) -> str:
    if isinstance(value, exp.PivotAlias | exp.Alias):
        return str(value.alias)
    if isinstance(value, exp.Neg):
        return f"minus_{_spelt(value.this)}"
    if isinstance(value, exp.Boolean):
        return "true" if value.this else "false"
    if isinstance(value, exp.Null):
        return "NULL"
    if isinstance(value, exp.Cast):
        inner = _spelt(value.this)
        return inner.replace("-", "_") if value.is_type("date") else inner
    if isinstance(value, exp.Literal) and not value.is_string:
        return str(value.name).replace(".", "_point_")
    return value_text(value)


def value_text(value: exp.Expr) -> str:
    """A value as Spark casts it to text: `{dotNET, [1, 2]}` for a row with an array."""
    if isinstance(value, exp.PivotAlias | exp.Alias):
        return str(value.alias)
    if isinstance(value, exp.Tuple | exp.Struct):
        return f"{{{', '.join(value_text(part) for part in value.expressions)}}}"
    if isinstance(value, exp.Array):
        return f"[{', '.join(value_text(part) for part in value.expressions)}]"
    if isinstance(value, exp.Cast | exp.Paren):
        return value_text(value.this)
    if isinstance(value, exp.Neg):
        return f"-{value_text(value.this)}"
    return "null" if isinstance(value, exp.Null) else str(value.name)


def _unpivot(
    binder: Binder, pivot: exp.Expr, base: Relation, relation: Relation, scope: Scope
) -> None:
    values = [
        item.this if isinstance(item, exp.Column) else item for item in _flat(pivot.expressions)
    ]
    named: list[exp.Expr] = []
    listed: list[list[Ref]] = []
    kinds: list[list[SqlType | None]] = []
    consumed: set[str] = set()
    for field in pivot.args.get("fields") or []:
        if not isinstance(field, exp.In):
            continue
        named.append(field.this)
        for entry in field.expressions:
            target = entry.this if isinstance(entry, exp.PivotAlias | exp.Alias) else entry
            parts = target.expressions if isinstance(target, exp.Tuple) else [target]
            for position, part in enumerate(parts):
                refs = collect(binder, part, scope)
                consumed |= _keys(refs)
                while len(listed) <= position:
                    listed.append([])
                    kinds.append([])
                listed[position] += refs
                kinds[position].append(binder.types.of(part))
    pass_through(base, relation, consumed)
    produced: list[Column] = []
    for identifier in named:
        label = Column(identifier.name, binder.key(identifier))
        label.type, label.typed = SqlType("string"), True
        produced.append(label)
    for position, identifier in enumerate(values):
        made = Column(identifier.name, binder.key(identifier))
        made.refs = listed[position] if position < len(listed) else []
        made.type = binder.types.common(kinds[position]) if position < len(kinds) else None
        made.typed = True
        produced.append(made)
    # The parser says so for T-SQL only.
    values_first = pivot.args.get("value_columns_first") or binder.dialect.name == "bigquery"
    if values_first and len(produced) > 1:
        produced = [*produced[len(named) :], *produced[: len(named)]]
    for column in produced:
        relation.add(column)


def _flat(expressions: list[exp.Expr]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for expression in expressions:
        found += expression.expressions if isinstance(expression, exp.Tuple) else [expression]
    return found
