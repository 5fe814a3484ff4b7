"""Columns of a table from its Iceberg schema, as the format's JSON writes it.

Iceberg types that Spark cannot open (`time`, nanoseconds, format 3's) come out as `Foreign`: a plan
refuses such a table by the column's name, before Spark does with a stack trace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lakeport.pipeline.growth import model
from lakeport.pipeline.growth.model import (
    DecimalOf,
    Field,
    Foreign,
    ListOf,
    MapOf,
    Primitive,
    Schema,
    StructOf,
    Type,
)

_SEEN_BY_SPARK = frozenset(
    {
        model.BOOLEAN,
        model.INT,
        model.LONG,
        model.FLOAT,
        model.DOUBLE,
        model.STRING,
        model.BINARY,
        model.DATE,
        model.TIMESTAMP,
        model.TIMESTAMPTZ,
        model.UUID,
    }
)
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_FIXED = re.compile(r"fixed\[\s*(\d+)\s*\]")


def schema_from_iceberg(schema: Mapping[str, Any]) -> Schema:
    """The columns of `{"type": "struct", "fields": […]}`."""
    return tuple(
        Field(field["name"], _type(field["type"]), required=field["required"])
        for field in schema["fields"]
    )


def _type(found: Any) -> Type:
    if isinstance(found, str):
        return _primitive(found)
    match found["type"]:
        case "struct":
            return StructOf(schema_from_iceberg(found))
        case "list":
            return ListOf(_type(found["element"]), required=found["element-required"])
        case "map":
            return MapOf(
                _type(found["key"]), _type(found["value"]), required=found["value-required"]
            )
        case other:
            return Foreign(str(other))


def _primitive(text: str) -> Type:
    decimal, fixed = _DECIMAL.fullmatch(text), _FIXED.fullmatch(text)
    if decimal is not None:
        return DecimalOf(int(decimal[1]), int(decimal[2]))
    if fixed is not None:
        return Primitive(f"fixed[{fixed[1]}]")
    found = Primitive(text)
    return found if found in _SEEN_BY_SPARK else Foreign(text)
