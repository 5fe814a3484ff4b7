"""How many rows and bytes a whole table has, for GetFlightInfo: the truth, or -1 for unknown.

Both come from the summary that every commit writes, so that no manifest is read for them. Deleted rows
stay in their files and in the total until somebody compacts them, so with deletes nothing is known.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

from lakeport.airport.scans.readings import Reading
from lakeport.catalog.ports import Travelable

UNKNOWN = -1
_MOST = 4_096


class Totals(NamedTuple):
    rows: int = UNKNOWN
    bytes: int = UNKNOWN


class KnownTotals:
    """A snapshot's summary never changes, so each is looked for once: a history may be long."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._known: OrderedDict[tuple[str, int], Mapping[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, reading: Reading, limit: int | None) -> Totals:
        table, snapshot_id = reading.found.table, reading.rows.snapshot_id
        if not isinstance(table, Travelable):
            return Totals()
        if snapshot_id is None:
            return Totals(0, 0)
        key = (reading.rows.uuid, snapshot_id)
        with self._lock:
            summary = self._known.get(key)
        if summary is None:
            summary = _summary(table, snapshot_id)
            with self._lock:
                self._known[key] = summary
                if len(self._known) > self._most:
                    self._known.popitem(last=False)
        return _limited(summary, limit)


def _summary(table: Travelable, snapshot_id: int) -> Mapping[str, str]:
    found = (each for each in reversed(table.history()) if each.snapshot_id == snapshot_id)
    return next((each.summary for each in found), {})


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
