"""OVER clauses in Spark's generated names, with the frame Spark fills in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.lineage.spark_names import Printer

_WHOLE = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
_SO_FAR = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_ROWS_SO_FAR = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_RANKING = frozenset({"rank", "dense_rank", "percent_rank", "row_number", "ntile"})


def window_text(printer: Printer, call: str, name: str) -> str:
    """`call OVER (…)` from the tokens inside the parentheses; a named window is printed in full."""
    parts: list[str] = []
    if (
        printer.accept("PARTITION BY")
        or printer.accept("PARTITION", "BY")
        or printer.accept("DISTRIBUTE", "BY")
        or printer.accept("DISTRIBUTE BY")
    ):
        parts.append(f"PARTITION BY {', '.join(_list(printer))}")
    ordered = False
    if (
        printer.accept("ORDER BY")
        or printer.accept("ORDER", "BY")
        or printer.accept("SORT BY")
        or printer.accept("SORT", "BY")
    ):
        ordered = True
        parts.append(f"ORDER BY {', '.join(_orders(printer))}")
    parts.append(_frame(printer, name, call, ordered=ordered))
    return f"{call} OVER ({' '.join(parts)})"


def _list(printer: Printer) -> list[str]:
    found = [printer.expression()]
    while printer.accept(","):
        found.append(printer.expression())
    return found


def _orders(printer: Printer) -> list[str]:
    found: list[str] = []
    while True:
        key = printer.expression()
        descending = printer.accept("DESC")
        if not descending:
            printer.accept("ASC")
        nulls = "LAST" if descending else "FIRST"
        if printer.accept("NULLS"):
            nulls = printer.take().text.upper()
        found.append(f"{key} {'DESC' if descending else 'ASC'} NULLS {nulls}")
        if not printer.accept(","):
            return found


def _frame(printer: Printer, name: str, call: str, *, ordered: bool) -> str:
    kind = printer.word()
    if kind not in {"ROWS", "RANGE"}:
        if name in _RANKING:
            return _ROWS_SO_FAR
        if name in {"lag", "lead"}:
            offset = call.split(", ")[1] if ", " in call else "1"
            step = (
                f"-{offset}"
                if name == "lag" and not offset.startswith("-")
                else offset.removeprefix("-")
                if name == "lag"
                else offset
            )
            return f"ROWS BETWEEN {step} FOLLOWING AND {step} FOLLOWING"
        return _SO_FAR if ordered else _WHOLE
    printer.take()
    if printer.accept("BETWEEN"):
        low = _bound(printer)
        printer.expect("AND")
        return f"{kind} BETWEEN {low} AND {_bound(printer)}"
    return f"{kind} BETWEEN {_bound(printer)} AND CURRENT ROW"


def _bound(printer: Printer) -> str:
    if printer.accept("UNBOUNDED"):
        return f"UNBOUNDED {printer.take().text.upper()}"
    if printer.accept("CURRENT", "ROW"):
        return "CURRENT ROW"
    amount = printer.expression()
    direction = printer.take().text.upper()
    return f"{amount} {direction}"
