"""Opens a catalog from its profile, and asks whether one is there without changing anything.

PyIceberg's own configuration (`~/.pyiceberg.yaml`, `PYICEBERG_*`) is left out on purpose: settings have
one source. Which library stands behind a catalog's type is decided here and nowhere else.
"""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pyiceberg.catalog import AVAILABLE_CATALOGS, Catalog, CatalogType
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.io import FileIO, load_file_io
from pyiceberg.typedef import EMPTY_DICT, Properties
from sqlalchemy import inspect

from lakeport.catalog.iceberg.drivers.patience import Patience
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import refusal
from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.core.names import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.catalog.iceberg.profile import Profile

T = TypeVar("T")

_SQL_TABLE = IcebergTables.__tablename__


@dataclass(frozen=True, slots=True)
class Presence:
    """What a probe found. `namespaces` is None when the catalog has no tables of its own yet."""

    namespaces: int | None


def connect(profile: Profile, *, durable: bool = False) -> Catalog:
    """Open the catalog; a SQL catalog's tables and a SQLite file's folder are created if missing.

    `durable` is for what is written through it: see `PatientSqlCatalog`.
    """
    try:
        if profile.database_file is not None:
            profile.database_file.parent.mkdir(parents=True, exist_ok=True)
        return _open(profile, {}, durable=durable)
    except Exception as error:
        raise refusal(profile, error) from error


def probe(profile: Profile, *, seconds: float) -> Presence:
    """Ask the catalog for its namespaces; creates nothing, and gives up after `seconds`."""
    if profile.database_file is not None and not profile.database_file.exists():
        return Presence(None)  # opening it would create it
    return _within(seconds, profile, lambda: _presence(profile))


def probe_warehouse(profile: Profile, *, seconds: float) -> None:
    """Write a small object below the warehouse and remove it again."""
    place = f"{(profile.warehouse or '').rstrip('/')}/.lakeport-probe-{uuid.uuid4().hex}"

    def write_and_remove() -> None:
        storage = load_file_io(profile.for_pyiceberg(), place)
        with storage.new_output(place).create() as stream:
            stream.write(b"lakeport doctor\n")
        storage.delete(place)

    _within(seconds, profile, write_and_remove)


def _open(profile: Profile, more: dict[str, str], *, durable: bool = False) -> Catalog:
    warehouse = profile.warehouse or ""
    if warehouse.startswith("file:") and set("?#") & set(warehouse):
        raise PreconditionError(
            f"{profile} cannot be used: a location cannot hold `?` or `#`",
            hint="move the project, or set `catalog.warehouse`",
        )
    kind = CatalogType.SQL if profile.type == "embedded" else CatalogType(profile.type)
    properties = {**profile.for_pyiceberg(), **more}
    if kind is CatalogType.SQL:
        patience = Patience.of(profile)
        return PatientSqlCatalog(profile.name, patience, durable=durable, **properties)
    if kind is CatalogType.REST:
        # Not everybody has to wait for an HTTP client to load.
        from lakeport.catalog.iceberg.drivers.rest import PatientRestCatalog  # noqa: PLC0415

        return PatientRestCatalog(profile.name, Patience.of(profile), **properties)
    return _with_own_storage(AVAILABLE_CATALOGS[kind](profile.name, properties))


def _with_own_storage(catalog: Catalog) -> Catalog:
    """The table's own properties do not say how its files are reached: see `open_storage`.

    Glue, Hive and the others are classes of libraries that may be missing, so none of ours derives from
    them; on the object a function goes before the class's.
    """

    def load_storage(
        properties: Properties = EMPTY_DICT,  # noqa: ARG001  the table's
        location: str | None = None,
    ) -> FileIO:
        return load_file_io(catalog.properties, location)

    vars(catalog)["_load_file_io"] = load_storage
    return catalog


def _presence(profile: Profile) -> Presence:
    with _open(profile, {"init_catalog_tables": "false"}) as catalog:
        if isinstance(catalog, SqlCatalog) and not inspect(catalog.engine).has_table(_SQL_TABLE):
            return Presence(None)
        return Presence(len(catalog.list_namespaces()))


def _within(seconds: float, profile: Profile, ask: Callable[[], T]) -> T:
    """Ask on a thread of its own: not every driver can be given a time limit."""
    answers: list[T] = []
    failures: list[Exception] = []

    def run() -> None:
        try:
            answers.append(ask())
        except Exception as error:  # noqa: BLE001  handed to the asking thread
            failures.append(error)

    # A daemon, so that a driver that never comes back does not keep the process alive.
    thread = threading.Thread(target=run, name="lakeport-probe", daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise refusal(profile, failures[0]) from failures[0]
    if not answers:
        raise UnavailableError(
            f"{profile} did not answer within {seconds:g} s",
            hint="is the address right?",
            outside=f"catalog {quoted(profile.name)} did not answer in time",
        )
    return answers[0]
