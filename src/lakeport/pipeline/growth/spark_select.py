"""A projection in Spark SQL: typed NULLs, checked casts, structs put together again.

Every name stands in backticks. Inside lists and maps values are reached through lambdas, whose
variables are numbered by depth so that an inner one never hides an outer one.
"""

from __future__ import annotations

from collections.abc import Iterable

from lakeport.core.names import OWN_PREFIX
from lakeport.pipeline.growth.conversion import (
    Cast,
    Conversion,
    Elements,
    Entries,
    Keep,
    Projected,
    Rebuild,
)
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.growth.spark_words import cast_type, identifier


def select_list(projection: Iterable[Projected]) -> tuple[str, ...]:
    """One `expression AS name` per column, or the bare name where that says the same."""
    return tuple(
        written if written == (name := identifier(column.name)) else f"{written} AS {name}"
        for column in projection
        for written in (expression(column),)
    )


def expression(column: Projected) -> str:
    """The value of one column, without its name."""
    return _value(column, "", 0)


def null(type_: Type) -> str:
    return f"CAST(NULL AS {cast_type(type_)})"


def _value(part: Projected, owner: str, depth: int) -> str:
    if part.source is None:
        return null(part.type)
    return _converted(owner + identifier(part.source), part.conversion, depth)


def _converted(value: str, conversion: Conversion, depth: int) -> str:
    match conversion:
        case Keep():
            return value
        case Cast():
            return f"CAST({value} AS {cast_type(conversion.to)})"
        case Rebuild():
            fields = ", ".join(
                f"{literal(field.name)}, {_value(field, value + '.', depth)}"
                for field in conversion.fields
            )
            # named_struct alone would make a struct of NULLs out of a NULL.
            return f"IF({value} IS NULL, NULL, named_struct({fields}))"
        case Elements():
            element = _variable("e", depth)
            inside = _converted(element, conversion.element, depth + 1)
            return f"transform({value}, {element} -> {inside})"
        case Entries():
            return _entries(value, conversion, depth)


def _entries(value: str, conversion: Entries, depth: int) -> str:
    key, item = _variable("k", depth), _variable("v", depth)
    if not isinstance(conversion.value, Keep):
        inside = _converted(item, conversion.value, depth + 1)
        value = f"transform_values({value}, ({key}, {item}) -> {inside})"
    if not isinstance(conversion.key, Keep):
        inside = _converted(key, conversion.key, depth + 1)
        value = f"transform_keys({value}, ({key}, {item}) -> {inside})"
    return value


def _variable(letter: str, depth: int) -> str:
    return f"{OWN_PREFIX}_{letter}{depth + 1}"


def literal(text: str) -> str:
    """A string literal; Spark reads backslashes in it."""
    escaped = (_ESCAPES.get(character, character) for character in text)
    return "'" + "".join(escaped) + "'"


_ESCAPES = {"\\": "\\\\", "'": "\\'"} | {chr(code): f"\\u{code:04x}" for code in range(32)}
