"""Carrying staged values over a schema change that another statement made in the meantime.

Columns are followed by identity: a renamed one is found, one that was dropped and added again under
the same name is not the same.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.memory.timeline import Shape, Timeline
from lakeport.core.errors import ConflictError
from lakeport.core.names import quoted


def follow(values: pa.RecordBatch, since: Shape, timeline: Timeline) -> pa.RecordBatch:
    """The same values under today's names; `ConflictError` when a column is gone or retyped."""
    now = timeline.shape
    names = []
    for column in values.schema:
        index = now.index_of(since.id_of(column.name))
        if index is None or now.definition.schema.field(index).type != column.type:
            raise altered(timeline)
        names.append(now.definition.schema.field(index).name)
    return values.rename_columns(names)


def altered(timeline: Timeline) -> ConflictError:
    return ConflictError(
        f"table {quoted(str(timeline.name))} was altered while the statement ran",
        hint="run the statement again",
    )
