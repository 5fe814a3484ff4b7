"""Storage and databases in trouble: locked, gone, in the way, refusing."""

from __future__ import annotations

import http.server
import shutil
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import LakeportError, UnavailableError
from tests.catalog.iceberg.bad_input.damage import (
    SCHEMA,
    Victim,
    a_good_error,
    make_victim,
    read_everything,
    some_rows,
)
from tests.lakes.lake import Lake

SECRET = "s3cr3t-k3y"  # noqa: S105 it opens nothing


@pytest.fixture
def victim(tmp_path: Path) -> Victim:
    return make_victim(tmp_path)


def impatient(lake: Lake) -> Profile:
    properties = {"lakeport.busy-seconds": "0.1"}
    return Profile(lake.name, "sql", f"sqlite:///{lake.database}", str(lake.warehouse), properties)


def list_namespaces(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        catalog.namespaces()


@contextmanager
def locked(lake: Lake) -> Iterator[None]:
    """Another program holds the whole database, in the mode that lets nobody in."""
    with closing(sqlite3.connect(lake.database, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE held (x)")
        yield
        other.execute("ROLLBACK")


def test_a_locked_database_is_an_error_soon(victim: Victim) -> None:
    with sqlite3.connect(victim.lake.database) as other:
        other.execute("PRAGMA journal_mode = DELETE")
    other.close()
    with locked(victim.lake), a_good_error(victim.lake) as caught:
        list_namespaces(impatient(victim.lake))
    assert isinstance(caught.value, UnavailableError)
    assert "lock" in str(caught.value)


def test_a_database_that_was_locked_is_read_afterwards(victim: Victim) -> None:
    with locked(victim.lake), pytest.raises(LakeportError):
        list_namespaces(impatient(victim.lake))
    assert read_everything(victim.lake).num_rows == victim.left


def test_a_database_locked_under_an_open_catalog_is_an_error(victim: Victim) -> None:
    with IcebergCatalog(impatient(victim.lake)) as catalog:
        table = catalog.namespace("shop").table("items")
        assert table.state().version == 4
        catalog.pyiceberg.close()  # its own connections would keep the other program out
        with sqlite3.connect(victim.lake.database) as other:
            other.execute("PRAGMA journal_mode = DELETE")
        other.close()
        with locked(victim.lake), a_good_error(victim.lake):
            table.state()
        assert table.state().version == 4


def test_a_file_that_is_no_database_is_an_error(victim: Victim) -> None:
    victim.lake.database.write_bytes(b"this is not a database" * 100)
    for leftover in victim.lake.folder.glob("catalog.db-*"):
        leftover.unlink()
    with a_good_error(victim.lake):
        read_everything(victim.lake)


def test_a_warehouse_that_is_gone_is_an_error(victim: Victim) -> None:
    shutil.rmtree(victim.lake.warehouse)
    with a_good_error(victim.lake):
        read_everything(victim.lake)


def test_a_file_in_the_place_of_the_warehouse_is_an_error(victim: Victim) -> None:
    shutil.rmtree(victim.lake.warehouse)
    victim.lake.warehouse.write_text("in the way")
    with a_good_error(victim.lake):
        read_everything(victim.lake)


def test_a_table_goes_while_it_is_read(victim: Victim) -> None:
    """The handle is live: what was there a moment ago is not found now."""
    with IcebergCatalog(victim.lake.profile) as catalog:
        table = catalog.namespace("shop").table("items")
        assert table.state().version == 4
        with closing(sqlite3.connect(victim.lake.database)) as other, other:
            other.execute("DELETE FROM iceberg_tables")
        with a_good_error(victim.lake) as caught:
            table.state()
    assert caught.value.code == "not_found"


class _Refusing(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = (
            b"<?xml version='1.0'?><Error><Code>SignatureDoesNotMatch</Code>"
            b"<Message>The request signature does not match</Message></Error>"
        )
        self.send_response(403)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 the base class's name

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class's name
        pass


@contextmanager
def refusing_storage() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def silent_storage() -> Iterator[str]:
    """Takes connections and never answers: the kernel accepts what nobody fetches."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=50)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_storage_that_never_answers_is_an_error(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.create("shop.items", SCHEMA)
    lake.publish("shop.items", "s3://bucket/shop/items/metadata/1.metadata.json")
    with silent_storage() as endpoint:
        properties = {"s3.request-timeout": "0.1", "s3.connect-timeout": "0.1"}
        profile = remote(lake, endpoint, properties)
        with IcebergCatalog(profile) as catalog, a_good_error(lake) as caught:
            catalog.namespace("shop").table("items").state()
    assert isinstance(caught.value, UnavailableError)


def remote(lake: Lake, endpoint: str, properties: dict[str, str]) -> Profile:
    """The lake's catalog with a warehouse on an S3 service."""
    service = {
        "s3.endpoint": endpoint,
        "s3.region": "us-east-1",
        "s3.access-key-id": "AKIDEXAMPLE",
        "s3.secret-access-key": SECRET,
    }
    uri = f"sqlite:///{lake.database}"
    return Profile(lake.name, "sql", uri, "s3://bucket", {**service, **properties})


def test_wrong_credentials_for_the_storage_are_an_error_without_them(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    table = lake.create("shop.items", SCHEMA)
    table.append(some_rows(0))
    lake.publish("shop.items", "s3://bucket/shop/items/metadata/1.metadata.json")
    with refusing_storage() as endpoint:
        profile = remote(lake, endpoint, {})
        with IcebergCatalog(profile) as catalog, a_good_error(lake) as caught:
            catalog.namespace("shop").table("items").state()
    assert isinstance(caught.value, UnavailableError)
    assert "credentials" in str(caught.value.hint)
    assert SECRET not in str(caught.value)
    assert "AKIDEXAMPLE" not in str(caught.value)
