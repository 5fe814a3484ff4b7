"""What is done to the columns of every batch: nothing for most, and never anything row by row.

Containers are taken apart and put together around their children; values are converted. The types of
the arrays are looked at here, not planned for: Arrow may give a column of which only some leaves are
read in another type than the same column read whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

import pyarrow as pa

from lakeport.catalog.arrays.containers import nulls, put_together, take_apart
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.files.convert import convert, plain_type


@dataclass(frozen=True, slots=True)
class Value:
    target: pa.DataType

    def build(self, array: Array) -> Array:
        return convert(array, self.target)


@dataclass(frozen=True, slots=True)
class Absent:
    """The same value in every row, because the file does not have the field."""

    target: pa.DataType
    value: Any

    def repeat(self, rows: int) -> Array:
        if self.value is None:
            return nulls(rows, self.target)
        value = self.value.bytes if isinstance(self.value, UUID) else self.value
        scalar: Any = pa.scalar(value, plain_type(self.target))
        return convert(pa.repeat(scalar, rows), self.target)


@dataclass(frozen=True, slots=True)
class Child:
    """A field that was read, at this place in its struct."""

    place: int
    step: Step


@dataclass(frozen=True, slots=True)
class Group:
    """A struct."""

    target: pa.StructType
    children: tuple[Child | Absent, ...]

    def build(self, array: Array) -> Array:
        parts = take_apart(_storage(array))
        built = self.build_children(parts.children, parts.length)
        return put_together(parts.with_children(*built), self.target)

    def build_children(self, read: tuple[Array, ...], rows: int) -> tuple[Array, ...]:
        return tuple(
            child.repeat(rows) if isinstance(child, Absent) else child.step.build(read[child.place])
            for child in self.children
        )


@dataclass(frozen=True, slots=True)
class Entries:
    """A list or a map."""

    target: pa.DataType
    children: tuple[Step, ...]

    def build(self, array: Array) -> Array:
        parts = take_apart(_storage(array))
        built = tuple(
            step.build(child) for step, child in zip(self.children, parts.children, strict=True)
        )
        return put_together(parts.with_children(*built), self.target)


Step: TypeAlias = Value | Group | Entries


def _storage(array: Array) -> Array:
    return array.storage if isinstance(array, pa.ExtensionArray) else array
