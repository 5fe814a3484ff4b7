"""Sums and products with dates, times and intervals, which Spark resolves to functions of their own."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.types import SqlType

_MOMENTS = frozenset({"date", "timestamp", "timestamp_ntz", "timestamp_ltz", "time"})
_ORDERS = frozenset({"<", "<=", ">", ">="})
_WHOLE = frozenset({"tinyint", "smallint", "int"})
# A side of such a type makes an ordinary sum, whatever the other is.
_PLAIN = frozenset({"bigint", "float", "double", "decimal"})
_SUMS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.DOT,
        TokenType.L_PAREN,
        TokenType.R_PAREN,
        TokenType.DASH,
        TokenType.PLUS,
    }
)
_COUNTING = frozenset({"abs", "avg", "count", "length", "rank", "round", "row_number", "size"})


def printed_sum(
    left: str,
    operator: str,
    right: str,
    operands: tuple[list[Token], list[Token]],
    type_of: Callable[[list[Token]], SqlType | None],
) -> str:
    """`left + right` or `left - right`, by the types of both sides."""
    plain = f"({left} {operator} {right})"
    if all(map(_is_number, operands)):
        return plain
    # Most sums are of numbers: the cheaper side often tells, and then nobody asks for the other.
    easy, hard = sorted(operands, key=len)
    known = type_of(easy)
    if _kind(known) in _PLAIN or (_kind(known) in _WHOLE and _is_number(hard)):
        return plain
    other = type_of(hard)
    first, second = (known, other) if easy is operands[0] else (other, known)
    kinds = _kind(first), _kind(second)
    if operator == "-" and kinds[1] == "time":
        return f"{left} - {right}"
    if kinds[0] == "void" and second is not None and second.unit is not None:
        return plain
    movable = {"interval", "void", *_WHOLE} if kinds[1] in _MOMENTS else {"interval"}
    if operator == "+" and kinds[1] in {*_MOMENTS, "string"} and kinds[0] in movable:
        # A moment stands first, however it was written.
        left, right, first, second = right, left, second, first
        kinds = kinds[1], kinds[0]
    if kinds[1] == "interval" and kinds[0] != "interval":
        if kinds[0] == "date" and second is not None and second.unit == ("day", "day"):
            days = f"extractansiintervaldays({right})"
            return f"date_add({left}, {days if operator == '+' else f'(- {days})'})"
        return f"{left} {operator} {right}"
    if kinds[0] in _MOMENTS and kinds[1] == "void":
        return plain if operator == "-" and kinds[0] != "time" else f"{left} {operator} {right}"
    if kinds[0] == "date" and kinds[1] in _WHOLE:
        return f"{'date_add' if operator == '+' else 'date_sub'}({left}, {right})"
    return plain


def printed_product(
    left: str,
    right: str,
    operands: tuple[list[Token], list[Token]],
    type_of: Callable[[list[Token]], SqlType | None],
) -> str:
    """`left * right`, where an interval stands first, however it was written."""
    if _may_be_interval(operands[1]) and _kind(type_of(operands[1])) == "interval":
        return f"({right} * {left})"
    return f"({left} * {right})"


def _may_be_interval(tokens: list[Token]) -> bool:
    """Sums of names, or anything about intervals and moments: to ask for a type costs a parse."""
    return all(token.token_type in _SUMS for token in tokens) or any(
        token.token_type is not TokenType.STRING
        and (token.text.lower() in _MOMENTS or "interval" in token.text.lower())
        for token in tokens
    )


def _is_number(tokens: list[Token]) -> bool:
    """A literal, or a call that never gives a date."""
    if len(tokens) == 1:
        return tokens[0].token_type is TokenType.NUMBER
    called = len(tokens) > 2 and tokens[1].token_type is TokenType.L_PAREN
    return called and tokens[0].text.lower() in _COUNTING and _is_closed(tokens)


def _is_closed(tokens: list[Token]) -> bool:
    """The parenthesis that opens the call is the one that ends it."""
    depth = 0
    for place, token in enumerate(tokens[1:], 1):
        depth += token.token_type is TokenType.L_PAREN
        depth -= token.token_type is TokenType.R_PAREN
        if not depth:
            return place == len(tokens) - 1
    return False


def _kind(type_: SqlType | None) -> str:
    return type_.kind if type_ is not None else ""


def rounded(
    left: str,
    operator: str,
    right: str,
    operands: tuple[tuple[str, list[Token]], tuple[str, list[Token]]],
    type_of: Callable[[list[Token]], SqlType | None],
) -> tuple[str, str]:
    """A whole number is compared with a whole number: `a < 1.5` is `a < 2` for Spark."""
    if operator not in _ORDERS:
        return left, right
    (_, before), (_, behind) = operands
    if _is_fraction(behind) and _is_whole(type_of(before)):
        return left, _bound(right, up=operator in {"<", ">="})
    if _is_fraction(before) and _is_whole(type_of(behind)):
        return _bound(left, up=operator in {">", "<="}), right
    return left, right


def _is_fraction(tokens: list[Token]) -> bool:
    """A number that is written with a point and nothing else, maybe with a sign."""
    number = tokens[-1] if tokens else None
    if number is None or number.token_type is not TokenType.NUMBER:
        return False
    signed = len(tokens) == 2 and tokens[0].token_type is TokenType.DASH
    return (len(tokens) == 1 or signed) and "." in number.text and "e" not in number.text.lower()


def _is_whole(type_: SqlType | None) -> bool:
    return type_ is not None and (type_.kind in _WHOLE or type_.kind == "bigint")


def _bound(number: str, *, up: bool) -> str:
    """The next whole number; what no bigint can hold stays as it is written."""
    value = int(Decimal(number).to_integral_value(ROUND_CEILING if up else ROUND_FLOOR))
    return str(value) if -(2**63) <= value < 2**63 else number
