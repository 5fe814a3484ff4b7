"""A project's functions behind a real server: called over the wire, broken modules told at the start."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.app.functions import list_functions
from lakeport.app.serve import Running, running
from lakeport.app.settings import load
from lakeport.core.errors import NotFoundError
from lakeport.web.app import build
from tests.airport.functions.guest import Guest, row
from tests.flight.raw import RawClient
from tests.functions.rows import nothing

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")

ANYWHERE = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}
HOSTILE = (Path(__file__).parent / "modules" / "hostile.py").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    (root / "functions").mkdir()
    (root / "functions" / "hostile.py").write_text(HOSTILE)
    (root / "functions" / "broken.py").write_text("def f(:")
    (root / "lakeport.toml").write_text("[functions]\nworkers = 3\nreload = false\n")
    return root


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Running]:
    with running(load(project=folder, flags=ANYWHERE, variables={}), build) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Running) -> Iterator[Any]:
    with fl.FlightClient(server.grpc) as client:
        yield client


@pytest.fixture(scope="module")
def guest(server: Running) -> Iterator[Guest]:
    """DuckDB's own way of calling functions."""
    with RawClient(server.grpc.removeprefix("grpc://")) as raw:
        yield Guest(raw)


def rows(client: Any, name: str, **parameters: object) -> list[Any]:
    asked = {"function_name": name, "schema_name": "hostile", "parameters": parameters}
    found: list[Any] = client.do_get(fl.Ticket(json.dumps(asked).encode())).read_all().to_pylist()
    return found


def test_a_table_function_is_read_by_any_flight_client(client: Any) -> None:
    assert rows(client, "numbers", count=3, step=2) == [{"n": 0}, {"n": 2}, {"n": 4}]


def test_functions_of_every_kind_are_called_as_duckdb_does(guest: Guest) -> None:
    numbers = pa.record_batch({"x": pa.array([1, None, 3])})
    assert guest.values("hostile.double", numbers, numbers) == [2, None, 6] * 2
    assert len(guest.values("hostile.process", nothing(2))) == 2
    (passed, ended) = guest.passed("hostile.Total", row(start=10), [numbers])
    assert passed == []
    assert [each.to_pylist() for each in ended] == [[{"total": 13}]]
    echoed, _ = guest.passed("hostile.echo", row(), [numbers, numbers])
    assert [each.to_pylist() for each in echoed] == [numbers.to_pylist()]


DOINGS = {
    "raises": (grpc.StatusCode.INTERNAL, "function `hostile.raises` raised LookupError: no 1"),
    "refuses": (grpc.StatusCode.INVALID_ARGUMENT, "raised ValueError: only positive numbers"),
    "ends": (grpc.StatusCode.INTERNAL, "function `hostile.ends` ended its process (exit code 3)"),
    "sleeps": (grpc.StatusCode.DEADLINE_EXCEEDED, "`hostile.sleeps` ran longer than 0.5 s"),
    "recurses": (grpc.StatusCode.INTERNAL, "raised RecursionError"),
    "lies": (grpc.StatusCode.INTERNAL, "function `hostile.lies` declares int64 and gave"),
    "shortens": (grpc.StatusCode.INTERNAL, "`hostile.shortens` gave 0 values for 1 rows"),
}


@pytest.mark.parametrize("name", DOINGS)
def test_whatever_a_function_does_the_server_goes_on(guest: Guest, name: str) -> None:
    code, told = DOINGS[name]
    one = pa.record_batch({"x": [1]})
    entry = guest.entry(f"hostile.{name}")
    failure = guest.refused("scalar_function", entry.descriptor, one)
    assert failure.code is code
    assert told in failure.text
    assert guest.values("hostile.double", one) == [2]


def test_a_caller_who_leaves_takes_the_work_along(guest: Guest) -> None:
    """`waits` is within its limits for longer than this test may take."""
    one = pa.record_batch({"x": [1]})
    descriptor = guest.entry("hostile.waits").descriptor
    for _ in range(4):  # more than there are workers
        talk = guest.open("scalar_function")
        talk.name(descriptor)
        talk.declare(one.schema)
        talk.hear()
        talk.send(one)
        talk.call.cancel()
    assert guest.values("hostile.double", one) == [2]


def test_rows_that_were_not_declared_are_told_and_the_server_goes_on(client: Any) -> None:
    with pytest.raises(fl.FlightInternalError, match="declares the column `n` and gave `m`"):
        rows(client, "breaks")
    assert rows(client, "numbers", count=1, step=1) == [{"n": 0}]


def test_a_broken_module_is_told_at_the_start_and_by_the_list(
    server: Running, folder: Path
) -> None:
    (notice,) = [each for each in server.greeting.notices if "broken.py" in each]
    assert notice.startswith("functions/broken.py:1: this is no Python")
    listed = list_functions(load(project=folder, variables={}))
    assert [each.path for each in listed.problems] == ["functions/broken.py"]
    by_name = {each.name: each for each in listed.functions}
    assert by_name["hostile.double"].signature == "hostile.double(x int64)"
    assert by_name["hostile.numbers"].signature == "hostile.numbers(count int64, step := int64)"
    assert by_name["hostile.numbers"].returns == "(n int64)"
    assert by_name["hostile.echo"].parameters[0].type == "table"


def test_functions_of_a_catalog_that_is_not_there_are_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text('[functions]\ncatalogs = ["leke"]\n')
    with pytest.raises(NotFoundError, match="has no catalog `leke`"):
        list_functions(load(project=tmp_path, variables={}))
