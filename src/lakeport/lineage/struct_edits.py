"""Struct types with a field more, less, renamed or of another type: what ALTER does below a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from lakeport.lineage.types import SqlType, array_of, struct_of

Fields: TypeAlias = Sequence[tuple[str, SqlType | None]]


def edited(
    kind: SqlType | None, path: list[str], change: Callable[[Fields, str], Fields]
) -> SqlType | None:
    """A struct type whose fields at the end of a path are changed; `element` is an array's."""
    if kind is None or not path:
        return None
    if kind.kind == "array":
        inner = path[1:] if path[0].lower() == "element" else path
        return array_of(edited(kind.element, inner, change))
    if kind.kind != "struct":
        return None
    fields = [(field.name, field.type) for field in kind.fields]
    if len(path) == 1:
        return struct_of(change(fields, path[0]))
    step = path[0].lower()
    return struct_of(
        (name, edited(inner, path[1:], change) if name.lower() == step else inner)
        for name, inner in fields
    )


def without(fields: Fields, name: str) -> Fields:
    return [field for field in fields if field[0].lower() != name.lower()]


def renamed_field(fields: Fields, name: str, new: str) -> Fields:
    return [(new if held.lower() == name.lower() else held, kind) for held, kind in fields]


def retyped(fields: Fields, name: str, new: SqlType) -> Fields:
    return [(held, new if held.lower() == name.lower() else kind) for held, kind in fields]
