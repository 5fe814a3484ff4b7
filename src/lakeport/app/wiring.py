"""Where settings meet the parts they configure, and the one place that loads heavy libraries late.

A command that needs no tables must not wait for PyIceberg, so every import of a heavy home stands
inside the function that hands it out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from lakeport.app.lake.pipeline import Pipeline
    from lakeport.app.lake.source import Closable, Source
    from lakeport.app.settings import Settings
    from lakeport.catalog.dropped import Memory
    from lakeport.catalog.iceberg.attachment import Attachment
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.catalog.iceberg.columns import Described
    from lakeport.catalog.iceberg.connect import Presence
    from lakeport.catalog.ports import Catalog
    from lakeport.pipeline.session import Spark
    from lakeport.state import Store


def profile_of(settings: Settings) -> Profile:
    """The catalog that the settings describe."""
    catalog = settings.catalog
    return Profile(
        name=catalog.name,
        type=catalog.type or "embedded",
        uri=catalog.uri,
        warehouse=catalog.warehouse,
        properties=catalog.properties,
    )


def open_catalog(settings: Settings) -> IcebergCatalog:
    """The lake; the embedded one is made at its first use, but only inside a project."""
    profile = profile_of(settings)
    if settings.file is None and profile.type == "embedded":
        raise _no_project()
    from lakeport.catalog.iceberg.catalog import IcebergCatalog  # noqa: PLC0415  loads PyIceberg
    from lakeport.catalog.iceberg.parts import ReadOptions  # noqa: PLC0415  so does this

    given = settings.catalog
    return IcebergCatalog(
        profile,
        options=ReadOptions(queue_bytes=settings.server.limits.scan_bytes),
        max_staleness=staleness_of(settings),
        refresh_seconds=given.refresh_seconds,
        durable=given.durable,
        memory=_memory(settings),
    )


def _memory(settings: Settings) -> Memory:
    """Of dropped tables; a catalog that belongs to no project has nowhere to keep it."""
    from lakeport.app.lake.dropped import StateRecords  # noqa: PLC0415  loads Arrow
    from lakeport.catalog.dropped import Memory  # noqa: PLC0415  loads Arrow
    from lakeport.catalog.upkeep import DAY  # noqa: PLC0415

    keep_for = round(settings.maintenance.undrop_days * DAY)
    if not has_state(settings):
        return Memory(keep_for=keep_for)
    return Memory(StateRecords(lambda: open_state(settings)), keep_for)


def open_pipeline(
    settings: Settings,
    catalog: IcebergCatalog,
    actor: str | None,
    start: Callable[[], Spark] | None = None,
) -> Pipeline:
    """Of an open catalog; Spark starts when it is asked for, by `start` if somebody knows better."""
    from lakeport.app.lake.pipeline import Pipeline  # noqa: PLC0415  loads an HTTP server
    from lakeport.app.project.daemon import open_spark  # noqa: PLC0415
    from lakeport.app.spark import spark_log  # noqa: PLC0415

    return Pipeline(
        catalog,
        start or (lambda: open_spark(settings)),
        spark_log(settings),
        attached=_attached(settings, catalog.profile),
        actor=actor,
    )


def _attached(settings: Settings, profile: Profile) -> Attachment | None:
    """Where Spark goes past a door of this process, if it does."""
    from lakeport.catalog.iceberg.attachment import Attachment  # noqa: PLC0415

    if profile.type == "rest":
        return Attachment.to_service(profile)
    given = settings.pipeline
    if given.door is None:
        return None
    return Attachment.to_door(profile.name, given.door, given.token, profile.properties)


def open_source(settings: Settings, catalog: str | None = None) -> Source:
    """The lake that a command is about: a server's if the settings name one, else the one here."""
    remote = settings.remote
    if remote.url is None:
        from lakeport.app.lake.source import LocalSource  # noqa: PLC0415  loads Arrow

        chosen = settings.with_catalog(catalog)
        return LocalSource(with_files(chosen, open_catalog(chosen)), partial(_knowing, settings))
    from lakeport.app.remote.source import open_remote  # noqa: PLC0415  loads gRPC
    from lakeport.flight.dial import Proof  # noqa: PLC0415  loads gRPC

    proof = Proof(remote.ca, remote.cert, remote.key)
    return open_remote(remote.url, remote.token, proof=proof, catalog=catalog)


def _knowing(settings: Settings, catalog: Catalog) -> AbstractContextManager[Catalog]:
    from lakeport.app.files import files_of  # noqa: PLC0415  loads Arrow
    from lakeport.app.lake.knowing import knowing  # noqa: PLC0415  loads what servers are made of

    return knowing(catalog, partial(open_state, settings), files_of(settings).roots)


def with_files(settings: Settings, catalog: IcebergCatalog) -> Closable:
    """The catalog with the tables over files that are in it, closed as the catalog is."""
    if not settings.files.tables:
        return catalog
    from lakeport.app.files import files_of  # noqa: PLC0415  loads Arrow

    return files_of(settings).over(catalog, catalog.close)


def has_state(settings: Settings) -> bool:
    """A catalog that belongs to no project has nowhere to remember anything."""
    return settings.file is not None or "state.uri" in settings.sources


def open_state(settings: Settings) -> Store:
    """Tokens, the audit, runs; the embedded store is made at its first use, but only in a project."""
    if not has_state(settings):
        raise _no_project()
    from lakeport.state import Store  # noqa: PLC0415  loads SQLAlchemy

    return Store.open(settings.state.uri or "")


def probe_catalog(settings: Settings, *, seconds: float) -> Presence:
    """Whether the catalog answers; creates nothing."""
    from lakeport.catalog.iceberg.connect import probe  # noqa: PLC0415  loads PyIceberg

    return probe(profile_of(settings), seconds=seconds)


def probe_warehouse(settings: Settings, *, seconds: float) -> None:
    """Whether the warehouse can be written; leaves nothing behind."""
    from lakeport.catalog.iceberg import connect  # noqa: PLC0415  loads PyIceberg

    connect.probe_warehouse(profile_of(settings), seconds=seconds)


def described_tables(settings: Settings) -> list[Described]:
    """The catalog's tables with their columns; creates nothing."""
    from lakeport.catalog.iceberg import columns  # noqa: PLC0415  loads PyIceberg

    return columns.described_tables(profile_of(settings))


def _no_project() -> NotFoundError:
    return NotFoundError(
        "there is no lakeport.toml here or in any folder above",
        hint="`lakeport init` makes a project; `--project DIR` names one",
    )


def staleness_of(settings: Settings) -> float | None:
    """What one replica wrote, or pinned, the next one that is asked must know of already."""
    given = settings.catalog.max_staleness
    return 0.0 if given is None and settings.server.replicated else given
