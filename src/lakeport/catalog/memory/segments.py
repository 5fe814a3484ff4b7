"""Rows at rest: immutable pieces of a table and which of their positions are still alive.

A segment is never changed. Deleting makes a new one over the same rows with fewer live positions;
its `key` stays, and is how a later commit recognises that the row it read is still the same row.
A new key means new values: nothing read before can be meant by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.selection import Positions, counting, take_rows
from lakeport.catalog.predicates import Bounds, bounds_of


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """`live` are ascending positions in `rows`; None means all of them."""

    key: int
    rows: pa.RecordBatch
    live: Positions | None = None
    # Bounds cost a pass over a column, and belong to the rows: a delete hands them on. Two threads
    # that both compute one only waste a little time.
    _bounds: dict[int, Bounds] = field(default_factory=dict, repr=False)

    @property
    def live_count(self) -> int:
        return self.rows.num_rows if self.live is None else len(self.live)

    def bounds(self, column: int) -> Bounds:
        """Of all positions, the dead ones included: never too narrow."""
        known = self._bounds.get(column)
        if known is None:
            known = self._bounds[column] = bounds_of([self.rows.column(column)])
        return known

    def live_rows(self, columns: Sequence[int] | None = None) -> pa.RecordBatch:
        rows = self.rows if columns is None else self.rows.select(list(columns))
        return rows if self.live is None else take_rows(rows, self.live)

    def live_chunks(
        self, columns: Sequence[int], most: int
    ) -> Iterator[tuple[pa.RecordBatch, Positions]]:
        """Live rows with their positions, at most so many at once."""
        rows = self.rows.select(list(columns))
        for start in range(0, self.live_count, most):
            if self.live is None:
                chunk = rows.slice(start, most)
                yield chunk, counting(start, min(most, self.live_count - start))
            else:
                positions = self.live.slice(start, most)
                yield take_rows(rows, positions), positions

    def are_live(self, positions: Positions) -> bool:
        if self.live is None:
            return True
        return bool(pc.all(pc.is_in(positions, value_set=self.live), min_count=0).as_py())

    def without(self, positions: Positions) -> Segment | None:
        """What a delete leaves; None when nothing is left of it."""
        live = counting(0, self.rows.num_rows) if self.live is None else self.live
        rest = live.filter(pc.invert(pc.is_in(live, value_set=positions)))
        return replace(self, live=rest) if len(rest) else None


def starts(segments: Sequence[Segment]) -> list[int]:
    """The ordinal of each segment's first position: dead positions count, so that ordinals stay put."""
    return [0, *accumulate(segment.rows.num_rows for segment in segments)][: len(segments)]


def pack(batches: Iterable[pa.RecordBatch], schema: pa.Schema, most: int) -> list[pa.RecordBatch]:
    """The same rows in few batches of at most `most` rows: clients send 2,048 at a time."""
    table = pa.Table.from_batches(list(batches), schema)
    return [batch for batch in table.combine_chunks().to_batches(most) if batch.num_rows]
