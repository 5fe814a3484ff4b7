"""Bodies of requests: how long they may be, and how they may be packed."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.rest.doors import Client, open_door, profile_in
from tests.rest.raw import RawLake, RawTable, update

BAD = (400, "BadRequestException")
NOT_OFFERED = (415, "UnsupportedOperationException")
MOST = 10_000


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[RawTable]:
    """A table at a door that takes short bodies only."""
    with (
        IcebergCatalog(profile_in(tmp_path)) as lake,
        open_door(lake, body_bytes=MOST) as uri,
    ):
        client = Client(uri)
        yield RawLake(client).table()
        client.close()


def setting(size: int) -> bytes:
    value = update("set-properties", updates={"a": "x" * size})
    return json.dumps({"updates": [value]}).encode()


def packed(size: int) -> bytes:
    return gzip.compress(setting(size), 1)


def test_a_body_that_is_too_long_is_refused(narrow: RawTable) -> None:
    before, client, data = narrow.location(), narrow.client, setting(MOST)
    assert client.send("POST", narrow.path, data=data).error == BAD
    chunks = (data[at : at + 1_000] for at in range(0, len(data), 1_000))
    unsized = client.session.post(f"{client.uri}{narrow.path}", data=chunks, timeout=60)
    assert unsized.status_code == 400
    assert narrow.location() == before
    assert narrow.append()


def test_who_sends_all_before_listening_is_told_what_is_wrong(narrow: RawTable) -> None:
    """And closes the connection afterwards, as Python's own client does: it must not be cut off."""
    place = urlparse(narrow.client.uri)
    connection = http.client.HTTPConnection(place.netloc, timeout=60)
    more = {"connection": "close"}
    connection.request("POST", f"{place.path}{narrow.path}", setting(50_000_000), more)
    answer = connection.getresponse()
    assert answer.status == 400
    assert f"{MOST:,} bytes" in json.load(answer)["error"]["message"]
    connection.close()


def test_who_asks_before_sending_is_told_at_once(narrow: RawTable) -> None:
    place = urlparse(narrow.client.uri)
    asked = (
        f"POST {place.path}{narrow.path} HTTP/1.1\r\nhost: {place.netloc}\r\n"
        f"expect: 100-continue\r\ncontent-length: {2 * MOST}\r\n\r\n"
    )
    with socket.create_connection((place.hostname or "", place.port or 0), 60) as raw_connection:
        raw_connection.sendall(asked.encode())
        assert raw_connection.recv(12) == b"HTTP/1.1 400"


def test_a_body_may_be_packed(narrow: RawTable) -> None:
    for coding in ("gzip", "GZIP", "x-gzip"):
        sent = narrow.client.send(
            "POST", narrow.path, data=packed(100), headers={"content-encoding": coding}
        )
        assert sent.json["metadata"]["properties"]["a"] == "x" * 100
    plain = {"content-encoding": "identity"}
    sent = narrow.client.send("POST", narrow.path, data=setting(3), headers=plain)
    assert sent.json["metadata"]["properties"]["a"] == "xxx"


@pytest.mark.parametrize(
    ("coding", "body", "error"),
    [
        pytest.param("gzip", lambda: setting(9), BAD, id="plain"),
        pytest.param("gzip", lambda: b"", BAD, id="empty"),
        pytest.param("gzip", lambda: packed(9)[:-9], BAD, id="cut off"),
        pytest.param("gzip", lambda: packed(9) * 2, BAD, id="twice"),
        pytest.param("gzip", lambda: packed(100_000_000), BAD, id="a bomb"),
        pytest.param("br", lambda: setting(9), NOT_OFFERED, id="another coding"),
        pytest.param("gzip, gzip", lambda: setting(9), NOT_OFFERED, id="two codings"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_refused(
    narrow: RawTable, coding: str, body: Callable[[], bytes], error: tuple[int, str]
) -> None:
    before = narrow.location()
    headers = {"content-encoding": coding}
    assert narrow.client.send("POST", narrow.path, data=body(), headers=headers).error == error
    assert narrow.location() == before
