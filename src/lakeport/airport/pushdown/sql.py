"""Nodes as SQL for the engine inside Lakeport.

Functions are called by their quoted name, operators too: `"+"(a, b)` is what `a + b` means, and leaves
no precedence to think about. Nothing here may be trusted to run: `parse_expression` checks the text.
"""

from __future__ import annotations

from typing import assert_never

from lakeport.airport.pushdown.functions import check_call, check_cast
from lakeport.airport.pushdown.literals import cast, literal, struct
from lakeport.airport.pushdown.nodes import (
    Call,
    Choice,
    Column,
    Comparison,
    Constant,
    Conversion,
    Joined,
    Membership,
    Negation,
    Node,
    NullTest,
    Range,
)
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.types import BOOLEAN, identifier
from lakeport.catalog.expressions import type_text
from lakeport.catalog.expressions.functions import FUNCTIONS


def write(node: Node) -> str:  # noqa: C901 one arm per node
    match node:
        case Constant():
            return literal(node)
        case Column():
            return _column(node)
        case Comparison(op, left, right):
            return f"({write(left)} {op} {write(right)})"
        case Range():
            return _range(node)
        case Joined(word, parts):
            return f"({f' {word} '.join(map(write, parts))})"
        case Negation(part):
            return f"(NOT {write(part)})"
        case NullTest(part, is_null):
            return f"({write(part)} IS {'NULL' if is_null else 'NOT NULL'})"
        case Membership(probe, items, is_in):
            word = "IN" if is_in else "NOT IN"
            return f"({write(probe)} {word} ({_listed(items)}))"
        case Choice():
            return _choice(node)
        case Conversion(part, data_type, is_try):
            check_cast(node)
            return cast(write(part), data_type, is_try=is_try)
        case Call():
            check_call(node)
            return _call(node)
        case _:
            assert_never(node)


def may_fail(node: Node) -> bool:
    """Whether some value of some column might be an error instead of an answer."""
    match node:
        case Constant():
            return False
        case Column():
            return not node.is_stored
        case Comparison(_, left, right):
            return _may_not_match(left, right)
        case Range(value, low, high):
            return _may_not_match(value, low, high)
        case Membership(probe, items):
            return _may_not_match(probe, *items)
        case Joined(_, parts):
            return any(part.type != BOOLEAN or may_fail(part) for part in parts)
        case Negation(part):
            return part.type != BOOLEAN or may_fail(part)
        case NullTest(part):
            return may_fail(part)
        case Choice() | Conversion() | Call():
            return True
        case _:
            assert_never(node)


def _may_not_match(*compared: Node) -> bool:
    """The client's binder gives all of them one type; else the engine would convert some of them."""
    return len({node.type for node in compared}) > 1 or any(map(may_fail, compared))


def _column(column: Column) -> str:
    name = identifier(column.field.name)
    if column.is_stored:
        return name
    if column.type.is_zoned or "TIME ZONE" in type_text(column.field):
        raise NotEvaluatedError("a cast that depends on the session's time zone")
    return cast(name, column.type)


def _range(node: Range) -> str:
    value, low, high = write(node.value), write(node.low), write(node.high)
    if node.low_inclusive and node.high_inclusive:
        return f"({value} BETWEEN {low} AND {high})"
    above, below = ">=" if node.low_inclusive else ">", "<=" if node.high_inclusive else "<"
    return f"({value} {above} {low} AND {value} {below} {high})"


def _choice(node: Choice) -> str:
    checks = (f"WHEN {write(when)} THEN {write(then)}" for when, then in node.checks)
    return f"CASE {' '.join(checks)} ELSE {write(node.otherwise)} END"


def _call(call: Call) -> str:
    arguments = [write(argument) for argument in call.arguments]
    match call.name:
        case "COALESCE" | "TRY":
            return f"{call.name}({', '.join(arguments)})"
        case "constant_or_null":
            first, *others = arguments
            tests = " OR ".join(f"({other} IS NULL)" for other in others)
            return f"CASE WHEN {tests} THEN NULL ELSE {first} END"
        case "list_aggr" | "list_aggregate" | "array_aggr":
            return _aggregate(call, arguments)
        case "struct_pack" | "row":
            return struct(call.type, arguments)
        case "union_value":
            ((member, _),) = call.type.parts
            return f'"union_value"({identifier(member)} := {arguments[0]})'
    return f"{identifier(call.name)}({', '.join(arguments)})"


def _aggregate(call: Call, arguments: list[str]) -> str:
    """`list_sum(x)` arrives as `list_aggr(x, 'sum')`."""
    match call.arguments:
        case (_, Constant(value=str() as name)) if f"list_{name}" in FUNCTIONS:
            return f'"list_{name}"({arguments[0]})'
    raise NotEvaluatedError("an aggregate over a list")


def _listed(items: tuple[Node, ...]) -> str:
    return ", ".join(map(write, items))
