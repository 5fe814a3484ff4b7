"""The types of `+ - * / %`, unary minus, `||` and the bitwise operators.

Spark's rules for its family: decimals carry their precision through, a written integer beside a
decimal counts only its own digits, `/` is fractional, dates and intervals make dates and intervals.
Other dialects get what all engines agree on, and decimals without digits.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lakeport.lineage.types import decimals
from lakeport.lineage.types.model import (
    BIGINT,
    BINARY,
    DATE,
    DAY_TO_SECOND,
    DOUBLE,
    FLOATING,
    INSTANT,
    INT,
    INTEGRAL,
    NUMERIC,
    STRING,
    TEMPORAL,
    TEXTUAL,
    TIME,
    TIMESTAMP,
    VOID,
    YEAR_TO_MONTH,
    SqlType,
    interval_of,
    is_day_time,
    is_year_month,
    spans,
)
from lakeport.lineage.types.read import SPARK_FAMILY
from lakeport.lineage.types.rules import BOTH, LISTED, THIS, Answer, Rule, Types, literal_number
from lakeport.lineage.types.widen import common_of, numbers, text_with

_DAY = ("day", "day")
_TIMELY = TEMPORAL | {"interval"}
_DECIMAL_RESULT: dict[type[exp.Expr], Callable[[SqlType, SqlType], SqlType]] = {
    exp.Add: decimals.added,
    exp.Sub: decimals.added,
    exp.Mul: decimals.multiplied,
    exp.Div: decimals.divided,
    exp.Mod: decimals.remainder,
    exp.SafeAdd: decimals.added,
    exp.SafeSubtract: decimals.added,
    exp.SafeMultiply: decimals.multiplied,
    exp.SafeDivide: decimals.divided,
}
_SUMS = (exp.Add, exp.SafeAdd)
_DIFFERENCES = (exp.Sub, exp.SafeSubtract)
_DIVISIONS = (exp.Div, exp.SafeDivide)


def arithmetic(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """A binary arithmetic operator, or a function that stands for one."""
    if len(types) != 2 or types[0] is None or types[1] is None:
        return None
    left, right = types[0], types[1]
    if left.kind in _TIMELY or right.kind in _TIMELY:
        return _with_time(node, left, right) if dialect in SPARK_FAMILY else None
    if dialect not in SPARK_FAMILY:
        return _general(node, left, right)
    if left.kind not in NUMERIC or right.kind not in NUMERIC:
        left, right = _as_numbers(left, right)
        if left.kind not in NUMERIC or right.kind not in NUMERIC:
            return None
    kinds = (left.kind, right.kind)
    if "decimal" in kinds and FLOATING.isdisjoint(kinds):
        one = _operand(left, node, "this", right)
        other = _operand(right, node, "expression", left)
        exact = _DECIMAL_RESULT.get(node.__class__, decimals.remainder)
        return exact(one, other) if one and other else None
    return DOUBLE if isinstance(node, _DIVISIONS) else numbers(left, right)


def _as_numbers(left: SqlType, right: SqlType) -> tuple[SqlType, SqlType]:
    """Texts are read as the number beside them, and NULL takes any type."""
    if left.kind in TEXTUAL and right.kind in TEXTUAL:
        return DOUBLE, DOUBLE
    if left.kind in TEXTUAL:
        left = DOUBLE if right == VOID else text_with(right) or left
    elif right.kind in TEXTUAL:
        right = DOUBLE if left == VOID else text_with(left) or right
    if left == right == VOID:
        return DOUBLE, DOUBLE
    return (right if left == VOID else left), (left if right == VOID else right)


def _operand(type_: SqlType, node: exp.Expr, name: str, beside: SqlType) -> SqlType | None:
    if type_.kind in INTEGRAL and beside.kind == "decimal":
        written = literal_number(_argument(node, name))
        if written is not None:
            return decimals.of_literal(str(abs(written)))
    return decimals.as_decimal(type_)


def _argument(node: exp.Expr, name: str) -> exp.Expr | None:
    if isinstance(node, exp.Anonymous):
        child = node.expressions[0 if name == "this" else 1]
    else:
        child = node.args.get(name)
    return child if isinstance(child, exp.Expr) else None


def _general(node: exp.Expr, left: SqlType, right: SqlType) -> SqlType | None:
    left, right = (right if left == VOID else left), (left if right == VOID else right)
    if left.kind not in NUMERIC or right.kind not in NUMERIC:
        return None
    if "decimal" in {left.kind, right.kind}:
        return DOUBLE if {left.kind, right.kind} & FLOATING else SqlType("decimal")
    if isinstance(node, _DIVISIONS) and not node.args.get("typed"):
        return DOUBLE
    return numbers(left, right)


def _with_time(node: exp.Expr, left: SqlType, right: SqlType) -> SqlType | None:
    if isinstance(node, _SUMS):
        if right.kind in TEMPORAL or (left.kind == "interval" and right.kind in TEXTUAL):
            left, right = right, left
        return _shifted(left, right)
    if isinstance(node, _DIFFERENCES):
        return _difference(left, right)
    if isinstance(node, exp.Mul | exp.SafeMultiply):
        return _scaled(left if left.kind == "interval" else right)
    if isinstance(node, _DIVISIONS) and left.kind == "interval":
        return _scaled(left)
    return None


def _shifted(start: SqlType, by: SqlType) -> SqlType | None:
    """A point in time and what moves it; two intervals make one."""
    if start.kind == "interval":
        return start if by in (VOID, start) else spans(start, by)
    if start == VOID:
        return by if by.kind == "interval" else None
    if by == VOID:
        by = DAY_TO_SECOND
    if by.kind != "interval":
        return start if start == DATE and by.kind in INTEGRAL else None
    if start == DATE and is_day_time(by) and by.unit != _DAY:
        return TIMESTAMP
    if start.kind == "time" and by.unit and by.unit[1] == "second":
        return max(start, TIME, key=lambda type_: type_.parameters)
    return start


def _difference(left: SqlType, right: SqlType) -> SqlType | None:
    if right.kind == "interval" or right.kind in INTEGRAL:
        return _shifted(left, right)
    if left.kind in INSTANT or right.kind in INSTANT:
        return DAY_TO_SECOND
    if right == DATE or (left == DATE and (right == VOID or right.kind in TEXTUAL)):
        return interval_of("day")
    if left.kind == "interval" and right == VOID:
        return left
    if left.kind == "time" and right.kind == "time":
        return interval_of("hour", "second")
    return None


def _scaled(interval: SqlType) -> SqlType:
    """Multiplying may carry over into every unit, so Spark answers with the whole range."""
    if is_year_month(interval):
        return YEAR_TO_MONTH
    return DAY_TO_SECOND if is_day_time(interval) else interval


def integral_division(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    if dialect in SPARK_FAMILY:
        return BIGINT
    return common_of(types, dialect)


def bitwise(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    type_ = common_of(types, dialect)
    return type_ if type_ and (type_.kind in INTEGRAL or type_ == VOID) else None


def shifted_bits(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """Spark shifts in 32 or 64 bits and nothing smaller."""
    type_ = types[0] if types else None
    if type_ is None:
        return None
    return BIGINT if type_ == BIGINT else INT


def concatenated(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """Arrays and binaries stay what they are; anything else becomes text."""
    known = [type_ for type_ in types if type_ is not None and type_ != VOID]
    if any(type_.kind == "array" for type_ in known):
        return common_of(types, dialect)
    if known and len(known) == len(types) and all(type_ == BINARY for type_ in known):
        return BINARY
    if len(known) < sum(type_ != VOID for type_ in types):
        return None if not any(type_.kind in TEXTUAL for type_ in known) else STRING
    return STRING


_ARITHMETIC = Rule(BOTH, arithmetic)
OPERATORS: dict[type[exp.Expr], Answer] = {
    **dict.fromkeys(_DECIMAL_RESULT, _ARITHMETIC),
    exp.IntDiv: Rule(BOTH, integral_division),
    exp.BitwiseAnd: Rule(BOTH, bitwise),
    exp.BitwiseOr: Rule(BOTH, bitwise),
    exp.BitwiseXor: Rule(BOTH, bitwise),
    exp.BitwiseNot: Rule(THIS, bitwise),
    exp.BitwiseLeftShift: Rule(THIS, shifted_bits),
    exp.BitwiseRightShift: Rule(THIS, shifted_bits),
    exp.DPipe: Rule(BOTH, concatenated),
    exp.Concat: Rule(LISTED, concatenated),
}
