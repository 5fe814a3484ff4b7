"""Constructs of expressions whose parts do not all flow: CASE, windows, subqueries, field access…

Each rule hands the parts that are still to be read to `work`, with the role they have, or adds what
it has found to `refs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.columns import at_position
from lakeport.lineage.bind.dictionaries import dictionary_refs, reads_dictionary
from lakeport.lineage.bind.field_access import read_field
from lakeport.lineage.bind.grouped import grouping_keys
from lakeport.lineage.bind.qualified import relation_refs
from lakeport.lineage.bind.routine_calls import body_called, call_inputs
from lakeport.lineage.bind.scope import AGGREGATE, CONDITIONAL, SORT, WINDOW, Column, Ref, Scope
from lakeport.lineage.bind.star_arguments import type_star
from lakeport.lineage.bind.subqueries import MASK, bound_subquery, flow, stronger
from lakeport.lineage.bind.written_names import table_meant
from lakeport.lineage.tags import is_masking

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

Work: TypeAlias = "list[tuple[exp.Expr, int]]"
Handler: TypeAlias = "Callable[[Binder, exp.Expr, Scope, int, Work, list[Ref]], None]"


def _children(node: exp.Expr, name: str) -> list[exp.Expr]:
    value = node.args.get(name)
    if isinstance(value, list):
        return [item for item in value if isinstance(item, exp.Expr)]
    return [value] if isinstance(value, exp.Expr) else []


def _push(work: Work, nodes: list[exp.Expr], role: int) -> None:
    for node in reversed(nodes):
        work.append((node, role))


def _only(*names: str) -> Handler:
    """A construct of which these children are read, in this order, and nothing else."""

    def read(
        binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
    ) -> None:
        del binder, scope, refs
        _push(work, [child for name in names for child in _children(node, name)], role)

    return read


def _case(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """Conditions decide, results flow. An IF is a branch of a CASE or stands alone."""
    del binder, scope, refs
    condition = stronger(role, CONDITIONAL)
    args = node.args
    # What is read last is pushed first.
    for name in ("default", "false", "true"):
        if isinstance(part := args.get(name), exp.Expr):
            work.append((part, role))
    for branch in reversed(args.get("ifs") or ()):
        parts = branch.args
        if isinstance(part := parts.get("true"), exp.Expr):
            work.append((part, role))
        if isinstance(part := parts.get("this"), exp.Expr):
            work.append((part, condition))
    if isinstance(part := args.get("this"), exp.Expr):
        work.append((part, condition))


def _window(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    del binder, refs
    inner = stronger(role, WINDOW)
    named = node.args.get("alias") or node.args.get("window")
    pushed = [*_children(node, "partition_by"), *_children(node, "order"), *_children(node, "spec")]
    seen: set[str] = set()
    # `w2 AS w1` and `w2 AS (w1 ORDER BY c)` begin with another window.
    while named is not None and (key := named.name.lower()) not in seen:
        seen.add(key)
        definition = scope.windows.get(key)
        if definition is None:
            break
        pushed += [*_children(definition, "partition_by"), *_children(definition, "order")]
        named = definition.args.get("alias")
    _push(work, pushed, inner)
    _push(work, _children(node, "this"), role)


def _filter(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    del binder, scope, refs
    _push(work, _children(node, "expression"), stronger(role, CONDITIONAL))
    _push(work, _children(node, "this"), role)


def _order(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """ORDER BY inside an aggregate: `this` is the argument, the rest are sort keys."""
    del binder, scope, refs
    plain = role & ~MASK
    keys = role if plain in {WINDOW, CONDITIONAL} else (role & MASK) | SORT
    _push(work, _children(node, "expressions"), keys)
    _push(work, _children(node, "this"), role)


def _within_group(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """`percentile_cont(0.5) WITHIN GROUP (ORDER BY x)`: the sort key is the value; elsewhere a sort."""
    del binder, scope, refs
    function = node.this
    ordered = isinstance(function, exp.PercentileCont | exp.PercentileDisc | exp.Mode)
    _push(
        work,
        [key for order in _children(node, "expression") for key in _children(order, "expressions")],
        stronger(role, AGGREGATE if ordered else SORT),
    )
    _push(work, _children(node, "this"), role)


def _count(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """`COUNT(*)`, `count()` and `COUNT(1)` read rows, not columns."""
    del binder
    argument = node.args.get("this")
    if argument is None or isinstance(argument, exp.Star | exp.Literal):
        refs.extend(
            Ref(source.relation, role or AGGREGATE, operation="COUNT_ALL")
            for source in scope.sources
            if source.visible
        )
        return
    _push(work, _children(node, "expressions"), stronger(role, AGGREGATE))
    _push(work, _children(node, "this"), stronger(role, AGGREGATE))


def _star(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """`hash(*)`, `struct(* EXCEPT (c))`, `5 IN (*)`: every column that the star stands for.

    `count(*)` does not come here, and what is like it (`count_if(*)`, `v:items[*]`) reads no columns.
    """
    del work
    call = node.parent
    if not binder.dialect.star_arguments or not isinstance(call, _TAKES_COLUMNS):
        return
    if isinstance(call, exp.Anonymous | exp.CountIf) and call.name.lower().startswith("count"):
        return
    items = binder.expanded(node, scope)
    type_star(binder, node, items)
    flow(items, role, refs)


_RANGE = ("this", "low", "high")
_LOOPED = ("expression", "position")


def _comprehension(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """`[x + i FOR x, i IN items]`: a variable stands for what the iterator reads, or for its place."""
    del binder, scope, refs
    # One inside another knows the variables of both.
    every = [loop.args.get(part) for loop in node.find_all(exp.Comprehension) for part in _LOOPED]
    variables = {part.name.lower() for part in every if part is not None}
    for name in ("condition", "this"):
        for part in _children(node, name):
            found = [
                c for c in part.find_all(exp.Column) if c.parts[0].name.lower() not in variables
            ]
            _push(work, list(found), role)
    _push(work, _children(node, "iterator"), role)


def _anonymous(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """A function the parser does not know."""
    name = node.name.lower()
    arguments = node.expressions
    if name == "table" and len(arguments) == 1 and isinstance(arguments[0], exp.Column):
        # `f(TABLE(t))`: a table function reads all of a table.
        table = binder.table(table_meant(arguments[0]), scope)
        refs.extend(
            replace(ref, masking=role >= MASK) for ref in relation_refs(table, role & ~MASK)
        )
        return
    if name == "with" and len(arguments) > 1 and isinstance(arguments[0], exp.Kwarg):
        _with_names(binder, node, scope, role, refs)
        return
    if name == "descriptor":
        # The names of columns that a table function takes or makes.
        return
    if reads_dictionary(binder, name):
        found = dictionary_refs(binder, node, scope, role & ~MASK)
        if found is not None:
            refs.extend(replace(ref, masking=role >= MASK) for ref in found[0])
            _push(work, found[1], role)
            return
    if is_masking(name) and role < MASK:
        role += MASK
    elif name in _UNKNOWN_AGGREGATES:
        role = stronger(role, AGGREGATE)
    body = body_called(binder, node) if binder.registry.has_routines else None
    if body is not None:
        for made, _ in call_inputs(binder, node, body, scope):
            flow([Column("", "", refs=made)], role, refs)
        return
    _push(work, _children(node, "expressions"), role)


def _with_names(binder: Binder, node: exp.Expr, scope: Scope, role: int, refs: list[Ref]) -> None:
    """BigQuery's `WITH(x AS a + 1, x * x)`: names that are seen before those of columns, up to its end."""
    inner = Scope(scope, scope.ctes, windows=scope.windows)
    *names, result = node.expressions
    for named in names:
        if isinstance(named, exp.Kwarg):
            identifier = named.this
            column = Column(identifier.name, binder.key(identifier))
            column.refs = binder.read(named.expression, inner)
            column.expression = named.expression
            inner.aliases[column.key] = column
    flow([Column("", "", refs=binder.read(result, inner))], role, refs)
    binder.types.memo[id(node)] = binder.types.of(result)


