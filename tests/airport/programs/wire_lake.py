"""A lake behind a real server, and as many clients of it as a program has writers, and one more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lakeport.access import EVERYONE, Identity
from lakeport.airport.service import AirportService
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Table
from lakeport.flight.server import FlightServer
from tests.airport.programs.wire_table import Quiet, WireTable
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock, LiveCatalog, Upkeep
from tests.behaviours.lake import Lake, Subject
from tests.behaviours.programs import WRITERS, Log, create
from tests.behaviours.runners import check, run_interleaved, run_threads
from tests.flight.raw import RawClient


class Names:
    """Everybody is admin under the name they give: a snapshot tells which statement made it."""

    def authenticate(self, authorization: str | None) -> Identity:
        return replace(EVERYONE, name=(authorization or "").removeprefix("Bearer "))

    def bearer(self, authorization: str | None) -> str:
        return authorization or ""


@dataclass(frozen=True)
class WireLake:
    """`clients` are the writers', each with a connection of its own, and the reader's."""

    name: str
    lake: Lake
    clients: tuple[RawClient, ...]

    def create(
        self, seed: int, *, returning: bool = True, way: type[WireTable] = WireTable
    ) -> Program:
        return Program(self, create(self.lake, seed), seed, returning, way)


@dataclass(frozen=True)
class Program:
    """Run it in either way: `ImpossibleHistoryError` unless a serial history explains all of it.

    `returning` is whether half of the clients want their rows back, `way` what kind of clients they are.
    """

    wire: WireLake
    real: Subject
    seed: int
    returning: bool
    way: type[WireTable]

    def interleaved(self) -> Log:
        reader, own = self._ways()
        log = run_interleaved(reader, self.seed, self._upkeep(), own.__getitem__)
        check(self.real, log)
        return log

    def on_threads(self) -> Log:
        """What the reader sees meanwhile comes over the wire as well."""
        reader, own = self._ways()
        log = run_threads(reader, self.seed, self._upkeep(), own.__getitem__)
        check(self.real, log)
        return log

    def _ways(self) -> tuple[Subject, list[Subject]]:
        """The reader's way to the table, and each writer's."""
        quiet = Quiet()
        *own, reader = (
            Subject(
                self.way(
                    self.real,
                    raw,
                    f"c{number}",
                    quiet,
                    returning=self.returning and number % 2 == 1,
                )
            )
            for number, raw in enumerate(self.wire.clients)
        )
        return reader, own

    def _upkeep(self) -> tuple[Upkeep, ...]:
        """Beside the server, as `lakeport maintain` does it."""
        offered = self.wire.lake.implementation
        return tuple(map(self._beside, offered.upkeep + offered.sweeping))

    def _beside(self, upkeep: Upkeep) -> Upkeep:
        def beside(_: Table) -> list[int]:
            return list(upkeep(self.real.table))

        return beside


def make_iceberg(clock: Clock, folder: Path) -> LiveCatalog:
    """As it is served: a scan of small files is one endpoint, not a call for each of them."""
    uri = f"sqlite:///{folder / 'catalog.db'}"
    profile = Profile("lake", "embedded", uri, f"file://{folder / 'warehouse'}")
    return IcebergCatalog(profile, clock=clock)


SERVED = {
    "memory": IMPLEMENTATIONS["memory"],
    "iceberg": replace(IMPLEMENTATIONS["iceberg"], make=make_iceberg),
}


@contextmanager
def wire_lake(name: str, folder: Path) -> Iterator[WireLake]:
    implementation, clock = SERVED[name], Clock()
    catalog = implementation.make(clock, folder)
    with ExitStack() as opened:
        opened.callback(implementation.close, catalog)
        server = opened.enter_context(FlightServer(AirportService([catalog], Names())))
        target = server.address.removeprefix("grpc://")
        clients = tuple(opened.enter_context(RawClient(target)) for _ in range(WRITERS + 1))
        yield WireLake(name, Lake(implementation, catalog, clock), clients)
