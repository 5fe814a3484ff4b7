"""Columns as a growth plan sees them: Iceberg's types, plus what only a query's result can have.

Words are Iceberg's (`long`, `timestamptz` is an instant, `timestamp` a wall clock); `byte`, `short` and
`collated` (a string with an order of its own) are Spark's and never stored. `Foreign` is a type that Iceberg, or Spark's view of it, does not have:
it can be read from a query but no table gets it. New columns are optional at every depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Primitive:
    """`word` may carry a length: `fixed[16]`."""

    word: str


@dataclass(frozen=True, slots=True)
class DecimalOf:
    precision: int
    scale: int

    @property
    def whole(self) -> int:
        """Digits before the point."""
        return self.precision - self.scale


@dataclass(frozen=True, slots=True)
class ListOf:
    """`required` says that no element is NULL."""

    element: Type
    required: bool = False


@dataclass(frozen=True, slots=True)
class MapOf:
    """Keys are never NULL; `required` says the same of values."""

    key: Type
    value: Type
    required: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a field of a struct."""

    name: str
    type: Type
    required: bool = False


@dataclass(frozen=True, slots=True)
class StructOf:
    fields: Schema


@dataclass(frozen=True, slots=True)
class Foreign:
    """`text` is the type in the words of whoever has it."""

    text: str


Type: TypeAlias = Primitive | DecimalOf | ListOf | MapOf | StructOf | Foreign
Schema: TypeAlias = tuple[Field, ...]

BYTE = Primitive("byte")
SHORT = Primitive("short")
INT = Primitive("int")
LONG = Primitive("long")
FLOAT = Primitive("float")
DOUBLE = Primitive("double")
BOOLEAN = Primitive("boolean")
STRING = Primitive("string")
COLLATED = Primitive("collated")
BINARY = Primitive("binary")
DATE = Primitive("date")
TIMESTAMP = Primitive("timestamp")
TIMESTAMPTZ = Primitive("timestamptz")
UUID = Primitive("uuid")

VOID = Foreign("void")
"""The type of a bare NULL: it fits every column and can be none."""

MAX_PRECISION = 38


def is_fixed(type_: Type) -> bool:
    return isinstance(type_, Primitive) and type_.word.startswith("fixed[")


def length(fixed: Primitive) -> int:
    """In bytes, of a `fixed[…]`."""
    return int(fixed.word[len("fixed[") : -1])


def shown(stored: Type) -> Type:
    """What Spark shows of a stored type that it lacks; its writer turns values back and checks them."""
    if stored == UUID:
        return STRING
    return BINARY if is_fixed(stored) else stored


def parts(path: tuple[str, ...], type_: Type) -> Iterator[tuple[tuple[str, ...], Type]]:
    """A type and everything inside it, each with the path to it, from the outside in."""
    yield path, type_
    match type_:
        case StructOf():
            for field in type_.fields:
                yield from parts((*path, field.name), field.type)
        case ListOf():
            yield from parts((*path, "element"), type_.element)
        case MapOf():
            yield from parts((*path, "key"), type_.key)
            yield from parts((*path, "value"), type_.value)
        case Primitive() | DecimalOf() | Foreign():
            return
