"""Constants written so that they are read back as what they are.

DuckDB writes the DOUBLE 1e10 as `10000000000.0` and reads that as a DECIMAL; `00.50` and `5.` lose
digits of their type. Such constants are written as a cast of their text.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lakeport.catalog.expressions.tree import Node, cast, literal


def exact(constant: Node) -> Node:
    value = constant["value"]
    text = None if value["is_null"] else _text(value)
    return constant if text is None else cast(literal(text), value["type"])


def _text(value: Any) -> str | None:
    """The text to cast, or None where the constant itself is read back unchanged."""
    match value["type"]["id"]:
        case "BOOLEAN":
            return "t" if value["value"] else "f"
        case "DOUBLE" | "FLOAT":
            return repr(float(value["value"]))
        case "DECIMAL":
            return _decimal(value["type"]["type_info"], value["value"])
    return None


def _decimal(info: Any, value: Any) -> str | None:
    unscaled = value if isinstance(value, int) else (value["upper"] << 64) + value["lower"]
    written = f"{Decimal(unscaled).scaleb(-info['scale']):f}" if info["scale"] else str(unscaled)
    digits = len(written.lstrip("-").replace(".", ""))
    return None if info["scale"] and digits == info["width"] else written
