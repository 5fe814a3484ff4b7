"""A small JSON Schema checker: the part of the language that our generated schemas use.

Stricter than the standard in one point: a property the schema does not name is an error, because a
field nobody declared is a field no client expects. It knows no other keywords and says so.
"""

from __future__ import annotations

from typing import Any

_KNOWN = frozenset(
    {
        "$defs",
        "$ref",
        "$schema",
        "additionalProperties",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "items",
        "maximum",
        "minimum",
        "properties",
        "required",
        "title",
        "type",
    }
)
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def complaints(
    value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$"
) -> list[str]:
    """What is wrong with a value, each with its place."""
    unknown = set(schema) - _KNOWN
    if unknown:
        raise NotImplementedError(f"JSON Schema keywords {sorted(unknown)}")
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return complaints(value, root["$defs"][name], root, at)
    if "anyOf" in schema:
        options = [complaints(value, option, root, at) for option in schema["anyOf"]]
        return [] if any(not option for option in options) else min(options, key=len)
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: {value!r} is not one of {schema['enum']}"]
    if "const" in schema and value != schema["const"]:
        return [f"{at}: {value!r} is not {schema['const']!r}"]
    if "type" in schema and not _is_a(value, schema["type"]):
        return [f"{at}: {value!r} is no {schema['type']}"]
    if "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        return [f"{at}: {value!r} is out of bounds"]
    if isinstance(value, dict) and schema.get("type") == "object":
        return _object(value, schema, root, at)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        items = enumerate(value)
        return [
            c for i, item in items for c in complaints(item, schema["items"], root, f"{at}[{i}]")
        ]
    return []


def _object(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str
) -> list[str]:
    found = [f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value]
    if "properties" not in schema:
        return found
    for name, item in value.items():
        if name in schema["properties"]:
            found += complaints(item, schema["properties"][name], root, f"{at}.{name}")
        else:
            found.append(f"{at}.{name}: not declared")
    return found


def _is_a(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])
