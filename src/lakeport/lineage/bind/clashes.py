"""Types that cannot meet at an operator: reported where both sides are bound.

Most operands are columns and literals of one kind, so a look at the kinds comes before any thought.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.issues import IssueCode
from lakeport.lineage.types import clash, clash_between, read_type

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.column_types import ColumnTypes
    from lakeport.lineage.types import SqlType

COMPARISONS = frozenset({exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE})
_UNCLEAR = "?"
# What makes a number of numbers. Only what is plain is looked at: a long sum is no work for here.
_ARITHMETIC = frozenset({exp.Add, exp.Sub, exp.Mul, exp.Neg})
_PLAIN = frozenset({exp.Column, exp.Literal})
_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "decimal", "float", "double"})


def check_operations(binder: Binder) -> None:
    """The operations met inside of expressions, once the whole statement is bound."""
    for node in binder.operations:
        if node.__class__ is exp.In:
            _check_several(binder, node, node.args["expressions"], "IN")
        elif node.__class__ is exp.Between:
            _check_several(binder, node, [node.args["low"], node.args["high"]], "BETWEEN")
        else:
            check_operation(binder, node)


def check_operation(binder: Binder, node: exp.Expr) -> None:
    """`= NULL`, comparisons of types that never compare, and arithmetic that no engine can do."""
    args = node.args
    left, right = args["this"], args["expression"]
    if left.__class__ is exp.Null or right.__class__ is exp.Null:
        if node.__class__ not in COMPARISONS:
            return
        binder.report(
            IssueCode.TYPE_MISMATCH,
            "a comparison with NULL is never true",
            at=node,
            hint="use IS NULL or IS NOT NULL",
        )
        return
    types, dialect = binder.types, binder.dialect.name
    declared = types.declaration(left) if left.__class__ is exp.Column else None
    if declared is None:
        first = _simple_kind(types, left, dialect)
    elif right.__class__ is exp.Column and declared == types.declaration(right):
        # As most columns that are joined by.
        return
    else:
        first = _declared_kind(declared, dialect)
    second = _simple_kind(types, right, dialect) if first is not None else None
    if second is None or (first == second and first != _UNCLEAR):
        # The common cases, cheaply: two columns of one kind, or a number and a number.
        return
    message = clash(node, types.of_name, dialect, types.memo)
    if message is not None:
        binder.report(IssueCode.TYPE_MISMATCH, message, at=node, hint="cast one side")


def _check_several(binder: Binder, node: exp.Expr, values: list[exp.Expr], word: str) -> None:
    """`x IN (1, 'a')` compares with each of them; one of a kind stands for all that are like it."""
    types, dialect = binder.types, binder.dialect.name
    left = node.args["this"]
    kind = _simple_kind(types, left, dialect)
    seen = {kind}
    for value in values if kind is not None else ():
        kind = _simple_kind(types, value, dialect)
        if kind is None or (kind in seen and kind != _UNCLEAR) or isinstance(value, exp.Query):
            continue
        seen.add(kind)
        message = clash_between((left, value), word, types.of_name, dialect, types.memo)
        if message is not None:
            binder.report(IssueCode.TYPE_MISMATCH, message, at=node, hint="cast one side")
            return


def _simple_kind(types: ColumnTypes, node: exp.Expr, dialect: str) -> str | None:
    """`number` for numbers, the kind for other columns and literals; some need more thought."""
    cls = node.__class__
    if cls is exp.Literal:
        return "string" if node.args.get("is_string") else "number"
    if cls is exp.Column:
        declared = types.declaration(node)
        if declared is not None:
            return _declared_kind(declared, dialect)
        return _kind_word(types.of_name(node))
    if cls in _ARITHMETIC and all(
        part.__class__ in _PLAIN and _simple_kind(types, part, dialect) == "number"
        for part in node.args.values()
    ):
        return "number"
    return _UNCLEAR


def _kind_word(kind: SqlType | None) -> str | None:
    if kind is None:
        return None
    if kind.kind == "interval":
        # Of months or of seconds.
        return _UNCLEAR
    return "number" if kind.kind in _NUMBERS else kind.kind


@lru_cache(maxsize=4096)
def _declared_kind(text: str, dialect: str) -> str | None:
    return _kind_word(read_type(text, dialect))
