"""Queries: WITH, SELECT, set operations, VALUES. Bound once, bottom-up, into an `Output`.

Position is the identity of an output column, so duplicates survive. A chain of set operations is
walked as a list: a thousand branches need no deeper stack than two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.generators import generator_columns, values_columns
from lakeport.lineage.bind.scope import (
    FILTER,
    Column,
    Item,
    Output,
    Ref,
    Relation,
    Scope,
    Source,
    Tail,
    explicit,
)
from lakeport.lineage.bind.sources import bind_sources, rename_columns
from lakeport.lineage.bind.stars import expand_columns, expand_fields, expand_pattern, expand_star
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.naming import output_name
from lakeport.lineage.types import SqlType, type_of_node

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_GENERATORS = (exp.Explode, exp.Posexplode, exp.Inline, exp.Stack)
_NAMED_GENERATORS = frozenset(
    {"inline_outer", "json_tuple", "variant_explode", "variant_explode_outer"}
)


def bind_query(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """The output of any query expression."""
    while isinstance(node, exp.Subquery | exp.Paren):
        ctes = bind_ctes(binder, node, parent, ctes)
        if node.args.get("pivots") or node.args.get("joins"):
            return _bind_wrapped(binder, node, parent, ctes)
        node = node.this
    if isinstance(node, exp.SetOperation):
        return _bind_set_operation(binder, node, parent, ctes)
    ctes = bind_ctes(binder, node, parent, ctes)
    if isinstance(node, exp.Select):
        return bind_select(binder, node, Scope(parent, ctes))
    if isinstance(node, exp.Values):
        return _bind_values(binder, node, Scope(parent, ctes))
    if isinstance(node, exp.Table):
        scope = Scope(parent, ctes)
        binder.source(node, scope)
        return Output(
            expand_star(binder, exp.Star(), scope), [], [s.relation for s in scope.sources]
        )
    if isinstance(node, exp.DML):
        return binder.data_change(node, parent, ctes)
    binder.unsupported(node, "this kind of query has no lineage rule")
    return Output([], [], [])


def _bind_values(binder: Binder, node: exp.Values, scope: Scope) -> Output:
    """VALUES as a query; Spark lets it carry an alias with column names."""
    alias = node.args.get("alias")
    names = alias.args.get("columns") if alias is not None else None
    items: list[Item] = []
    for position, column in enumerate(values_columns(binder, node, scope)):
        made = _value(binder, *column)
        if names and position < len(names):
            made.name, made.key, made.generated = (
                names[position].name,
                binder.key(names[position]),
                False,
            )
        items.append(made)
    return Output(items, [], [])


def _bind_wrapped(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """`(SELECT …) PIVOT …` used as a query."""
    scope = Scope(parent, ctes)
    binder.source(node, scope)
    return Output(expand_star(binder, exp.Star(), scope), [], [s.relation for s in scope.sources])


def _value(binder: Binder, name: str, refs: list[Ref], kind: object) -> Column:
    column = Column(name, binder.folding.column(name))
    column.refs = refs
    column.generated = True
    column.type, column.typed = kind, True  # type: ignore[assignment] # a SqlType or None
    return column


# -- CTEs --------------------------------------------------------------------------------------


def bind_ctes(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> dict[str, Relation]:
    """The CTEs visible inside `node`: the inherited ones and its own, bound in order."""
    clause = node.args.get("with_")
    if clause is None:
        return ctes
    visible = dict(ctes)
    recursive = bool(clause.args.get("recursive")) or binder.dialect.implicit_recursion
    for cte in clause.expressions:
        if cte.args.get("scalar"):
            continue
        alias = cte.args["alias"]
        identifier = alias.this
        relation = binder.cte(identifier, cte)
        key = binder.key(identifier)
        body = cte.this
        if recursive and _reads_itself(binder, body, key):
            _bind_recursive(binder, body, relation, alias, parent, visible, key=key)
        else:
            relation.receive(bind_query(binder, body, parent, visible))
            rename_columns(binder, relation, alias.args.get("columns"))
        visible[key] = relation
    return visible


def _reads_itself(binder: Binder, body: exp.Expr, key: str) -> bool:
    if not isinstance(_unwrapped(body), exp.SetOperation):
        return False
    return any(
        binder.key(table.this) == key
        for table in body.find_all(exp.Table)
        if table.args.get("db") is None and isinstance(table.this, exp.Identifier)
    )


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node


def _bind_recursive(  # noqa: PLR0913 - a CTE and its surroundings
    binder: Binder,
    body: exp.Expr,
    relation: Relation,
    alias: exp.Expr,
    parent: Scope | None,
    ctes: dict[str, Relation],
    *,
    key: str,
) -> None:
    """The first branch seeds names; the others read the CTE's own columns and add their inputs."""
    operation = _unwrapped(body)
    ctes = bind_ctes(binder, operation, parent, ctes)
    first, rest = _branches(operation)
    relation.receive(bind_query(binder, first, parent, ctes))
    rename_columns(binder, relation, alias.args.get("columns"))
    within = {**ctes, key: relation}
    for _kind, branch in rest:
        output = bind_query(binder, branch, parent, within)
        relation.indirect += output.indirect
        relation.inputs += [source for source in output.inputs if source is not relation]
        columns = [item for item in output.items if isinstance(item, Column)]
        for column, addition in zip(relation.columns, columns, strict=False):
            added = [ref for ref in explicit(addition) if ref.origin is not column]
            column.refs, column.identity = [*explicit(column), *added], True


