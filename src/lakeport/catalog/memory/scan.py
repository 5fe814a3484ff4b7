"""Reading: segments grouped into splits, pruned by bounds, opened one by one from plain values.

A split names its snapshot and the ordinals of its segments, nothing else; opening it binds the
request anew, on whatever thread that happens. A stream holds one batch at a time, and the snapshot's
segments only until it is closed.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import Positions, chosen, take_rows, with_columns
from lakeport.catalog.conditions import accepted
from lakeport.catalog.definition import require_column
from lakeport.catalog.memory.segments import Segment, starts
from lakeport.catalog.memory.store import Surroundings
from lakeport.catalog.memory.timeline import Snapshot, Timeline
from lakeport.catalog.memory.travel import find
from lakeport.catalog.ports import ScanPlan, ScanRequest, Split
from lakeport.catalog.predicates import Bounds, columns_of, possible
from lakeport.catalog.requests import BoundRequest, bind_request
from lakeport.catalog.rows.rowid import Numbers, encode_at
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import ExpiredError, InvalidRequestError
from lakeport.core.names import quoted


def plan_scan(timeline: Timeline, request: ScanRequest, surroundings: Surroundings) -> ScanPlan:
    moment = find(timeline, request.at, surroundings.clock())
    bound = bind_request(request, moment.shape.definition.schema)
    state, snapshot = moment.state(timeline), moment.snapshot
    if snapshot is None or request.limit == 0:
        return ScanPlan(state, bound.schema, (), rows=0, bytes=0)
    parts = _wanted(snapshot, bound)
    chosen_segments = [snapshot.segments[part] for part in parts]
    splits = tuple(
        Split(snapshot.info.snapshot_id, group)
        for group in _grouped(parts, snapshot.segments, surroundings.split_rows)
    )
    rows = sum(segment.live_count for segment in chosen_segments)
    size = sum(segment.rows.nbytes for segment in chosen_segments)
    at_most = rows if request.limit is None else min(rows, request.limit)
    return ScanPlan(state, bound.schema, splits, rows=at_most, bytes=size)


def open_split(
    timeline: Timeline, request: ScanRequest, split: Split, surroundings: Surroundings
) -> BatchStream:
    snapshot = timeline.by_id(split.snapshot_id)
    if snapshot is None:
        raise ExpiredError(
            f"the snapshot of table {quoted(str(timeline.name))} that was to be read has expired",
            hint="run the query again",
        )
    if any(not 0 <= part < len(snapshot.segments) for part in split.parts):
        raise InvalidRequestError("the split names a part that its snapshot does not have")
    bound = bind_request(request, snapshot.shape.definition.schema)
    return BatchStream(
        bound.schema, _batches(snapshot, split.parts, bound, surroundings.batch_rows)
    )


def _wanted(snapshot: Snapshot, bound: BoundRequest) -> list[int]:
    """Ordinals of the segments that may hold a matching row."""
    segments = snapshot.segments
    if bound.predicate is None or not segments:
        return list(range(len(segments)))
    schema = snapshot.shape.definition.schema
    bounds = {}
    for name in columns_of(bound.predicate):
        index = require_column(schema, name)
        bounds[name] = _stacked([segment.bounds(index) for segment in segments])
    rows = pa.array([segment.rows.num_rows for segment in segments], pa.int64())
    return [part.as_py() for part in chosen(possible(bound.predicate, bounds, rows))]


def _stacked(each: Sequence[Bounds]) -> Bounds:
    """Bounds of one segment each as the bounds of all."""
    minimum = pa.concat_arrays([bounds.minimum for bounds in each])
    maximum = pa.concat_arrays([bounds.maximum for bounds in each])
    nulls = [bounds.null_count for bounds in each if bounds.null_count is not None]
    nans = [bounds.nan_count for bounds in each if bounds.nan_count is not None]
    return Bounds(
        minimum,
        maximum,
        pa.concat_arrays(nulls) if nulls else None,
        pa.concat_arrays(nans) if nans else None,
    )


def _grouped(parts: Sequence[int], segments: Sequence[Segment], most: int) -> list[tuple[int, ...]]:
    """Neighbours together until a split has enough rows."""
    groups: list[list[int]] = []
    room = 0
    for part in parts:
        rows = segments[part].live_count
        if not groups or rows > room:
            groups.append([])
            room = most
        groups[-1].append(part)
        room -= rows
    return [tuple(group) for group in groups]


def _batches(
    snapshot: Snapshot, parts: Sequence[int], bound: BoundRequest, most: int
) -> Generator[pa.RecordBatch, None, None]:
    first = starts(snapshot.segments)
    left = bound.request.limit
    for part in parts:
        for rows, positions in snapshot.segments[part].live_chunks(bound.needed, most):
            wanted, places = _matching(bound, rows, positions, left)
            if wanted.num_rows:
                ordinals = places.to_numpy(zero_copy_only=False) + np.int64(first[part])
                yield _shown(bound, wanted, snapshot.version, ordinals)
            if left is not None:
                left -= wanted.num_rows
            if left == 0:
                return


def _matching(
    bound: BoundRequest, rows: pa.RecordBatch, positions: Positions, most: int | None
) -> tuple[pa.RecordBatch, Positions]:
    """The output columns of the first rows that both conditions accept, and their positions."""
    mask = accepted(bound.predicate, bound.request.expression, rows)
    wanted = rows.select(bound.places)
    if mask is None:
        return wanted.slice(0, most), positions.slice(0, most)
    kept = chosen(mask).slice(0, most)
    return take_rows(wanted, kept), positions.take(kept)


def _shown(
    bound: BoundRequest, rows: pa.RecordBatch, version: int, ordinals: Numbers
) -> pa.RecordBatch:
    columns = rows.columns
    if bound.request.row_ids:
        columns = [*columns, encode_at(version, ordinals)]
    return with_columns(columns, bound.schema, rows.num_rows)
