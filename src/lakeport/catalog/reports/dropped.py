"""Tables that were dropped and can be brought back, newest first, as every face shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeport.catalog.dropped import DroppedTable
from lakeport.core.timepoint import format_time


@dataclass(frozen=True, slots=True)
class Dropped:
    name: str
    dropped_at: str
    uuid: str


def report_dropped(tables: Iterable[DroppedTable]) -> tuple[Dropped, ...]:
    return tuple(
        Dropped(str(each.name), format_time(each.dropped_ns), each.uuid) for each in tables
    )
