"""Streams of rows, damaged on the way: the same ones for the same seed.

A sound stream is a schema message, dictionaries and batches. It is damaged as a whole (messages left out,
repeated, swapped, cut), in a message's bytes (body, head, frame), or in what a batch says of itself, in
which case the bytes are sound Arrow IPC and only their meaning is not.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.flight.framing import FrameEncoder, decode_frame
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_message
from tests.behaviours.lake import schema_of
from tests.behaviours.malformed import MALFORMED, ROWS

_HEADER, _BODY = 2, 1000
_NUMBERS = (0, 1, -1, 127, 2**15, 2**31 - 1, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))

_PLACE: list[Field] = [pa.field("x", pa.float64()), pa.field("y", pa.binary())]
COLUMNS = schema_of(
    id=pa.int64(),
    name=pa.string(),
    word=pa.dictionary(pa.int32(), pa.string()),
    tags=pa.list_(pa.string()),
    price=pa.decimal128(9, 2),
    place=pa.struct(_PLACE),
)
"""What is sent. The table's own columns have the same names, and `word` is plain text there."""


@dataclass(frozen=True)
class Damaged:
    """`method` is DoExchange, or DoPut where rows are inserted."""

    method: str
    operation: str
    messages: tuple[bytes, ...]
    is_returning: bool


@dataclass(frozen=True)
class Sound:
    """What one statement sends when nothing is wrong with it."""

    operation: str
    schema: pa.Schema
    batches: tuple[pa.RecordBatch, ...]

    def messages(self, compression: Any = None) -> list[bytes]:
        encoder = FrameEncoder(self.schema, most_bytes=1 << 30, cut=False, compression=compression)
        rows = [message for batch in self.batches for message in encoder.batch(batch)]
        return [encoder.schema(), *rows]


def rows(first: int, count: int = ROWS) -> pa.RecordBatch:
    keys = range(first, first + count)
    return pa.RecordBatch.from_pylist(
        [
            {
                "id": key,
                "name": f"name {key}",
                "word": ("red", "green", "blue")[key % 3],
                "tags": [f"t{key}"] * (key % 3),
                "price": None,
                "place": {"x": key / 2, "y": b"\x00\xff"},
            }
            for key in keys
        ],
        COLUMNS,
    )


def sound_statements(row_ids: list[int]) -> list[Sound]:
    ids = pa.array(row_ids, pa.int64())
    names = pa.array([f"new {row_id}" for row_id in row_ids])
    update = pa.RecordBatch.from_arrays([names, ids], names=["name", "rowid"])
    delete = pa.RecordBatch.from_arrays([ids], names=["rowid"])
    return [
        Sound("insert", COLUMNS, (rows(1_000), rows(2_000))),
        Sound("update", update.schema, (update,)),
        Sound("delete", delete.schema, (delete,)),
    ]


def damaged(sound: list[Sound], count: int, seed: int) -> Iterator[Damaged]:
    dice = random.Random(seed)  # noqa: S311 # repeatable, not secret
    ways: tuple[Callable[[random.Random, Sound], list[bytes]], ...] = (
        _damaged_bytes,
        _damaged_bytes,
        _damaged_numbers,
        _damaged_numbers,
        _damaged_order,
        _lying_columns,
        _wrong_columns,
    )
    for _ in range(count):
        statement = dice.choice(sound)
        messages = dice.choice(ways)(dice, statement)
        puts = statement.operation == "insert" and dice.random() < 0.3
        method = "DoPut" if puts else "DoExchange"
        yield Damaged(method, statement.operation, tuple(messages), dice.random() < 0.5)


def framed(descriptor: FlightDescriptor) -> bytes:
    return put_message(1, descriptor.encode())


def _damaged_bytes(dice: random.Random, sound: Sound) -> list[bytes]:
    """Some bytes of one message's body, head or frame are others, more or fewer."""
    messages = _packed(dice, sound)
    place = dice.randrange(len(messages))
    frame = decode_frame(messages[place])
    header, body = frame.header, bytes(frame.body)
    match dice.randrange(3):
        case 0 if body:
            messages[place] = _frame(header, _scratched(dice, body))
        case 1:
            messages[place] = _frame(_scratched(dice, header), body)
        case _:
            messages[place] = _scratched(dice, messages[place])
    return messages


