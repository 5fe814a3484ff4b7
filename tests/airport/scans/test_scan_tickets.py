"""Tickets come back from anywhere: damaged ones are refused, forged ones open nothing new."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.flight as fl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from lakeport.access import Ability, Grant, Identity
from lakeport.airport.scans.tickets import (
    ScanTicket,
    decode_ticket,
    parts_of,
    ranges_of,
)
from lakeport.airport.wire.sealed import seal
from lakeport.core.errors import InvalidRequestError, LimitError
from tests.airport.scans.duck import Door, Duck, path
from tests.behaviours.lake import Lake, Subject, schema_of

ITEMS = path("shop", "items")
TICKET = ScanTicket(
    "lake", "shop", "items", "u-u", 0, 7, is_head=True, parts=((0, 3), (9, 10)), columns=(0, 2)
)

numbers = st.integers(0, 2**63 - 1)


@given(parts=st.lists(st.integers(0, 50)))
def test_ranges_keep_parts_and_their_order(parts: list[int]) -> None:
    assert list(parts_of(ranges_of(parts))) == parts


@given(
    snapshot=st.none() | st.integers(-(2**63), 2**63 - 1),
    columns=st.none() | st.lists(numbers).map(tuple),
    filters=st.lists(st.text()).map(tuple),
    limit=st.none() | numbers,
)
@settings(derandomize=True, max_examples=50)
def test_a_ticket_comes_back_as_it_was(
    snapshot: int | None,
    columns: tuple[int, ...] | None,
    filters: tuple[str, ...],
    limit: int | None,
) -> None:
    ticket = replace(TICKET, snapshot=snapshot, columns=columns, filters=filters, limit=limit)
    try:
        assert decode_ticket(ticket.encode()) == ticket
    except UnicodeEncodeError:
        assert any("\ud800" <= character <= "\udfff" for text in filters for character in text)


@given(place=st.integers(0, 400), flip=st.integers(1, 255))
@settings(derandomize=True, max_examples=200)
def test_a_damaged_ticket_is_refused(place: int, flip: int) -> None:
    encoded = bytearray(TICKET.encode())
    encoded[place % len(encoded)] ^= flip
    with pytest.raises(InvalidRequestError):
        decode_ticket(bytes(encoded))


def test_a_ticket_cut_short_or_made_up_is_refused() -> None:
    encoded = TICKET.encode()
    no_text = seal(b"LKP1", b"\x93" + b"\xa1\xff" * 3, "")
    made_up = (b"", b"LKP1", b"x" * 100, b"LKP1" + bytes(200), no_text)
    for bad in (encoded[:-1], encoded + b"x", *made_up):
        with pytest.raises(InvalidRequestError):
            decode_ticket(bad)


def test_a_ticket_names_no_more_parts_than_a_table_can_have() -> None:
    with pytest.raises(InvalidRequestError):
        decode_ticket(replace(TICKET, parts=((0, 2**62),)).encode())


def test_a_filter_too_long_for_a_ticket_is_refused() -> None:
    # Hardly shrinks: every byte of it is random.
    text = random.Random(1).randbytes(5_000_000).hex()  # noqa: S311  no secret
    with pytest.raises(LimitError, match="bytes"):
        replace(TICKET, filters=(text,)).encode()


# -- over the wire -------------------------------------------------------------------------------


def test_a_ticket_holds_no_path(items: Subject, plain: Duck) -> None:
    del items
    for place in plain.endpoints(ITEMS):
        found = decode_ticket(place.ticket)
        assert (found.catalog, found.namespace, found.table) == ("lake", "shop", "items")
        assert b"parquet" not in place.ticket
        assert b"/" not in repr(found).encode()


def forged(plain: Duck, **changes: object) -> bytes:
    return replace(decode_ticket(plain.endpoints(ITEMS)[0].ticket), **changes).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"parts": ((10**6, 10**6 + 1),)},
        {"columns": (9,)},
        {"filters": ("{",)},
    ],
    ids=str,
)
def test_a_forged_ticket_is_an_invalid_request(
    items: Subject, plain: Duck, changes: dict[str, object]
) -> None:
    del items
    with pytest.raises(pa.ArrowInvalid):
        plain.get(forged(plain, **{"row_ids": False, **changes}))


def test_a_ticket_for_another_table_snapshot_or_schema_opens_nothing(
    items: Subject, plain: Duck
) -> None:
    del items
    with pytest.raises(KeyError):
        plain.get(forged(plain, table="nothing"))
    with pytest.raises(KeyError, match="no snapshot 12"):
        plain.get(forged(plain, snapshot=12))
    with pytest.raises(fl.FlightError, match="was replaced"):
        plain.get(forged(plain, uuid="00000000-0000-0000-0000-000000000000"))
    with pytest.raises(pa.ArrowInvalid, match="ATTACH it again"):
        plain.get(forged(plain, layout=99))


def test_a_ticket_is_authorised_again(lake: Lake, items: Subject, plain: Duck, door: Door) -> None:
    del items
    schema = schema_of(k=pa.int64())
    lake.seed(schema, pa.table({"k": [1]}, schema), name="mine")
    ticket = plain.info(ITEMS).endpoints[0].ticket.ticket
    mine = plain.info(path("shop", "mine")).endpoints[0].ticket.ticket
    door.identity = Identity("ann", frozenset({Grant(Ability.READ, "shop.mine")}))
    assert plain.get(mine).num_rows == 1
    for refused in (ticket, b'{"schema_name": "shop", "table_name": "items"}'):
        with pytest.raises(fl.FlightUnauthorizedError):
            plain.get(refused)


@pytest.mark.parametrize("ticket", [b"", b"\x00", b"{", b"[]", b'{"schema_name": "shop"}', b"LKP1"])
def test_what_is_no_ticket_is_refused(items: Subject, plain: Duck, ticket: bytes) -> None:
    del items
    with pytest.raises(pa.ArrowInvalid):
        plain.get(ticket)
