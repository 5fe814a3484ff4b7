"""Types in Spark's words, and back: what a query's schema says, what a cast and a plan show.

Spark prints a schema as JSON (`DataFrame.schema.json()`) and types as DDL text; both are read here. A
type that this table lacks becomes `Foreign` in its own words, never an error: whether that stops a
model is decided where it is met.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.growth import ddl, model
from lakeport.pipeline.growth.model import (
    MAX_PRECISION,
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

_READ: dict[str, Type] = {
    "boolean": model.BOOLEAN,
    "bool": model.BOOLEAN,
    "byte": model.BYTE,
    "tinyint": model.BYTE,
    "short": model.SHORT,
    "smallint": model.SHORT,
    "integer": model.INT,
    "int": model.INT,
    "long": model.LONG,
    "bigint": model.LONG,
    "float": model.FLOAT,
    "real": model.FLOAT,
    "double": model.DOUBLE,
    "string": model.STRING,
    "text": model.STRING,
    "char": model.STRING,
    "varchar": model.STRING,
    "binary": model.BINARY,
    "varbinary": model.BINARY,
    "blob": model.BINARY,
    "date": model.DATE,
    "timestamp": model.TIMESTAMPTZ,
    "timestamp_ltz": model.TIMESTAMPTZ,
    "timestamp with time zone": model.TIMESTAMPTZ,
    "timestamp_ntz": model.TIMESTAMP,
    "void": model.VOID,
    "null": model.VOID,
}
_WRITTEN: dict[Primitive, str] = {
    model.BYTE: "tinyint",
    model.SHORT: "smallint",
    model.LONG: "bigint",
    model.TIMESTAMPTZ: "timestamp",
    model.TIMESTAMP: "timestamp_ntz",
    model.COLLATED: "string",
}
_DECIMALS = frozenset({"decimal", "dec", "numeric"})
_PARAMETERS = re.compile(r"(?P<word>\w+)\s*\(\s*(?P<numbers>\d+(?:\s*,\s*\d+)*)\s*\)")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


# -- reading -------------------------------------------------------------------------------------


def schema_from_json(text: str) -> Schema:
    """The columns of `DataFrame.schema.json()`."""
    try:
        return _fields(json.loads(text))
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRequestError(
            "this is no schema that Spark printed", hint="give what DataFrame.schema.json() prints"
        ) from error


@lru_cache(maxsize=4096)
def type_from_text(text: str) -> Type:
    """A type as DDL writes it: `bigint`, `struct<a: int, b: array<string>>`."""
    return ddl.read(text, _leaf)


def _fields(struct: Mapping[str, Any]) -> Schema:
    return tuple(
        Field(field["name"], _field_type(field), required=not field.get("nullable", True))
        for field in struct["fields"]
    )


def _field_type(field: Mapping[str, Any]) -> Type:
    # A collated string says no more than `string`; its collation is beside the field, by its path.
    collations = field.get("metadata", {}).get("__COLLATIONS", {})
    return _from_json(field["type"], field["name"], collations)


def _from_json(found: Any, path: str, collations: Mapping[str, str]) -> Type:
    if isinstance(found, str):
        return model.COLLATED if path in collations else _leaf(found)
    match found["type"]:
        case "struct":
            return ddl.struct(_fields(found))
        case "array":
            element = _from_json(found["elementType"], f"{path}.element", collations)
            return ListOf(element, required=not found["containsNull"])
        case "map":
            key = _from_json(found["keyType"], f"{path}.key", collations)
            value = _from_json(found["valueType"], f"{path}.value", collations)
            return MapOf(key, value, required=not found["valueContainsNull"])
        case other:
            # A user-defined type: its class says more than the `udt` that stands for all of them.
            return Foreign(str(found.get("class") or found.get("pyClass") or other))


def _leaf(text: str) -> Type:
    parameters = _PARAMETERS.fullmatch(text)
    word = parameters["word"] if parameters else text
    if word in _DECIMALS:
        numbers = parameters["numbers"].split(",") if parameters else ["10"]
        return _decimal(*(int(number) for number in numbers[:2]))
    return _READ.get(word, Foreign(text))


def _decimal(precision: int, scale: int = 0) -> Type:
    if not 1 <= precision <= MAX_PRECISION or scale > precision:
        return Foreign(f"decimal({precision},{scale})")
    return DecimalOf(precision, scale)


# -- writing -------------------------------------------------------------------------------------


def text_of(type_: Type) -> str:
    """As plans and messages show a type: in Spark's spelling, and `uuid` where Spark shows a string."""
    match type_:
        case Primitive():
            return _WRITTEN.get(type_, type_.word)
        case DecimalOf():
            return f"decimal({type_.precision},{type_.scale})"
        case ListOf():
            return f"array<{text_of(type_.element)}>"
        case MapOf():
            return f"map<{text_of(type_.key)},{text_of(type_.value)}>"
        case StructOf():
            inside = (f"{_name(field.name)}:{text_of(field.type)}" for field in type_.fields)
            return f"struct<{','.join(inside)}>"
        case Foreign():
            return type_.text


def cast_type(type_: Type) -> str:
    """As a CAST needs it. An instant is spelled out: what a bare TIMESTAMP means is a setting."""
    match type_:
        case ListOf():
            return f"ARRAY<{cast_type(type_.element)}>"
        case MapOf():
            return f"MAP<{cast_type(type_.key)}, {cast_type(type_.value)}>"
        case StructOf():
            inside = (
                f"{identifier(field.name)}: {cast_type(field.type)}" for field in type_.fields
            )
            return f"STRUCT<{', '.join(inside)}>"
        case model.TIMESTAMPTZ:
            return "TIMESTAMP_LTZ"
        case _:
            return text_of(model.shown(type_)).upper().replace(",", ", ")


def identifier(name: str) -> str:
    """A name that Spark reads as it is, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else identifier(name)
