from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.arrow import Array
from lakeport.core.errors import LimitError
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import CUT_ABOVE, FrameEncoder, Frames, decode_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.ipc import Head, Kind
from lakeport.flight.limits import Limits
from lakeport.flight.protobuf import put_message
from lakeport.flight.service import Compression
from tests.strategies import random_batch, random_schema, seeded

MOST = 1 << 26
FIELDS = {"header": 2, "metadata": 3, "body": 1000, "unknown": 9}
COLOURS = pa.schema([pa.field("c", pa.dictionary(pa.int32(), pa.string()))])


def sent(
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    *,
    compression: Compression | None = None,
    cut: bool = True,
) -> Iterator[bytes]:
    encoder = FrameEncoder(schema, most_bytes=MOST, cut=cut, compression=compression)
    yield encoder.schema()
    for batch in batches:
        yield from encoder.batch(batch)


def received(frames: Iterable[bytes]) -> list[pa.RecordBatch]:
    incoming = IncomingStream(Call(Method.DO_EXCHANGE), iter(frames), Limits())
    return [chunk.batch for chunk in incoming if chunk.batch is not None]


def kinds(frames: Iterable[bytes]) -> list[int]:
    return [Head.read(decode_frame(frame).header).kind for frame in frames]


def colours(*names: str) -> pa.RecordBatch:
    codes: Any = pa.array(names).dictionary_encode()
    return pa.record_batch([codes], schema=COLOURS)


def same(one: Array, other: Array) -> bool:
    """NaN equals nothing, but it shows as itself. Runs that a slice cut through are numbered anew."""
    if pa.types.is_run_end_encoded(one.type):
        one, other = (pc.call_function("run_end_decode", [runs]) for runs in (one, other))
    return one.equals(other) or one.to_string(window=99) == other.to_string(window=99)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(0, 30),
    compression=st.sampled_from([None, "zstd", "lz4"]),
)
def test_batches_of_all_types_arrive_as_they_were_sent(
    seed: int, rows: int, compression: Compression | None
) -> None:
    rng = seeded(seed)
    schema = random_schema(rng)
    batches = [random_batch(rng, schema, rows) for _ in range(2)]
    arrived = received(sent(schema, batches, compression=compression))
    assert [batch.schema for batch in arrived] == [schema, schema]
    for before, after in zip(batches, arrived, strict=True):
        assert after.schema.equals(before.schema, check_metadata=True)
        assert all(map(same, after.columns, before.columns))


def test_a_dictionary_is_sent_again_only_when_it_changed() -> None:
    batches = [colours("red", "blue"), colours("red", "blue"), colours("green")]
    frames = list(sent(COLOURS, batches))
    assert kinds(frames) == [
        Kind.SCHEMA,
        Kind.DICTIONARY,
        Kind.BATCH,
        Kind.BATCH,
        Kind.DICTIONARY,
        Kind.BATCH,
    ]
    assert [batch.to_pydict() for batch in received(frames)] == [b.to_pydict() for b in batches]


def test_extension_types_keep_their_name() -> None:
    schema = pa.schema([pa.field("u", pa.uuid()), pa.field("j", pa.json_())])
    batch = pa.record_batch(
        [pa.array([b"0123456789abcdef"], pa.uuid()), pa.array(["{}"], pa.json_())], schema=schema
    )
    (arrived,) = received(sent(schema, [batch]))
    assert arrived.schema == schema


def test_runs_are_cut_where_a_slice_cuts_them() -> None:
    ends, values = pa.array([3, 5, 9], pa.int32()), pa.array(["a", "b", "c"])
    runs: Any = pa.RunEndEncodedArray.from_arrays(ends, values)
    batch = pa.record_batch({"r": runs}).slice(2, 4)
    (arrived,) = received(sent(batch.schema, [batch]))
    assert arrived.column(0).to_pylist() == ["a", "b", "b", "c"]


def test_metadata_travels_with_its_rows() -> None:
    batch = pa.record_batch({"id": [1]})
    encoder = FrameEncoder(batch.schema, most_bytes=MOST, cut=True)
    (frame,) = encoder.batch(batch, b"half done")
    assert decode_frame(frame).metadata == b"half done"


def test_a_large_batch_is_cut_into_messages_every_client_takes() -> None:
    batch = pa.record_batch({"id": range(2_000_000)})
    encoder = FrameEncoder(batch.schema, most_bytes=MOST, cut=True)
    frames = list(encoder.batch(batch, b"done"))
    assert len(frames) > 4
    assert all(len(frame) <= CUT_ABOVE + 1_000 for frame in frames)
    assert [decode_frame(frame).metadata for frame in frames] == [None] * (len(frames) - 1) + [
        b"done"
    ]
    arrived = received([encoder.schema(), *frames])
    assert pa.Table.from_batches(arrived).equals(pa.Table.from_batches([batch]))


def test_a_batch_that_answers_another_is_never_cut() -> None:
    batch = pa.record_batch({"id": range(2_000_000)})
    frames = list(sent(batch.schema, [batch], cut=False))
    assert kinds(frames) == [Kind.SCHEMA, Kind.BATCH]


def test_one_row_larger_than_a_message_is_refused() -> None:
    batch = pa.record_batch({"text": ["x" * 5_000, "y" * 5_000]})
    encoder = FrameEncoder(batch.schema, most_bytes=4_000, cut=True)
    with pytest.raises(LimitError, match="larger than the 4,000 allowed"):
        list(encoder.batch(batch))


def test_rows_of_another_schema_are_not_sent() -> None:
    encoder = FrameEncoder(pa.schema([("id", pa.int64())]), most_bytes=MOST, cut=True)
    with pytest.raises(pa.ArrowInvalid):
        list(encoder.batch(pa.record_batch({"id": pa.array([1], pa.int32())})))


def test_a_batch_is_copied_into_its_message_once() -> None:
    column = pa.array(range(100_000))
    batch = pa.record_batch({"id": column})
    encoder = FrameEncoder(batch.schema, most_bytes=MOST, cut=True)
    before = pa.total_allocated_bytes()
    (frame,) = encoder.batch(batch)
    assert pa.total_allocated_bytes() <= before  # what earlier tests have left may go meanwhile
    assert len(frame) < column.nbytes + 1_000


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(list(FIELDS)), st.sampled_from([b"", b"a", b"b"]))),
        max_size=8,
    )
)
def test_a_message_is_taken_apart_the_same_whatever_came_before(
    stream: list[list[tuple[str, bytes]]],
) -> None:
    decoder = Frames()
    for parts in stream:
        message = b"".join(put_message(FIELDS[name], value) for name, value in parts)
        for _ in range(2):
            assert decoder.decode(message) == decode_frame(message)
