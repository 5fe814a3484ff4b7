"""Two servers that share a lake and a state store answer one transaction alike."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import lakeport
from lakeport.app import wiring
from lakeport.app.serve import running
from lakeport.app.settings import load
from lakeport.web.app import build
from tests.airport.scans.duck import Duck, ordered, path
from tests.app.test_serving import ANYWHERE, fl

ITEMS = path("shop", "items")
SENT = fl.FlightDescriptor.for_path("shop", "items")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").write_text("")
    with lakeport.open(tmp_path) as lake:
        rows = pa.table({"k": [1]})
        lake.create_table("shop.items", rows.schema).append(rows)
    return tmp_path


@contextmanager
def pair(project: Path, *, replicated: bool) -> Iterator[tuple[Duck, Duck]]:
    """One DuckDB, whose calls a balancer sends to either of two servers."""
    flags = {**ANYWHERE, "server.replicated": replicated}
    settings = load(project=project, flags=flags, variables={})
    with ExitStack() as stack:
        clients = []
        for _ in range(2):
            server = stack.enter_context(running(settings, build))
            clients.append(stack.enter_context(fl.FlightClient(server.grpc)))
        here = Duck(clients[0]).begin()
        yield here, Duck(clients[1], attached=True, transaction=here.transaction)


def add(project: Path, key: int) -> None:
    with lakeport.open(project) as lake:
        lake.table("shop.items").append([{"k": key}])


def test_what_one_server_read_the_other_reads(project: Path) -> None:
    with pair(project, replicated=True) as (here, there):
        assert ordered(here.scan(ITEMS), "k") == [1]
        add(project, 2)
        assert ordered(there.scan(ITEMS), "k") == [1]
        assert ordered(there.begin().scan(ITEMS), "k") == [1, 2]
        assert ordered(here.scan(ITEMS), "k") == [1]


def test_a_changed_definition_ends_it_on_both(project: Path) -> None:
    with pair(project, replicated=True) as (here, there):
        assert ordered(here.scan(ITEMS), "k") == [1]
        add(project, 2)
        with lakeport.open(project) as lake:
            lake.table("shop.items").alter(lakeport.AddColumn(pa.field("more", pa.int32())))
        assert ordered(there.scan(ITEMS), "k") == [1, 2]
        add(project, 3)
        assert ordered(here.scan(ITEMS), "k") == [1, 2]


def test_what_a_name_meant_to_one_server_it_means_to_the_other(project: Path) -> None:
    with pair(project, replicated=True) as (here, there):
        standard, elsewhere = replace(here, attached=False), replace(there, attached=False)
        assert ordered(standard.scan(ITEMS), "k") == [1]
        with lakeport.open(project) as lake:
            lake.drop_table("shop.items")
            lake.create_table("shop.items", pa.schema({"k": pa.int64()}))
        add(project, 2)
        with pytest.raises(fl.FlightInternalError, match="is another table"):
            elsewhere.scan(ITEMS)
        stream, _ = elsewhere.flight.do_put(SENT, pa.schema({"k": pa.int64()}), elsewhere.options())
        with pytest.raises(fl.FlightInternalError, match="is another table"):
            stream.close()
        fresh = replace(elsewhere, transaction=str(uuid.uuid4()))
        assert ordered(fresh.scan(ITEMS), "k") == [2]


def test_without_the_setting_each_server_remembers_for_itself(project: Path) -> None:
    with pair(project, replicated=False) as (here, there):
        assert ordered(here.scan(ITEMS), "k") == [1]
        add(project, 2)
        assert ordered(there.scan(ITEMS), "k") == [1, 2]


def test_replicas_reuse_no_state_of_a_table_unchecked(project: Path) -> None:
    uri = '[catalog]\nuri = "http://127.0.0.1:1/catalog"\n'
    (project / "lakeport.toml").write_text(uri)
    settings = load(project=project, flags={"server.replicated": True}, variables={})
    assert wiring.staleness_of(settings) == 0.0
    alone = load(project=project, variables={})
    assert wiring.staleness_of(alone) is None
    told = load(project=project, flags={"catalog.max_staleness": 2.0}, variables={})
    assert wiring.staleness_of(told) == 2.0
