"""A table that others change between the look at it and the plan of a scan: the scan begins anew.

Two questions are put to the catalog for one scan. Here somebody else's commit comes exactly between them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.airport.requested import Layout, path_of
from lakeport.airport.service import AirportService
from lakeport.catalog.changes import AddColumn, ChangeType, DropColumn, RenameColumn
from lakeport.catalog.ports import ColumnStatistics, ScanPlan, ScanRequest
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.server import FlightServer
from tests.airport.crowds.conftest import HELD, Scene
from tests.airport.scans.duck import Door, Duck, ordered
from tests.airport.wrapped import WrappedCatalog
from tests.behaviours.lake import Subject


@dataclass
class Others:
    """What they do, once each, when a scan is about to be planned."""

    deeds: list[Callable[[], object]] = field(default_factory=list)

    def act(self) -> None:
        if self.deeds:
            self.deeds.pop(0)()


@dataclass(frozen=True)
class BusyTable:
    """The table itself, but for the moment at which it is planned."""

    inner: Any
    others: Others

    def plan(self, request: ScanRequest) -> ScanPlan:
        self.others.act()
        planned: ScanPlan = self.inner.plan(request)
        return planned

    def statistics(self, column: str) -> ColumnStatistics:
        self.others.act()
        known: ColumnStatistics = self.inner.statistics(column)
        return known

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@contextmanager
def busy(scene: Scene, *deeds: Callable[[], object]) -> Iterator[fl.FlightClient]:
    others = Others(list(deeds))
    catalog = WrappedCatalog(scene.lake.catalog, lambda table: BusyTable(table, others))
    with (
        FlightServer(AirportService([catalog], Door())) as server,
        fl.connect(server.address) as flight,
    ):
        yield flight


PATH = FlightDescriptor(path=("shop", "log"))


def by_endpoints(client: Duck) -> pa.Table:
    return client.scan(PATH)


def by_json(client: Duck) -> pa.Table:
    return client.get(json.dumps({"schema_name": "shop", "table_name": "log"}).encode())


def by_flight_info(client: Duck) -> pa.Table:
    (endpoint,) = client.info(PATH).endpoints
    return client.get(endpoint.ticket.ticket)


READS = (by_endpoints, by_json, by_flight_info)
KEYS = [row["k"] for row in HELD]


def rename(log: Subject) -> None:
    log.alter(RenameColumn("text", "words"))


def drop(log: Subject) -> None:
    log.alter(DropColumn("text"))


def retype(log: Subject) -> None:
    log.alter(ChangeType("k", pa.string()))


def grow(log: Subject) -> None:
    log.alter(AddColumn(pa.field("more", pa.int8())))


@pytest.mark.parametrize("alter", [rename, drop, retype, grow])
@pytest.mark.parametrize("read", READS)
def test_a_standard_client_reads_one_of_the_two_tables(
    scene: Scene, read: Callable[[Duck], pa.Table], alter: Callable[[Subject], None]
) -> None:
    """By a ticket that one which it was given for, by a name the one that is there now."""
    before = scene.log.state.definition.schema
    with busy(scene, lambda: alter(scene.log)) as flight:
        found = read(Duck(flight)).drop_columns(["rowid"])
    expected = before if read is by_flight_info else scene.log.state.definition.schema
    assert found.schema.equals(expected)
    assert ordered(found, "k") == (KEYS if expected.field("k").type == pa.int64() else [*"012345"])


@pytest.mark.parametrize("alter", [rename, drop, retype])
def test_duckdb_is_told_to_attach_again(scene: Scene, alter: Callable[[Subject], None]) -> None:
    state = scene.log.state
    held = FlightDescriptor(path=path_of(state.name, Layout.of(state)))
    with (
        busy(scene, lambda: alter(scene.log)) as flight,
        pytest.raises(pa.ArrowInvalid, match="ATTACH it again"),
    ):
        Duck(flight).begin().scan(held)


@pytest.mark.parametrize("alter", [rename, drop, retype])
def test_nothing_is_known_of_a_column_that_goes_meanwhile(
    scene: Scene, alter: Callable[[Subject], None]
) -> None:
    with busy(scene, lambda: alter(scene.log)) as flight:
        known = Duck(flight).begin().statistics(PATH, "text", "VARCHAR")
    assert (known["min"], known["max"], known["has_null"]) == (None, None, True)


@pytest.mark.parametrize("read", READS)
def test_a_transaction_reads_no_newer_rows(scene: Scene, read: Callable[[Duck], pa.Table]) -> None:
    def insert() -> None:
        scene.log.insert([{"k": 6, "text": "late"}])

    with busy(scene, insert, insert) as flight:
        client = Duck(flight, transaction="00000000-0000-4000-8000-000000000007")
        assert ordered(read(client), "k") == KEYS
        assert ordered(read(client), "k") == KEYS


def test_a_table_that_never_holds_still_is_a_conflict(scene: Scene) -> None:
    """And not an error that would send its user looking for a column."""

    def again(number: int) -> Callable[[], object]:
        return lambda: scene.log.alter(RenameColumn(f"t{number}", f"t{number + 1}"))

    scene.log.alter(RenameColumn("text", "t0"))
    with (
        busy(scene, *map(again, range(5))) as flight,
        pytest.raises(fl.FlightInternalError, match="run the query again"),
    ):
        by_endpoints(Duck(flight))
