"""From Iceberg to Arrow: the codec of every field, from its type and what the table property says of it.

A word counts only while it fits: whoever widens a column of ours in Spark has changed its type, so
from then on the column is what Spark made it. Words about fields that are gone do no harm.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
from pyiceberg.types import (
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    MapType,
    NestedField,
    PrimitiveType,
    StructType,
)

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import COMMENT
from lakeport.catalog.iceberg.types import encodings, shapes
from lakeport.catalog.iceberg.types.codec import Codec
from lakeport.catalog.iceberg.types.extensions import METADATA, NAME, built
from lakeport.catalog.iceberg.types.leaves import UnstorableError, leaf_for
from lakeport.catalog.iceberg.types.scalars import same, wrapped
from lakeport.catalog.iceberg.types.stored import stored_type
from lakeport.catalog.iceberg.types.words import (
    Annotation,
    DictionaryWord,
    ExtensionWord,
    LeafWord,
    ListWord,
    MapWord,
    RunEndsWord,
    StructWord,
    UnionWord,
    Word,
)
from lakeport.core.names import ROW_ID, fold

Annotations: TypeAlias = Mapping[int, Annotation]

_arrow: Any = pa
_LISTS: dict[str, Callable[[Field], pa.DataType]] = {
    "list": _arrow.list_,
    "large_list": _arrow.large_list,
    "list_view": _arrow.list_view,
    "large_list_view": _arrow.large_list_view,
}
_EVERYWHERE = "OGC:CRS84"


def codec_for(field: NestedField, annotations: Annotations) -> Codec:
    annotation = annotations.get(field.field_id)
    if annotation is not None:
        fitting = _fitted(annotation.word, field.field_type, annotations)
        if fitting is not None:
            return fitting
    return _plain(field.field_type, annotations)


def logical_field(field: NestedField, codec: Codec, name: str) -> Field:
    metadata = dict(codec.metadata)
    if field.doc:
        metadata[COMMENT] = field.doc.encode()
    return pa.field(name, codec.logical, nullable=field.optional, metadata=metadata or None)


def distinct(names: Sequence[str], taken: tuple[str, ...] = ()) -> list[str]:
    """The names, none of which is another one's in any spelling: later ones get a number.

    Other engines write tables with columns `a` and `A`; DuckDB can only read them under two names.
    """
    used = {fold(name) for name in taken}
    first = {fold(name) for name in names}
    found = []
    for name in names:
        free, number = name, 0
        while fold(free) in used or (number and fold(free) in first):
            number += 1
            free = f"{name}_{number}"
        used.add(fold(free))
        found.append(free)
    return found


def column_names(names: Sequence[str]) -> list[str]:
    """Of a whole table, where one more name is taken: that of the row id."""
    return distinct(names, (ROW_ID,))


def _plain(found: IcebergType, annotations: Annotations) -> Codec:
    match found:
        case StructType():
            return _struct(found, annotations)
        case ListType():
            return _list(ListWord(), found, annotations)
        case MapType():
            return _map(MapWord(), found, annotations)
        case GeometryType() | GeographyType():
            return _geometry(found)
    return same(stored_type(found))


def _fitted(word: Word, found: IcebergType, annotations: Annotations) -> Codec | None:
    """The codec that the word asks for, or None when the type is no longer what it was."""
    match word, found:
        case LeafWord(), PrimitiveType():
            return _leaf(word, found)
        case StructWord(), StructType():
            return _struct(found, annotations)
        case ListWord(), ListType():
            return _list(word, found, annotations)
        case MapWord(), MapType():
            return _map(word, found, annotations)
        case UnionWord(), StructType():
            return _union(word, found, annotations)
        case DictionaryWord(), PrimitiveType():
            values = _fitted(word.of, found, annotations)
            return values and encodings.dictionary(values, word.index, ordered=word.is_ordered)
        case RunEndsWord(), PrimitiveType():
            values = _fitted(word.of, found, annotations)
            return values and encodings.run_ends(values, word.run_ends)
        case ExtensionWord(), _:
            storage = _fitted(word.of, found, annotations)
            return storage and _extension(word, storage)
    return None


def _leaf(word: LeafWord, found: PrimitiveType) -> Codec | None:
    try:
        leaf = leaf_for(word.type)
    except UnstorableError:
        return None
    return leaf.codec if leaf.iceberg == found else None


def _struct(found: StructType, annotations: Annotations) -> Codec:
    codecs = [codec_for(field, annotations) for field in found.fields]
    names = distinct([field.name for field in found.fields])
    logical = pa.struct(
        [
            logical_field(field, codec, name)
            for field, codec, name in zip(found.fields, codecs, names, strict=True)
        ]
    )
    return shapes.container(stored_type(found), logical, codecs)


def _list(word: ListWord, found: ListType, annotations: Annotations) -> Codec:
    codec = codec_for(found.element_field, annotations)
    element = logical_field(found.element_field, codec, word.child)
    if word.size is None:
        return shapes.container(stored_type(found), _LISTS[word.kind](element), [codec])
    logical: pa.DataType = _arrow.list_(element, word.size)
    return shapes.fixed_size_list(stored_type(found), logical, codec)


def _map(word: MapWord, found: MapType, annotations: Annotations) -> Codec:
    sides = (found.key_field, found.value_field)
    codecs = [codec_for(side, annotations) for side in sides]
    key, value = (
        logical_field(side, codec, name)
        for side, codec, name in zip(sides, codecs, (word.key, word.value), strict=True)
    )
    logical = _arrow.map_(key, value, keys_sorted=word.is_sorted)
    return shapes.container(stored_type(found), logical, codecs)


def _union(word: UnionWord, found: StructType, annotations: Annotations) -> Codec | None:
    if len(found.fields) != len(word.codes) + 1:
        return None
    # By id, which is the order they were made in, whatever order another engine lists them in.
    tag, *members = sorted(found.fields, key=lambda field: field.field_id)
    if not isinstance(tag.field_type, IntegerType):
        return None
    codecs = [codec_for(member, annotations) for member in members]
    names = distinct([member.name for member in members])
    fields = [
        logical_field(member, codec, name).with_nullable(not _is_required(member, annotations))
        for member, codec, name in zip(members, codecs, names, strict=True)
    ]
    logical = _arrow.union(fields, mode=word.mode, type_codes=list(word.codes))
    places = [found.fields.index(part) for part in (tag, *members)]
    return shapes.union(stored_type(found), logical, codecs, places)


def _is_required(member: NestedField, annotations: Annotations) -> bool:
    """A member is NULL in storage wherever it does not count, so only its word can say this."""
    annotation = annotations.get(member.field_id)
    return annotation is not None and annotation.required


def _extension(word: ExtensionWord, storage: Codec) -> Codec | None:
    if isinstance(storage.logical, pa.BaseExtensionType):
        return None
    try:
        described = built(word.name, word.metadata, storage.logical)
    except (pa.ArrowException, ValueError, TypeError, KeyError):
        return None  # whoever knows the name would not have it around this storage
    if not isinstance(described.type, pa.BaseExtensionType):
        return Codec(
            storage.stored,
            storage.logical,
            storage.decode,
            storage.encode,
            ordered=False,
            metadata=described.metadata or {},
        )
    return wrapped(storage, described.type, ordered=False)


def _geometry(found: GeometryType | GeographyType) -> Codec:
    """Format 3 has the type itself; its bytes are what DuckDB calls a geometry."""
    described = {} if found.crs == _EVERYWHERE else {"crs": found.crs}
    if isinstance(found, GeographyType):
        described["edges"] = str(found.algorithm)
    metadata = {NAME: b"geoarrow.wkb", METADATA: json.dumps(described).encode()}
    return Codec(pa.binary(), pa.binary(), ordered=False, metadata=metadata)
