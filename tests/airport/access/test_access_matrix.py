"""Ten methods × every kind of caller: the right code, and nothing told to those who may not know it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest

from lakeport.airport.service import REGISTRY
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint, Ticket
from tests.airport.access.access_server import MOST_BYTES, SECRETS, House, house, requests_for
from tests.airport.airport_server import AIRPORT

OK = grpc.StatusCode.OK
DENIED = grpc.StatusCode.PERMISSION_DENIED
NOT_FOUND = grpc.StatusCode.NOT_FOUND
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED

STRANGERS = ("none", "garbage", "no scheme", "expired", "revoked")
ORDERS = requests_for("shop", "orders")
READING = ("GetFlightInfo", "PollFlightInfo", "GetSchema", "DoGet", "DoAction")
WRITING = ("DoPut", "DoExchange")
ABOUT_A_TABLE = (*READING, *WRITING)
METHODS = sorted(ORDERS)
NO_MESSAGE = b"\xff\xff\xff"
TOO_LARGE = bytes(MOST_BYTES + 1)


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder: Path = tmp_path_factory.mktemp("access")
    with house(folder) as made:
        yield made


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("airport", [False, True])
def test_strangers_are_all_told_the_same(doors: House, method: str, *, airport: bool) -> None:
    headers = (AIRPORT,) if airport else ()
    answers = [
        doors.who(kind).having(*headers).call(method, request)
        for kind in STRANGERS
        for request in (ORDERS[method], requests_for("no", "such")[method], NO_MESSAGE, TOO_LARGE)
    ]
    assert {answer.code for answer in answers} == {UNAUTHENTICATED}
    # Not even whether the table exists, or the token once did.
    assert len({(answer.text, answer.trailers) for answer in answers}) == 1
    assert not any(answer.messages for answer in answers)


@pytest.mark.parametrize("method", READING)
def test_only_those_let_in_are_told_what_is_wrong_with_their_bytes(
    doors: House, method: str
) -> None:
    caller = doors.who("right")
    assert caller.call(method, NO_MESSAGE).code is grpc.StatusCode.INVALID_ARGUMENT
    assert caller.call(method, TOO_LARGE).code is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("kind", STRANGERS)
def test_strangers_learn_no_action(doors: House, kind: str) -> None:
    for name in (*(each.type for each in REGISTRY), "no_such_action", ""):
        assert doors.who(kind).action(name, b"\xc1").code is UNAUTHENTICATED


@pytest.mark.parametrize("method", METHODS)
def test_a_token_of_another_scope_opens_nothing(doors: House, method: str) -> None:
    answer = doors.who("wrong scope").call(method, ORDERS[method])
    if method in ABOUT_A_TABLE:
        assert answer.code is DENIED
        assert not answer.messages
    else:
        assert answer.code is OK
    told = answer.everything
    assert not any(name.encode() in told for name in SECRETS)
    assert b"what we sell" not in told
    if method == "ListFlights":
        assert not answer.messages


@pytest.mark.parametrize("method", METHODS)
def test_the_right_token_opens_its_table(doors: House, method: str) -> None:
    """It is one that may read and not write."""
    answer = doors.who("right").call(method, ORDERS[method])
    assert answer.code is (DENIED if method in WRITING else OK)
    assert ("no grant `write`" in answer.text) is (method in WRITING)
    assert not any(name.encode() in answer.everything for name in SECRETS)
    if method in {*READING, "ListFlights"}:
        assert answer.messages


@pytest.mark.parametrize("kind", ["wrong scope", "right"])
@pytest.mark.parametrize("method", ABOUT_A_TABLE)
def test_a_refusal_does_not_say_whether_there_is_such_a_table(
    doors: House, kind: str, method: str
) -> None:
    caller = doors.who(kind)
    there = caller.call(method, requests_for("vault", "payroll")[method])
    missing = caller.call(method, requests_for("vault", "nothing")[method])
    nowhere = caller.call(method, requests_for("valut", "payroll")[method])
    assert {there.code, missing.code, nowhere.code} == {DENIED}
    assert there.text.replace("payroll", "nothing") == missing.text
    assert there.text.replace("vault", "valut") == nowhere.text


@pytest.mark.parametrize("method", ABOUT_A_TABLE)
def test_hints_name_nothing_that_is_hidden(doors: House, method: str) -> None:
    answer = doors.who("right").call(method, requests_for("shop", "customer")[method])
    assert answer.code is DENIED
    assert b"customers" not in answer.everything


@pytest.mark.parametrize("kind", ["wrong scope", "right"])
def test_no_listing_names_what_is_hidden(doors: House, kind: str) -> None:
    caller = doors.who(kind)
    plain = [
        caller.call("ListFlights", b""),
        caller.action("GetTables", b'{"schema_name": "shop"}'),
        caller.action("GetSchemas", b"{}"),
        caller.action("GetTables", b'{"schema_name": "vault"}'),
        caller.call("GetFlightInfo", FlightDescriptor(path=("__databases",)).encode()),
    ]
    packed = [
        caller.call("GetFlightInfo", FlightDescriptor(command=b"").encode()),
        caller.action("list_schemas"),
        caller.having(AIRPORT).action("list_schemas"),
    ]
    assert {answer.code for answer in plain + packed} <= {OK, DENIED}
    listings = [answer.everything for answer in plain] + [answer.unpacked for answer in packed]
    for listing in listings:
        # A refusal repeats the name that was asked for.
        told = listing.replace(b"namespace `vault`", b"")
        assert not any(name.encode() in told for name in SECRETS)
    # Names would have been found in these, had they been there.
    telling = [*listings[:2], *listings[5:]]
    assert [b"orders" in listing for listing in telling] == [kind == "right"] * 5


def test_a_ticket_is_no_key(doors: House) -> None:
    body = msgpack.packb({"descriptor": ORDERS["GetFlightInfo"], "parameters": {}})
    (result,) = doors.who("right").action("endpoints", body).messages
    (packed,) = msgpack.unpackb(_field_one(result))
    ticket = Ticket(FlightEndpoint.decode(packed).ticket).encode()
    assert doors.who("right").call("DoGet", ticket).code is OK
    assert doors.who("wrong scope").call("DoGet", ticket).code is DENIED
    for kind in STRANGERS:
        assert doors.who(kind).call("DoGet", ticket).code is UNAUTHENTICATED


def test_refusals_hold_no_path_secret_or_traceback(doors: House) -> None:
    for kind, token in doors.tokens.items():
        for method, request in requests_for("vault", "payroll").items():
            told = doors.who(kind).having(AIRPORT).call(method, request).everything
            assert b"Traceback" not in told
            assert b".py" not in told
            assert b"state.db" not in told
            if method != "Handshake" and token.startswith("Bearer lp_"):
                assert token.removeprefix("Bearer ").encode() not in told


def _field_one(result: bytes) -> bytes:
    """The body of a Flight Result: protobuf's field 1, the only one."""
    assert result[0] == 0x0A
    length, place, shift = 0, 1, 0
    while True:
        byte = result[place]
        length |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            break
    assert len(result) == place + length
    return result[place:]
