"""How a value of the query becomes a value of the table, as data that a renderer writes down.

Conversions follow the type's own shape: a struct is put together again field by field, because Spark
takes none that lacks a field or has them in another order; lists and maps are mapped over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lakeport.pipeline.growth.model import Type


@dataclass(frozen=True, slots=True)
class Keep:
    """The value as it is."""


@dataclass(frozen=True, slots=True)
class Cast:
    """A checked cast: a value that `to` cannot hold fails the statement, and none becomes NULL."""

    to: Type


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A struct made anew; a NULL struct stays NULL."""

    fields: tuple[Projected, ...]


@dataclass(frozen=True, slots=True)
class Elements:
    """Every element of a list."""

    element: Conversion


@dataclass(frozen=True, slots=True)
class Entries:
    """Every key and every value of a map."""

    key: Conversion
    value: Conversion


Conversion: TypeAlias = Keep | Cast | Rebuild | Elements | Entries

KEEP = Keep()


@dataclass(frozen=True, slots=True)
class Projected:
    """A column of the table, or a field inside it, and the query's column it comes from: None is NULL."""

    name: str
    type: Type
    source: str | None
    conversion: Conversion = KEEP


def rebuilt(fields: tuple[Projected, ...], given: tuple[str, ...]) -> Conversion:
    """Nothing to do where the struct at hand has these very fields, in this order and spelling."""
    same = tuple(field.name for field in fields) == given
    if same and all(field.source == field.name and field.conversion == KEEP for field in fields):
        return KEEP
    return Rebuild(fields)


def over_elements(element: Conversion) -> Conversion:
    return KEEP if element == KEEP else Elements(element)


def over_entries(key: Conversion, value: Conversion) -> Conversion:
    return KEEP if key == value == KEEP else Entries(key, value)
