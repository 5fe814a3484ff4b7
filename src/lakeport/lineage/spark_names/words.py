"""Words that open a syntax of their own: CASE, CAST, EXTRACT, EXISTS, INTERVAL and the constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.collations import collated
from lakeport.lineage.spark_names.intervals import interval_text
from lakeport.lineage.spark_names.type_names import cast_text, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.spark_names.printer import Operand, Printer

_T = TokenType


def _constant(text: str) -> Callable[[Printer], str | None]:
    def read(printer: Printer) -> str | None:
        if printer.kind(1) in {_T.L_PAREN, _T.DOT}:
            return None
        printer.take()
        return text

    return read


def _case(printer: Printer) -> str | None:
    if printer.kind() is not _T.CASE:
        return None
    printer.take()
    subject = None if printer.word() == "WHEN" else printer.expression()
    conditions: list[str] = []
    results: list[Operand] = []
    while printer.accept("WHEN"):
        condition = printer.expression()
        printer.expect("THEN")
        conditions.append(f"({subject} = {condition})" if subject is not None else condition)
        results.append(printer.operand())
    if printer.accept("ELSE"):
        results.append(printer.operand())
    printer.expect("END")
    shown = collated(results, printer.world)
    parts = [f"WHEN {test} THEN {text}" for test, text in zip(conditions, shown, strict=False)]
    parts += [f"ELSE {text}" for text in shown[len(conditions) :]]
    return " ".join(["CASE", *parts, "END"])


def _cast(printer: Printer) -> str | None:
    if printer.kind(1) is not _T.L_PAREN:
        return None
    word = printer.take().text.upper()
    printer.expect("(")
    inner = printer.expression()
    printer.expect("AS")
    kind = type_name(printer)
    if printer.accept("FORMAT"):
        kind = f"{kind} FORMAT '{printer.take().text}'"
    printer.expect(")")
    return cast_text(word, inner, kind)


def _extract(printer: Printer) -> str | None:
    if printer.kind(1) is not _T.L_PAREN:
        return None
    printer.take()
    printer.expect("(")
    part = printer.take().text
    # A function of the same name takes the part as a string.
    if not printer.accept(","):
        printer.expect("FROM")
    inner = printer.expression()
    printer.expect(")")
    return f"extract({part} FROM {inner})"


def _exists(printer: Printer) -> str | None:
    """A subquery only: `exists(array, x -> …)` is a function."""
    if printer.kind(1) is not _T.L_PAREN or printer.word(2) not in {
        "SELECT",
        "WITH",
        "FROM",
        "TABLE",
        "VALUES",
    }:
        return None
    printer.take()
    printer.expect("(")
    return f"exists({printer.subquery()})"


WORDS: dict[str, Callable[[Printer], str | None]] = {
    "NULL": _constant("NULL"),
    "TRUE": _constant("true"),
    "FALSE": _constant("false"),
    "CASE": _case,
    "CAST": _cast,
    "TRY_CAST": _cast,
    "EXTRACT": _extract,
    "EXISTS": _exists,
    "INTERVAL": interval_text,
}
