"""What the tests of the contracts are run against: the contracts' own tables, with a past to travel to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Insertable,
    NamespaceInfo,
    Table,
    Travelable,
    require,
)
from lakeport.core.timepoint import NANOSECONDS
from lakeport.system.series import Series
from tests.airport.airport_server import Audit, Client, People, serving

BORN = 1_704_067_200
"""2024-01-01, when the tables were made, in seconds."""
HOUR = 3_600
_FIELDS: list[Field] = [
    pa.field("id", pa.int64(), nullable=False),
    pa.field("status", pa.string()),
    pa.field("created_at", pa.timestamp("us", "UTC")),
]
EVENTS = pa.schema(_FIELDS)
ANNOUNCED = [*EVENTS.names, "rowid"]
SERIES = pa.schema([("generate_series", pa.int64())])


@dataclass
class ContractLake:
    """`events` has one more row after each hour: 1, 2, 3; versions 1, 2, 3."""

    catalog: MemoryCatalog
    events: Table

    @property
    def snapshots(self) -> list[str]:
        return [
            str(each.snapshot_id)
            for each in require(self.events, Travelable, "the table").history()
        ]


@contextmanager
def contract_server(
    people: People | None = None, audit: Audit | None = None
) -> Iterator[tuple[ContractLake, Client]]:
    lake = contract_lake()
    with serving([lake.catalog], people, audit) as client:
        yield lake, client


def contract_lake() -> ContractLake:
    seconds = [BORN]
    catalog = MemoryCatalog("lake", clock=lambda: seconds[0] * NANOSECONDS, batch_rows=2)
    analytics = catalog.create_namespace(NamespaceInfo("analytics", "what happens"))
    events = analytics.create_table("events", Definition(EVENTS, comment="everything"))
    analytics.create_table("events_daily", Definition(pa.schema([("day", pa.date32())])))
    analytics.create_table("users", Definition(pa.schema([("id", pa.int64())])))
    catalog.create_namespace(NamespaceInfo("staging"))
    catalog.create_namespace(NamespaceInfo("maths")).add_function(Series(("start", "stop")))
    for number, status in ((1, "active"), (2, "idle"), (3, "active")):
        seconds[0] += HOUR
        with require(events, Insertable, "the table").insert() as write:
            moment = pa.array([seconds[0] * 1_000_000], pa.timestamp("us", "UTC"))
            write.add(
                pa.record_batch([pa.array([number]), pa.array([status]), moment], schema=EVENTS)
            )
            write.commit()
    return ContractLake(catalog, events)
