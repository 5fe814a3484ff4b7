"""Reading a table from Python, the same whether its lake is here or at a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from lakeport.app.lake.reader import closing_reader
from lakeport.catalog.query import Point, Query
from lakeport.catalog.streams import BatchStream


class Readable(ABC):
    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        *,
        at: Point | None = None,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """Rows as Arrow batches, read while they are taken.

        `where` is SQL in DuckDB's dialect. `at` is a version, a `datetime` (UTC without a zone), or
        what `--at` takes: "2024-01-15", "tag:v1", "snapshot:123". Closing the reader, leaving its
        `with` block or dropping it frees threads and files at once.

        What fails while batches are read reaches you as Arrow's error with our words in it;
        `stream` keeps our own error classes.
        """
        return closing_reader(self._open(Query(columns, where, limit, at)))

    def stream(
        self,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        *,
        at: Point | None = None,
        limit: int | None = None,
    ) -> BatchStream:
        """The same rows as an iterator and context manager of Lakeport's own."""
        return self._open(Query(columns, where, limit, at))

    @abstractmethod
    def _open(self, query: Query) -> BatchStream: ...
