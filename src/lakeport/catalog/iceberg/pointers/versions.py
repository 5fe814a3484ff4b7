"""The number that grows with every change of a definition, found by comparing what was listed.

A commit of rows moves a table's pointer and changes no definition. So of the tables whose pointer moved
the metadata is looked at; where that is not possible, or for too many at once, a change is assumed:
clients then fetch schemas they already had, which costs time and never an old answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.pointers.port import Listing

_MILLISECOND = 1_000_000  # in nanoseconds

_MOST_LOOKED_AT = 64

Load = Callable[[tuple[str, str], str], TableMetadata | None]


class Counter:
    """Milliseconds since 1970 of the last change: it also grows from one process to the next."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self.value = clock() // _MILLISECOND

    def bump(self) -> None:
        with self._lock:
            self.value = max(self.value + 1, self.clock() // _MILLISECOND)


def defines(metadata: TableMetadata) -> tuple[object, ...]:
    """What of a table's metadata is its definition."""
    return (
        metadata.table_uuid,
        metadata.current_schema_id,
        metadata.default_spec_id,
        metadata.default_sort_order_id,
        metadata.properties,
    )


def is_changed(before: Listing, after: Listing, load: Load) -> bool:
    """Whether a definition differs. `load` gives None for metadata that cannot be read any more."""
    if before.namespaces != after.namespaces or before.tables.keys() != after.tables.keys():
        return True
    if before.views != after.views:  # each of which has a file of its own for every definition
        return True
    moved = [key for key, location in after.tables.items() if before.tables[key] != location]
    if len(moved) > _MOST_LOOKED_AT:
        return True
    return any(
        _differs(load(key, before.tables[key]), load(key, after.tables[key])) for key in moved
    )


def _differs(before: TableMetadata | None, after: TableMetadata | None) -> bool:
    return before is None or after is None or defines(before) != defines(after)
