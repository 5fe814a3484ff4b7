"""A snapshot's manifest list: where its manifests are, and what each can be known to hold unread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lakeport.catalog.iceberg.manifests.container import DamagedError, open_container
from lakeport.catalog.iceberg.manifests.layout import layout_of

# Field ids of Iceberg's specification: path, length, spec, content, sequence, files added and
# existing, partitions, the least sequence among its files.
_FIELDS = (500, 501, 502, 517, 515, 504, 505, 507, 516)
_DELETES = 1


@dataclass(frozen=True, slots=True)
class Summary:
    """What a partition field holds in all files of a manifest; bounds as serialised single values."""

    contains_null: bool
    contains_nan: bool | None
    lower: bytes | None
    upper: bytes | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One manifest. `files` counts the live ones, if the list says it; without `summaries` it may
    hold files of any partition.
    """

    path: str
    length: int
    spec_id: int
    sequence: int
    files: int | None
    summaries: tuple[Summary, ...] | None


@dataclass(frozen=True, slots=True)
class Listing:
    """Both kinds of manifests, oldest first, so that rows are read in the order they came in."""

    data: tuple[Listed, ...]
    deletes: tuple[Listed, ...]

    @property
    def nbytes(self) -> int:
        return sum(
            400 + len(each.path) + 150 * len(each.summaries or ())
            for each in (*self.data, *self.deletes)
        )


def decode_listing(data: bytes) -> Listing:
    """`ValueError` and its like if the bytes are no manifest list."""
    records = open_container(data)
    rows = layout_of(records, _FIELDS).rows(records)
    # Writers put the newest first; numbers are all 0 in format 1. A manifest that was merged or
    # rewritten is as old as its oldest file.
    rows.reverse()
    rows.sort(key=lambda row: row[8] or 0)
    found = [(_listed(row), row[3] == _DELETES) for row in rows]
    return Listing(
        tuple(listed for listed, deletes in found if not deletes and listed.files != 0),
        tuple(listed for listed, deletes in found if deletes and listed.files != 0),
    )


def _listed(row: list[Any]) -> Listed:
    path, length, spec_id, _, sequence, added, existing, summaries, _, _ = row
    if path is None or spec_id is None:
        message = "an entry names no manifest"
        raise DamagedError(message)
    return Listed(
        path,
        length or 0,
        spec_id,
        sequence or 0,
        None if added is None or existing is None else added + existing,
        None if summaries is None else tuple(map(_summary, summaries)),
    )


def _summary(fields: dict[int, Any]) -> Summary:
    return Summary(fields[509], fields.get(518), fields.get(510), fields.get(511))
