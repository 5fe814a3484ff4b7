"""Rows as an Arrow IPC stream, types and all."""

from __future__ import annotations

import io
from collections.abc import Generator

import pyarrow as pa

from lakeport.catalog.streams import BatchStream


def arrow_chunks(stream: BatchStream) -> Generator[bytes, None, None]:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, stream.schema) as writer:
        for batch in stream:
            writer.write_batch(batch)
            yield _taken(sink)
    yield _taken(sink)


def _taken(sink: io.BytesIO) -> bytes:
    written = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return written
