"""A stream outlives no token: revoked or expired half-way, it ends as a new call would be refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.access import Ability, Authenticator, grants_for
from lakeport.access.tokens import create_token, revoke_token
from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Insertable, NamespaceInfo, require
from lakeport.core.errors import UnavailableError
from lakeport.flight.server import FlightServer
from lakeport.state import Store
from tests.airport.airport_server import fl

NOW = 1_700_000_000_000_000_000
MINUTE = 60_000_000_000
TICKET = b'{"schema_name": "shop", "table_name": "orders"}'
# So much that neither end can hold it all: the server still has rows to give when the token goes.
PIECES, ROWS = 200, 50_000


@dataclass
class Door:
    store: Store
    token: str
    client: Any
    now: list[int]
    trouble: list[str]

    def rows(self) -> Any:
        headers = [(b"authorization", f"Bearer {self.token}".encode())]
        return self.client.do_get(fl.Ticket(TICKET), fl.FlightCallOptions(headers=headers))


class Tokens:
    """The store's tokens, which may be out of reach."""

    def __init__(self, store: Store, trouble: list[str]) -> None:
        self._tokens, self._trouble = store.tokens, trouble

    def __getattr__(self, name: str) -> Any:
        if self._trouble:
            raise UnavailableError(self._trouble[0])
        return getattr(self._tokens, name)


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    catalog = MemoryCatalog("lake", batch_rows=ROWS)
    table = catalog.create_namespace(NamespaceInfo("shop")).create_table(
        "orders", Definition(pa.schema([pa.field("id", pa.int64())]))
    )
    batch = pa.record_batch({"id": range(ROWS)})
    with require(table, Insertable, "the table").insert() as write:
        for _ in range(PIECES):
            write.add(batch)
        write.commit()
    now, trouble = [NOW], list[str]()
    with Store.open(f"sqlite:///{tmp_path}/state.db") as store:
        token, _ = create_token(
            store.tokens, "ann", grants_for([Ability.READ]), now_ns=NOW, lifetime_ns=MINUTE
        )
        known: Any = Tokens(store, trouble)
        people = Authenticator(known, open_at_first=False, probe_seconds=0, now_ns=lambda: now[0])
        with (
            FlightServer(AirportService([catalog], people)) as server,
            fl.FlightClient(server.address) as client,
        ):
            yield Door(store, token, client, now, trouble)


def revoke(door: Door) -> None:
    revoke_token(door.store.tokens, "ann", now_ns=NOW)


def expire(door: Door) -> None:
    door.now[0] += MINUTE


@pytest.mark.parametrize("end", [revoke, expire])
def test_a_token_that_ends_ends_its_streams(door: Door, end: Callable[[Door], None]) -> None:
    rows = door.rows()
    assert rows.read_chunk().data.num_rows
    end(door)
    with pytest.raises(fl.FlightUnauthenticatedError, match="a valid token is needed"):
        rows.read_all()
    with pytest.raises(fl.FlightUnauthenticatedError, match="a valid token is needed"):
        door.rows().read_all()


def test_duckdb_is_told_how_to_send_its_token(door: Door) -> None:
    """A token that is in ATTACH alone does not come with its scans."""
    headers = [(b"airport-user-agent", b"airport/20250723")]
    with pytest.raises(pa.ArrowException, match=r"valid token.*CREATE SECRET.*then ATTACH") as told:
        door.client.do_get(fl.Ticket(TICKET), fl.FlightCallOptions(headers=headers)).read_all()
    assert "***" not in str(told.value)


def test_a_store_that_is_gone_for_a_moment_ends_no_stream(door: Door) -> None:
    rows = door.rows()
    first = rows.read_chunk().data.num_rows
    door.trouble.append("the store is gone")
    assert first + rows.read_all().num_rows == PIECES * ROWS
    with pytest.raises(fl.FlightUnavailableError, match="the store is gone"):
        door.rows().read_all()
