"""Arrow batches with an explicit schema that can be dropped half-way.

Closing a stream, leaving its `with` block or running it to the end frees what its source holds
(files, threads, memory), once; closing again is harmless. One thread reads, any thread may close.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Self

import pyarrow as pa


class BatchStream:
    def __init__(
        self,
        schema: pa.Schema,
        batches: Iterator[pa.RecordBatch],
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self.schema = schema
        self._batches = batches
        self._on_close = on_close
        self._closed = threading.Event()
        self._reading = threading.Lock()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._reading:
            if self._closed.is_set():
                raise StopIteration
            try:
                return next(self._batches)
            except BaseException:
                self._free()
                raise

    def close(self) -> None:
        # A reader that is inside next() finishes its batch first: a generator cannot be closed
        # while it runs. `on_close` is called before that, so that it can wake a blocked source.
        if self._closed.is_set():
            return
        self._closed.set()
        if self._on_close is not None:
            self._on_close()
        with self._reading:
            if isinstance(self._batches, Generator):
                self._batches.close()

    def _free(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            if self._on_close is not None:
                self._on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read_all(self) -> pa.Table:
        return pa.Table.from_batches(list(self), self.schema)

    def to_reader(self) -> pa.RecordBatchReader:
        """For pandas, polars and DuckDB. Closing the reader does not close this stream: do both."""
        return pa.RecordBatchReader.from_batches(self.schema, self)
