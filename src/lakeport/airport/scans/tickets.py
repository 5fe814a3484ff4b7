"""What a scan hands out and takes back: which rows of which snapshot, and in which columns (decision 9).

A ticket holds no path and no credential, and grants nothing: whoever brings it is authorised again.
It is opaque to clients and comes back from anywhere, so reading one is bounded (`wire/sealed.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, TypeAlias

import msgspec

from lakeport.airport.wire.sealed import damaged, opened, seal

_MAGIC = b"LKP1"
_MAX_PARTS = 4_000_000

_Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=4096)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Ranges: TypeAlias = tuple[tuple[_Count, _Count], ...]


class ScanTicket(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """`layout` is the id of the schema that is streamed, `columns` are positions in it; None is all.

    `parts` are ordinals of the snapshot's files as ranges [first, end); None leaves the planning to
    whoever opens the ticket. `is_head` when the snapshot was the newest, and not a point asked for.
    `share` is how many rows there may be, `is_exact` whether splits apply the whole filter.
    """

    catalog: _Name
    namespace: _Name
    table: _Name
    uuid: _Name
    layout: _Number
    snapshot: _Number | None
    is_head: bool
    parts: Ranges | None = None
    columns: tuple[_Count, ...] | None = None
    row_ids: bool = True
    filters: tuple[str, ...] = ()
    limit: _Count | None = None
    share: _Count | None = None
    is_exact: bool = True

    def encode(self) -> bytes:
        hint = "shorten the filter, or join it with a table that holds its values"
        return seal(_MAGIC, _ENCODER.encode(self), hint)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(ScanTicket)


def is_scan_ticket(ticket: bytes) -> bool:
    return ticket.startswith(_MAGIC)


def decode_ticket(ticket: bytes) -> ScanTicket:
    found = opened(_MAGIC, ticket, _DECODER)
    if sum(end - first for first, end in found.parts or ()) > _MAX_PARTS:
        raise damaged()
    return found


def ranges_of(parts: Iterable[int]) -> Ranges:
    """Neighbours as one range, in the order given."""
    ranges: list[tuple[int, int]] = []
    first = end = -1
    for part in parts:
        if part == end:
            end += 1
            continue
        if end >= 0:
            ranges.append((first, end))
        first, end = part, part + 1
    if end >= 0:
        ranges.append((first, end))
    return tuple(ranges)


def parts_of(ranges: Ranges) -> Iterator[int]:
    for first, end in ranges:
        yield from range(first, end)
