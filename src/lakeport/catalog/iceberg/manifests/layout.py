"""How the records of an Avro file are read: one function per field, in the order they are stored.

The functions are built once per schema text and kept, because all manifests of a table share a few
texts and turning one into a schema takes longer than decoding a hundred entries. Fields are found by
their ids, so formats 1, 2 and 3 need no cases: what a file lacks is None. Lengths are checked before
PyIceberg's decoder, which does not, is asked for that many bytes.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeAlias

from pyiceberg.avro.resolver import construct_reader
from pyiceberg.types import (
    BinaryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
)
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

from lakeport.catalog.iceberg.manifests.bound_maps import read_bounds
from lakeport.catalog.iceberg.manifests.container import SCHEMA, Records, refuse

Read: TypeAlias = Callable[[Records], Any]

# Pairs of numbers, of ten bytes each at most: so many lead no further than the margin behind the data.
_AT_ONCE = 3_000


@dataclass(frozen=True, slots=True)
class Layout:
    """`steps` are the fields as stored; each is put into the slot of its id, or dropped.

    `partition` are the partition's fields in the order of its tuple.
    """

    steps: tuple[tuple[int, Read], ...]
    width: int
    partition: tuple[NestedField, ...] = ()

    def rows(self, records: Records) -> list[list[Any]]:
        """All records, one list of slots each."""
        found = []
        steps, width = self.steps, self.width
        for _ in range(records.count):
            row = [None] * width
            for slot, read in steps:
                row[slot] = read(records)
            if records.left() < 0:
                break
            found.append(row)
        if records.left():
            refuse()
        return found


def layout_of(records: Records, wanted: tuple[int, ...]) -> Layout:
    """Slots in the order of `wanted`; fields of `data_file` are found like those around it."""
    return _layout(records.header[SCHEMA], wanted)


@lru_cache(maxsize=256)
def _layout(text: str, wanted: tuple[int, ...]) -> Layout:
    schema = AvroSchemaConversion().avro_to_iceberg(json.loads(text, object_hook=_plain))
    slots = {field_id: slot for slot, field_id in enumerate(wanted)}
    steps: list[tuple[int, Read]] = []
    partition: tuple[NestedField, ...] = ()
    for field in _flat(schema.fields):
        # The last slot is for what nobody wants.
        steps.append((slots.get(field.field_id, len(wanted)), _field(field)))
        if field.field_id == _PARTITION and isinstance(field.field_type, StructType):
            partition = field.field_type.fields
    return Layout(tuple(steps), len(wanted) + 1, partition)


def _plain(schema: dict[str, Any]) -> Any:
    """Dates and times are the numbers they are stored as: PyIceberg does not know all their names."""
    is_field = "name" in schema
    return schema["type"] if not is_field and schema.get("type") in ("int", "long") else schema


_DATA_FILE = 2
_PARTITION = 102


def _flat(fields: Sequence[NestedField]) -> list[NestedField]:
    found: list[NestedField] = []
    for field in fields:
        if field.field_id == _DATA_FILE and isinstance(field.field_type, StructType):
            found.extend(field.field_type.fields)
        else:
            found.append(field)
    return found


def _field(field: NestedField) -> Read:
    read = _reader(field.field_type)
    return read if field.required else _optional(read)


def _optional(read: Read) -> Read:
    def maybe(records: Records) -> Any:
        return read(records) if records.decoder.read_int() else None

    return maybe


def _reader(kind: IcebergType) -> Read:
    match kind:
        case IntegerType() | LongType():
            return lambda records: records.decoder.read_int()
        case StringType():
            return lambda records: _bytes(records).decode()
        case BinaryType():
            return _bytes
        case StructType():
            return _struct(tuple(_field(field) for field in kind.fields))
        case ListType(element_type=StructType() as element):
            return _list(_record(element))
        case ListType():
            return _list(_reader(kind.element_type))
        case MapType(key_type=IntegerType(), value_type=IntegerType() | LongType()):
            return _numbers
        case MapType(key_type=IntegerType(), value_type=BinaryType()):
            return partial(read_bounds, kind.value_id)
        case MapType():
            return _list(_struct((_reader(kind.key_type), _reader(kind.value_type))))
    plain = construct_reader(kind).read  # of a fixed length, all of them
    return lambda records: plain(records.decoder)


def _bytes(records: Records) -> bytes:
    decoder = records.decoder
    length = decoder.read_int()
    if not 0 <= length <= records.end - decoder.tell():
        refuse()
    return decoder.read(length)


def _struct(fields: tuple[Read, ...]) -> Read:
    return lambda records: tuple([read(records) for read in fields])


def _record(kind: StructType) -> Read:
    fields = tuple((field.field_id, _field(field)) for field in kind.fields)
    return lambda records: {field_id: read(records) for field_id, read in fields}


def _list(element: Read) -> Read:
    def read(records: Records) -> list[Any]:
        found: list[Any] = []
        while count := records.elements():
            for _ in range(count):
                found.append(element(records))
                if records.left() < 0:
                    refuse()
        return found

    return read


def _numbers(records: Records) -> array[int]:
    """A map of numbers, as keys and values in turn."""
    decoder = records.decoder
    found: array[int] = array("Q")
    while count := decoder.read_int():
        if count < 0:
            count = -count
            decoder.read_int()  # the size in bytes
        while count > _AT_ONCE:
            found.extend(_unsigned(decoder.read_ints(2 * _AT_ONCE)))
            count -= _AT_ONCE
            if records.left() < 0:
                refuse()
        found.extend(_unsigned(decoder.read_ints(2 * count)))
    return found


def _unsigned(numbers: Sequence[int]) -> array[int]:
    """The compiled decoder gives an array of 64 bits each, the one in Python a tuple."""
    if isinstance(numbers, array):
        return numbers
    return array("Q", [number & 0xFFFF_FFFF_FFFF_FFFF for number in numbers])
