"""Comparisons and arithmetic that cannot work, for TYPE_MISMATCH.

Only what fails or is always wrong counts. A text beside a number is converted by every engine, so
it is reported only where the text is written out and is no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from lakeport.lineage.types.infer import ColumnType, Memo, infer
from lakeport.lineage.types.model import (
    INSTANT,
    INTEGRAL,
    NESTED,
    NUMERIC,
    TEXTUAL,
    YEAR_MONTH_UNITS,
    SqlType,
)
from lakeport.lineage.types.write import type_text

_FAMILIES = {
    **dict.fromkeys(NUMERIC, "number"),
    **dict.fromkeys(TEXTUAL, "text"),
    **dict.fromkeys(INSTANT | {"date"}, "date"),
    "time": "time",
    "boolean": "boolean",
    "interval": "interval",
    "binary": "binary",
    "array": "array",
    "map": "map",
    "struct": "struct",
}
# Engines in which a truth value is a number.
_NUMERIC_TRUTH = frozenset(
    {
        "mysql",
        "sqlite",
        "snowflake",
        "duckdb",
        "clickhouse",
        "tsql",
        "doris",
        "starrocks",
        "generic",
        "hive",
    }
)
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.NullSafeEQ: "<=>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_ARITHMETIC = frozenset("+-*/%")
# Engines that convert little by themselves.
_STRICT = frozenset({"spark", "databricks"})
_TEMPORAL = frozenset({"date", "time"})
# What arithmetic there is besides that of numbers, in either order unless it is a difference.
_TIMELY = {
    "+": {("date", "number"), ("date", "interval"), ("time", "interval"), ("interval", "interval")},
    "-": {
        ("date", "number"),
        ("date", "interval"),
        ("date", "date"),
        ("time", "interval"),
        ("time", "time"),
        ("interval", "interval"),
    },
    "*": {("interval", "number")},
    "/": {("interval", "number")},
}
_NUMBER = re.compile(
    r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[dflsy]?\s*|\s*[+-]?(nan|inf(inity)?)\s*", re.IGNORECASE
)
_inner: dict[type, bool] = {}
_LEAVES = (exp.Column, exp.Literal, exp.Query, exp.Subquery, exp.DataType)


def mismatch(
    left: SqlType | None, right: SqlType | None, operator: str, dialect: str = "spark"
) -> str | None:
    """Why two types cannot meet at an operator; None if they can, or one is not known."""
    if left is None or right is None:
        return None
    one, other = _FAMILIES.get(left.kind), _FAMILIES.get(right.kind)
    if one is None or other is None or one == other == "number":
        return None
    if dialect in _STRICT and _is_refused(left, right, operator):
        works = False
    elif operator in _ARITHMETIC:
        works = _computes(one, other, operator, dialect)
    else:
        works = _compares(left, right, dialect)
    return None if works else _message(left, right, operator, dialect)


def _is_refused(left: SqlType, right: SqlType, operator: str) -> bool:
    """What Spark never computes or compares, though others convert one side.

    Moments take intervals and days whole numbers, and a text is no number beside what is none.
    """
    families = {_FAMILIES[left.kind], _FAMILIES[right.kind]}
    kinds = {left.kind, right.kind}
    if operator not in _ARITHMETIC:
        return families == {"interval", "text"} or _mixes_units(left, right)
    if "interval" in families and _is_refused_interval(left, right, operator):
        return True
    if "text" in families:
        return "binary" in families or (operator != "-" and not families.isdisjoint(_TEMPORAL))
    return families == {"date", "number"} and not (kinds <= {"date"} | INTEGRAL)


def _is_refused_interval(left: SqlType, right: SqlType, operator: str) -> bool:
    """Months are added to moments alone, and nothing is divided by an interval.

    A text beside days and seconds is a moment, so it stands in front of a minus. Intervals of old
    versions are of one kind.
    """
    if not all(side.unit for side in (left, right) if side.kind == "interval"):
        return False
    if left.kind == right.kind:
        return _mixes_units(left, right)
    span, other = (left, right) if left.kind == "interval" else (right, left)
    of_months = span.unit is not None and span.unit[0] in YEAR_MONTH_UNITS
    family = _FAMILIES[other.kind]
    if operator == "/":
        return span is right
    if operator not in "+-" or family not in {"text", "time"}:
        return False
    return of_months or (family == "text" and operator == "-" and span is left)


def _mixes_units(left: SqlType, right: SqlType) -> bool:
    """Whether one is an interval of months and the other one of seconds."""
    if not (left.kind == right.kind == "interval" and left.unit and right.unit):
        return False
    return (left.unit[0] in YEAR_MONTH_UNITS) != (right.unit[0] in YEAR_MONTH_UNITS)


def _compares(left: SqlType, right: SqlType, dialect: str) -> bool:
    one, other = _FAMILIES[left.kind], _FAMILIES[right.kind]
    if one != other:
        if "text" in {one, other}:
            return not NESTED & {one, other}
        return {one, other} == {"boolean", "number"} and dialect in _NUMERIC_TRUTH
    if one == "array" and left.element and right.element:
        return mismatch(left.element, right.element, "=", dialect) is None
    return one != "map"


def _computes(one: str, other: str, operator: str, dialect: str) -> bool:
    if "text" in {one, other}:
        return not (NESTED | {"boolean"}) & {one, other}
    if one == other == "number":
        return True
    if one == other == "array" and operator == "+" and dialect == "duckdb":
        return True
    if {one, other} <= {"boolean", "number"}:
        return dialect in _NUMERIC_TRUTH
    allowed = _TIMELY.get(operator, set())
    return (one, other) in allowed or (operator in "+*" and (other, one) in allowed)


def _message(left: SqlType, right: SqlType, operator: str, dialect: str) -> str:
    one = type_text(left, dialect) or left.kind
    other = type_text(right, dialect) or right.kind
    if operator in _ARITHMETIC:
        return f"`{operator}` does not work on {one} and {other}"
    return f"{one} cannot be compared with {other} by `{operator}`"


def mismatches(
    expression: exp.Expr, column_type: ColumnType, dialect: str, memo: Memo | None = None
) -> Iterator[tuple[exp.Expr, str]]:
    """Every comparison and operation under an expression that cannot work, and why.

    Subqueries have columns of their own and are the caller's to ask about.
    """
    known: Memo = {} if memo is None else memo
    for node in _operations(expression):
        message = clash(node, column_type, dialect, known)
        if message:
            yield node, message


def clash(node: exp.Expr, column_type: ColumnType, dialect: str, memo: Memo) -> str | None:
    """Why one comparison or operation cannot work, whatever stands below it."""
    args = node.args
    sides = args["this"], args["expression"]
    return clash_between(sides, _OPERATORS[node.__class__], column_type, dialect, memo)


def clash_between(
    sides: tuple[exp.Expr, exp.Expr],
    operator: str,
    column_type: ColumnType,
    dialect: str,
    memo: Memo,
) -> str | None:
    """Why an operator cannot work on two expressions."""
    one, other = sides
    left = infer(one, column_type, dialect, memo)
    right = infer(other, column_type, dialect, memo)
    message = mismatch(left, right, operator, dialect)
    if message is None and (one.__class__ is exp.Literal or other.__class__ is exp.Literal):
        return _no_number((one, left), (other, right), operator)
    return message


def _operations(expression: exp.Expr) -> list[exp.Expr]:
    """The comparisons and operations of an expression, from left to right.

    Columns and literals are most of a tree and have nothing below them worth a look.
    """
    found: list[exp.Expr] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        if node.__class__ in _OPERATORS:
            found.append(node)
        mark = len(stack)
        for child in node.args.values():
            if child.__class__ is list:
                stack += [part for part in child if _is_inner(part)]
            elif _is_inner(child):
                stack.append(child)
        stack[mark:] = stack[mark:][::-1]
    return found


def _is_inner(part: object) -> bool:
    """Whether there may be operations below a part of an expression; learned once per class."""
    cls = part.__class__
    known = _inner.get(cls)
    if known is None:
        known = isinstance(part, exp.Expr) and not isinstance(part, _LEAVES)
        _inner[cls] = known
    return known


def _no_number(
    left: tuple[exp.Expr, SqlType | None], right: tuple[exp.Expr, SqlType | None], operator: str
) -> str | None:
    for (text, _), (_, type_) in ((left, right), (right, left)):
        numeric = type_ is not None and type_.kind in NUMERIC
        written = isinstance(text, exp.Literal) and text.is_string
        if numeric and type_ and written and not _NUMBER.fullmatch(text.name):
            return f"'{text.name}' beside {type_text(type_, 'spark')} at `{operator}` is no number"
    return None
