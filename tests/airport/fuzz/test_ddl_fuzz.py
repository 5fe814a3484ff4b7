"""Damaged DDL: refused clearly or carried out wholly, and whatever was made can be listed and read."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from tests.airport.airport_server import AIRPORT, Client, serving
from tests.airport.traces import test_recorded_ddl as recorded_ddl
from tests.airport.traces.recorded import SCHEMA_OF_T

ALLOWED = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63,
    2**64 - 1,
    1.5,
    "",
    "x" * 300,
    "\u0000",
    "s1",
    "t",
    b"\xff\xfe",
    [],
    ["id"],
    [0, 0, 1],
    ["\u0000"],
    [[]],
    {},
    {"a": "b"},
)
SCHEMAS = (b"arrow_schema", b"column_schema")


def requests() -> list[tuple[str, dict[bytes, Any]]]:
    lines = gzip.decompress(Path(recorded_ddl.__file__).with_name("changing.jsonl.gz").read_bytes())
    return [
        (one["action"], msgpack.unpackb(base64.b64decode(one["payload"]), raw=True))
        for one in map(json.loads, lines.splitlines())
    ]


def damaged(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    dice = random.Random(seed)  # noqa: S311 # no secret: the same every time
    known = requests()
    for number in range(count):
        action, body = dice.choice(known)
        body = dict(body)
        # Into one catalog, and mostly into tables that are there or not there yet.
        body.update({key: b"" for key in (b"catalog", b"catalog_name") if key in body})
        body.update({key: b"s1" for key in (b"schema_name",) if key in body})
        if b"table_name" in body and dice.random() < 0.7:
            body[b"table_name"] = f"t{number}".encode()
        schemas = [key for key in SCHEMAS if key in body]
        if schemas and dice.random() < 0.7:
            body[schemas[0]] = flipped(dice, body[schemas[0]])
        else:
            body[dice.choice(sorted(body))] = dice.choice(VALUES)
        yield action, msgpack.packb(body)


def flipped(dice: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.randrange(1, 4)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed[: dice.randrange(len(changed))] if dice.random() < 0.1 else changed)


def attack(client: Client, count: int, seed: int) -> Counter[grpc.StatusCode]:
    seen: Counter[grpc.StatusCode] = Counter()
    duck = client.having(AIRPORT, ("airport-catalog", "lake"))
    for action, body in damaged(count, seed):
        code, text = duck.action_code(action, body)
        assert code in ALLOWED, (action, body, text)
        seen[code] += 1
    return seen


def check_all(client: Client) -> int:
    """Whatever came through is a table like any other."""
    client.having(AIRPORT).action("list_schemas", b"")
    infos = list(client.flight.list_flights())
    for info in infos:
        reader = client.flight.do_get(info.endpoints[0].ticket)
        assert reader.schema.names == info.schema.names
        reader.read_all()
    return len(infos)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_ddl_does_no_harm_in_memory(seed: int) -> None:
    catalog = MemoryCatalog("lake")
    catalog.create_namespace(NamespaceInfo("s1")).create_table("t", Definition(SCHEMA_OF_T))
    with serving([catalog]) as client:
        seen = attack(client, 300, seed)
        assert seen[grpc.StatusCode.INVALID_ARGUMENT] > 100
        assert seen[grpc.StatusCode.OK] > 5
        assert check_all(client) > 1


@pytest.mark.parametrize("seed", [9, *(pytest.param(s, marks=pytest.mark.long) for s in range(3))])
def test_damaged_ddl_does_no_harm_in_iceberg(seed: int, tmp_path: Path) -> None:
    uri, place = f"sqlite:///{tmp_path}/catalog.db", f"file://{tmp_path}/warehouse"
    with IcebergCatalog(Profile("lake", "embedded", uri, place)) as catalog:
        catalog.create_namespace(NamespaceInfo("s1")).create_table("t", Definition(SCHEMA_OF_T))
        with serving([catalog]) as client:
            attack(client, 300, seed)
            assert check_all(client) > 1
