"""Messages that repeat but for their numbers: the same rows as pyarrow reads and writes, without it."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.catalog.arrays.vectors import Vectors
from lakeport.core.errors import InternalError, InvalidRequestError, LimitError
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import FrameEncoder, decode_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.ipc import Head
from lakeport.flight.limits import Limits
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_bytes
from lakeport.flight.repeated import VectorEncoder
from lakeport.flight.service import Compression

FIELDS: dict[str, pa.DataType] = {"x": pa.float64(), "n": pa.int16()}
NUMBERS = pa.schema(FIELDS)
TYPES = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]
TYPES += [pa.float32(), pa.float64()]


def rows(count: int, first: float = 0.0, *, null: bool = False) -> pa.RecordBatch:
    xs: list[float | None] = [first + each for each in range(count)]
    if null and xs:
        xs[-1] = None
    ns = [each % 100 for each in range(count)]
    return pa.record_batch([pa.array(xs, pa.float64()), pa.array(ns, pa.int16())], schema=NUMBERS)


def sent(*batches: pa.RecordBatch, compression: Compression | None = None) -> list[bytes]:
    schema = batches[0].schema
    encoder = FrameEncoder(schema, most_bytes=1 << 26, cut=False, compression=compression)
    messages = [message for batch in batches for message in encoder.batch(batch)]
    return [encoder.schema(FlightDescriptor(path=("a",))), *messages]


def incoming(messages: Iterable[bytes], **limits: Any) -> IncomingStream:
    return IncomingStream(Call(Method.DO_EXCHANGE), iter(messages), Limits(**limits))


def shown(stream: IncomingStream) -> Iterator[tuple[bool, pa.RecordBatch]]:
    """Each batch, and whether it came as vectors."""
    for given_ in stream.vectors():
        if isinstance(given_, Vectors):
            yield True, given_.batch(stream.schema)
        elif given_.batch is not None:
            yield False, given_.batch


def test_the_third_of_equal_batches_is_the_first_that_comes_as_vectors() -> None:
    batches = [rows(5, first) for first in range(4)]
    found = list(shown(incoming(sent(*batches))))
    assert [is_vectors for is_vectors, _ in found] == [False, False, True, True]
    assert [batch for _, batch in found] == batches


def test_what_differs_is_read_by_arrow_and_what_repeats_again_is_not() -> None:
    whole = rows(9)
    batches = [
        *(rows(4), rows(4), rows(4)),
        rows(4, null=True),  # a NULL in the middle
        *(rows(4), rows(4), rows(4)),
        whole.slice(2, 4),  # of other buffers, and the same on the wire
        rows(3),  # another number of rows
        rows(0),
        *(rows(3), rows(3), rows(3)),
    ]
    found = list(shown(incoming(sent(*batches))))
    assert [batch for _, batch in found] == batches
    ways = "".join("v" if is_vectors else "." for is_vectors, _ in found)
    assert ways == "..v...vv....v"


@given(st.lists(st.tuples(st.sampled_from([0, 1, 3, 8]), st.booleans(), st.integers(0, 9))))
def test_the_rows_are_those_of_the_iteration(shapes: list[tuple[int, bool, int]]) -> None:
    batches = [rows(count, first, null=null) for count, null, first in shapes for _ in range(3)]
    messages = sent(*batches, rows(1))
    plain, vectors = incoming(messages), incoming(messages)
    assert [chunk.batch for chunk in plain] == [batch for _, batch in shown(vectors)]


def test_rows_and_bytes_are_counted() -> None:
    messages = sent(*[rows(5)] * 6)
    call = Call(Method.DO_EXCHANGE)
    list(IncomingStream(call, iter(messages), Limits()).vectors())
    assert call.traffic.rows_in == 30
    assert call.traffic.bytes_in == sum(map(len, messages))


def test_nobody_can_write_into_vectors_and_they_stay_what_they_were() -> None:
    kept = [
        each.columns[0]
        for each in incoming(sent(*[rows(3, first) for first in range(6)])).vectors()
        if isinstance(each, Vectors)
    ]
    assert [list(each) for each in kept] == [[n, n + 1, n + 2] for n in range(2, 6)]
    assert all(each.flags.aligned for each in kept)
    with pytest.raises(ValueError, match="read-only"):
        kept[0][0] = 7.0


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_of_numbers_comes_as_vectors(kind: pa.DataType) -> None:
    batch = pa.record_batch({"x": pa.array([1, 2, 3], kind), "y": pa.array([4, 5, 6], kind)})
    found = list(shown(incoming(sent(*[batch] * 3))))
    assert found == [(False, batch), (False, batch), (True, batch)]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([True, False]),
        pa.array(["a", "b"]),
        pa.array([1, 2], pa.time64("us")),
        pa.array([1, 2], pa.timestamp("us")),
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([[1], [2]], pa.list_(pa.int64())),
        pa.array([None, None], pa.float64()),
    ],
    ids=lambda values: str(values.type),
)
def test_all_other_values_are_read_by_arrow(values: Any) -> None:
    batch = pa.record_batch({"x": pa.array([1.0, 2.0]), "y": values})
    assert list(shown(incoming(sent(*[batch] * 4)))) == [(False, batch)] * 4


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_compressed_rows_are_read_by_arrow(compression: Compression) -> None:
    batch = rows(500)
    found = list(shown(incoming(sent(*[batch] * 4, compression=compression))))
    assert found == [(False, batch)] * 4


def test_metadata_beside_the_rows_is_not_lost() -> None:
    encoder = FrameEncoder(NUMBERS, most_bytes=1 << 26, cut=False)
    messages = [message for _ in range(4) for message in encoder.batch(rows(3), b"m")]
    assert [each[1] for each in incoming([encoder.schema(), *messages]).vectors()] == [b"m"] * 4


# -- what is malformed -----------------------------------------------------------------------------


def damaged(message: bytes) -> list[bytes]:
    """As good ones, but for one thing."""
    frame = decode_frame(message)
    body = bytes(frame.body)
    return [
        message[:-1],
        message[: len(message) // 2],
        message + b"\x00",
        put_bytes(2, frame.header) + put_bytes(1000, body[:-8]),
        put_bytes(2, frame.header) + put_bytes(1000, body + bytes(8)),
        put_bytes(2, frame.header),
        put_bytes(2, frame.header[:-8]) + put_bytes(1000, body + bytes(8)),
    ]


@pytest.mark.parametrize("which", range(7))
def test_a_message_that_is_not_as_long_as_its_head_says_is_refused(which: int) -> None:
    messages = sent(*[rows(64)] * 6)
    stream = incoming([*messages, damaged(messages[-1])[which], messages[-1]])
    found = shown(stream)
    assert [is_vectors for is_vectors, _ in [next(found) for _ in range(6)]][2:] == [True] * 4
    with pytest.raises(InvalidRequestError):
        next(found)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_byte_changed_before_the_body_is_seen_as_arrow_sees_it(place: int, value: int) -> None:
    messages = sent(*[rows(16)] * 4)
    opening = len(messages[-1]) - len(decode_frame(messages[-1]).body)
    changed = bytearray(messages[-1])
    changed[place % opening] = value
    stream = [*messages, bytes(changed), bytes(changed), bytes(changed)]

    def end(found: Iterator[pa.RecordBatch | None]) -> list[object]:
        seen: list[object] = []
        try:
            seen.extend(found)
        except (InvalidRequestError, LimitError) as error:
            seen.append(str(error))
        return seen

    plain = end(chunk.batch for chunk in incoming(stream) if chunk.batch is not None)
    assert end(batch for _, batch in shown(incoming(stream))) == plain


def test_limits_are_those_of_the_iteration() -> None:
    with pytest.raises(LimitError):
        list(incoming(sent(*[rows(64)] * 3), decompressed_bytes=64).vectors())


def test_a_schema_says_which_end_of_a_number_comes_first() -> None:
    written = Head.read(decode_frame(sent(rows(1))[0]).header)
    assert written.is_little_endian
    # Message{version, header_type: Schema, header: Schema{endianness: Big}}, each after its list of places
    message = struct.pack("<HHHHHH", 10, 12, 0, 4, 8, 0) + struct.pack("<iB3xI", 12, 1, 10)
    schema = struct.pack("<HHH", 6, 8, 4) + struct.pack("<ih2x", 6, 1)
    assert not Head.read(struct.pack("<I", 16) + message + schema).is_little_endian


# -- what goes out ---------------------------------------------------------------------------------


def encoded(batches: Iterable[pa.RecordBatch], schema: pa.Schema, **options: Any) -> list[bytes]:
    encoder = VectorEncoder(FrameEncoder(schema, most_bytes=1 << 26, cut=False, **options), schema)
    given_ = [Vectors(tuple(each.to_numpy() for each in b.columns), b.num_rows) for b in batches]
    return [message for vectors in given_ for message in encoder.encode(vectors)]


@given(st.lists(st.sampled_from([0, 1, 3, 4, 8])), st.sampled_from(TYPES))
def test_vectors_are_the_bytes_that_arrow_writes(counts: list[int], kind: pa.DataType) -> None:
    batches = [
        pa.record_batch({"a": pa.array(range(count), kind), "b": pa.array(range(count), kind)})
        for count in [*counts, *counts[-1:] * 3, 2]
    ]
    assert encoded(batches, batches[0].schema) == sent(*batches)[1:]


def test_compressed_answers_are_written_by_arrow() -> None:
    batches = [rows(600, first) for first in range(4)]
    assert encoded(batches, NUMBERS, compression="zstd") == sent(*batches, compression="zstd")[1:]


def test_vectors_of_another_type_are_a_bug_of_ours() -> None:
    schema = pa.schema([("x", pa.float64())])
    encoder = VectorEncoder(FrameEncoder(schema, most_bytes=1 << 26, cut=False), schema)
    for _ in range(3):
        encoder.encode(Vectors((np.zeros(4),), 4))
    with pytest.raises(InternalError):
        encoder.encode(Vectors((np.zeros(4, np.float32),), 4))
