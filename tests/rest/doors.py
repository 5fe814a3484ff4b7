"""The Iceberg door on a real port, over a real lake, and a client that sends raw requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from pyiceberg.catalog.rest import RestCatalog
from starlette.applications import Starlette
from starlette.routing import Mount

from lakeport.access import EVERYONE, Identity
from lakeport.app.http import HttpServer
from lakeport.app.settings.values import Address
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Catalog
from lakeport.rest import IcebergDoor

SECONDS = 60.0


def profile_in(folder: Path, name: str = "lake", **properties: str) -> Profile:
    return Profile(
        name,
        "embedded",
        f"sqlite:///{folder / 'catalog.db'}",
        f"file://{folder / 'warehouse'}",
        properties,
    )


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> tuple[int, str]:
        """Status and Iceberg's name of the error; the body must agree with the status."""
        told = self.json["error"]
        assert told["code"] == self.status
        assert told["message"]
        return self.status, told["type"]

    @property
    def message(self) -> str:
        return str(self.json["error"]["message"])


@dataclass(slots=True)
class Client:
    """Requests below `/iceberg`, as they are: nothing is retried, checked or followed."""

    uri: str
    token: str | None = None
    session: requests.Session = field(default_factory=requests.Session)

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        sent = dict(headers or {})
        if self.token is not None:
            sent["authorization"] = f"Bearer {self.token}"
        if body is not None:
            data = json.dumps(body).encode()
        found = self.session.request(
            method, f"{self.uri}{path}", data=data, headers=sent, timeout=SECONDS
        )
        return Reply(found.status_code, found.headers, found.content)

    def get(self, path: str, **headers: str) -> Reply:
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: object) -> Reply:
        return self.send("POST", path, body)

    def close(self) -> None:
        self.session.close()


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The application on a port of its own; gives the address."""
    server = HttpServer(app, Address("127.0.0.1", 0), None)
    server.start()
    try:
        yield server.address
    finally:
        server.stop()


@contextmanager
def open_door(
    *catalogs: Catalog,
    authenticate: Callable[[str | None], Identity] = lambda _header: EVERYONE,
    **options: Any,
) -> Iterator[str]:
    """The address that engines are given."""
    door = IcebergDoor(catalogs, authenticate, **options)
    with serving(Starlette(routes=[Mount("/iceberg", door)])) as address:
        yield f"{address}/iceberg"


@contextmanager
def door_to_lake(folder: Path) -> Iterator[tuple[IcebergCatalog, str]]:
    with IcebergCatalog(profile_in(folder)) as lake, open_door(lake) as uri:
        yield lake, uri


def pyiceberg_client(uri: str, warehouse: str = "lake") -> RestCatalog:
    return RestCatalog("through", uri=uri, warehouse=warehouse)
