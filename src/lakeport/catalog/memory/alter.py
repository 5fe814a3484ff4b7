"""Schema changes: one snapshot that carries the new shape, with every data check made against it.

Where no value of an existing row changes, segments keep their keys, so a statement that read rows
before can still be applied to them. A change that computes new values makes new segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeport.catalog.changes import Change
from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.evolution.plan import Evolution, origin
from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.catalog.memory.segments import Segment
from lakeport.catalog.memory.timeline import Shape, Stamp, Timeline
from lakeport.catalog.rows.constraints import check_evolution


def altered_timeline(timeline: Timeline, changes: Sequence[Change], stamp: Stamp) -> Timeline:
    evolution = evolve(timeline.shape.definition, changes)
    if evolution.is_noop:
        return timeline
    shape = _next_shape(timeline, evolution)
    # Never what a run adds to the summaries of its rows: this snapshot holds none of them.
    summary = {"lakeport.changes": ", ".join(type(change).__name__ for change in changes)}
    stamp = replace(stamp, context=replace(stamp.context, summary=summary))
    if evolution.rewrites_rows:
        rows = [rewrite(segment.live_rows(), evolution) for segment in timeline.segments]
        check_evolution(evolution, rows)
        return timeline.grow("overwrite", stamp, kept=(), added=rows, shape=shape)
    kept = [_reshaped(segment, evolution) for segment in timeline.segments]
    check_evolution(evolution, (segment.live_rows() for segment in kept))
    return timeline.grow("replace", stamp, kept=kept, shape=shape)


def replaced_timeline(timeline: Timeline, definition: Definition, stamp: Stamp) -> Timeline:
    """CREATE OR REPLACE: another table under the old identity, the old rows left in history."""
    first = timeline.next_column_id
    column_ids = tuple(range(first, first + len(definition.schema)))
    shape = Shape(definition, timeline.shape.schema_id + 1, column_ids)
    stamp = replace(stamp, context=replace(stamp.context, summary={"lakeport.changes": "Replace"}))
    return timeline.grow("overwrite", stamp, kept=(), shape=shape)


def _next_shape(timeline: Timeline, evolution: Evolution) -> Shape:
    fresh = timeline.next_column_id
    column_ids = []
    for source in evolution.columns:
        index = origin(source)
        if index is not None:
            column_ids.append(timeline.shape.column_ids[index])
        else:
            column_ids.append(fresh)
            fresh += 1
    return Shape(evolution.definition, timeline.shape.schema_id + 1, tuple(column_ids))


def _reshaped(segment: Segment, evolution: Evolution) -> Segment:
    return Segment(segment.key, rewrite(segment.rows, evolution), segment.live)
