"""What outlives a server of its listings: the same answer without a look at the tables, or none."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.airport.announcements import Announcements
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.state.announcements import AnnouncementTable
from lakeport.state.database import Database
from tests.airport.airport_server import AIRPORT, grow, serving, stock
from tests.rest.doors import profile_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with IcebergCatalog(profile_in(tmp_path)) as catalog:
        stock(catalog)
    return tmp_path


class Server:
    """A server that starts anew for each listing, over one lake and one store."""

    def __init__(self, folder: Path, most: int = 1_000) -> None:
        self.folder = folder
        self.store = AnnouncementTable(Database(f"sqlite:///{folder / 'state.db'}"), most=most)
        self.tables_read = 0

    def listed(self, *, remembering: bool = True) -> bytes:
        kept = Announcements(self.store) if remembering else None
        with IcebergCatalog(profile_in(self.folder)) as catalog:
            with serving([catalog], announcements=kept) as client:
                answer = client.having(AIRPORT).action("list_schemas")
            self.tables_read = catalog.cache_figures()["metadata"].misses
        return answer

    def alter(self, column: str) -> None:
        with IcebergCatalog(profile_in(self.folder)) as catalog:
            grow(catalog.namespace("shop").table("orders"), column)

    def run(self, statement: str) -> list[tuple[object, ...]]:
        """SQL in the store, as somebody might who looks after it."""
        with sqlite3.connect(self.folder / "state.db") as connection:
            return connection.execute(statement).fetchall()

    def stamps(self) -> set[object]:
        return {stamp for (stamp,) in self.run("SELECT stamp FROM lakeport_announcements")}


def namespaces(answer: bytes) -> object:
    """All but the version, which counts how often servers began."""
    length, frame = msgpack.unpackb(answer)
    root = msgpack.unpackb(pa.decompress(frame, length, "zstd", asbytes=True))
    return root["schemas"]


def test_the_next_server_says_the_same_and_reads_no_table(folder: Path) -> None:
    server = Server(folder)
    first = server.listed()
    assert server.tables_read == 2
    again = server.listed()
    assert server.tables_read == 0
    assert namespaces(again) == namespaces(first) == namespaces(server.listed(remembering=False))


def test_only_a_table_that_changed_is_read_again(folder: Path) -> None:
    server = Server(folder)
    server.listed()
    before = server.stamps()
    server.alter("more")
    changed = server.listed()
    assert server.tables_read == 1
    assert namespaces(changed) == namespaces(server.listed(remembering=False))
    assert len(before & server.stamps()) == 2  # nobody saw it change: it goes with its age


def test_what_cannot_be_read_is_made_again(folder: Path) -> None:
    server = Server(folder)
    first = server.listed()
    server.run("UPDATE lakeport_announcements SET body = x'c1'")
    assert namespaces(server.listed()) == namespaces(first)
    assert server.tables_read == 2
    server.run("UPDATE lakeport_announcements SET form = 'of another version'")
    assert namespaces(server.listed()) == namespaces(first)
    assert server.tables_read == 2


def test_the_oldest_go_when_there_are_too_many(folder: Path) -> None:
    server = Server(folder, most=1)
    first = server.listed()
    assert len(server.stamps()) == 1
    assert namespaces(server.listed()) == namespaces(first)


def test_a_store_that_is_gone_is_not_needed(folder: Path) -> None:
    server = Server(folder)
    first = server.listed()
    server.run("DROP TABLE lakeport_announcements")
    assert namespaces(server.listed()) == namespaces(first)
