"""Messages that are as the last one was, but for the numbers in them: taken in and given without Arrow.

DuckDB sends full vectors of 2,048 rows one after the other. As long as no NULL comes, such messages differ in
their bodies alone: what stands before says the same about the same places. Those places are believed because
pyarrow read a message with these very bytes before, and found there what we find. A message that differs in a
byte before its body, or in its length, is read by pyarrow and validated as any other; what it says about
limits was weighed then.

Measured with four columns of 2,048 doubles and one given back, from message to message in a process that does
nothing else: beside the function itself 79 µs through Arrow, 11 so. Between the threads of a server, whose caches
have seen other things meanwhile, both are two to three times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.vectors import Vector, Vectors, number_types
from lakeport.core.errors import InternalError
from lakeport.flight.framing import Frame, FrameEncoder
from lakeport.flight.ipc import Head

_ALIGNED = 8  # bytes, to which Arrow fills up each column of a body


@dataclass(frozen=True, slots=True)
class Places:
    """Where the columns lie in messages of one stream that begin with `opening` and are of this `length`."""

    opening: bytes
    length: int
    cut: int  # what is left out before the columns
    rows: int
    kinds: tuple[np.dtype[Any], ...]
    places: tuple[int, ...]  # in what is left

    @classmethod
    def of(cls, message: bytes, frame: Frame, batch: pa.RecordBatch) -> Places | None:
        """None where the batch, which was made of the message, is no plain numbers."""
        kinds, rows = number_types(batch.schema), batch.num_rows
        arrays = Head.read(frame.header).arrays()
        if kinds is None or arrays is None or frame.metadata is not None or not rows:
            return None
        nodes, buffers = arrays
        if nodes != [(rows, 0)] * len(kinds) or len(buffers) != 2 * len(kinds):
            return None
        places = [place for place, _ in buffers[1::2]]
        sizes = [rows * kind.itemsize for kind in kinds]
        if not all(map(_is_in, repeat(frame.body), places, sizes)):
            return None
        # The fields before a body end anywhere, and numpy takes three times as long for numbers that are
        # not aligned: longer than for a copy that begins with the body.
        start = len(message) - len(frame.body)
        cut = start if start % _ALIGNED else 0
        moved = tuple(start - cut + place for place in places)
        found = cls(message[:start], len(message), cut, rows, kinds, moved)
        return found if found._hold(message, batch) else None

    def read(self, message: bytes) -> Vectors | None:
        """Nobody can write into them. None of any other message."""
        if len(message) != self.length or not message.startswith(self.opening):
            return None
        given, rows = message[self.cut :], self.rows  # no copy where nothing is cut
        columns = map(np.frombuffer, repeat(given), self.kinds, repeat(rows), self.places)
        return Vectors(tuple(columns), rows)

    def _hold(self, message: bytes, batch: pa.RecordBatch) -> bool:
        """Whether there is at these places what pyarrow made the batch of."""
        found = self.read(message)
        return found is not None and all(
            vector.tobytes() == column.to_numpy().tobytes()
            for vector, column in zip(found.columns, batch.columns, strict=True)
        )


def _is_in(body: memoryview, place: int, size: int) -> bool:
    return place % _ALIGNED == 0 and 0 <= place <= len(body) - size


class VectorEncoder:
    """The messages of one stream. Of a message that the encoder made what stands before its body is kept,
    for those of as many rows that follow.
    """

    def __init__(self, encoder: FrameEncoder, schema: pa.Schema) -> None:
        self._encoder = encoder
        self._schema = schema
        self._rows = -1  # of those that follow
        self._opening = b""
        self._filling: tuple[bytes, ...] = ()
        self._length = 0

    def encode(self, vectors: Vectors) -> Sequence[bytes]:
        if vectors.rows == self._rows:
            message = self._joined(vectors.columns)
            if len(message) != self._length:
                raise InternalError("vectors are of another type than their schema says")
            return (message,)
        messages = list(self._encoder.batch(vectors.batch(self._schema)))
        self._learn(vectors, messages[-1])
        return messages

    def _learn(self, vectors: Vectors, message: bytes) -> None:
        """Unless we would make another message: of compressed rows, for one."""
        self._filling = tuple(bytes(-column.nbytes % _ALIGNED) for column in vectors.columns)
        size = sum(column.nbytes for column in vectors.columns) + sum(map(len, self._filling))
        self._opening = message[: max(0, len(message) - size)]
        self._length = len(message)
        self._rows = vectors.rows if self._joined(vectors.columns) == message else -1

    def _joined(self, columns: Sequence[Vector]) -> bytes:
        pieces: list[Any] = [self._opening]  # all of them buffers, which numpy's types do not say
        for column, filling in zip(columns, self._filling, strict=True):
            pieces += (column, filling)
        return b"".join(pieces)
