from __future__ import annotations

import threading
from collections.abc import Generator

import pyarrow as pa
import pytest

from lakeport.catalog.streams import BatchStream

SCHEMA = pa.schema({"n": pa.int64()})


def batch(number: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([number])], schema=SCHEMA)


class Source:
    """Three batches, and a record of what happened to whoever reads them."""

    def __init__(self, *, fail_after: int = 99) -> None:
        self.fail_after = fail_after
        self.closed = 0
        self.ended = False

    def batches(self) -> Generator[pa.RecordBatch, None, None]:
        try:
            for number in range(3):
                if number == self.fail_after:
                    raise OSError("the disk is gone")
                yield batch(number)
        finally:
            self.ended = True

    def on_close(self) -> None:
        self.closed += 1

    def stream(self) -> BatchStream:
        return BatchStream(SCHEMA, self.batches(), self.on_close)


def test_a_stream_read_to_its_end_frees_its_source_once() -> None:
    source = Source()
    with source.stream() as stream:
        assert stream.read_all()["n"].to_pylist() == [0, 1, 2]
        assert (source.closed, source.ended) == (1, True)
        assert list(stream) == []
    assert source.closed == 1


def test_leaving_half_way_ends_the_source_at_once() -> None:
    source = Source()
    with source.stream() as stream:
        next(stream)
        assert not source.ended
    assert (source.closed, source.ended) == (1, True)
    assert list(stream) == []


def test_an_error_of_the_source_frees_it_and_is_not_hidden() -> None:
    source = Source(fail_after=1)
    stream = source.stream()
    next(stream)
    with pytest.raises(OSError, match="the disk is gone"):
        next(stream)
    assert (source.closed, source.ended) == (1, True)


def test_another_thread_may_close_while_one_reads() -> None:
    blocked, woken, ended = threading.Event(), threading.Event(), threading.Event()

    def batches() -> Generator[pa.RecordBatch, None, None]:
        try:
            yield batch(0)
            blocked.set()
            woken.wait(60)
            yield batch(1)
        finally:
            ended.set()

    stream = BatchStream(SCHEMA, batches(), woken.set)
    seen: list[int] = []
    reader = threading.Thread(target=lambda: seen.extend(b["n"][0].as_py() for b in stream))
    reader.start()
    assert blocked.wait(60)
    stream.close()
    reader.join(60)
    assert not reader.is_alive()
    assert ended.is_set()
    assert seen in ([0], [0, 1])


def test_arrow_readers_see_the_explicit_schema_of_an_empty_stream() -> None:
    with BatchStream(SCHEMA, iter(())) as stream:
        assert stream.to_reader().read_all().schema == SCHEMA
