"""How the type of a node follows from the types of some of its children.

A table maps each node class to a `SqlType` (always that one) or to a `Rule`: which children must be
typed first, and what follows from them. Rules never walk; `infer` does, without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from lakeport.lineage.types.model import DOUBLE, TEXTUAL, VOID, SqlType, array_of
from lakeport.lineage.types.widen import common_of

Types: TypeAlias = Sequence[SqlType | None]
Operands: TypeAlias = Callable[[exp.Expr], Sequence[exp.Expr]]
Conclusion: TypeAlias = Callable[[exp.Expr, Types, str], SqlType | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """`conclude` gets the node, the types of its `operands` in order, and the dialect."""

    operands: Operands
    conclude: Conclusion


Answer: TypeAlias = SqlType | Rule
# Python refuses to read numbers of thousands of digits; no engine has any of more than these.
DIGITS = 40


def argument(*names: str) -> Operands:
    """The children under these names, lists flattened, absent ones left out."""
    if len(names) == 1:
        return _one_argument(*names)
    return _two_arguments(*names) if len(names) == 2 else _arguments(*names)


def _arguments(*names: str) -> Operands:
    def operands(node: exp.Expr) -> list[exp.Expr]:
        found: list[exp.Expr] = []
        for name in names:
            child = node.args.get(name)
            if isinstance(child, list):
                found.extend(part for part in child if isinstance(part, exp.Expr))
            elif isinstance(child, exp.Expr):
                found.append(child)
        return found

    return operands


def _two_arguments(first_name: str, second_name: str) -> Operands:
    """The same for operators, which have one child on either side."""
    flattened = _arguments(first_name, second_name)

    def operands(node: exp.Expr) -> Sequence[exp.Expr]:
        args = node.args
        one, other = args.get(first_name), args.get(second_name)
        if isinstance(one, exp.Expr) and isinstance(other, exp.Expr):
            return one, other
        return flattened(node)

    return operands


def _one_argument(name: str) -> Operands:
    """The same without a loop over names, because most functions have one argument."""

    def operand(node: exp.Expr) -> Sequence[exp.Expr]:
        child = node.args.get(name)
        if isinstance(child, exp.Expr):
            return (child,)
        if isinstance(child, list):
            return [part for part in child if isinstance(part, exp.Expr)]
        return ()

    return operand


def nothing(_: exp.Expr) -> tuple[exp.Expr, ...]:
    """For nodes whose type is written in them."""
    return ()


def positional(*positions: int) -> Operands:
    """Arguments of a function the parser has no class for."""

    def operands(node: exp.Expr) -> list[exp.Expr]:
        given = node.expressions
        return [given[position] for position in positions if position < len(given)]

    return operands


THIS = argument("this")
BOTH = argument("this", "expression")
LISTED = argument("expressions")
EVERY = argument("this", "expressions")
FIRST = positional(0)


def first(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    return types[0] if types else None


def common(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    return common_of(types, dialect) if types else None


def array_of_common(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    inner = common_of(types, dialect)
    return array_of(inner) if inner else None


def array_of_first(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    return array_of(types[0]) if types and types[0] else None


def element(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    return types[0].element if types and types[0] else None


def number(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """The type itself; a text or NULL is read as a double."""
    type_ = types[0] if types else None
    return DOUBLE if type_ and (type_.kind in TEXTUAL or type_ == VOID) else type_


def literal_number(node: exp.Expr | None) -> int | None:
    """An integer that is written out, with its sign."""
    negative = node.__class__ is exp.Neg
    inner = node.this if negative and node is not None else node
    if inner.__class__ is not exp.Literal or inner.args.get("is_string"):
        return None
    text = inner.name
    if not text.isdecimal() or len(text) > DIGITS:
        return None
    return -int(text) if negative else int(text)
