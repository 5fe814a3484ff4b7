"""A lake in a folder, our Iceberg door before it on a real port, and PyIceberg's client of that door."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyiceberg.catalog.rest import RestCatalog
from starlette.applications import Starlette
from starlette.routing import Mount

from lakeport.access import EVERYONE, Identity
from lakeport.app.serve.http import HttpServer
from lakeport.app.settings.values import Address
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Catalog
from lakeport.rest import IcebergDoor


def embedded(folder: Path, properties: Mapping[str, str] | None = None) -> IcebergCatalog:
    uri, warehouse = f"sqlite:///{folder}/catalog.db", f"file://{folder}/warehouse"
    return IcebergCatalog(Profile("lake", "embedded", uri, warehouse, properties or {}))


@contextmanager
def open_door(
    catalog: Catalog, authenticate: Callable[[str | None], Identity] = lambda _: EVERYONE
) -> Iterator[str]:
    """The door's address."""
    door = IcebergDoor([catalog], authenticate)
    application = Starlette(routes=[Mount("/iceberg", door)])
    server = HttpServer(application, Address("127.0.0.1", 0), None)
    server.start()
    try:
        yield f"{server.address}/iceberg"
    finally:
        server.stop()


@contextmanager
def client_of(url: str, **properties: str) -> Iterator[RestCatalog]:
    client = RestCatalog("lake", uri=url, **properties)
    try:
        yield client
    finally:
        client.close()
