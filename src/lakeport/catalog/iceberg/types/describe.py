"""From Arrow to Iceberg: the storage type of every field, and a word where storage alone says too little.

Field ids are given in the order in which Iceberg's own writers give fresh ones (the fields of a struct
before what is inside them), so that the catalog that creates the table does not change them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import (
    IcebergType,
    IntegerType,
    ListType,
    MapType,
    NestedField,
    PrimitiveType,
    StructType,
)

from lakeport.catalog.arrays.containers import child_fields, is_list
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import comment_of
from lakeport.catalog.iceberg.types.extensions import METADATA, NAME, serialized
from lakeport.catalog.iceberg.types.leaves import UnstorableError, leaf_for
from lakeport.catalog.iceberg.types.names import is_named
from lakeport.catalog.iceberg.types.stored import stored_type
from lakeport.catalog.iceberg.types.words import (
    Annotation,
    DictionaryWord,
    ExtensionWord,
    LeafWord,
    ListKind,
    ListWord,
    MapWord,
    RunEndsWord,
    StructWord,
    UnionWord,
    Word,
)
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted

_LISTS: dict[int, ListKind] = {
    pa.list_(pa.null()).id: "list",
    pa.large_list(pa.null()).id: "large_list",
    pa.list_view(pa.null()).id: "list_view",
    pa.large_list_view(pa.null()).id: "large_list_view",
    pa.list_(pa.null(), 1).id: "fixed_size_list",
}
_TAG = "tag"


@dataclass(frozen=True, slots=True)
class Description:
    fields: tuple[NestedField, ...]
    annotations: Mapping[int, Annotation]


def describe(columns: Iterable[Field], next_id: Callable[[], int] | None = None) -> Description:
    """How columns are stored; `InvalidRequestError` for a type that cannot be, exactly."""
    writer = _Writer(next_id or count(1).__next__)
    fields = writer.fields(tuple(columns), "")
    return Description(fields, writer.annotations)


def ids_in_order(schema: Schema) -> Iterator[int]:
    """The field ids of a schema in the order in which `describe` asks for them."""

    def inside(found: IcebergType) -> Iterator[int]:
        match found:
            case StructType():
                yield from (field.field_id for field in found.fields)
                for field in found.fields:
                    yield from inside(field.field_type)
            case ListType():
                yield found.element_id
                yield from inside(found.element_type)
            case MapType():
                yield from (found.key_id, found.value_id)
                yield from inside(found.key_type)
                yield from inside(found.value_type)

    return inside(schema.as_struct())


def plain_word(iceberg: IcebergType) -> Word:
    """What an Iceberg type is taken for where nothing is said about it."""
    match iceberg:
        case ListType():
            return ListWord()
        case MapType():
            return MapWord()
        case StructType():
            return StructWord()
    return LeafWord(stored_type(iceberg))


@dataclass(slots=True)
class _Writer:
    next_id: Callable[[], int]
    annotations: dict[int, Annotation] = field(default_factory=dict)

    def fields(self, columns: tuple[Field, ...], where: str) -> tuple[NestedField, ...]:
        ids = [self.next_id() for _ in columns]
        return tuple(
            NestedField(
                field_id,
                column.name,
                self._type(column, field_id, f"{where}{column.name}"),
                required=not column.nullable,
                doc=comment_of(column),
            )
            for field_id, column in zip(ids, columns, strict=True)
        )

    def _type(
        self, column: Field, field_id: int, where: str, *, required: bool = False
    ) -> IcebergType:
        word, iceberg = self._level(column.type, where)
        metadata = column.metadata or {}
        if NAME in metadata and not isinstance(column.type, pa.BaseExtensionType):
            word = ExtensionWord(metadata[NAME].decode(), metadata.get(METADATA, b""), word)
        if required or word != plain_word(iceberg):
            self.annotations[field_id] = Annotation(word, required)
        return iceberg

    def _level(self, data_type: pa.DataType, where: str) -> tuple[Word, IcebergType]:
        kind: Any = data_type
        if isinstance(kind, pa.DictionaryType):
            word, iceberg = self._values(kind, where)
            return DictionaryWord(kind.index_type, word, kind.ordered), iceberg
        if isinstance(kind, pa.RunEndEncodedType):
            word, iceberg = self._values(kind, where)
            return RunEndsWord(kind.run_end_type, word), iceberg
        if isinstance(kind, pa.BaseExtensionType) and not is_named(kind):
            if isinstance(kind.storage_type, pa.BaseExtensionType):
                raise InvalidRequestError(
                    f"column {quoted(where)} is an extension of an extension type",
                    hint=f"use {kind.storage_type}",
                )
            word, iceberg = self._level(kind.storage_type, where)
            with_name = _storable(lambda: serialized(kind), kind, where)
            return ExtensionWord(kind.extension_name, with_name, word), iceberg
        if is_list(kind):
            return self._list(kind, where)
        if isinstance(kind, pa.MapType):
            return self._map(kind, where)
        if isinstance(kind, pa.UnionType):
            return self._union(kind, where)
        if isinstance(kind, pa.StructType):
            return self._struct(kind, where)
        leaf = _storable(lambda: leaf_for(kind), kind, where)
        return LeafWord(kind), leaf.iceberg

    def _values(self, kind: Any, where: str) -> tuple[Word, IcebergType]:
        """What an encoding encodes: a value per row, not a container."""
        word, iceberg = self._level(kind.value_type, where)
        if not isinstance(iceberg, PrimitiveType):
            raise InvalidRequestError(
                f"column {quoted(where)} encodes nested values, which cannot be stored",
                hint=f"use {kind.value_type}",
            )
        return word, iceberg

    def _list(self, kind: Any, where: str) -> tuple[Word, IcebergType]:
        (element,) = child_fields(kind)
        size = kind.list_size if pa.types.is_fixed_size_list(kind) else None
        field_id = self.next_id()
        inner = self._type(element, field_id, f"{where}.element")
        word = ListWord(_LISTS[kind.id], element.name, size)
        return word, ListType(field_id, inner, element_required=not element.nullable)

    def _map(self, kind: Any, where: str) -> tuple[Word, IcebergType]:
        key, value = child_fields(kind)
        key_id, value_id = self.next_id(), self.next_id()
        iceberg = MapType(
            key_id,
            self._type(key, key_id, f"{where}.key"),
            value_id,
            self._type(value, value_id, f"{where}.value"),
            value_required=not value.nullable,
        )
        return MapWord(key.name, value.name, kind.keys_sorted), iceberg

    def _struct(self, kind: Any, where: str) -> tuple[Word, IcebergType]:
        if not kind.num_fields:
            raise _hollow("struct without fields", where)
        return StructWord(), StructType(*self.fields(child_fields(kind), f"{where}."))

    def _union(self, kind: Any, where: str) -> tuple[Word, IcebergType]:
        """A struct: which member counts, then one field per member, NULL unless it counts."""
        members = child_fields(kind)
        if not members:
            raise _hollow("union without members", where)
        ids = [self.next_id() for _ in range(len(members) + 1)]
        stored = [
            NestedField(ids[0], _free_tag(members), IntegerType(), required=True),
            *(
                NestedField(
                    field_id,
                    member.name,
                    self._type(
                        member, field_id, f"{where}.{member.name}", required=not member.nullable
                    ),
                    required=False,
                    doc=comment_of(member),
                )
                for field_id, member in zip(ids[1:], members, strict=True)
            ),
        ]
        return UnionWord(kind.mode, tuple(kind.type_codes)), StructType(*stored)


def _hollow(what: str, where: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"column {quoted(where)} is a {what}, which cannot be stored",
        hint="give it a field, or use bool",
    )


def _free_tag(members: tuple[Field, ...]) -> str:
    taken = {fold(member.name) for member in members}
    name = _TAG
    while name in taken:
        name += "_"
    return name


def _storable(ask: Callable[[], Any], data_type: pa.DataType, where: str) -> Any:
    try:
        return ask()
    except UnstorableError as error:
        raise InvalidRequestError(
            f"column {quoted(where)} has the type {data_type}, which cannot be stored: {error}",
            hint=f"use {error.nearest}",
        ) from error
