"""Requests of the real client, damaged: bytes, filters, tickets, headers. The same ones for the same seed."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec
import pyarrow as pa

from lakeport.airport.functions.tickets import decode_ticket as decode_function_ticket
from lakeport.airport.scans.tickets import decode_ticket, is_scan_ticket
from lakeport.flight.messages import Action, Ticket
from tests.airport.traces.recorded import Request

_ODD = (
    b"",
    b"\x00",
    b"\xff" * 9,
    b"{",
    b"}",
    b'"',
    b"\xc1",
    b"\xdf\xff\xff\xff\xff",
    b"LKP1",
    b"@1.",
)
_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63,
    2**64 - 1,
    1.5,
    "",
    "x" * 300,
    [],
    {},
    [[]],
    "\u0000",
)
_HEADERS = (
    "airport-catalog",
    "airport-transaction-id",
    "airport-user-agent",
    "airport-list-flights-filter-schema",
    "authorization",
    "lakeport-compression",
    "airport-skip-producing-results",
)


@dataclass(frozen=True)
class Damaged:
    method: str
    message: bytes
    headers: tuple[tuple[str, str], ...]


def damaged(
    requests: Sequence[Request], tickets: Sequence[bytes], count: int, seed: int
) -> Iterator[Damaged]:
    dice = random.Random(seed)  # noqa: S311 # no secret: the same every time
    for _ in range(count):
        request = dice.choice(requests)
        headers = _damage_headers(dice, request.headers)
        match dice.randrange(4):
            case 0:
                ticket = dice.choice(tickets)
                ticket = _forge(dice, ticket) if dice.random() < 0.5 else damage(dice, ticket)
                yield Damaged("DoGet", Ticket(ticket).encode(), headers)
            case 1:
                yield Damaged("DoAction", _action(request, _damage_fields(dice, request)), headers)
            case 2:
                body = damage(dice, request.payload)
                yield Damaged("DoAction", _action(request, body), headers)
            case _:
                method = dice.choice(("GetFlightInfo", "GetSchema", "ListFlights", "DoAction"))
                yield Damaged(method, damage(dice, request.payload), headers)


def _action(request: Request, body: bytes) -> bytes:
    return Action(request.action, body).encode()


def damage(dice: random.Random, data: bytes) -> bytes:
    for _ in range(dice.randint(1, 3)):
        start = dice.randint(0, len(data))
        end = min(len(data), start + dice.choice((0, 1, 1, 2, 8, 64)))
        match dice.randrange(4):
            case 0:
                middle = dice.choice(_ODD)
            case 1:
                middle = dice.randbytes(end - start)
            case 2:
                middle = data[start:end] * 2
            case _:
                middle = b""
        data = data[:start] + middle + data[end:]
    return data


def _damage_fields(dice: random.Random, request: Request) -> bytes:
    """Valid msgpack and, in filters, valid JSON, with one value that does not belong there."""
    try:
        body = msgpack.unpackb(request.payload, raw=True)
    except ValueError:
        return damage(dice, request.payload)
    if not isinstance(body, dict):
        return damage(dice, request.payload)
    parameters = body.get(b"parameters")
    if isinstance(parameters, dict) and parameters.get(b"json_filters") and dice.random() < 0.7:
        document = json.loads(parameters[b"json_filters"])
        _replace_one(dice, document)
        parameters[b"json_filters"] = json.dumps(document).encode()
    else:
        _replace_one(dice, body)
    packed: bytes = msgpack.packb(_packable(body))
    return packed


def _forge(dice: random.Random, ticket: bytes) -> bytes:
    """With a checksum that is right, and one value that no server wrote there."""
    if not ticket.startswith(b"LK"):
        wish = json.loads(ticket)
        wish[dice.choice([*wish, "ts_ns", "columns", "filter", "catalog_name"])] = dice.choice(
            _VALUES
        )
        return json.dumps(wish).encode()
    read = decode_ticket if is_scan_ticket(ticket) else decode_function_ticket
    members: list[Any] = list(msgspec.structs.astuple(read(ticket)))
    members[dice.randrange(len(members))] = dice.choice(
        (*_VALUES, [[0, 2**40]], [[3, 1]], [7], ["{}"], ['{"filters":[{}]}'])
    )
    plain = msgspec.msgpack.encode(members)
    body = bytes(pa.Codec("zstd").compress(plain, asbytes=True))
    sizes = zlib.crc32(body).to_bytes(4, "big") + len(plain).to_bytes(4, "big")
    return ticket[:4] + sizes + body


def _replace_one(dice: random.Random, node: Any) -> None:
    """Walks down at random, and replaces what it stops at."""
    while True:
        keys: list[Any] = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = dice.choice(keys)
        below = node[key]
        if not isinstance(below, (dict, list)) or dice.random() < 0.2:
            node[key] = dice.choice(_VALUES)
            return
        node = below


def _packable(node: Any) -> Any:
    """What msgpack can carry: no number beyond 64 bits."""
    if isinstance(node, dict):
        return {key: _packable(value) for key, value in node.items()}
    return [_packable(each) for each in node] if isinstance(node, list) else node


def _damage_headers(
    dice: random.Random, headers: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    if dice.random() < 0.7:
        return tuple(headers)
    name = dice.choice(_HEADERS)
    text = "".join(chr(dice.randint(0x20, 0x7E)) for _ in range(dice.choice((0, 1, 8, 36, 500))))
    return (*((known, value) for known, value in headers if known != name), (name, text))
