"""Writing through the whole server: limits from lakeport.toml and from tokens, and the audit as a table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport import open as opened
from lakeport.access import Ability, StatementLimits, grants_for
from lakeport.access.tokens import create_token
from lakeport.app.serve import running
from lakeport.app.settings import load
from lakeport.state import Store
from lakeport.web.app import build
from tests.airport.airport_server import fl

PATH = fl.FlightDescriptor.for_path("shop", "orders")
ANYWHERE = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}


@contextmanager
def serving(folder: Path, settings: str) -> Iterator[Any]:
    (folder / "lakeport.toml").write_text(settings)
    with opened(folder) as lake:
        lake.create_table("shop.orders", pa.schema([("id", pa.int64())]))
    loaded = load(project=folder, flags=ANYWHERE, variables={})
    with running(loaded, build) as server, fl.FlightClient(server.grpc) as client:
        yield client


def appended(client: Any, keys: list[int], options: Any = None) -> int:
    rows = pa.table({"id": keys})
    writer, reader = client.do_put(PATH, rows.schema, options)
    writer.write_table(rows)
    writer.done_writing()
    try:
        count: int = msgpack.unpackb(bytes(reader.read()))["total_changed"]
    finally:
        writer.close()
    return count


@pytest.mark.parametrize(
    ("limit", "keys"),
    [("statement_rows = 2", [1, 2, 3]), ("statement_bytes = 5000", list(range(1_000)))],
    ids=["rows", "bytes"],
)
def test_the_servers_limits_come_from_its_settings(
    tmp_path: Path, limit: str, keys: list[int]
) -> None:
    name = limit.partition(" ")[0]
    with serving(tmp_path, f"[server.limits]\n{limit}\n") as client:
        with pytest.raises(Exception, match=f"`server.limits.{name}`"):
            appended(client, keys)
        assert appended(client, [1, 2]) == 2


def loader(folder: Path, limits: StatementLimits) -> Any:
    """Options of calls that carry a new token."""
    (folder / ".lakeport").mkdir()
    with Store.open(f"sqlite:///{folder}/.lakeport/state.db") as store:
        grants = grants_for([Ability.WRITE, Ability.READ])
        secret, _ = create_token(
            store.tokens, "loader", grants, now_ns=time.time_ns(), limits=limits
        )
    return fl.FlightCallOptions(headers=[(b"authorization", f"Bearer {secret}".encode())])


def test_a_token_has_limits_of_its_own(tmp_path: Path) -> None:
    options = loader(tmp_path, StatementLimits(rows=4))
    with serving(tmp_path, "[server.limits]\nstatement_rows = 2\n") as client:
        assert appended(client, [1, 2, 3, 4], options) == 4
        with pytest.raises(Exception, match="--max-rows"):
            appended(client, [1, 2, 3, 4, 5], options)
        info = client.get_flight_info(fl.FlightDescriptor.for_path("lakeport", "audit"), options)
        audit = client.do_get(info.endpoints[0].ticket, options).read_all().to_pylist()
        told = [(row["action"], row["rows_changed"], row["outcome"]) for row in audit]
        assert [row for row in told if row[0] == "insert"] == [
            ("insert", 4, "OK"),
            ("insert", 0, "RESOURCE_EXHAUSTED"),
        ]