# -- set operations ----------------------------------------------------------------------------


def _branches(
    node: exp.Expr,
) -> tuple[exp.Expr, list[tuple[exp.Expr, exp.Expr]]]:
    """A left-deep chain as its first branch and the (operation, branch) pairs after it."""
    rest: list[tuple[exp.Expr, exp.Expr]] = []
    current = node
    while isinstance(current, exp.SetOperation):
        rest.append((current, current.expression))
        left = current.this
        inner = left
        # Parentheses without clauses of their own do not end the chain.
        while isinstance(inner, exp.Subquery) and not any(
            inner.args.get(a) for a in ("with_", "alias", "pivots", "joins")
        ):
            inner = inner.this
        if isinstance(inner, exp.SetOperation) and inner.args.get("with_") is None:
            current = inner
        else:
            current = left
            break
    rest.reverse()
    return current, rest


def _bind_set_operation(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    ctes = bind_ctes(binder, node, parent, ctes)
    first, rest = _branches(node)
    output = bind_query(binder, first, parent, ctes)
    items = [_branch_copy(item) for item in output.items]
    indirect, inputs = list(output.indirect), list(output.inputs)
    for operation, branch in rest:
        other = bind_query(binder, branch, parent, ctes)
        _combine(binder, items, other.items, operation)
        indirect += other.indirect
        inputs += other.inputs
    scope = Scope(parent, ctes)
    if any(isinstance(item, Tail) for item in items):
        # A sort key may be one of the columns nobody could name.
        combined = Relation("cte", "", ("",))
        combined.adopt(items)
        scope.sources.append(Source("", combined))
    _bind_order(binder, node, items, scope)
    return Output(items, indirect, inputs)


def _branch_copy(item: Item) -> Item:
    if isinstance(item, Tail):
        return item
    made = Column(item.name, item.key)
    # A list of its own: the branches are folded into it.
    made.refs = list(item.refs)
    made.identity, made.approximate, made.generated = (
        item.identity,
        item.approximate,
        item.generated,
    )
    made.expression, made.text, made.span = item.expression, item.text, item.span
    made.aggregation = item.aggregation
    made.type, made.typed = item.type, item.typed
    return made


def operation_name(node: exp.Expr) -> str:
    """UNION, UNION_ALL, INTERSECT or EXCEPT."""
    name = type(node).__name__.upper()
    return f"{name}_ALL" if name == "UNION" and not node.args.get("distinct") else name


def _combine(binder: Binder, items: list[Item], others: list[Item], node: exp.Expr) -> None:
    """Fold one more branch into the output, by position or by name."""
    operation = operation_name(node)
    subtract = isinstance(node, exp.Except)
    if node.args.get("by_name"):
        left = {item.key for item in items if isinstance(item, Column)}
        _combine_by_name(items, others, operation)
        _keep_side(binder, items, left, others, node)
        return
    exact = not any(isinstance(item, Tail) for item in (*items, *others))
    if exact and len(items) != len(others):
        binder.report(
            IssueCode.COLUMN_COUNT_MISMATCH,
            f"the branches of {operation.replace('_', ' ')} have {len(items)} and {len(others)} columns",
            at=node,
        )
    position = 0
    for position, (item, other) in enumerate(zip(items, others, strict=False)):
        if isinstance(item, Tail) or isinstance(other, Tail):
            _combine_open(items, others, position)
            return
        _fold(binder, item, other, operation, subtract=subtract)
    items += [other for other in others[len(items) :] if isinstance(other, Tail)]


def _combine_open(items: list[Item], others: list[Item], position: int) -> None:
    """From the first open tail on, positions mean nothing: names and whole relations remain."""
    named = {item.key: item for item in items[position:] if isinstance(item, Column)}
    for other in others[position:]:
        if isinstance(other, Tail):
            items.append(other)
        elif other.key in named:
            column = named[other.key]
            column.refs = [*column.refs, *(ref._replace(approximate=True) for ref in other.refs)]
            column.approximate = True
        else:
            # The unknown side of the other branch may well hold this column.
            made = _branch_copy(other)
            if isinstance(made, Column):
                made.refs = [ref._replace(approximate=True) for ref in made.refs]
                made.approximate = True
                items.append(made)


def _fold(binder: Binder, column: Column, other: Column, operation: str, *, subtract: bool) -> None:
    if subtract:
        added = [ref._replace(role=FILTER, operation=operation) for ref in other.refs]
    else:
        added = explicit(other, operation)
        column.refs = explicit(column)
        column.identity = True
    kinds = [binder.type_of_column(column), binder.type_of_column(other)]
    column.type, column.typed, column.widened = binder.common_type(kinds), True, True
    column.refs += added
    column.approximate = column.approximate or other.approximate


def _combine_by_name(items: list[Item], others: list[Item], operation: str) -> None:
    named = {item.key: item for item in items if isinstance(item, Column)}
    for other in others:
        if isinstance(other, Tail):
            items.append(other)
        elif other.key in named:
            column = named[other.key]
            column.refs = [*explicit(column), *explicit(other, operation)]
            column.identity = True
        else:
            made = _branch_copy(other)
            items.append(made)


def _keep_side(
    binder: Binder, items: list[Item], left: set[str], others: list[Item], node: exp.Expr
) -> None:
    """BigQuery's INNER, LEFT and `ON (names)`: which of the columns of both sides remain."""
    listed = node.args.get("on")
    side = str(node.args.get("side") or node.args.get("kind") or "").upper()
    if listed:
        named = {item.key: item for item in items if isinstance(item, Column)}
        chosen = [named.get(binder.key(name)) for name in listed]
        items[:] = [item for item in chosen if item is not None]
    elif side in {"INNER", "LEFT"}:
        right = {item.key for item in others if isinstance(item, Column)}
        kept = left & right if side == "INNER" else left
        items[:] = [item for item in items if isinstance(item, Tail) or item.key in kept]


# -- SELECT ------------------------------------------------------------------------------------


def bind_select(binder: Binder, node: exp.Select, scope: Scope) -> Output:
    """One SELECT, in the order its clauses mean."""
    bind_sources(binder, node, scope)
    _bind_scalars(binder, node, scope)
    for window in node.args.get("windows") or ():
        scope.windows[window.name.lower()] = window
    late = binder.dialect.where_aliases
    if not late:
        _bind_where(binder, node, scope)
    connect = node.args.get("connect")
    if connect is not None:
        scope.indirect += [(ref, "FILTER") for ref in collect(binder, connect, scope, FILTER)]
    items = _bind_projections(binder, node, scope)
    if late:
        scope.late_aliases = True
        _bind_where(binder, node, scope)
        scope.late_aliases = False
    _bind_rest(binder, node, scope, items)
    if scope.parent is not None:
        # What a correlated subquery reads of the outer row decides about the outer row's values.
        scope.parent.indirect += [(ref._replace(role=FILTER), "FILTER") for ref in scope.correlated]
    return Output(items, scope.indirect, [source.relation for source in scope.sources])


def _bind_scalars(binder: Binder, node: exp.Select, scope: Scope) -> None:
    """ClickHouse's `WITH sum(x) AS total`: a name for an expression, seen by the whole SELECT."""
    clause = node.args.get("with_")
    for cte in clause.expressions if clause is not None else ():
        if cte.args.get("scalar"):
            identifier = cte.args["alias"].this
            column = Column(identifier.name, binder.key(identifier))
            column.refs, column.expression = collect(binder, cte.this, scope), cte.this
            scope.aliases[column.key] = column


def _bind_where(binder: Binder, node: exp.Select, scope: Scope) -> None:
    where = node.args.get("where")
    if where is not None:
        texts = binder.fragments.conjuncts(node, "WHERE") if binder.wants_text else None
        binder.filter(where.this, scope, "WHERE", texts)


def _bind_projections(binder: Binder, node: exp.Select, scope: Scope) -> list[Item]:
    items: list[Item] = []
    projections = node.expressions
    spans: list[tuple[int, int]] | None = None
    for position, projection in enumerate(projections):
        cls = projection.__class__
        if cls is exp.Star or (cls is exp.Column and projection.this.__class__ is exp.Star):
            items += expand_star(binder, projection, scope)
            continue
        if cls is exp.Column and binder.registry.quoted_patterns:
            matched = expand_pattern(binder, projection, scope)
            if matched is not None:
                items += matched
                continue
        if cls is exp.Columns:
            items += expand_columns(binder, projection, scope)
            continue
        if cls is exp.Dot and projection.expression.__class__ is exp.Star:
            items += expand_fields(binder, projection, scope)
            continue
        if spans is None and cls is not exp.Column and binder.wants_text:
            spans = binder.fragments.items(node) or []
        items += _projection(binder, projection, scope, spans[position] if spans else None, items)
    return items


def _projection(
    binder: Binder,
    projection: exp.Expr,
    scope: Scope,
    span: tuple[int, int] | None,
    items: list[Item],
) -> list[Item]:
    if isinstance(projection, exp.QueryTransform):
        return _transformed(binder, projection, scope)
    if isinstance(projection, exp.Aliases) or _is_generator(projection):
        return list(_generator_items(binder, projection, scope))
    inner = projection
    alias: exp.Expr | None = None
    while inner.__class__ is exp.Alias:
        alias = alias or inner.args.get("alias")
        inner = inner.this
    if isinstance(inner, exp.PropertyEQ) and alias is None:
        # T-SQL's `SELECT name = expression`.
        alias, inner = inner.this, inner.expression
    plain = inner
    while plain.__class__ is exp.Paren:
        plain = plain.this
    refs = collect(binder, inner if plain.__class__ is not exp.Column else plain, scope)
    column = _named_column(binder, alias, plain, inner, scope, span=span, items=items)
    column.refs = refs
    # A field of a struct is computed from its column.
    column.identity = plain.__class__ is exp.Column and not any(ref.path for ref in column.refs)
    if not column.identity:
        column.expression = plain
        column.text = _text(binder, inner, span, aliased=alias is not None)
        column.aggregation = _aggregation(plain)
    else:
        column.expression = plain
    column.approximate = any(ref.approximate for ref in column.refs)
    if alias is not None:
        scope.aliases.setdefault(column.key, column)
    held = scope.projection.setdefault(column.key, column)
    if held is not column and (held.refs != column.refs or held.text != column.text):
        scope.repeated.add(column.key)
    return [column]


def _text(
    binder: Binder, node: exp.Expr, span: tuple[int, int] | None, *, aliased: bool
) -> str | None:
    if not binder.wants_text:
        return None
    return binder.fragments.item_text(span, aliased=aliased) if span else binder.sql(node)


def _named_column(  # noqa: PLR0913 - what a name can be made of
    binder: Binder,
    alias: exp.Expr | None,
    plain: exp.Expr,
    inner: exp.Expr,
    scope: Scope,
    *,
    span: tuple[int, int] | None,
    items: list[Item],
) -> Column:
    if alias is not None:
        identifier = alias
    elif plain.__class__ is exp.Column and isinstance(plain.this, exp.Identifier):
        identifier = plain.this
    elif _ends_in_a_name(binder, plain):
        identifier = plain.expression
    else:
        name = output_name(
            binder, inner, scope, binder.fragments.tokens(span) if span else None, items
        )
        column = Column(name, binder.folding.column(name, quoted=True))
        column.generated = True
        return column
    column = Column(identifier.name, binder.key(identifier))
    column.span = binder.span(identifier)
    return column


def _ends_in_a_name(binder: Binder, node: exp.Expr) -> bool:
    """`a.b.c` is called `c`; Spark prints a field of anything but a name (`f(x).c`) in full."""
    if not isinstance(node, exp.Dot) or not isinstance(node.expression, exp.Identifier):
        return False
    first = node.this
    while isinstance(first, exp.Dot):
        first = first.this
    return binder.dialect.naming != "spark" or isinstance(first, exp.Column | exp.Identifier)


def _transformed(binder: Binder, node: exp.Expr, scope: Scope) -> list[Item]:
    """`SELECT TRANSFORM (…) USING 'script' AS (a, b)`: every output may come from every input."""
    refs = [ref for argument in node.expressions for ref in collect(binder, argument, scope)]
    schema = node.args.get("schema")
    names = schema.expressions if isinstance(schema, exp.Schema) else []
    shown = [item.this if isinstance(item, exp.ColumnDef) else item for item in names]
    made: list[Item] = []
    kinds = {item.name: item.args.get("kind") for item in names if isinstance(item, exp.ColumnDef)}
    for name in [identifier.name for identifier in shown] or ["key", "value"]:
        column = Column(name, binder.folding.column(name))
        column.refs, column.expression = refs, node
        # A script writes text; only a declared type makes something else of it.
        declared = kinds.get(name)
        column.type = type_of_node(declared, binder.dialect.name) if declared else SqlType("string")
        column.typed = True
        made.append(column)
    return made


def _is_generator(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Alias) else node
    named = isinstance(inner, exp.Anonymous) and inner.name.lower() in _NAMED_GENERATORS
    return named or isinstance(inner, _GENERATORS)


def _generator_items(binder: Binder, node: exp.Expr, scope: Scope) -> list[Column]:
    """`explode(m) AS (k, v)`, `inline(a)`, `stack(…)` in a select list."""
    function = node.this if isinstance(node, exp.Aliases | exp.Alias) else node
    if isinstance(node, exp.Aliases):
        names = list(node.expressions)
    elif isinstance(node, exp.Alias):
        names = [node.args["alias"]]
    else:
        names = []
    while isinstance(function, exp.Paren):
        function = function.this
    made: list[Column] = []
    for position, (name, refs, kind) in enumerate(
        generator_columns(binder, function, scope, len(names))
    ):
        shown = names[position].name if position < len(names) else name
        column = Column(shown, binder.folding.column(shown))
        column.refs = refs
        column.type, column.typed = kind, True
        column.text = binder.sql(function) if binder.wants_text else None
        scope.aliases.setdefault(column.key, column)
        scope.projection.setdefault(column.key, column)
        made.append(column)
    return made


def _aggregation(node: exp.Expr) -> tuple[bool, str | None, bool] | None:
    function = node.this if isinstance(node, exp.Filter) else node
    if isinstance(function, exp.AggFunc):
        return (False, function.sql_name(), isinstance(function.args.get("this"), exp.Distinct))
    return None


def _bind_rest(binder: Binder, node: exp.Select, scope: Scope, items: list[Item]) -> None:
    """GROUP BY, HAVING, QUALIFY, ORDER BY: no value flows, but tables and conditions do matter."""
    args = node.args
    group = args.get("group")
    if group is not None:
        scope.late_aliases = binder.dialect.group_by_aliases
        _bind_group(binder, group, scope, items)
    having = args.get("having")
    if having is not None:
        scope.late_aliases = binder.dialect.having_aliases
        texts = binder.fragments.conjuncts(node, "HAVING") if binder.wants_text else None
        binder.filter(having.this, scope, "HAVING", texts)
    qualify = args.get("qualify")
    if qualify is not None:
        scope.late_aliases = True
        texts = binder.fragments.conjuncts(node, "QUALIFY") if binder.wants_text else None
        binder.filter(qualify.this, scope, "QUALIFY", texts)
    _bind_order(binder, node, items, scope)
    distinct = args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        # DISTINCT ON names columns the way ORDER BY does.
        scope.prefers_projection = True
        scope.indirect += [
            (ref, "FILTER") for ref in collect(binder, distinct.args["on"], scope, FILTER)
        ]
        scope.prefers_projection = False


def _bind_group(binder: Binder, group: exp.Expr, scope: Scope, items: list[Item]) -> None:
    keys: list[exp.Expr] = list(group.expressions)
    for name in ("grouping_sets", "cube", "rollup"):
        keys += [item for item in group.args.get(name) or [] if isinstance(item, exp.Expr)]
    if group.args.get("all"):
        columns = [item for item in items if isinstance(item, Column) and item.aggregation is None]
        for column in columns:
            column.aggregation = (True, None, False)
    for key in keys:
        if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
            position = int(key.name) - 1
            chosen = items[position] if 0 <= position < len(items) else None
            if isinstance(chosen, Column):
                chosen.aggregation = (True, None, False)
                scope.indirect += [(ref._replace(role=FILTER), "GROUP_BY") for ref in chosen.refs]
            continue
        refs = collect(binder, key, scope, FILTER)
        scope.indirect += [(ref, "GROUP_BY") for ref in refs]
        _mark_grouping_key(binder, key, refs, scope, items)


def _mark_grouping_key(
    binder: Binder, key: exp.Expr, refs: list[Ref], scope: Scope, items: list[Item]
) -> None:
    """The select items that show a grouping key: the same column, its alias, or the same text."""
    plain = key.__class__ is exp.Column and bool(refs)
    wanted = binder.key(key.this) if plain else ""
    text = binder.sql(key) if not plain and binder.wants_text else None
    for item in items:
        if not isinstance(item, Column):
            continue
        copied = (
            plain and item.identity and bool(item.refs) and item.refs[0].origin is refs[0].origin
        )
        named = plain and item.aggregation is None and scope.projection.get(wanted) is item
        if copied or named or (text is not None and item.text == text):
            item.aggregation = (True, None, False)


def _bind_order(binder: Binder, node: exp.Expr, items: list[Item], scope: Scope) -> None:
    if not scope.projection:
        for item in items:
            if isinstance(item, Column):
                scope.projection.setdefault(item.key, item)
    scope.prefers_projection = True
    for name in ("order", "sort", "cluster", "distribute"):
        clause = node.args.get(name)
        if clause is None:
            continue
        for key in clause.expressions:
            inner = key.this if isinstance(key, exp.Ordered) else key
            if isinstance(inner, exp.Literal):
                continue
            scope.indirect += [
                (ref._replace(role=FILTER), "SORT") for ref in collect(binder, inner, scope, FILTER)
            ]
    scope.prefers_projection = False
