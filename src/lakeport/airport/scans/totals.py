"""How many rows and bytes a whole table has, for GetFlightInfo: the truth, or -1 for unknown.

Both come from the summary that every commit writes, so that no manifest is read for them. Deleted rows
stay in their files and in the total until somebody compacts them, so with deletes nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lakeport.airport.scans.readings import Reading
from lakeport.catalog.ports import Travelable

UNKNOWN = -1


class Totals(NamedTuple):
    rows: int = UNKNOWN
    bytes: int = UNKNOWN


def totals(reading: Reading, limit: int | None) -> Totals:
    table, snapshot_id = reading.found.table, reading.rows.snapshot_id
    if not isinstance(table, Travelable):
        return Totals()
    if snapshot_id is None:
        return Totals(0, 0)
    for snapshot in reversed(table.history()):
        if snapshot.snapshot_id == snapshot_id:
            return _limited(snapshot.summary, limit)
    return Totals()


def _limited(summary: Mapping[str, str], limit: int | None) -> Totals:
    rows = _number(summary, "total-records")
    if _number(summary, "total-delete-files") > 0:
        rows = UNKNOWN
    if limit is None:
        return Totals(rows, _number(summary, "total-files-size"))
    return Totals(min(rows, limit), UNKNOWN)


def _number(summary: Mapping[str, str], key: str) -> int:
    text = summary.get(key, "")
    return int(text) if text.isascii() and text.isdigit() else UNKNOWN
