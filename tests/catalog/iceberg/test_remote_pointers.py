"""How old the answers about a service may be, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.connect import connect
from lakeport.catalog.iceberg.pointers.remote import Freshness, RemotePointers
from lakeport.catalog.iceberg.pointers.versions import Counter
from lakeport.core.errors import CorruptDataError, NotFoundError, UnavailableError
from lakeport.core.names import TableName
from tests.catalog.iceberg.rest_server import RestServer, rest_server

ITEMS = TableName("shop", "items")
SCHEMA = Schema(NestedField(1, "k", LongType()))


class Now:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestServer]:
    with rest_server(tmp_path / "rest") as running:
        running.catalog.create_namespace("shop")
        running.catalog.create_table("shop.items", SCHEMA)
        yield running


@pytest.fixture
def pointers(server: RestServer, now: Now) -> Iterator[RemotePointers]:
    profile = server.profile()
    with connect(profile) as native:
        opened = RemotePointers(
            profile, native, Caches(), Freshness(1.0, 5.0), Counter(lambda: 0), now
        )
        yield opened
        opened.close()


def widen(server: RestServer) -> None:
    with server.catalog.load_table("shop.items").update_schema() as change:
        change.add_column("more", LongType())


def test_a_table_is_asked_for_again_once_its_answer_is_a_second_old(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    first = pointers.load(ITEMS)
    now.seconds = 0.99
    widen(server)
    assert pointers.load(ITEMS) is first
    assert server.count("/tables/items") == 1
    now.seconds = 1.0
    assert len(pointers.load(ITEMS).metadata.schema().fields) == 2
    assert server.count("/tables/items") == 2


def test_an_answer_that_did_not_change_is_the_same_metadata(
    pointers: RemotePointers, now: Now
) -> None:
    first = pointers.load(ITEMS)
    now.seconds = 2
    second = pointers.load(ITEMS)
    assert second is not first
    assert second.metadata is first.metadata
    assert second.io is first.io


def test_what_we_changed_ourselves_is_asked_for_at_once(
    server: RestServer, pointers: RemotePointers
) -> None:
    pointers.load(ITEMS)
    widen(server)
    pointers.forget(ITEMS)
    assert len(pointers.load(ITEMS).metadata.schema().fields) == 2


def test_a_dropped_table_is_remembered_for_a_second_at_most(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    pointers.load(ITEMS)
    server.catalog.drop_table("shop.items")
    pointers.load(ITEMS)
    now.seconds = 1
    with pytest.raises(NotFoundError):
        pointers.load(ITEMS)


def test_the_version_asks_nothing_for_five_seconds(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    first = pointers.version()
    asked = len(server.asked)
    now.seconds = 4.99
    server.catalog.create_table("shop.more", SCHEMA)
    assert pointers.version() == first
    assert len(server.asked) == asked


def test_the_version_is_refreshed_beside_those_who_ask(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    first = pointers.version()
    server.catalog.create_table("shop.more", SCHEMA)
    now.seconds = 5
    pointers.version()
    pointers.close()  # waits for the refresh
    second = pointers.version()
    assert second > first
    assert pointers.version() == second


def test_after_a_pause_the_version_is_asked_for_before_it_is_told(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    first = pointers.version()
    server.catalog.create_namespace("zoo")
    now.seconds = 10
    assert pointers.version() > first


def test_a_schema_that_another_program_changed_is_noticed_with_the_tables_used_last(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    pointers.load(ITEMS)
    first = pointers.version()
    server.catalog.load_table("shop.items")
    widen(server)
    now.seconds = 10
    second = pointers.version()
    assert second > first
    now.seconds = 20
    assert pointers.version() == second


def test_rows_alone_change_no_version(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    pointers.load(ITEMS)
    first = pointers.version()
    table = server.catalog.load_table("shop.items")
    table.append(table.scan().to_arrow())
    now.seconds = 10
    assert pointers.version() == first
    assert pointers.load(ITEMS).metadata.current_snapshot() is not None


def test_a_refresh_that_fails_is_told_when_the_answer_is_too_old(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    first = pointers.version()
    server.answer_instead = lambda _: (503, "")
    now.seconds = 5
    assert pointers.version() == first
    pointers.close()
    now.seconds = 9.99
    assert pointers.version() == first
    pointers.close()
    now.seconds = 10
    with pytest.raises(UnavailableError):
        pointers.version()
    server.answer_instead = lambda _: None
    assert pointers.version() == first


def test_one_table_that_cannot_be_read_does_not_stop_the_version(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    pointers.load(ITEMS)
    first = pointers.version()
    server.answer_instead = lambda path: (
        (200, '{"metadata": {"format-version": 2}}') if path.endswith("/tables/items") else None
    )
    now.seconds = 10
    with pytest.raises(CorruptDataError, match=r"the metadata of table `shop\.items` is damaged"):
        pointers.load(ITEMS)
    assert pointers.version() == first


def test_namespaces_are_reused_but_never_missed(
    server: RestServer, pointers: RemotePointers, now: Now
) -> None:
    pointers.namespace("SHOP")
    asked = len(server.asked)
    now.seconds = 4
    pointers.namespace("shop")
    assert len(server.asked) == asked
    server.catalog.create_namespace("zoo")
    assert pointers.namespace("zoo").name == "zoo"
    with pytest.raises(NotFoundError, match="desert"):
        pointers.namespace("desert")
