"""Changing one field deep inside a column's type, and how values of the old type become new ones.

A path goes from a column's own name through struct fields, `element` of a list and `key` and `value`
of a map. Every edit gives the new field and a *shape*: a tree that says, level by level, where the
values come from. Only types are looked at here; `rewrite` carries a shape out on arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrays.containers import child_fields, is_list, with_child_fields
from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import Path
from lakeport.catalog.definition import check_type, default_of
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import fold, quoted, why_unsafe_field


@dataclass(frozen=True, slots=True)
class Same:
    """The values as they are."""


@dataclass(frozen=True, slots=True)
class Cast:
    """The values in another type; one that does not fit refuses the change unless it `widens`."""

    widens: bool


@dataclass(frozen=True, slots=True)
class FieldSource:
    """One field of a rebuilt struct: the old field at `index`, or NULL for a new one."""

    index: int | None
    shape: Shape


@dataclass(frozen=True, slots=True)
class Fields:
    """A struct made of these fields; NULL where the old struct is NULL."""

    fields: tuple[FieldSource, ...]


@dataclass(frozen=True, slots=True)
class Elements:
    """A list or map of equal lengths around children of these shapes."""

    children: tuple[Shape, ...]


Shape: TypeAlias = Same | Cast | Fields | Elements
Edit: TypeAlias = Callable[[Field], tuple[Field, Shape]]


def is_lossless(shape: Shape) -> bool:
    """Whether every value that is kept can still be told from every other."""
    match shape:
        case Same():
            return True
        case Cast():
            return shape.widens
        case Fields():
            return all(is_lossless(source.shape) for source in shape.fields)
        case Elements():
            return all(is_lossless(child) for child in shape.children)


def requires_inside(data_type: pa.DataType) -> bool:
    """Whether some field inside the type is NOT NULL."""
    if not (pa.types.is_struct(data_type) or pa.types.is_map(data_type) or is_list(data_type)):
        return False
    return any(
        not field.nullable or requires_inside(field.type) for field in child_fields(data_type)
    )


def edit_at(column: Field, path: Path, edit: Edit) -> tuple[Field, Shape]:
    """Apply `edit` to the field at `path`, which starts behind the column's own name."""
    return _descend(column, path, edit, column.name)


def child_at(column: Field, path: Path) -> Field:
    """The field at `path`; `NotFoundError` naming the nearest one."""
    found = column
    where = column.name
    for part in path:
        found = child_fields(found.type)[_child_index(found.type, part, where)]
        where = f"{where}.{part}"
    return found


def _descend(field: Field, path: Path, edit: Edit, where: str) -> tuple[Field, Shape]:
    if not path:
        return edit(field)
    children = child_fields(field.type)
    index = _child_index(field.type, path[0], where)
    if pa.types.is_map(field.type) and index == 0:
        raise InvalidRequestError(
            f"the keys of the map {quoted(where)} cannot be changed",
            hint="add a column of the new type and fill it from the old one",
        )
    edited, shape = _descend(children[index], path[1:], edit, f"{where}.{path[0]}")
    fields = (*children[:index], edited, *children[index + 1 :])
    shapes: list[Shape] = [Same()] * len(children)
    shapes[index] = shape
    rebuilt: Shape = Elements(tuple(shapes))
    if pa.types.is_struct(field.type):
        rebuilt = Fields(tuple(FieldSource(*source) for source in enumerate(shapes)))
    return field.with_type(with_child_fields(field.type, fields)), rebuilt


def _child_index(data_type: pa.DataType, part: str, where: str) -> int:
    names = _part_names(data_type)
    folded = [fold(name) for name in names]
    if fold(part) not in folded:
        if not names:
            raise NotFoundError(
                f"{quoted(where)} has no field {quoted(part)}", hint=f"it is a {data_type}"
            )
        raise NotFoundError.among("field", part, names, where=quoted(where))
    return folded.index(fold(part))


def _part_names(data_type: pa.DataType) -> tuple[str, ...]:
    if pa.types.is_struct(data_type):
        return tuple(field.name for field in child_fields(data_type))
    if pa.types.is_map(data_type):
        return "key", "value"
    return ("element",) if is_list(data_type) else ()


# -- edits of a struct's fields ------------------------------------------------------------------


def adding(new: Field, where: str, *, if_absent: bool) -> Edit:
    """A new last field, NULL in the values that exist."""

    def add(parent: Field) -> tuple[Field, Shape]:
        known = _struct_fields(parent, where)
        if fold(new.name) in {fold(child.name) for child in known}:
            if if_absent:
                return parent, Same()
            raise taken("field", f"{where}.{new.name}")
        _check_field(new, where)
        sources = (*_kept(range(len(known))), FieldSource(None, Same()))
        return parent.with_type(pa.struct([*known, new])), Fields(sources)

    return add


def renaming(name: str, to: str, where: str) -> Edit:
    def rename(parent: Field) -> tuple[Field, Shape]:
        known = list(_struct_fields(parent, where))
        index = _child_index(parent.type, name, where)
        if any(fold(child.name) == fold(to) for child in known[:index] + known[index + 1 :]):
            raise taken("field", f"{where}.{to}")
        _check_field_name(to, where)
        known[index] = known[index].with_name(to)
        return parent.with_type(pa.struct(known)), Fields(_kept(range(len(known))))

    return rename


def dropping(name: str, where: str) -> Edit:
    def drop(parent: Field) -> tuple[Field, Shape]:
        known = _struct_fields(parent, where)
        index = _child_index(parent.type, name, where)
        if len(known) == 1:
            raise PreconditionError(
                f"{quoted(f'{where}.{name}')} is the only field of {quoted(where)}",
                hint=f"drop {where} instead",
            )
        left = [place for place in range(len(known)) if place != index]
        return parent.with_type(pa.struct([known[place] for place in left])), Fields(_kept(left))

    return drop


def taken(kind: str, name: str) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"there is a {kind} {quoted(name)} already",
        hint="names are matched without regard to case; choose another one",
    )


def _kept(places: Iterable[int]) -> tuple[FieldSource, ...]:
    return tuple(FieldSource(place, Same()) for place in places)


def _struct_fields(parent: Field, where: str) -> tuple[Field, ...]:
    if not pa.types.is_struct(parent.type):
        inner = _part_names(parent.type)
        hint = f"name what is inside it: {where}.{inner[-1]}" if inner else None
        raise InvalidRequestError(
            f"{quoted(where)} is a {parent.type}, only a struct has fields", hint=hint
        )
    return child_fields(parent.type)


def _check_field(new: Field, where: str) -> None:
    _check_field_name(new.name, where)
    check_type(new.type, f"{where}.{new.name}")
    if not new.nullable or default_of(new) is not None:
        raise InvalidRequestError(
            f"the new field {quoted(f'{where}.{new.name}')} must be nullable and have no DEFAULT",
            hint="rows that exist get NULL there",
        )


def _check_field_name(name: str, where: str) -> None:
    reason = why_unsafe_field(name)
    if reason is not None:
        raise InvalidRequestError(
            f"a field of {quoted(where)} cannot be called {quoted(name)}: {reason}",
            hint="choose another name",
        )
