"""A stream as pyarrow's own reader, which DuckDB, pandas, polars and ADBC know, and that frees the
stream when it is closed.

pyarrow's reader over a Python iterator does nothing on `close`; one that it imports over the C
interface drops what it was made of. So the stream goes through that interface, and ends with the
last reference to it.
"""

from __future__ import annotations

from typing import Self

import pyarrow as pa

from lakeport.catalog.streams import BatchStream


def closing_reader(stream: BatchStream) -> pa.RecordBatchReader:
    inner = pa.RecordBatchReader.from_batches(stream.schema, _Owner(stream))
    return pa.RecordBatchReader.from_stream(inner)


class _Owner:
    """The one reference that keeps a stream open."""

    def __init__(self, stream: BatchStream) -> None:
        self._stream = stream

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> pa.RecordBatch:
        return next(self._stream)

    def __del__(self) -> None:
        self._stream.close()
