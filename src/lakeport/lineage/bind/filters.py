"""Predicates: WHERE, HAVING, QUALIFY and ON, conjunct by conjunct, on the relations they mention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.clashes import COMPARISONS, check_operation
from lakeport.lineage.bind.columns import bind_column
from lakeport.lineage.bind.expressions import collect, occurrences
from lakeport.lineage.bind.keys import note_candidate_key
from lakeport.lineage.bind.scope import FILTER, Column
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Ref, Relation, Scope


def bind_filter(
    binder: Binder,
    condition: exp.Expr,
    scope: Scope,
    clause: str,
    texts: list[str] | None,
    joined: list[Relation] | None = None,
) -> None:
    """Bind a predicate; `texts` are the user's own texts of its conjuncts, if they could be cut."""
    conjuncts = _conjuncts(condition)
    if texts is not None and len(texts) != len(conjuncts):
        texts = None
    subtype = "JOIN" if clause == "JOIN_ON" else "FILTER"
    wants_indirect = binder.wants_indirect
    binder.filters += len(conjuncts)
    for position, conjunct in enumerate(conjuncts):
        if wants_indirect:
            refs = collect(binder, conjunct, scope, FILTER)
            scope.indirect += [(ref, subtype) for ref in refs]
        else:
            refs = _inputs(binder, conjunct, scope)
        noted = (texts[position] if texts is not None else binder.sql(conjunct), clause)
        last: Relation | None = None
        for ref in refs:
            origin = ref.origin
            relation = origin.relation if origin.__class__ is Column else origin
            # Once in a row is enough: what is noted twice is shown once.
            if relation is not None and relation is not last:
                last = relation  # type: ignore[assignment] # a column was left behind above
                relation.filters.append(noted)  # type: ignore[union-attr] # the same
        if joined and conjunct.__class__ is exp.EQ:
            _note_join_key(binder, conjunct, joined)


def _inputs(binder: Binder, conjunct: exp.Expr, scope: Scope) -> list[Ref]:
    """For the relations they belong to it does not matter how often inputs occur.

    A column beside a column or a literal, as most conjuncts are, needs no walk.
    """
    if conjunct.__class__ in COMPARISONS:
        args = conjunct.args
        left, right = args["this"], args["expression"]
        if left.__class__ is exp.Column:
            if right.__class__ is exp.Column:
                found = bind_column(binder, left, scope, FILTER)
                others = bind_column(binder, right, scope, FILTER)
                if not _are_alike(found, others):
                    check_operation(binder, conjunct)
                return found + others
            if right.__class__ is exp.Literal:
                found = bind_column(binder, left, scope, FILTER)
                check_operation(binder, conjunct)
                return found
    return occurrences(binder, conjunct, scope, FILTER)


def _are_alike(refs: list[Ref], others: list[Ref]) -> bool:
    """Whether both sides are stored columns of one declared type, as most that are joined by."""
    if len(refs) != 1 or len(others) != 1:
        return False
    ref, other = refs[0], others[0]
    column, beside = ref.origin, other.origin
    if column.__class__ is not Column or beside.__class__ is not Column:
        return False
    known, known_beside = column.entry, beside.entry
    return (
        known is not None
        and known_beside is not None
        and known.data_type is not None
        and known.data_type == known_beside.data_type
        and not (ref.path or other.path or ref.derived or other.derived)
    )


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The operands of a left-deep AND chain."""
    if condition.__class__ is not exp.And:
        return [condition]
    found: list[exp.Expr] = []
    node = condition
    while node.__class__ is exp.And:
        args = node.args
        node, right = args["this"], args["expression"]
        if right.__class__ is exp.And:
            return _nested_conjuncts(condition)
        found.append(right)
    found.append(node)
    found.reverse()
    return found


def _nested_conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The same where an operand on the right is a chain itself, which no text leads to."""
    found: list[exp.Expr] = []
    stack = [condition]
    while stack:
        node = stack.pop()
        if node.__class__ is exp.And:
            stack += (node.args["expression"], node.args["this"])
        else:
            found.append(node)
    return found


def _note_join_key(binder: Binder, equality: exp.Expr, joined: list[Relation]) -> None:
    bound = binder.types.bound
    left, right = bound.get(id(equality.this)), bound.get(id(equality.expression))
    if left is None or right is None:
        return
    if not isinstance(left.origin, Column) or not isinstance(right.origin, Column):
        return
    pair = [_shown(left.origin), _shown(right.origin)]
    for relation in joined[:1]:
        relation.join_keys = [*relation.join_keys, pair]
    note_candidate_key(left.origin, right.origin)


def _shown(column: Column) -> str:
    return f"{dotted(column.relation.name)}.{column.key}" if column.relation else column.key
