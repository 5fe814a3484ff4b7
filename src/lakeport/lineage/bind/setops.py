"""Set operations: branches folded into one output, by position or by name.

A chain is walked as a list, so a thousand branches need no deeper stack than two. From the first
open tail on, positions mean nothing, and names and whole relations remain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.clauses import bind_order
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
from lakeport.lineage.bind.unasked import leave_unnamed
from lakeport.lineage.issues import IssueCode

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def branches(
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
            inner.args.get(a) for a in ("with_", "alias", "pivots", "joins", "order")
        ):
            inner = inner.this
        if isinstance(inner, exp.SetOperation) and not (
            inner.args.get("with_") or inner.args.get("order")
        ):
            current = inner
        else:
            current = left
            break
    rest.reverse()
    return current, rest


def bind_set_operation(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    ctes = binder.ctes(node, parent, ctes)
    first, rest = branches(node)
    output = binder.query(first, parent, ctes)
    items = [_branch_copy(item) for item in output.items]
    for item in items if rest else []:
        if isinstance(item, Column):
            item.refs = _passing(item, operation_name(rest[0][0]))
            item.identity = True
    indirect, inputs = list(output.indirect), list(output.inputs)
    scope = Scope(parent, ctes)
    called: dict[str, Column] = {}
    for operation, branch in rest:
        if not operation.args.get("by_name") and not any(isinstance(item, Tail) for item in items):
            leave_unnamed(binder, branch)
        other = binder.query(branch, parent, ctes)
        if "order" in node.args and binder.dialect.branches_name_keys:
            called = {**_called_there(items, other.items), **called}
        _combine(binder, items, other.items, operation)
        indirect += other.indirect
        inputs += other.inputs
    if any(isinstance(item, Tail) for item in items):
        # A sort key may be one of the columns nobody could name.
        combined = Relation("cte", "", ("",))
        combined.adopt(items)
        scope.sources.append(Source("", combined))
    if called:
        named = {item.key: item for item in reversed(items) if isinstance(item, Column)}
        scope.projection = {**called, **named}
    bind_order(binder, node, items, scope)
    return Output(items, indirect + scope.indirect, inputs)


def _called_there(items: list[Item], others: list[Item]) -> dict[str, Column]:
    """The output columns by the names that another branch gives them."""
    return {
        other.key: item
        for item, other in zip(items, others, strict=False)
        if isinstance(item, Column) and isinstance(other, Column)
    }


def _branch_copy(item: Item) -> Item:
    if isinstance(item, Tail):
        return item
    # A list of its own: the branches are folded into it.
    made = Column(item.name, item.key, None, None, list(item.refs), item.identity)
    made.approximate, made.generated = item.approximate, item.generated
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
        # What one branch lacks cannot be right.
        for item in items[len(others) :]:
            if isinstance(item, Column):
                item.refs = [replace(ref, approximate=True) for ref in item.refs]
                item.approximate = True
    position = 0
    for position, (item, other) in enumerate(zip(items, others, strict=False)):
        if isinstance(item, Tail) or isinstance(other, Tail):
            _combine_open(binder, items, others, position)
            return
        _fold(binder, item, other, operation, subtract=subtract)
    items += [other for other in others[len(items) :] if isinstance(other, Tail)]


def _combine_open(binder: Binder, items: list[Item], others: list[Item], position: int) -> None:
    """From the first open tail on, positions mean nothing: names and whole relations remain."""
    named = {item.key: item for item in items[position:] if isinstance(item, Column)}
    given = {other.key for other in others if isinstance(other, Column)}
    hidden = [item for item in items if isinstance(item, Tail)]
    for other in others[position:]:
        if isinstance(other, Tail):
            items.append(other)
            for key, column in named.items():
                if key not in given:
                    _add_guess(binder, column, [other])
        elif other.key in named:
            column = named[other.key]
            column.refs = [*column.refs, *(replace(ref, approximate=True) for ref in other.refs)]
            column.approximate = True
        else:
            # The unknown side of the other branch may well hold this column.
            made = _branch_copy(other)
            if isinstance(made, Column):
                made.refs = [replace(ref, approximate=True) for ref in made.refs]
                made.approximate = True
                _add_guess(binder, made, hidden)
                items.append(made)


def _add_guess(binder: Binder, column: Column, tails: list[Tail]) -> None:
    """Branches mostly have the same names in the same order: so may one whose names nobody knows."""
    if column.generated:
        return
    for tail in tails:
        if column.key in tail.excluded:
            continue
        known = tail.relation.find(column.key)
        found = known or binder.inferred(tail.relation, column.name, column.key)
        if found is None:
            continue
        column.refs = [*column.refs, Ref(found, approximate=True)]
        made: list[Column | Relation] = [found] if known is None else []
        while made:
            origin = made.pop()
            if isinstance(origin, Column) and origin.inferred:
                # A guess is nothing to remember of the table.
                origin.generated = True
                made += [ref.origin for ref in origin.refs]


def _fold(binder: Binder, column: Column, other: Column, operation: str, *, subtract: bool) -> None:
    if subtract:
        added = [replace(ref, role=FILTER, operation=operation) for ref in other.refs]
    else:
        added = _passing(other, operation)
    types = binder.types
    kinds = [types.of_column(column), types.of_column(other)]
    column.type, column.typed, column.widened = types.common(kinds), True, True
    column.refs += added
    column.approximate = column.approximate or other.approximate


def _passing(column: Column, operation: str) -> list[Ref]:
    """A branch's inputs: they pass this operation, or another one before it, or are counted."""
    return [
        replace(passed, operation=ref.operation) if ref.operation is not None else passed
        for ref, passed in zip(column.refs, explicit(column, operation), strict=True)
    ]


def _combine_by_name(items: list[Item], others: list[Item], operation: str) -> None:
    named = {item.key: item for item in items if isinstance(item, Column)}
    for other in others:
        if isinstance(other, Tail):
            items.append(other)
        elif other.key in named:
            column = named[other.key]
            column.refs = [*column.refs, *_passing(other, operation)]
        else:
            made = _branch_copy(other)
            if isinstance(made, Column):
                made.refs, made.identity = _passing(other, operation), True
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
