"""Opens a catalog from its profile, and asks whether one is there without changing anything.

PyIceberg's own configuration (`~/.pyiceberg.yaml`, `PYICEBERG_*`) is left out on purpose: settings have
one source. Whatever a driver raises while connecting becomes one `UnavailableError` that names the
catalog, because six vendors' libraries share no error class.
"""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pyiceberg.catalog import AVAILABLE_CATALOGS, Catalog, CatalogType
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NotInstalledError,
    OAuthError,
    UnauthorizedError,
)
from pyiceberg.io import load_file_io

from lakeport.core.errors import (
    LakeportError,
    PreconditionError,
    UnavailableError,
    UnsupportedError,
)
from lakeport.core.secrets import mask_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.catalog.iceberg.profile import Profile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Presence:
    """What a probe found. `namespaces` is None when the catalog has no tables of its own yet."""

    namespaces: int | None


def connect(profile: Profile) -> Catalog:
    """Open the catalog; a SQL catalog's tables and a SQLite file's folder are created if missing."""
    try:
        if profile.database_file is not None:
            profile.database_file.parent.mkdir(parents=True, exist_ok=True)
        return _open(profile, {})
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


def _open(profile: Profile, more: dict[str, str]) -> Catalog:
    warehouse = profile.warehouse or ""
    if warehouse.startswith("file:") and set("?#") & set(warehouse):
        raise PreconditionError(
            f"{profile} cannot be used: a location cannot hold `?` or `#`",
            hint="move the project, or set `catalog.warehouse`",
        )
    kind = CatalogType.SQL if profile.type == "embedded" else CatalogType(profile.type)
    return AVAILABLE_CATALOGS[kind](profile.name, {**profile.for_pyiceberg(), **more})


def _presence(profile: Profile) -> Presence:
    with _open(profile, {"init_catalog_tables": "false"}) as catalog:
        if isinstance(catalog, SqlCatalog):
            # The constructor takes an unreachable database for one without tables; this does not.
            with catalog.engine.connect() as connection:
                if not catalog.engine.dialect.has_table(connection, "iceberg_tables"):
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
            f"{profile} did not answer within {seconds:g} s", hint="is the address right?"
        )
    return answers[0]


def refusal(profile: Profile, error: Exception) -> LakeportError:
    """What to raise for whatever a driver raised: the catalog by name, the reason, what to check."""
    if isinstance(error, LakeportError):
        return error
    reason = _reason(error)
    if isinstance(error, NotInstalledError | ImportError):
        return UnsupportedError(
            f"{profile} needs a package that is not installed", hint=reason.rstrip(".")
        )
    if isinstance(error, UnauthorizedError | ForbiddenError | OAuthError):
        hint = "check `catalog.token` or `catalog.credential`"
    else:
        hint = "check `catalog.uri`; `lakeport config catalog` shows where it comes from"
    return UnavailableError(f"{profile} cannot be reached: {reason}", hint=hint)


def _reason(error: Exception) -> str:
    """The operating system's word at the bottom of a chain of wrappers, else the error's first line."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        cause = cause.__cause__ or cause.__context__
    return mask_text(str(error).strip().partition("\n")[0]) or type(error).__name__
