"""Arrow batches with an explicit schema that can be dropped half-way.

Closing a stream, leaving its `with` block or running it to the end frees what its source holds
(files, threads, memory), once; closing again is harmless. One thread reads, any thread may close.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from typing import Self

import pyarrow as pa

from lakeport.core.closing import Closing


class BatchStream(Closing):
    def __init__(
        self,
        schema: pa.Schema,
        batches: Iterator[pa.RecordBatch],
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self.schema = schema
        self._batches = batches
        self._on_close = on_close
        self._closed = False
        self._state = threading.Lock()
        self._reading = threading.Lock()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._reading:
            if self._closed:
                raise StopIteration
            try:
                return next(self._batches)
            except BaseException:
                self._release()
                raise

    def close(self) -> None:
        # `on_close` comes first, so that it can wake a source that blocks; a reader inside next()
        # then finishes its batch, because a generator cannot be closed while it runs.
        if self._release():
            with self._reading:
                if isinstance(self._batches, Generator):
                    self._batches.close()

    def _release(self) -> bool:
        """Whether this call was the one that closed the stream."""
        with self._state:
            first, self._closed = not self._closed, True
        if first and self._on_close is not None:
            self._on_close()
        return first

    def read_all(self) -> pa.Table:
        return pa.Table.from_batches(list(self), self.schema)

    def to_reader(self) -> pa.RecordBatchReader:
        """For pandas, polars and DuckDB. Closing the reader does not close this stream: do both."""
        return pa.RecordBatchReader.from_batches(self.schema, self)
