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
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from pyiceberg.avro.decoder import BinaryDecoder
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

from lakeport.catalog.iceberg.manifests.container import SCHEMA, Block, Container, DamagedError

Read: TypeAlias = Callable[[Block], Any]

# Numbers are read this many at a time, so that a damaged count cannot lead far beyond the block.
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Layout:
    """`steps` are the fields as stored; each is put into the slot of its id, or dropped.

    `partition` are the partition's fields in the order of its tuple.
    """

    steps: tuple[tuple[int, Read], ...]
    width: int
    partition: tuple[NestedField, ...] = ()

    def rows(self, container: Container) -> list[list[Any]]:
        """All records, one list of slots each."""
        found = []
        steps, width = self.steps, self.width
        for block in container.blocks:
            for _ in range(block.count):
                row = [None] * width
                for slot, read in steps:
                    row[slot] = read(block)
                if block.left() < 0:
                    break
                found.append(row)
            if block.left():
                message = "a block does not hold what it should"
                raise DamagedError(message)
        return found


def layout_of(container: Container, wanted: tuple[int, ...]) -> Layout:
    """Slots in the order of `wanted`; fields of `data_file` are found like those around it."""
    return _layout(container.header[SCHEMA], wanted)


@lru_cache(maxsize=256)
def _layout(text: str, wanted: tuple[int, ...]) -> Layout:
    schema = AvroSchemaConversion().avro_to_iceberg(json.loads(text))
    slots = {field_id: slot for slot, field_id in enumerate(wanted)}
    steps: list[tuple[int, Read]] = []
    partition: tuple[NestedField, ...] = ()
    for field in _flat(schema.fields):
        # The last slot is for what nobody wants.
        steps.append((slots.get(field.field_id, len(wanted)), _field(field)))
        if field.field_id == _PARTITION and isinstance(field.field_type, StructType):
            partition = field.field_type.fields
    return Layout(tuple(steps), len(wanted) + 1, partition)


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
    def maybe(block: Block) -> Any:
        return read(block) if block.decoder.read_int() else None

    return maybe


def _reader(kind: IcebergType) -> Read:
    match kind:
        case IntegerType() | LongType():
            return lambda block: block.decoder.read_int()
        case StringType():
            return lambda block: _bytes(block).decode()
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
            return _bounds
        case MapType():
            return _list(_struct((_reader(kind.key_type), _reader(kind.value_type))))
    plain = construct_reader(kind).read  # of a fixed length, all of them
    return lambda block: plain(block.decoder)


def _bytes(block: Block) -> bytes:
    decoder = block.decoder
    length = decoder.read_int()
    if not 0 <= length <= block.end - decoder.tell():
        _refuse()
    return decoder.read(length)


def _struct(fields: tuple[Read, ...]) -> Read:
    return lambda block: tuple([read(block) for read in fields])


def _record(kind: StructType) -> Read:
    fields = tuple((field.field_id, _field(field)) for field in kind.fields)
    return lambda block: {field_id: read(block) for field_id, read in fields}


def _list(element: Read) -> Read:
    def read(block: Block) -> list[Any]:
        found: list[Any] = []
        while count := _count(block):
            for _ in range(count):
                found.append(element(block))
                if block.left() < 0:
                    _refuse()
        return found

    return read


def _numbers(block: Block) -> array[int]:
    """A map of numbers, as keys and values in turn."""
    decoder: BinaryDecoder = block.decoder
    found: array[int] = array("Q")
    while count := _count(block):
        left = 2 * count
        while left:
            found.extend(_unsigned(decoder.read_ints(min(left, _AT_ONCE))))
            left -= min(left, _AT_ONCE)
            if block.left() < 0:
                _refuse()
    return found


def _unsigned(numbers: Sequence[int]) -> array[int]:
    """The compiled decoder gives an array of 64 bits each, the one in Python a tuple."""
    if isinstance(numbers, array):
        return numbers
    return array("Q", [number & 0xFFFF_FFFF_FFFF_FFFF for number in numbers])


def _bounds(block: Block) -> tuple[list[int], list[bytes]]:
    """A map of binaries as its keys and its values."""
    decoder, end = block.decoder, block.end
    number, tell, take = decoder.read_int, decoder.tell, decoder.read
    keys: list[int] = []
    values: list[bytes] = []
    while count := _count(block):
        for _ in range(count):
            keys.append(number())
            length = number()
            if not 0 <= length <= end - tell():
                _refuse()
            values.append(take(length))
    return keys, values


def _count(block: Block) -> int:
    """How many elements follow; 0 after the last."""
    count = block.decoder.read_int()
    if count < 0:
        count = -count
        block.decoder.read_int()  # the size in bytes
    if count > block.left():
        _refuse()
    return count


def _refuse() -> NoReturn:
    message = "a block does not hold what it should"
    raise DamagedError(message)
