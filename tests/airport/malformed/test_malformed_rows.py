"""Malformed rows sent to a `lakeport serve` of its own: it lives, it refuses clearly, and commits nothing.

A damaged byte may leave a stream that is sound, only different: such a statement may be carried out. What
holds for all is that a refused one has changed nothing.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest

import lakeport
from tests.airport.exchange.talk import ATTACHED, descriptor_of
from tests.airport.malformed.damage import (
    COLUMNS,
    Damaged,
    Sound,
    damaged,
    framed,
    rows,
    sound_statements,
)
from tests.airport.programs.wire_table import PATIENCE
from tests.airport.scans.duck import Duck, ordered
from tests.cli.served import Served, serve
from tests.flight.raw import RawClient

PATH = descriptor_of("shop", "items")
OK = grpc.StatusCode.OK
CLEAR = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,  # a sound statement on rows that another sound one changed before it
}


@dataclass(frozen=True)
class Target:
    served: Served
    raw: RawClient
    sound: list[Sound]

    def send(self, each: Damaged) -> tuple[grpc.StatusCode, str]:
        returning = ("return-chunks", str(int(each.is_returning)))
        headers = (*ATTACHED, ("airport-operation", each.operation), returning)
        messages = (framed(PATH), *each.messages)
        try:
            list(self.raw.start(each.method, messages, headers, PATIENCE))
        except grpc.RpcError as error:
            told: Any = error
            return told.code(), told.details()
        return OK, ""

    def version(self) -> int:
        """Of the table, as its own history tells."""
        body = b'{"table": "shop.items"}'
        with self.served.client() as client:
            (answer,) = client.do_action(("TableHistory", body))
        return int(json.loads(answer.body.to_pybytes())[-1]["version"])

    def memory(self) -> int:
        """Bytes that the server's process holds."""
        pages = int(Path(f"/proc/{self.served.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    (tmp_path / "lakeport.toml").write_text("")
    with lakeport.open(tmp_path) as lake:
        plain = pa.Table.from_batches([rows(0)], COLUMNS)
        lake.create_table("shop.items", _plain(COLUMNS)).append(plain.cast(_plain(COLUMNS)))
    with serve(tmp_path) as served, RawClient(served.grpc.removeprefix("grpc://")) as raw:
        with served.client() as client:
            row_ids = ordered(Duck(client).scan(PATH), "rowid")
        yield Target(served, raw, sound_statements(row_ids))


def _plain(schema: pa.Schema) -> pa.Schema:
    at = schema.get_field_index("word")
    return schema.set(at, pa.field("word", pa.string()))


def attack(target: Target, count: int, seed: int) -> None:
    seen: Counter[grpc.StatusCode] = Counter()
    version = target.version()
    for number, each in enumerate(damaged(target.sound, count, seed)):
        code, text = target.send(each)
        seen[code] += 1
        assert code is OK or code in CLEAR, (number, code, text)
        if code is OK:
            version = target.version()
        else:
            assert text
    assert target.version() == version, "a refused statement was committed"
    assert target.served.process.poll() is None, "the server is dead"
    assert seen[grpc.StatusCode.INVALID_ARGUMENT] > count * 0.6, seen


def test_malformed_rows_are_refused_and_harm_nothing(target: Target) -> None:
    before = target.memory()
    attack(target, 500, 1)
    assert target.memory() - before < 128 << 20


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(10, 15))
def test_many_malformed_rows_are_refused_and_harm_nothing(target: Target, seed: int) -> None:
    """The first ones load what a server needs to write; from then on its memory stays flat."""
    attack(target, 500, seed)
    settled = target.memory()
    attack(target, 500, seed + 100)
    assert target.memory() - settled < 32 << 20
