"""Types after AS, in Spark's capitals and under Spark's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.types.collations import normal_collation

if TYPE_CHECKING:
    from lakeport.lineage.spark_names.printer import Printer

_T = TokenType
_NAMES = {
    "INTEGER": "INT",
    "LONG": "BIGINT",
    "SHORT": "SMALLINT",
    "BYTE": "TINYINT",
    "REAL": "FLOAT",
    "DEC": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "CHARACTER": "CHAR",
}
_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_DEFAULTS = {"DECIMAL": "DECIMAL(10,0)", "TIME": "TIME(6)", "TIMESTAMP_LTZ": "TIMESTAMP"}


def type_name(printer: Printer) -> str:
    """The type at the cursor."""
    written = printer.take().text.upper()
    name = _NAMES.get(written, written)
    if name == "INTERVAL":
        return _interval(printer)
    if name in {"TIMESTAMP", "TIME"}:
        if printer.accept("WITHOUT", "TIME", "ZONE"):
            return "TIMESTAMP_NTZ" if name == "TIMESTAMP" else "TIME(6)"
        if not printer.accept("WITH", "LOCAL", "TIME", "ZONE") and name == "TIMESTAMP":
            name = "TIMESTAMP_NTZ" if printer.world.wall_clock else name
    if name == "DOUBLE":
        printer.accept("PRECISION")
    if printer.word() == "<":
        return _nested(printer, name)
    name = _sized(printer, name) if printer.kind() is _T.L_PAREN else _DEFAULTS.get(name, name)
    if printer.accept("COLLATE"):
        name = f"{name} COLLATE {normal_collation(printer.take().text)}"
    return name


def cast_text(word: str, inner: str, kind: str) -> str:
    """A cast; one to a nested type is not shown."""
    return inner if kind.startswith(("ARRAY<", "MAP<", "STRUCT<")) else f"{word}({inner} AS {kind})"


def _interval(printer: Printer) -> str:
    first = printer.word().removesuffix("S")
    if first not in _UNITS:
        return "INTERVAL"
    printer.take()
    if not printer.accept("TO"):
        return f"INTERVAL {first}"
    return f"INTERVAL {first} TO {printer.take().text.upper().removesuffix('S')}"


def _sized(printer: Printer, name: str) -> str:
    printer.take()
    numbers = printer.arguments()
    if name == "DECIMAL" and len(numbers) == 1:
        numbers.append("0")
    if name == "TIMESTAMP_LTZ" and numbers == ["6"]:
        return "TIMESTAMP"
    if name == "TIMESTAMP_NTZ" and numbers == ["6"]:
        return name
    return f"{name}({','.join(numbers)})"


def _nested(printer: Printer, name: str) -> str:
    printer.take()
    parts: list[str] = []
    while not printer.accept(">"):
        if name == "STRUCT":
            field = printer.take().text
            printer.accept(":")
            text = f"{field}: {type_name(printer)}"
            parts.append(f"{text} NOT NULL" if printer.accept("NOT", "NULL") else text)
        else:
            parts.append(type_name(printer))
        printer.accept(",")
    return f"{name}<{', '.join(parts)}>"
