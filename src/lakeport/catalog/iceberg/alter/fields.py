"""The Iceberg schema that an evolution leads to, by field id.

A field that lives on keeps its id, whatever it is called now, and with it its values in the old files. A
new one gets a fresh id. So does one whose new type Iceberg cannot read from the old files: its values
have to be written again, as `is_reencoded` says. What is untouched is passed on as it was, since another
engine may have made it in a way that we would not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import assert_never

import pyarrow as pa
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, PrimitiveType, StructType

from lakeport.catalog.arrays.containers import child_fields, is_list
from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import extension_of
from lakeport.catalog.definition import comment_of
from lakeport.catalog.evolution.nested import Cast, Elements, Fields, Same, Shape
from lakeport.catalog.evolution.plan import (
    ColumnSource,
    Computed,
    Converted,
    Evolution,
    Filled,
    Kept,
)
from lakeport.catalog.iceberg.alter.promotion import keeps_bits, promotes
from lakeport.catalog.iceberg.types import Column, Description, describe
from lakeport.catalog.iceberg.types.words import Annotation


@dataclass(frozen=True, slots=True)
class Mapped:
    """`annotations` are those of all fields known before and now, dropped ones included.

    `moved` says under which id a field goes on that could not keep its own.
    """

    fields: tuple[NestedField, ...]
    annotations: Mapping[int, Annotation]
    moved: Mapping[int, int]
    is_reencoded: bool


def map_fields(
    evolution: Evolution,
    columns: Sequence[Column],
    annotations: Mapping[int, Annotation],
    last_id: int,
) -> Mapped:
    """`columns` are those of `evolution.before`, `last_id` the highest field id ever given."""
    mapper = _Mapper(columns, count(last_id + 1).__next__, dict(annotations))
    fields = tuple(
        mapper.column(source, column)
        for source, column in zip(evolution.columns, evolution.definition.schema, strict=True)
    )
    return Mapped(fields, mapper.annotations, mapper.moved, mapper.is_reencoded)


@dataclass(slots=True)
class _Mapper:
    columns: Sequence[Column]
    next_id: Callable[[], int]
    annotations: dict[int, Annotation]
    moved: dict[int, int] = field(default_factory=dict)
    is_reencoded: bool = False

    def column(self, source: ColumnSource, column: Field) -> NestedField:
        if isinstance(source, Filled):
            return self._fresh(column)
        drawn, logical = self._drawn(source)
        done = _named(drawn, logical, column)
        if extension_of(logical) != extension_of(column):
            anew = describe([column], count(1).__next__)
            self._annotate(done.field_id, anew.annotations.get(anew.fields[0].field_id))
        return done

    def _drawn(self, source: ColumnSource) -> tuple[NestedField, Field]:
        """A column on its way: how it is stored, and what users would see of it."""
        match source:
            case Kept():
                kept = self.columns[source.index]
                return kept.field, kept.arrow
            case Filled():
                new = pa.field("filled", source.type)
                return self._fresh(new), new
            case Computed():
                drawn, old = self._drawn(source.replaces)
                new = pa.field(old.name, source.type, nullable=old.nullable)
                return self._retyped(drawn, old, new), new
            case Converted():
                drawn, old = self._drawn(source.source)
                new = old.with_type(source.type)
                if isinstance(source.shape, Cast):
                    new = pa.field(old.name, source.type, nullable=old.nullable)
                return self._reshaped(drawn, old, source.shape, new), new
        assert_never(source)

    # -- level by level --------------------------------------------------------------------------

    def _reshaped(self, drawn: NestedField, old: Field, shape: Shape, new: Field) -> NestedField:
        match shape:
            case Same():
                return _named(drawn, old, new)
            case Cast():
                return self._retyped(drawn, old, new)
            case Fields():
                return self._rebuilt(drawn, old, shape, new)
            case Elements():
                return self._or_moved(
                    lambda: self._wrapped(drawn, old, shape, new), drawn, old, new
                )
        assert_never(shape)

    def _rebuilt(self, drawn: NestedField, old: Field, shape: Fields, new: Field) -> NestedField:
        before, was = _children(drawn.field_type), child_fields(old.type)
        fields = (
            self._fresh(now)
            if source.index is None
            else self._reshaped(before[source.index], was[source.index], source.shape, now)
            for source, now in zip(shape.fields, child_fields(new.type), strict=True)
        )
        return _named(drawn, old, new, StructType(*fields))

    def _wrapped(
        self, drawn: NestedField, old: Field, shape: Elements, new: Field
    ) -> NestedField | None:
        inside = [
            self._reshaped(pair.drawn, pair.old, inner, pair.new)
            for pair, inner in zip(_pairs(drawn, old, new), shape.children, strict=True)
        ]
        return _around(drawn, old, inside, new)

    def _retyped(self, drawn: NestedField, old: Field, new: Field) -> NestedField:
        """In another type: under the same id if its files can still be read, else written anew."""
        anew = describe([new], count(1).__next__)
        wanted = anew.fields[0]
        return self._or_moved(
            lambda: self._promoted(drawn, old, wanted, new, anew), drawn, old, new
        )

    def _promoted(
        self, drawn: NestedField, old: Field, wanted: NestedField, new: Field, anew: Description
    ) -> NestedField | None:
        """None when the type, or what is inside a list or map, cannot grow to that in place."""
        before, after = drawn.field_type, wanted.field_type
        promoted: NestedField | None = None
        if isinstance(before, PrimitiveType) and isinstance(after, PrimitiveType):
            if promotes(before, after) and keeps_bits(old.type, new.type):
                promoted = _named(drawn, old, new, after)
        elif _is_same_container(before, old.type, after, new.type):
            pairs = _pairs(drawn, old, new)
            grown = [
                partial(self._promoted, pair.drawn, pair.old, want, pair.new, anew)
                for pair, want in zip(pairs, _children(after), strict=True)
            ]
            if isinstance(before, StructType):
                fields = (
                    self._or_moved(grow, pair.drawn, pair.old, pair.new)
                    for pair, grow in zip(pairs, grown, strict=True)
                )
                promoted = _named(drawn, old, new, StructType(*fields))
            else:
                promoted = _around(drawn, old, [grow() for grow in grown], new)
        if promoted is not None:
            self._annotate(drawn.field_id, anew.annotations.get(wanted.field_id))
        return promoted

    def _or_moved(
        self,
        attempt: Callable[[], NestedField | None],
        drawn: NestedField,
        old: Field,
        new: Field,
    ) -> NestedField:
        """The field under its old id, or the whole of it under a fresh one."""
        annotations, moved = dict(self.annotations), dict(self.moved)
        kept = attempt()
        if kept is not None:
            return kept
        # What was tried inside it has not happened: history still reads those fields.
        self.annotations, self.moved = annotations, moved
        return self._moved(drawn, old, new)

    def _moved(self, drawn: NestedField, old: Field, new: Field) -> NestedField:
        fresh = self._fresh(new)
        self.moved[drawn.field_id] = fresh.field_id
        # What can only be NULL is NULL under a fresh id as well, without a file being touched.
        self.is_reencoded |= not pa.types.is_null(old.type)
        return fresh

    def _fresh(self, new: Field) -> NestedField:
        anew = describe([new], self.next_id)
        self.annotations |= anew.annotations
        return anew.fields[0]

    def _annotate(self, field_id: int, annotation: Annotation | None) -> None:
        if annotation is None:
            self.annotations.pop(field_id, None)
        else:
            self.annotations[field_id] = annotation


def _named(
    drawn: NestedField, old: Field, new: Field, inside: IcebergType | None = None
) -> NestedField:
    """The field as it is called, required and described now; untouched names stay as stored."""
    return NestedField(
        drawn.field_id,
        drawn.name if old.name == new.name else new.name,
        drawn.field_type if inside is None else inside,
        required=not new.nullable,
        doc=drawn.doc if comment_of(old) == comment_of(new) else comment_of(new),
    )


def _children(found: IcebergType) -> tuple[NestedField, ...]:
    match found:
        case StructType():
            return found.fields
        case ListType():
            return (found.element_field,)
        case MapType():
            return found.key_field, found.value_field
    return ()


@dataclass(frozen=True, slots=True)
class _Pair:
    """One child of a container: as it is stored, as it was seen, as it shall be seen."""

    drawn: NestedField
    old: Field
    new: Field


def _pairs(drawn: NestedField, old: Field, new: Field) -> list[_Pair]:
    children = (_children(drawn.field_type), child_fields(old.type), child_fields(new.type))
    return [_Pair(*child) for child in zip(*children, strict=True)]


def _around(
    drawn: NestedField, old: Field, inside: Sequence[NestedField | None], new: Field
) -> NestedField | None:
    """A list or map of these; None when one of them could not keep its id."""
    before = drawn.field_type
    kept = [
        child
        for child, was in zip(inside, _children(before), strict=True)
        if child is not None and child.field_id == was.field_id
    ]
    if len(kept) < len(inside):
        return None
    around: IcebergType
    if isinstance(before, MapType):
        key, value = kept
        around = MapType(
            key.field_id, key.field_type, value.field_id, value.field_type, value.required
        )
    else:
        (element,) = kept
        around = ListType(element.field_id, element.field_type, element.required)
    return _named(drawn, old, new, around)


def _is_same_container(
    before: IcebergType, old: pa.DataType, after: IcebergType, new: pa.DataType
) -> bool:
    """Whether children belong to each other one by one; a union's are matched by their tags."""
    match before, after:
        case StructType(), StructType():
            are_structs = pa.types.is_struct(old) and pa.types.is_struct(new)
            return are_structs and _names(old) == _names(new)
        case ListType(), ListType():
            return is_list(old) and is_list(new)
        case MapType(), MapType():
            return pa.types.is_map(old) and pa.types.is_map(new)
    return False


def _names(struct: pa.DataType) -> list[str]:
    return [child.name for child in child_fields(struct)]
