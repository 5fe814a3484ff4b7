"""OVER clauses in Spark's generated names, with the frame that Spark fills in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.printer import Printer
    from lakeport.lineage.types import SqlType

_WHOLE = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
_SO_FAR = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_ROWS_SO_FAR = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_RANKING = frozenset({"rank", "dense_rank", "percent_rank", "row_number", "ntile"})
_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"})


def window_text(printer: Printer, call: str, name: str) -> str:
    """`call OVER (…)` from the tokens inside the parentheses; a named window is printed in full."""
    parts: list[str] = []
    if printer.accept_any("PARTITION BY", "DISTRIBUTE BY"):
        keys = [printer.expression()]
        while printer.accept(","):
            keys.append(printer.expression())
        parts.append(f"PARTITION BY {', '.join(keys)}")
    ordered = printer.accept_any("ORDER BY", "SORT BY")
    key_type: SqlType | None = None
    if ordered:
        keys, first = _order(printer)
        key_type = printer.world.type_of(first)
        parts.append(f"ORDER BY {', '.join(keys)}")
    if printer.word() in {"ROWS", "RANGE"}:
        parts.append(_frame(printer, key_type))
    else:
        parts.append(_implied(name, call, ordered=ordered))
    return f"{call} OVER ({' '.join(parts)})"


def orders(printer: Printer) -> list[str]:
    """The keys of an ORDER BY, each with its direction and its place for nulls."""
    return _order(printer)[0]


def _order(printer: Printer) -> tuple[list[str], list[Token]]:
    """The same, and the tokens of the first key."""
    found: list[str] = []
    first: list[Token] = []
    while True:
        start = printer.at
        key = printer.expression()
        first = first or printer.tokens[start : printer.at]
        descending = printer.accept("DESC")
        if not descending:
            printer.accept("ASC")
        nulls = "LAST" if descending else "FIRST"
        if printer.accept("NULLS"):
            nulls = printer.take().text.upper()
        elif printer.accept("NULLS FIRST"):
            nulls = "FIRST"
        elif printer.accept("NULLS LAST"):
            nulls = "LAST"
        found.append(f"{key} {'DESC' if descending else 'ASC'} NULLS {nulls}")
        if not printer.accept(","):
            return found, first


def _implied(name: str, call: str, *, ordered: bool) -> str:
    """The frame of a window that names none: some functions bring their own."""
    if name in _RANKING:
        return _ROWS_SO_FAR
    if name == "cume_dist":
        return _SO_FAR
    if name in {"lag", "lead"}:
        offset = _offset(call)
        if name == "lag":
            offset = offset[1:] if offset.startswith("-") else f"-{offset}"
        return f"ROWS BETWEEN {offset} FOLLOWING AND {offset} FOLLOWING"
    return _SO_FAR if ordered else _WHOLE


def _offset(call: str) -> str:
    """The second argument of a printed call."""
    depth = 0
    parts = [""]
    for character in call.partition("(")[2]:
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            break
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts[1].strip() if len(parts) > 1 else "1"


def _frame(printer: Printer, key: SqlType | None) -> str:
    unit = printer.take().text.upper()
    ranged = key if unit == "RANGE" else None
    if printer.accept("BETWEEN"):
        low = _bound(printer, ranged)
        printer.expect("AND")
        return f"{unit} BETWEEN {low} AND {_bound(printer, ranged)}"
    return f"{unit} BETWEEN {_bound(printer, ranged)} AND CURRENT ROW"


def _bound(printer: Printer, key: SqlType | None) -> str:
    if printer.accept("UNBOUNDED"):
        return f"UNBOUNDED {printer.take().text.upper()}"
    if printer.accept("CURRENT", "ROW") or printer.accept("CURRENT ROW"):
        return "CURRENT ROW"
    start = printer.at
    amount = printer.value()
    type_ = printer.type_since(start)
    direction = printer.take().text.upper()
    if direction == "PRECEDING" and _is_cast(key, type_):
        # A bound that must be cast to the key's type hides that it was written as "preceding".
        return f"(- {amount}) FOLLOWING"
    return f"{amount} {direction}"


def _is_cast(key: SqlType | None, bound: SqlType | None) -> bool:
    if key is None or bound is None or key.kind not in _NUMBERS or bound.kind not in _NUMBERS:
        return key is not None and bound is not None and bound.kind == "string"
    return key.kind != bound.kind
