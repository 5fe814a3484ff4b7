"""Predicates: WHERE, HAVING, QUALIFY and ON, conjunct by conjunct, on the relations they mention.

Comparisons that can never hold are reported here, because this is where both sides are bound.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.columns import bind_column
from lakeport.lineage.bind.expressions import collect, occurrences
from lakeport.lineage.bind.keys import note_candidate_key
from lakeport.lineage.bind.scope import FILTER, Column
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.types import mismatches, read_type

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.column_types import ColumnTypes
    from lakeport.lineage.bind.scope import Ref, Relation, Scope
    from lakeport.lineage.types import SqlType

_COMPARISONS = frozenset({exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE})
_UNCLEAR = "?"
_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "decimal", "float", "double"})


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
    exact = texts is not None and len(texts) == len(conjuncts)
    subtype = "JOIN" if clause == "JOIN_ON" else "FILTER"
    wants_indirect, wants_text = binder.wants_indirect, binder.wants_text
    binder.filters += len(conjuncts)
    for position, conjunct in enumerate(conjuncts):
        if wants_indirect:
            refs = collect(binder, conjunct, scope, FILTER)
            scope.indirect += [(ref, subtype) for ref in refs]
        else:
            refs = _inputs(binder, conjunct, scope)
        if conjunct.__class__ in _COMPARISONS:
            _check_comparison(binder, conjunct)
        if not wants_text:
            continue
        noted = (texts[position] if exact and texts is not None else binder.sql(conjunct), clause)
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
    if conjunct.__class__ in _COMPARISONS:
        args = conjunct.args
        left, right = args["this"], args["expression"]
        if left.__class__ is exp.Column:
            if right.__class__ is exp.Column:
                found = bind_column(binder, left, scope, FILTER)
                return [*found, *bind_column(binder, right, scope, FILTER)]
            if right.__class__ is exp.Literal:
                return bind_column(binder, left, scope, FILTER)
    return occurrences(binder, conjunct, scope, FILTER)


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The operands of a left-deep AND chain."""
    if condition.__class__ is not exp.And:
        return [condition]
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
        relation.join_keys.append(pair)
    note_candidate_key(left.origin, right.origin)


def _shown(column: Column) -> str:
    return f"{dotted(column.relation.name)}.{column.key}" if column.relation else column.key


def _check_comparison(binder: Binder, node: exp.Expr) -> None:
    """`= NULL`, and comparisons of types that never compare."""
    args = node.args
    left, right = args["this"], args["expression"]
    if left.__class__ is exp.Null or right.__class__ is exp.Null:
        binder.report(
            IssueCode.TYPE_MISMATCH,
            "a comparison with NULL is never true",
            at=node,
            hint="use IS NULL or IS NOT NULL",
        )
        return
    types, dialect = binder.types, binder.dialect.name
    if left.__class__ is exp.Column and right.__class__ is exp.Column:
        declared = types.declaration(left)
        if declared is not None and declared == types.declaration(right):
            # As most columns that are joined by.
            return
    first = _simple_kind(types, left, dialect)
    second = _simple_kind(types, right, dialect) if first is not None else None
    if second is None or (first == second and first != _UNCLEAR):
        # The common cases, cheaply: two columns of one kind, or a number and a number.
        return
    for offender, message in mismatches(node, types.of_name, dialect, types.memo):
        binder.report(IssueCode.TYPE_MISMATCH, message, at=offender, hint="cast one side")


def _simple_kind(types: ColumnTypes, node: exp.Expr, dialect: str) -> str | None:
    """`number` for numbers, the kind for other columns and literals; some need more thought."""
    if node.__class__ is exp.Literal:
        return "string" if node.args.get("is_string") else "number"
    if node.__class__ is not exp.Column:
        return _UNCLEAR
    declared = types.declaration(node)
    if declared is not None:
        return _declared_kind(declared, dialect)
    return _kind_word(types.of_name(node))


def _kind_word(kind: SqlType | None) -> str | None:
    if kind is None:
        return None
    return "number" if kind.kind in _NUMBERS else kind.kind


@lru_cache(maxsize=4096)
def _declared_kind(text: str, dialect: str) -> str | None:
    return _kind_word(read_type(text, dialect))
