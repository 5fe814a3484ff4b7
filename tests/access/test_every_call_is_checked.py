"""The ten calls of Flight against every kind of caller, over a real server and bare gRPC.

Three of them are about no table: whoever is recognised is answered, with nothing of what they may not
read. Whatever names a table that the caller may not read is denied in the same words as if it did not
exist. Without a valid token even nonsense is UNAUTHENTICATED.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pyarrow as pa
import pytest

from lakeport.access import Ability, AuditEntry, AuditLog, Authenticator, grants_for
from lakeport.access.tokens import create_token, revoke_token
from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.messages import Action, FlightDescriptor, Ticket
from lakeport.flight.server import FlightServer
from lakeport.state import Store
from tests.flight.raw import RawClient

HOUR = 3_600 * 1_000_000_000
SECRET = ("hr", "salaries")
NOWHERE = ("nn", "nonesuch")  # of the same lengths


def descriptor(table: tuple[str, str]) -> bytes:
    return FlightDescriptor(path=table).encode()


def named(table: tuple[str, str]) -> bytes:
    return json.dumps({"schema_name": table[0], "table_name": table[1]}).encode()


def requests(table: tuple[str, str]) -> dict[str, bytes]:
    return {
        "GetFlightInfo": descriptor(table),
        "PollFlightInfo": descriptor(table),
        "GetSchema": descriptor(table),
        "DoGet": Ticket(named(table)).encode(),
        "DoAction": Action("GetFlightInfo", named(table)).encode(),
    }


OF_A_TABLE = tuple(requests(SECRET))
OF_NO_TABLE = ("Handshake", "ListFlights", "ListActions")
WRITING = ("DoPut", "DoExchange")
METHODS = (*OF_NO_TABLE, *OF_A_TABLE, *WRITING)
assert len(METHODS) == 10


@dataclass(frozen=True)
class Door:
    client: RawClient
    tokens: dict[str, str]
    log: AuditLog
    store: Store

    def ask(self, method: str, request: bytes, caller: str) -> tuple[grpc.StatusCode, str, bytes]:
        """The code, its text, and all bytes of the answer."""
        token = self.tokens.get(caller)
        headers = () if token is None else (("authorization", f"Bearer {token}"),)
        try:
            answers = self.client.ask(method, request, headers)
        except grpc.RpcError as error:
            return error.code(), error.details(), b""
        return grpc.StatusCode.OK, "", b"".join(answers)

    def audited(self) -> AuditEntry:
        assert self.log.flush(30)
        return self.store.audit.newest(1)[0]


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    catalog = MemoryCatalog("lake")
    for namespace, table in (SECRET, ("sales", "orders")):
        made = catalog.create_namespace(NamespaceInfo(namespace))
        made.create_table(table, Definition(pa.schema([pa.field("k", pa.int64())])))
    with Store.open(f"sqlite:///{tmp_path}/state.db") as store:
        now = time.time_ns()
        grants = {
            "right": grants_for([Ability.READ], ["hr.*", "nn.*"]),
            "expired": grants_for([Ability.ADMIN]),
            "revoked": grants_for([Ability.ADMIN]),
            "wrong scope": grants_for([Ability.ADMIN], ["sales.*"]),
            "wrong grant": grants_for([Ability.WRITE, Ability.DDL]),
        }
        tokens = {"garbage": "lp_garbage"}
        for name, given in grants.items():
            made_at, lifetime = (now - HOUR, HOUR // 2) if name == "expired" else (now, None)
            tokens[name], _ = create_token(
                store.tokens, name, given, now_ns=made_at, lifetime_ns=lifetime
            )
        revoke_token(store.tokens, "revoked", now_ns=now)
        authenticator = Authenticator(store.tokens, open_at_first=True)
        with (
            AuditLog(store.audit, keep_days=None) as log,
            FlightServer(AirportService([catalog], authenticator, audit=log)) as server,
            RawClient(server.address.removeprefix("grpc://")) as client,
        ):
            yield Door(client, tokens, log, store)


@pytest.mark.parametrize("method", METHODS)
def test_without_a_valid_token_every_call_is_refused_in_the_same_words(
    door: Door, method: str
) -> None:
    request = requests(SECRET).get(method, b"")
    seen = {door.ask(method, request, who) for who in ("none", "garbage", "expired", "revoked")}
    ((code, text, _),) = seen
    assert code == grpc.StatusCode.UNAUTHENTICATED
    assert text.startswith("a valid token is needed")
    entry = door.audited()
    assert (entry.method, entry.identity, entry.outcome) == (method, None, "UNAUTHENTICATED")


@pytest.mark.parametrize("method", OF_A_TABLE)
@pytest.mark.parametrize("caller", ["wrong scope", "wrong grant"])
def test_a_table_outside_the_grants_is_denied_whether_or_not_it_exists(
    door: Door, method: str, caller: str
) -> None:
    code, text, _ = door.ask(method, requests(SECRET)[method], caller)
    assert code == grpc.StatusCode.PERMISSION_DENIED
    entry = door.audited()
    assert (entry.identity, entry.table, entry.outcome) == (caller, SECRET[1], code.name)
    other, words, _ = door.ask(method, requests(NOWHERE)[method], caller)
    assert (other, words) == (code, text.replace(".".join(SECRET), ".".join(NOWHERE)))


@pytest.mark.parametrize("method", OF_A_TABLE)
def test_inside_the_grants_a_table_is_given_and_a_missing_one_not_found(
    door: Door, method: str
) -> None:
    assert door.ask(method, requests(SECRET)[method], "right")[0] == grpc.StatusCode.OK
    entry = door.audited()
    assert (entry.method, entry.identity, entry.outcome) == (method, "right", "OK")
    assert (entry.catalog, entry.namespace, entry.table) == ("lake", *SECRET)
    code, text, _ = door.ask(method, requests(NOWHERE)[method], "right")
    assert code == grpc.StatusCode.NOT_FOUND
    assert "orders" not in text


@pytest.mark.parametrize("method", OF_NO_TABLE)
def test_answers_hold_nothing_of_what_one_may_not_read(door: Door, method: str) -> None:
    code, _, answer = door.ask(method, b"", "wrong scope")
    assert code == grpc.StatusCode.OK
    assert b"salaries" not in answer
    code, _, answer = door.ask(method, b"", "right")
    assert code == grpc.StatusCode.OK
    assert b"orders" not in answer
    assert (b"salaries" in answer) == (method == "ListFlights")


@pytest.mark.parametrize("method", ["DoAction", "DoGet", "GetFlightInfo"])
def test_nonsense_is_refused_for_the_token_first(door: Door, method: str) -> None:
    nonsense = {
        "DoAction": Action("no_such_action", b"\xff").encode(),
        "DoGet": Ticket(b"\xff\x00").encode(),
        "GetFlightInfo": FlightDescriptor(path=("a", "b", "c", "d")).encode(),
    }[method]
    assert door.ask(method, nonsense, "none")[0] == grpc.StatusCode.UNAUTHENTICATED
    assert door.ask(method, nonsense, "right")[0] != grpc.StatusCode.UNAUTHENTICATED
