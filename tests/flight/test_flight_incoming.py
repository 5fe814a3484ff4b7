from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.core.errors import InvalidRequestError, LakeportError, LimitError
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import FrameEncoder, decode_frame, metadata_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.limits import Limits
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_bytes, put_message
from lakeport.flight.service import Chunk, Compression

BATCH = pa.record_batch(
    {
        "id": [1, 2, 3],
        "name": ["a", None, "c"],
        "tags": [["x"], [], None],
        "colour": pa.array(["red", "blue", "red"]).dictionary_encode(),
    }
)
PATH = FlightDescriptor(path=("shop", "orders"))
OPENING = put_message(1, PATH.encode())


def frames(batch: pa.RecordBatch = BATCH, compression: Compression | None = None) -> list[bytes]:
    encoder = FrameEncoder(batch.schema, most_bytes=1 << 26, cut=False, compression=compression)
    return [encoder.schema(), *encoder.batch(batch, b"m")]


def incoming(messages: Iterable[bytes], **limits: Any) -> IncomingStream:
    return IncomingStream(Call(Method.DO_EXCHANGE), iter(messages), Limits(**limits))


def test_the_descriptor_comes_alone_or_with_the_schema() -> None:
    schema, *rest = frames()
    for messages in ([OPENING, schema, *rest], [OPENING + schema, *rest]):
        stream = incoming(messages)
        assert stream.descriptor == PATH
        assert stream.schema == BATCH.schema
        assert list(stream) == [Chunk(BATCH, b"m")]


def test_the_descriptor_need_not_be_asked_for() -> None:
    assert list(incoming([OPENING, *frames()])) == [Chunk(BATCH, b"m")]


def test_metadata_before_the_schema_is_not_lost() -> None:
    stream = incoming([OPENING, metadata_frame(b"first"), *frames(), metadata_frame(b"last")])
    assert stream.schema == BATCH.schema
    assert [chunk.metadata for chunk in stream] == [b"first", b"m", b"last"]


def test_rows_and_bytes_are_counted() -> None:
    call = Call(Method.DO_PUT)
    messages = frames()
    list(IncomingStream(call, iter(messages), Limits()))
    assert call.traffic.rows_in == BATCH.num_rows
    assert call.traffic.bytes_in == sum(map(len, messages))


def test_a_stream_that_ends_too_early_is_an_error() -> None:
    with pytest.raises(InvalidRequestError, match="before its flight descriptor"):
        _ = incoming([]).descriptor
    with pytest.raises(InvalidRequestError, match="before its schema"):
        _ = incoming([OPENING]).schema


def test_rows_without_a_schema_are_an_error() -> None:
    with pytest.raises(InvalidRequestError):
        list(incoming(frames()[1:]))
    with pytest.raises(InvalidRequestError, match="does not begin with a schema"):
        _ = incoming(frames()[1:]).schema


def test_a_second_schema_is_an_error() -> None:
    schema, *rest = frames()
    with pytest.raises(InvalidRequestError):
        list(incoming([schema, *rest, schema]))


def test_a_missing_dictionary_is_an_error() -> None:
    schema, _, batch = frames()
    with pytest.raises(InvalidRequestError):
        list(incoming([schema, batch]))


def test_offsets_out_of_bounds_are_an_error() -> None:
    batch = pa.record_batch({"name": ["aaaa", "bbbb"]})
    schema, rows = frames(batch)
    wrong = rows.replace(struct.pack("<iii", 0, 4, 8), struct.pack("<iii", 0, 4, 1 << 30))
    assert wrong != rows
    with pytest.raises(InvalidRequestError):
        list(incoming([schema, wrong]))


def test_text_that_is_not_utf8_is_an_error() -> None:
    schema, rows = frames(pa.record_batch({"name": ["aaaa"]}))
    with pytest.raises(InvalidRequestError):
        list(incoming([schema, rows.replace(b"aaaa", b"\xff\xfe\xff\xfe")]))


def test_a_column_name_that_is_not_utf8_is_an_error() -> None:
    schema, *_ = frames(pa.record_batch({"named": [1]}))
    with pytest.raises(InvalidRequestError):
        _ = incoming([schema.replace(b"named", b"n\xff\xfe\xffd")]).schema


def test_a_small_message_that_unpacks_to_much_is_refused_before_it_does() -> None:
    batch = pa.record_batch({"zeros": pa.array([0] * 1_000_000)})
    messages = frames(batch, "zstd")
    assert sum(map(len, messages)) < 100_000
    before = pa.total_allocated_bytes()
    with pytest.raises(LimitError, match="unpacks to 8,000,000 bytes"):
        list(incoming(messages, decompressed_bytes=1_000_000))
    assert pa.total_allocated_bytes() <= before  # what earlier tests have left may go meanwhile


def test_rows_that_take_no_bytes_are_limited() -> None:
    messages = frames(pa.record_batch({"nothing": pa.nulls(50_000_000)}))
    with pytest.raises(LimitError, match="50,000,000 values"):
        list(incoming(messages))
    nested = pa.ListArray.from_arrays(pa.array([0, 50_000_000], pa.int32()), pa.nulls(50_000_000))
    with pytest.raises(LimitError, match="50,000,000 values"):
        list(incoming(frames(pa.record_batch({"nothing": nested}))))


def test_dictionaries_are_not_kept_without_limit() -> None:
    words = pa.array([f"word {number}" for number in range(1_000)]).dictionary_encode()
    with pytest.raises(LimitError, match="dictionaries of the stream"):
        list(incoming(frames(pa.record_batch({"w": words})), stream_bytes=5_000))


def test_a_call_that_ended_reads_no_further() -> None:
    call = Call(Method.DO_EXCHANGE)
    stream = IncomingStream(call, iter(frames()), Limits())
    assert stream.schema == BATCH.schema
    call.end(None)
    with pytest.raises(LakeportError, match="went away"):
        list(stream)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from([None, "zstd", "lz4"]))
def test_mutated_streams_are_refused_and_crash_nothing(
    data: st.DataObject, compression: Compression | None
) -> None:
    messages = [bytearray(message) for message in frames(BATCH, compression)]
    for _ in range(data.draw(st.integers(1, 4))):
        message = data.draw(st.sampled_from(messages))
        place = data.draw(st.integers(0, len(message) - 1))
        message[place] = data.draw(st.integers(0, 255))
    try:
        for batch, _ in incoming(map(bytes, messages), batch_rows=1_000):
            if batch is not None:
                batch.to_pylist()  # a batch that slipped through would crash here
    except (InvalidRequestError, LimitError):
        return


@given(st.binary(max_size=200))
def test_a_body_of_anything_is_refused(noise: bytes) -> None:
    schema, *_ = frames()
    for message in (put_bytes(2, noise), put_bytes(2, decode_frame(schema).header) + noise):
        try:
            list(incoming([message]))
        except (InvalidRequestError, LimitError):
            continue
