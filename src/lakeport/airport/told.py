"""FlightInfos of tables as they were told before: crowds of clients ask for the same ones again and again.

Who calls decides whether the table is opened for them, which comes first and is never remembered. What is
told then follows from the table's state, the request, and the names that the caller knows catalog and
server by. All of these are in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from lakeport.airport.requested import Requested
from lakeport.airport.scans.readings import Reading
from lakeport.airport.scans.statistics import outdates
from lakeport.catalog.cache import Cache
from lakeport.catalog.ports import TableState
from lakeport.flight.messages import FlightDescriptor, FlightInfo

_BYTES = 16 << 20
_BESIDES = 4_096  # what an entry takes beside its bytes, the definition of its table among it


class Question(NamedTuple):
    """`called` is the catalog as the caller names it, `locations` where they reach this server."""

    wanted: Requested
    descriptor: FlightDescriptor
    called: str
    locations: tuple[str, ...]


class _Told(NamedTuple):
    """With the reading's states: as long as they are held, no other definition has their identity."""

    info: FlightInfo
    rows: TableState
    layout: TableState


class Told:
    def __init__(self, capacity: int = _BYTES) -> None:
        self._cache: Cache[Hashable, _Told] = Cache(capacity, _weight)

    def get(
        self, reading: Reading, question: Question, describe: Callable[[], FlightInfo]
    ) -> FlightInfo:
        catalog = reading.found.catalog
        key = (
            catalog.name,
            outdates(catalog.version()),
            _identity(reading.rows),
            _identity(reading.layout),
            reading.at,
            question,
        )
        told = self._cache.get(key, lambda: _Told(describe(), reading.rows, reading.layout))
        return told.info


def _identity(state: TableState) -> Hashable:
    """Arrow calls schemas equal that differ in metadata, so a definition is the same only if it is one."""
    return (
        state.uuid,
        state.name,
        state.schema_id,
        state.snapshot_id,
        state.version,
        id(state.definition),
    )


def _weight(told: _Told) -> int:
    info = told.info
    asked = 0 if info.descriptor is None else len(info.descriptor.command or b"")
    return (
        _BESIDES
        + len(info.schema)
        + len(info.app_metadata)
        + 3 * asked  # the command, what was read from it, and the ticket
    )
