"""Rows that go to a server and come back as others, by DoExchange: for every batch its answer."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakeport.core.errors import CorruptDataError
from lakeport.flight.exchange import Exchange


class Rounds(Exchange):
    """Made by `FlightClient.rounds`. A batch may travel as several: rows are counted, not messages."""

    @property
    def schema(self) -> pa.Schema:
        """What the server answers with."""
        return self._incoming.schema

    def ask(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        """As many rows as were sent."""
        self.add(batch)
        found: list[pa.RecordBatch] = []
        missing = batch.num_rows
        while missing > 0:
            found.append(self._next())
            missing -= found[-1].num_rows
        if missing:
            raise CorruptDataError(f"{self._target} answered with more rows than it was sent")
        return found

    def finish(self) -> bytes:
        """Nothing is left to be said."""
        self._outbox.close()
        with self._answers.believed():
            for _ in self._chunks():
                raise CorruptDataError(f"{self._target} answered more often than it was asked")
        return b""

    def _next(self) -> pa.RecordBatch:
        with self._answers.believed():
            found = next(self._chunks(), None)
        if found is None:
            raise CorruptDataError(f"{self._target} answered with fewer rows than it was sent")
        return found

    def _chunks(self) -> Iterator[pa.RecordBatch]:
        return (chunk.batch for chunk in self._incoming if chunk.batch is not None)
