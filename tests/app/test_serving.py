"""The whole server in this process: real ports, a real client, an Iceberg lake in a folder."""

from __future__ import annotations

import importlib
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport import open as opened
from lakeport.access import Ability
from lakeport.access.grants import grants_for
from lakeport.access.tokens import create_token
from lakeport.app.serve import Running, running
from lakeport.app.settings import load
from lakeport.state import Store
from lakeport.web.app import build

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")

ANYWHERE = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").write_text("")
    with opened(tmp_path) as lake:
        for name in ("shop.orders", "staff.salaries"):
            rows = pa.table({"id": [1, 2]})
            lake.create_table(name, rows.schema).append(rows)
    return tmp_path


@contextmanager
def serving(project: Path) -> Iterator[tuple[Running, Any]]:
    settings = load(project=project, flags=ANYWHERE, variables={})
    with running(settings, build) as server, fl.FlightClient(server.grpc) as client:
        yield server, client


def token_for(
    project: Path, name: str, ability: Ability, *on: str, catalogs: Sequence[str] = ()
) -> Any:
    """Options of calls that carry a new token."""
    with Store.open(f"sqlite:///{project}/.lakeport/state.db") as store:
        grants = grants_for([ability], on, catalogs)
        secret, _ = create_token(
            store.tokens, name, grants, now_ns=time.time_ns(), lifetime_ns=None
        )
    return fl.FlightCallOptions(headers=[(b"authorization", f"Bearer {secret}".encode())])


def rows_of(client: Any, *path: str, options: Any = None) -> list[dict[str, Any]]:
    info = client.get_flight_info(fl.FlightDescriptor.for_path(*path), options)
    rows: list[dict[str, Any]] = (
        client.do_get(info.endpoints[0].ticket, options).read_all().to_pylist()
    )
    return rows


def test_the_system_tables_are_read_like_any_other(project: Path) -> None:
    with serving(project) as (_, client):
        tables = rows_of(client, "lakeport", "tables")
        assert [(row["namespace"], row["table"], row["rows"]) for row in tables] == [
            ("shop", "orders", 2),
            ("staff", "salaries", 2),
        ]
        assert len(rows_of(client, "lakeport", "columns")) == 2
        assert len(rows_of(client, "lakeport", "snapshots")) == 2


def test_nobody_reads_files_for_a_client_once_the_server_has_stopped(project: Path) -> None:
    with opened(project) as lake:
        rows = pa.table({"id": range(500_000)})
        table = lake.create_table("shop.big", rows.schema)
        for _ in range(4):
            table.append(rows)
    limits = {**ANYWHERE, "server.limits.stop_seconds": "0"}
    settings = load(project=project, flags=limits, variables={})
    before = set(threading.enumerate())
    with running(settings, build) as server, fl.FlightClient(server.grpc) as client:
        info = client.get_flight_info(fl.FlightDescriptor.for_path("shop", "big"))
        reader = client.do_get(info.endpoints[0].ticket)
        assert reader.read_chunk().data.num_rows
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert not [name for name in left if name.startswith(("flight-", "lakeport-"))]


def test_the_audit_has_the_calls_before_the_one_that_reads_it(project: Path) -> None:
    with serving(project) as (_, client):
        rows_of(client, "shop", "orders")
        calls = [
            (row["method"], row["table"], row["rows_out"], row["outcome"])
            for row in rows_of(client, "lakeport", "audit")
        ]
    assert ("DoGet", "orders", 2, "OK") in calls


def test_the_system_tables_tell_nobody_more_than_they_may_read(project: Path) -> None:
    boss = token_for(project, "boss", Ability.ADMIN, "*")
    ann = token_for(project, "ann", Ability.READ, "shop.*", "lakeport.*")
    bob = token_for(project, "bob", Ability.READ, "shop.*")
    with serving(project) as (_, client):
        seen = rows_of(client, "lakeport", "tables", options=ann)
        assert [row["namespace"] for row in seen] == ["shop"]
        assert {row["table"] for row in rows_of(client, "lakeport", "columns", options=ann)} == {
            "orders"
        }
        rows_of(client, "staff", "salaries", options=boss)
        own = rows_of(client, "lakeport", "audit", options=ann)
        assert {row["identity"] for row in own} == {"ann"}
        every = rows_of(client, "lakeport", "audit", options=boss)
        assert {"ann", "boss"} <= {row["identity"] for row in every}
        with pytest.raises(fl.FlightUnauthorizedError):
            rows_of(client, "lakeport", "tables", options=bob)


def test_a_series_is_called_as_contract_001_says(project: Path) -> None:
    body = {
        "schema_name": "lakeport",
        "function_name": "generate_series",
        "parameters": {"start": 1, "stop": 3},
    }
    with serving(project) as (_, client):
        ticket = fl.Ticket(json.dumps(body).encode())
        assert client.do_get(ticket).read_all().to_pydict() == {"generate_series": [1, 2, 3]}


def test_a_person_is_told_what_to_paste(project: Path) -> None:
    with serving(project) as (server, _):
        greeting = server.greeting
    assert greeting.is_open
    _, secret, attach = greeting.statements()
    assert secret == (
        f"CREATE SECRET lakeport (TYPE airport, AUTH_TOKEN 'TOKEN', SCOPE '{server.grpc}');"
    )
    assert attach == f"ATTACH 'lake' AS \"lake\" (TYPE airport, LOCATION '{server.grpc}');"
