"""Contract 001's table function, in the namespace `lakeport` of a server as it is really put together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import AuditLog
from lakeport.app.serve.view import Audit, system_overlay
from lakeport.state import Store
from tests.airport.airport_server import AIRPORT, Client, fl, serving, shop

ACTION = "GetTableFunctionFlightInfo"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Store.open(f"sqlite:///{tmp_path}/state.db") as store, AuditLog(store.audit) as log:
        overlay = system_overlay(Audit(store.audit, log))
        with serving([shop()], overlay=overlay) as made:
            yield made


def series(client: Client, **parameters: object) -> list[Any]:
    body = {"function_name": "generate_series", "parameters": parameters}
    info = fl.FlightInfo.deserialize(client.action(ACTION, json.dumps(body).encode()))
    assert info.schema.types == [pa.int64()]
    numbers = client.rows(info).column(0).to_pylist()
    assert info.total_records == len(numbers)
    return numbers


def test_the_contracts_example_counts_to_a_hundred(client: Client) -> None:
    assert series(client, start=1, stop=100) == list(range(1, 101))


def test_a_step_may_be_given(client: Client) -> None:
    assert series(client, start=1, stop=10, step=4) == [1, 5, 9]
    assert series(client, start=3, stop=1, step=-1) == [3, 2, 1]
    assert series(client, start=3, stop=1) == []


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"start": 1},
        {"stop": 1},
        {"start": 1, "stop": 2, "by": 1},
        {"start": "1", "stop": 2},
        {"start": 1.5, "stop": 2},
        {"start": True, "stop": 2},
        {"start": None, "stop": 2},
        {"start": 1, "stop": 2, "step": 0},
        {"start": 1, "stop": 2**63},
    ],
)
def test_unknown_missing_and_senseless_parameters_are_an_invalid_argument(
    client: Client, parameters: dict[str, object]
) -> None:
    body = json.dumps({"function_name": "generate_series", "parameters": parameters}).encode()
    assert client.action_code(ACTION, body)[0] is grpc.StatusCode.INVALID_ARGUMENT


def test_it_is_listed_to_everybody(client: Client) -> None:
    def listed(client: Client) -> set[str]:
        infos = client.flight.list_flights(b"", client.options)
        return {msgpack.unpackb(info.app_metadata)["name"] for info in infos}

    assert "generate_series" in listed(client)
    assert "generate_series" in listed(client.having(AIRPORT))
    assert {"tables", "columns", "snapshots", "audit"} <= listed(client.having(AIRPORT))


def test_system_tables_are_read_like_any_other(client: Client) -> None:
    rows = client.rows(client.info("lakeport", "tables"))
    assert "rowid" not in rows.column_names
    assert rows.num_rows >= 2