_UNKNOWN_AGGREGATES = frozenset(
    {
        "listagg",
        "string_agg",
        "group_concat",
        "wm_concat",
        "any_value",
        "median",
        "collect_list",
        "collect_set",
        "approx_percentile",
    }
)


def scalar_subquery(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """Its output flows into the expression."""
    del work
    flow(bound_subquery(binder, node, scope), role, refs)


def _exists(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """A predicate subquery decides about rows: bound for its tables, but nothing flows out of it."""
    del refs
    query = node.this
    if isinstance(query, exp.Query):
        binder.predicate(query, scope, exists=True)
        return
    # Spark's `exists(array, x -> …)` is a function like any other.
    _push(work, [*_children(node, "this"), *_children(node, "expression")], role)


def _in(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """The values of a list are mostly literals, which read nothing."""
    del refs
    args = node.args
    query = args.get("query")
    if isinstance(query, exp.Expr):
        binder.predicate(query, scope)
    values = [
        child
        for name in ("expressions", "field", "unnest")
        if name in args
        for child in _children(node, name)
        if child.__class__ is not exp.Literal
    ]
    if binder.dialect.in_takes_tables:
        values = [_table_listed(binder, child, scope) for child in values]
    for child in values:
        if isinstance(child, exp.Query):
            binder.predicate(child, scope)
    if args.get("expressions"):
        binder.operations.append(node)
    _push(work, [child for child in values if not isinstance(child, exp.Query)], role)
    _push(work, _children(node, "this"), role)


def _between(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    del scope, refs
    binder.operations.append(node)
    _push(work, [bound for name in _RANGE for bound in _children(node, name)], role)


def _table_listed(binder: Binder, node: exp.Expr, scope: Scope) -> exp.Expr:
    """`x IN t`: all rows of `t`, unless it is the name of a value or stands in brackets."""
    if (
        node.__class__ is not exp.Column
        or node.arg_key != "field"
        or node.this.__class__ is not exp.Identifier
    ):
        return node
    if node.args.get("table") is None:
        key = binder.key(node.this)
        if key in scope.aliases or scope.sole(key) is not None:
            return node
    parts = {"this": node.this.copy()}
    for name, place in (("db", "table"), ("catalog", "db")):
        if node.args.get(place) is not None:
            parts[name] = node.args[place].copy()
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Table(**parts)))


def _quantified(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """`x > ANY (SELECT …)` is a predicate, `ANY(array)` a value."""
    del refs
    inner = node.this
    if isinstance(inner, exp.Query):
        binder.predicate(inner, scope)
    elif isinstance(inner, exp.Expr):
        work.append((inner, role))


def _grouping(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    condition = stronger(role, CONDITIONAL)
    keys = [*_children(node, "this"), *_children(node, "expressions")]
    if not keys:
        refs.extend(grouping_keys(binder, node, scope))
    _push(work, keys, condition)


def _column_set(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, _work: Work, refs: list[Ref]
) -> None:
    """DuckDB's `COLUMNS(…)`: whatever the columns of the set are made of."""
    masking, plain = role >= MASK, role - MASK if role >= MASK else role
    for item in binder.column_set(node, scope):
        inputs = item.refs if isinstance(item, Column) else [Ref(item.relation, approximate=True)]
        refs += [replace(ref, role=plain, masking=masking or ref.masking) for ref in inputs]


def _positional(
    binder: Binder, node: exp.Expr, scope: Scope, role: int, work: Work, refs: list[Ref]
) -> None:
    """Snowflake's `$2`: the second column of what is read, mostly of a file. Postgres' is a parameter."""
    del work
    if binder.parameters:
        named = binder.parameters.get(node.name)
        refs += [Ref(named, role & ~MASK, masking=role >= MASK)] if named is not None else []
        return
    read = [source.relation for source in scope.sources if source.visible]
    if binder.dialect.name == "snowflake" and len(read) == 1:
        found = at_position(binder, node, read[0], role & ~MASK)
        refs += [replace(ref, masking=role >= MASK) for ref in found]


# What a star may be an argument of; elsewhere, as in `v:items[*]`, it stands for no columns.
_TAKES_COLUMNS = (exp.Func, exp.In, exp.Distinct, exp.Tuple)
HANDLERS: dict[type[exp.Expr], Handler] = {
    exp.Columns: _column_set,
    exp.Star: _star,
    exp.Case: _case,
    exp.If: _case,
    exp.Window: _window,
    exp.Filter: _filter,
    exp.Order: _order,
    exp.WithinGroup: _within_group,
    exp.Count: _count,
    # `name => value`, `name: value`: the left side is no column.
    exp.Kwarg: _only("expression"),
    exp.PropertyEQ: _only("expression"),
    # A collation's name parses as a column.
    exp.Collate: _only("this"),
    # So does the form of a text in `NORMALIZE(x, NFC)`.
    exp.Normalize: _only("this"),
    exp.Comprehension: _comprehension,
    # `JSON_OBJECT(… RETURNING jsonb)`: so does the type at the end.
    exp.JSONObject: _only("this", "expressions"),
    exp.JSONObjectAgg: _only("this", "expressions"),
    exp.Alias: _only("this"),
    exp.PivotAlias: _only("this"),
    exp.Aliases: _only("this"),
    exp.Dot: read_field,
    exp.Parameter: _positional,
    exp.Anonymous: _anonymous,
    exp.AnonymousAggFunc: _anonymous,
    exp.Exists: _exists,
    exp.In: _in,
    exp.Between: _between,
    exp.Any: _quantified,
    exp.All: _quantified,
    # Parameters are no columns; the parser turned their uses into bare identifiers already.
    exp.Lambda: _only("this"),
    **{getattr(exp, name): _grouping for name in ("Grouping", "GroupingId") if hasattr(exp, name)},
}
