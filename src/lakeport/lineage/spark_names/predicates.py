"""IN, LIKE, BETWEEN, IS: what may follow a comparison's operand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.collations import collated
from lakeport.lineage.spark_names.cursor import Unprintable

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.printer import Printer

_T = TokenType
_PREDICATES = frozenset({"IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN"})
_QUANTIFIERS = {"ANY": "likeany", "SOME": "likeany", "ALL": "likeall"}


def predicate_text(printer: Printer) -> str:
    """An operand and the predicates behind it."""
    start = printer.at
    left = printer.comparison()
    operand = printer.tokens[start : printer.at]
    while True:
        if printer.word() == "IS":
            left = _is(printer, left)
            continue
        negated = printer.word() in {"NOT", "!"} and printer.word(1) in _PREDICATES
        if negated:
            printer.take()
        word = printer.word()
        if word not in _PREDICATES:
            return left
        printer.take()
        printed = _in(printer, left, operand) if word == "IN" else _tail(printer, word, left)
        if negated and printed.startswith(("likeany(", "likeall(")):
            left = f"not{printed}"
        else:
            left = f"(NOT {printed})" if negated else printed


def _in(printer: Printer, left: str, operand: list[Token]) -> str:
    printer.expect("(")
    if printer.word() in {"SELECT", "WITH", "VALUES", "TABLE"}:
        return f"({left} IN (listquery({printer.subquery()})))"
    left, *listed = collated([(left, operand), *printer.operands()], printer.world)
    return f"({left} IN ({', '.join(listed)}))"


def _tail(printer: Printer, word: str, left: str) -> str:
    if word == "BETWEEN":
        low = printer.value()
        printer.expect("AND")
        return f"between({left}, {low}, {printer.value()})"
    if word in {"RLIKE", "REGEXP"}:
        return f"RLIKE({left}, {printer.value()})"
    return _like(printer, left, word)


def _like(printer: Printer, left: str, word: str) -> str:
    quantifier = _QUANTIFIERS.get(printer.word())
    if quantifier is not None and printer.kind(1) is _T.L_PAREN:
        printer.at += 2
        # Constant patterns are a property of the operator, not arguments of it.
        printer.arguments()
        return f"{quantifier}({f'lower({left})' if word == 'ILIKE' else left})"
    pattern = printer.value()
    escape = printer.take().text if printer.accept("ESCAPE") else None
    if word == "ILIKE":
        return f"ilike({left}, {pattern})"
    shown = f"{left} LIKE {pattern}"
    return shown if escape in {None, "\\"} else f"{shown} ESCAPE '{escape}'"


def _is(printer: Printer, left: str) -> str:
    printer.take()
    negated = printer.accept("NOT") or printer.accept("!")
    if printer.accept("DISTINCT", "FROM"):
        same = f"({left} <=> {printer.value()})"
        return same if negated else f"(NOT {same})"
    word = printer.take().text.upper()
    if word in {"NULL", "UNKNOWN"}:
        return f"({left} IS {'NOT ' if negated else ''}NULL)"
    if word in {"TRUE", "FALSE"}:
        same = f"({left} <=> {word.lower()})"
        return f"(NOT {same})" if negated else same
    raise Unprintable(word)
