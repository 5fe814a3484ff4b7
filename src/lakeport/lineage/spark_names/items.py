"""Whole select items: a cast of a plain column and a path into a variant keep their last name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.columns import column_name
from lakeport.lineage.spark_names.cursor import Unprintable
from lakeport.lineage.spark_names.type_names import type_name

if TYPE_CHECKING:
    from lakeport.lineage.spark_names.printer import Printer

_T = TokenType


def item_name(printer: Printer) -> str:
    """The name of the select item that the printer's tokens are."""
    for reading in (_cast_column, _variant_item):
        printer.at = 0
        try:
            name = reading(printer)
        except Unprintable:
            continue
        if name is not None and printer.done():
            return name
    printer.at = 0
    return printer.expression()


def _cast_column(printer: Printer) -> str | None:
    """`CAST(c AS t)` and `c::t`."""
    written = printer.word() in {"CAST", "TRY_CAST"} and printer.kind(1) is _T.L_PAREN
    if written:
        printer.at += 2
    if printer.kind() not in {_T.VAR, _T.IDENTIFIER}:
        return None
    name = column_name(printer)
    if written:
        printer.expect("AS")
    elif printer.kind() is _T.DCOLON:
        printer.take()
    else:
        return None
    type_name(printer)
    if written:
        printer.expect(")")
    return name.rpartition(".")[2]


def _variant_item(printer: Printer) -> str | None:
    """`v:a.b[0]::int` is named after the last key of its path."""
    column_name(printer)
    if printer.kind() is not _T.COLON:
        return None
    _, key = variant_path(printer)
    while printer.kind() is _T.DCOLON:
        printer.take()
        type_name(printer)
    return key


def variant_path(printer: Printer) -> tuple[str, str]:
    """The path behind a colon, as JSON paths are written, and its last key."""
    printer.take()
    path, key = "", ""
    if printer.kind() is not _T.L_BRACKET:
        path, key = _key(printer)
    while printer.kind() in {_T.DOT, _T.L_BRACKET}:
        if printer.take().token_type is _T.DOT:
            step, key = _key(printer)
            path += step
            continue
        index = printer.take()
        if index.token_type is _T.STRING:
            key = index.text
            path += f".{key}"
        else:
            path += f"[{index.text}]"
        printer.expect("]")
    return path, key


def _key(printer: Printer) -> tuple[str, str]:
    """A key of a path; of a quoted one with dots the last part names the result."""
    text = printer.take().text
    return f".{text}", text.rpartition(".")[2]
