"""The types and collations an expression may name, as they appear in DuckDB's syntax tree."""

from __future__ import annotations

from typing import Any

from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import nearest, quoted

COLLATIONS = frozenset({"nocase", "noaccent", "binary", "c", "posix"})
"""DuckDB combines them with dots. `nfc` is quadratic, ICU's depend on its data: both are left out."""

TYPES = frozenset(
    {
        *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
        *("VARCHAR", "BLOB", "BIT", "BIGNUM", "UUID", "DATE", "TIME", "TIME_NS", "INTERVAL"),
        *("TIME WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE"),
        *("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
        *("LIST", "ARRAY", "STRUCT", "MAP", "UNION", "NULL"),
    }
)
NAMED_TYPES = frozenset({"json", "enum", "geometry"})
"""Types DuckDB's parser knows by name only."""

MAX_ARRAY = 1_024
"""Elements of a fixed-size array: unlike a list's, they take their room even when it is NULL."""


def check_type(data_type: Any, arrays: int = 1) -> None:
    """Refuse a cast's target, at any depth, that columns cannot have."""
    name, info = data_type["id"], data_type["type_info"] or {}
    if name == "UNBOUND":
        if info["name"].lower() not in NAMED_TYPES or info["catalog"] or info["schema"]:
            raise _unknown_type(info["name"])
        return
    if name not in TYPES:
        raise _unknown_type(name)
    arrays *= info.get("size", 1)
    if arrays > MAX_ARRAY:
        raise LimitError(
            f"an array of {arrays:,} elements", hint=f"at most {MAX_ARRAY:,}; use a list instead"
        )
    if "child_type" in info:
        check_type(info["child_type"], arrays)
    for child in info.get("child_types", ()):
        check_type(child["second"], arrays)


def check_collation(name: str) -> None:
    for part in name.lower().split("."):
        if part not in COLLATIONS:
            raise InvalidRequestError(
                f"the collation {quoted(part)} cannot be used in an expression",
                hint=f"use one of {', '.join(sorted(COLLATIONS))}",
            )


def _unknown_type(name: str) -> InvalidRequestError:
    close = nearest(name, TYPES | NAMED_TYPES)
    return InvalidRequestError(
        f"the type {quoted(name)} cannot be used in an expression",
        hint=f"did you mean {quoted(close)}?" if close else "use a type that columns can have",
    )
