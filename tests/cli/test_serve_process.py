from __future__ import annotations

import json
import signal
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lakeport import Lake
from lakeport import open as opened
from tests.cli.served import Served, fl, lakeport, serve

ROWS = 1_500_000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table and one that fits into no socket's buffers."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "lakeport.toml").write_text("")
    with opened(folder) as lake:
        put(lake, "shop.orders", pa.table({"id": [1, 2, 3], "name": ["a", None, "ü"]}))
        noise = np.random.default_rng(7).integers(0, 1 << 62, ROWS)
        put(lake, "shop.noise", pa.table({"k": noise, "l": noise[::-1], "m": noise}))
    return folder


def put(lake: Lake, name: str, rows: pa.Table) -> None:
    lake.create_table(name, rows.schema).append(rows)


def rows_of(client: Any, *path: str) -> dict[str, list[object]]:
    read = stream_of(client, *path).read_all()
    rows: dict[str, list[object]] = read.drop_columns("rowid").to_pydict()
    return rows


def stream_of(client: Any, *path: str) -> Any:
    info = client.get_flight_info(fl.FlightDescriptor.for_path(*path))
    (endpoint,) = info.endpoints
    return client.do_get(endpoint.ticket)


def test_a_standard_client_reads_what_the_shell_loaded(project: Path) -> None:
    with serve(project) as served, served.client() as client:
        assert rows_of(client, "shop", "orders") == {"id": [1, 2, 3], "name": ["a", None, "ü"]}
        assert served.end() == (0, b"", b"")


def test_an_interrupt_ends_it_as_quietly(project: Path) -> None:
    with serve(project) as served:
        assert served.end(signal.SIGINT) == (0, b"", b"")


def test_a_running_scan_finishes_after_sigterm(project: Path) -> None:
    with serve(project, "--set", "server.limits.stop_seconds=300") as served:
        with served.client() as client:
            reader = stream_of(client, "shop", "noise")
            rows = reader.read_chunk().data.num_rows
            served.process.send_signal(signal.SIGTERM)
            while served.get("/ready")[0] == 200:
                pass  # until the signal arrives
            assert served.get("/ready")[0] == 503
            rows += sum(chunk.data.num_rows for chunk in reader)
        assert rows == ROWS
        assert served.process.wait(60) == 0


def test_a_stalled_stream_does_not_keep_it(project: Path) -> None:
    grace = ("--set", "server.limits.stop_seconds=0.2")
    with serve(project, *grace) as served, served.client() as client:
        reader = stream_of(client, "shop", "noise")
        reader.read_chunk()
        assert served.end()[0] == 0
        with pytest.raises(pa.ArrowException):
            reader.read_all()


def test_two_servers_over_one_lake_see_each_others_tables(project: Path) -> None:
    with serve(project) as one, serve(project) as other:
        with one.client() as first, other.client() as second:
            with opened(project) as lake:
                put(lake, "shop.later", pa.table({"x": [9]}))
            assert rows_of(first, "shop", "later") == {"x": [9]}
            assert rows_of(second, "shop", "later") == {"x": [9]}
        assert [server.end()[::2] for server in (one, other)] == [(0, b"")] * 2


@pytest.mark.parametrize("door", ["grpc", "http"])
def test_a_port_in_use_is_said_in_a_sentence(project: Path, door: str) -> None:
    other = {"grpc": "http", "http": "grpc"}[door]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = lakeport(project, "serve", f"--{door}", place, f"--{other}", "127.0.0.1:0", "--json")
    assert done.returncode == 3
    error = json.loads(done.stdout)["error"]
    assert error["message"] == f"cannot listen on {place}"
    assert f"--{door}" in error["hint"]
    assert done.stderr.startswith(b"error: ")  # gRPC has a log of its own


def test_beyond_this_machine_is_refused_without_encryption(project: Path) -> None:
    done = lakeport(project, "serve", "--grpc", "0.0.0.0:0", "--http", "127.0.0.1:0")
    assert done.returncode == 2
    assert b"would not be encrypted" in done.stderr


def test_beyond_this_machine_nobody_comes_in_before_there_is_a_token(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").touch()
    ports = ("--grpc", "0.0.0.0:0", "--http", "127.0.0.1:0")
    with serve(tmp_path, *ports, "--insecure") as running:
        code, _, said = running.end()
    assert code == 0
    assert b"no token yet, so nobody can come in; `lakeport token create NAME`" in said


def test_without_a_project_there_is_nothing_to_serve(tmp_path: Path) -> None:
    done = lakeport(tmp_path, "serve", "--grpc", "127.0.0.1:0")
    assert done.returncode == 1
    assert b"there is no lakeport.toml here" in done.stderr


@pytest.fixture(scope="module")
def served(project: Path) -> Any:
    with serve(project) as running:
        yield running


def test_health_and_readiness_are_told_over_http(served: Served) -> None:
    assert served.get("/health")[0] == 200
    assert served.get("/ready") == (200, '{"status":"ready"}')
    assert served.get("/elsewhere")[0] == 404


def test_metrics_count_calls_by_outcome_and_what_they_moved(served: Served) -> None:
    with served.client() as client:
        stream_of(client, "shop", "orders").read_all()
        with pytest.raises(KeyError):
            client.get_flight_info(fl.FlightDescriptor.for_path("shop", "nothing"))
    status, text = served.get("/metrics")
    assert status == 200
    for line in (
        'lakeport_calls_total{action="",code="OK",method="DoGet"} 1.0',
        'lakeport_calls_total{action="",code="NOT_FOUND",method="GetFlightInfo"} 1.0',
        'lakeport_calls_running{method="DoGet"} 0.0',
        'lakeport_call_seconds_count{action="",method="DoGet"} 1.0',
        'lakeport_rows_total{direction="out",method="DoGet"} 3.0',
        "lakeport_audit_dropped_total 0.0",
    ):
        assert line in text.splitlines()


def test_once_there_is_a_token_every_call_needs_one(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text("")
    token = lakeport(tmp_path, "token", "create", "ann").stdout.decode().strip()
    with serve(tmp_path) as served, served.client() as client:
        with pytest.raises(fl.FlightUnauthenticatedError):
            list(client.list_flights())
        options = fl.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())])
        assert list(client.list_flights(b"", options))
        assert served.get("/metrics")[0] == 401
        assert served.get("/metrics", token)[0] == 200
        assert served.get("/health")[0] == 200
