"""From row ids to the rows they mean, and never to any other.

A row id names a snapshot and an ordinal in it; the snapshot says which segment and position that is,
and these two name the same row for as long as it lives. An id is refused in three ways: never given
out, from a snapshot that has expired, or of a row that another statement has changed since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import Positions, take_rows
from lakeport.catalog.memory.segments import Segment, starts
from lakeport.catalog.memory.timeline import Snapshot, Timeline
from lakeport.catalog.rows.rowid import Numbers, decode, newest_of
from lakeport.core.errors import ConflictError, ExpiredError, InvalidRequestError
from lakeport.core.names import quoted


@dataclass(frozen=True, slots=True)
class Addresses:
    """One segment key and one position per row, in the order the rows were named."""

    keys: Numbers
    positions: Numbers

    def __len__(self) -> int:
        return len(self.keys)

    def by_segment(self) -> Iterator[tuple[int, Numbers]]:
        """Each key with the indices of its rows here."""
        order = np.argsort(self.keys, kind="stable")
        keys, first = np.unique(self.keys[order], return_index=True)
        # Splitting nothing gives one empty piece, hence not strict.
        yield from zip(keys.tolist(), np.split(order, first[1:]), strict=False)

    def last_of_each(self) -> Numbers:
        """Ascending indices that name each row once: where it was named last."""
        order = np.lexsort((self.positions, self.keys))  # stable: later mentions come later
        keys, positions = self.keys[order], self.positions[order]
        is_last = np.ones(len(self), dtype=np.bool_)
        is_last[:-1] = (keys[1:] != keys[:-1]) | (positions[1:] != positions[:-1])
        return np.sort(order[is_last])

    def at(self, indices: Numbers) -> Addresses:
        return Addresses(self.keys[indices], self.positions[indices])


def join(parts: list[Addresses]) -> Addresses:
    nothing = np.empty(0, dtype=np.int64)
    return Addresses(
        np.concatenate([nothing, *(part.keys for part in parts)]),
        np.concatenate([nothing, *(part.positions for part in parts)]),
    )


def resolve(timeline: Timeline, ids: pa.Int64Array) -> Addresses:
    """The rows that these ids were given out for."""
    decoded = decode(ids)
    keys = np.empty(len(ids), dtype=np.int64)
    positions = np.empty(len(ids), dtype=np.int64)
    for generation in np.unique(decoded.generations).tolist():
        these = np.flatnonzero(decoded.generations == generation)
        found = _in_snapshot(_snapshot(timeline, generation), decoded.ordinals[these], timeline)
        keys[these], positions[these] = found.keys, found.positions
    return Addresses(keys, positions)


def rows_at(timeline: Timeline, addresses: Addresses) -> pa.RecordBatch:
    """The rows as the head holds them; `ConflictError` when one of them is no longer there."""
    segments = require_live(timeline, addresses)
    pieces, order = [], [np.empty(0, dtype=np.int64)]
    for key, indices in addresses.by_segment():
        pieces.append(take_rows(segments[key].rows, _array(addresses.positions[indices])))
        order.append(indices)
    if len(pieces) == 1:
        return pieces[0]
    gathered = glue_rows(pieces, timeline.shape.definition.schema)
    return take_rows(gathered, _array(np.argsort(np.concatenate(order), kind="stable")))


def require_live(timeline: Timeline, addresses: Addresses) -> dict[int, Segment]:
    segments = {segment.key: segment for segment in timeline.segments}
    for key, indices in addresses.by_segment():
        segment = segments.get(key)
        if segment is None or not segment.are_live(_array(addresses.positions[indices])):
            raise ConflictError(
                f"another statement changed rows of {quoted(str(timeline.name))} "
                "after they were read",
                hint="run the statement again",
            )
    return segments


def remove(timeline: Timeline, addresses: Addresses) -> tuple[Segment, ...]:
    """The head's segments without these rows; `ConflictError` when one of them is already gone."""
    left: dict[int, Segment | None] = dict(require_live(timeline, addresses))
    for key, indices in addresses.by_segment():
        segment = left[key]
        if segment is not None:
            left[key] = segment.without(_array(addresses.positions[indices]))
    return tuple(segment for segment in left.values() if segment is not None)


def _array(values: Numbers) -> Positions:
    return pa.array(values, pa.int64())


def _snapshot(timeline: Timeline, generation: int) -> Snapshot:
    """The newest version that this generation can mean."""
    version = newest_of(generation, timeline.version)
    if not version:
        raise _never_given(timeline)
    snapshot = timeline.snapshots.get(version)
    if snapshot is None:
        raise ExpiredError(
            f"the row ids come from version {version} of {quoted(str(timeline.name))}, "
            "which has expired",
            hint="read the rows again and run the statement again",
        )
    return snapshot


def _in_snapshot(snapshot: Snapshot, ordinals: Numbers, timeline: Timeline) -> Addresses:
    first = np.asarray(starts(snapshot.segments), dtype=np.int64)
    total = sum(segment.rows.num_rows for segment in snapshot.segments)
    if len(ordinals) and (not total or int(ordinals.max()) >= total):
        raise _never_given(timeline)
    index = np.searchsorted(first, ordinals, side="right") - 1
    keys = np.asarray([segment.key for segment in snapshot.segments], dtype=np.int64)
    found = Addresses(keys[index], ordinals - first[index])
    by_key = {segment.key: segment for segment in snapshot.segments}
    for key, indices in found.by_segment():
        # A position that was dead already when this snapshot was made had no id in it.
        if not by_key[key].are_live(_array(found.positions[indices])):
            raise _never_given(timeline)
    return found


def _never_given(timeline: Timeline) -> InvalidRequestError:
    return InvalidRequestError(
        f"a row id was never given out for {quoted(str(timeline.name))}",
        hint="row ids come from a scan of the same table",
    )