def _damaged_numbers(dice: random.Random, sound: Sound) -> list[bytes]:
    """A length, an offset or a count somewhere is a number that it cannot be."""
    messages = _packed(dice, sound)
    place = dice.randrange(len(messages))
    frame = decode_frame(messages[place])
    header, body = bytearray(frame.header), bytearray(frame.body)
    target = body if body and dice.random() < 0.5 else header
    layout = dice.choice(("<i", "<q"))
    size = struct.calcsize(layout)
    if len(target) >= size:
        number = dice.choice(_NUMBERS) if layout == "<q" else dice.choice(_NUMBERS[:7])
        start = dice.randrange(0, len(target) - size + 1, 4)
        struct.pack_into(layout, target, start, number)
    messages[place] = _frame(bytes(header), bytes(body))
    return messages


def _damaged_order(dice: random.Random, sound: Sound) -> list[bytes]:
    """Messages are missing, there twice, swapped, cut off, or nonsense."""
    messages = _packed(dice, sound)
    place, other = dice.randrange(len(messages)), dice.randrange(len(messages))
    match dice.randrange(6):
        case 0:
            del messages[0]  # no schema
        case 1:
            messages.insert(other, messages[0])  # a second one
        case 2:
            messages[0], messages[-1] = messages[-1], messages[0]
        case 3:
            last = messages[place]
            messages[place:] = [last[: dice.randrange(len(last))]]
        case 4:
            messages.insert(other, dice.randbytes(dice.choice((1, 8, 300))))
        case _:
            messages[place] = b""
            del messages[0]
    return messages


def _lying_columns(dice: random.Random, sound: Sound) -> list[bytes]:
    """Texts past their end, backwards offsets, words that no dictionary has, bytes that are no UTF-8."""
    array = MALFORMED[dice.choice(sorted(MALFORMED))]()
    columns = [array]
    names = [dice.choice(("name", "id", "rowid", "tags", "price"))]
    if sound.operation == "update":
        columns.append(pa.array(range(ROWS), pa.int64()))
        names.append("rowid")
    batch = pa.RecordBatch.from_arrays(columns, names=names)
    return Sound(sound.operation, batch.schema, (batch,)).messages()


def _wrong_columns(dice: random.Random, sound: Sound) -> list[bytes]:
    """Sound Arrow of a schema that the table cannot take."""
    wrong: tuple[dict[str, Any], ...] = (
        {"id": ["one", "two"]},
        {"id": [{"a": 1}]},
        {"nothing": [1]},
        {"id": [1], "ID": [2]},
        {"rowid": ["x"]},
        {"rowid": [None]},
        {"name": [b"\xff\xfe"], "rowid": [0]},
        {"rowid": [-1]},
        {"rowid": [2**62], "name": ["x"]},
        {"price": ["1.234567890123"], "id": [1]},
        {"id": [0.5]},
    )
    chosen = dice.choice(wrong)
    if sound.operation == "insert" and set(chosen) == {"rowid"}:
        chosen = wrong[0]
    batch = pa.RecordBatch.from_pydict(chosen)
    return Sound(sound.operation, batch.schema, (batch,)).messages()


def _packed(dice: random.Random, sound: Sound) -> list[bytes]:
    return sound.messages(dice.choice((None, None, "lz4", "zstd")))


def _scratched(dice: random.Random, data: bytes) -> bytes:
    for _ in range(dice.randint(1, 3)):
        start = dice.randint(0, len(data))
        end = min(len(data), start + dice.choice((1, 1, 2, 4, 8, 64)))
        middle = dice.choice((dice.randbytes(end - start), b"", data[start:end] * 2, b"\xff" * 4))
        data = data[:start] + middle + data[end:]
    return data


def _frame(header: bytes, body: bytes) -> bytes:
    return put_message(_HEADER, header) + put_message(_BODY, body)
