"""PRIMARY KEY and UNIQUE against the rows that stay, checked by every attempt to commit.

Only the key's columns of live rows are looked at. New rows are also compared with each other here,
because a statement's batches are checked one by one when they arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lakeport.catalog.definition import Definition, Key, require_column
from lakeport.catalog.memory.segments import Segment
from lakeport.catalog.rows.keys import KeyGuard


def check_keys(
    definition: Definition,
    keys: Sequence[Key],
    fresh: Sequence[pa.RecordBatch],
    staying: Sequence[Segment],
) -> None:
    for key in keys:
        guard = KeyGuard(key, definition.schema)
        for rows in fresh:
            guard.add(rows)
        guard.check_repeats()
        guard.check_against(_key_columns(key, definition, staying))


def _key_columns(
    key: Key, definition: Definition, segments: Sequence[Segment]
) -> Iterator[pa.RecordBatch]:
    indices = [require_column(definition.schema, name) for name in key.columns]
    for segment in segments:
        yield segment.live_rows(indices)
