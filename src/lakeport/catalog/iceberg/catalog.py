"""An Iceberg catalog as `ports.Catalog`: whatever PyIceberg opens, by configuration alone.

Nothing here knows whether names live in SQLite, Postgres or behind a service; `pointers` does. Names that
other engines wrote are read as they are, only names we are asked to create are checked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Self

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import (
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
)

from lakeport.catalog.caching import CacheFigures
from lakeport.catalog.dropped import DroppedTable, Memory, Removed
from lakeport.catalog.iceberg.alter.properties import checked_properties
from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.commit.commits import Commits
from lakeport.catalog.iceberg.commit.pointer import Pointer
from lakeport.catalog.iceberg.connect import connect
from lakeport.catalog.iceberg.door.door import EngineDoor
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.dropped import find_dropped, restorable
from lakeport.catalog.iceberg.failures import asking, dropped_namespace
from lakeport.catalog.iceberg.namespace import IcebergNamespace
from lakeport.catalog.iceberg.parts import MEBIBYTE, ReadOptions
from lakeport.catalog.iceberg.pointers.port import Pointers, properties_of
from lakeport.catalog.iceberg.pointers.remote import Freshness, RemotePointers
from lakeport.catalog.iceberg.pointers.sql import SqlPointers
from lakeport.catalog.iceberg.pointers.versions import Counter
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.iceberg.upkeep.dropped import remove_dropped
from lakeport.catalog.naming import check_namespace_name, namespace_taken, require_empty
from lakeport.catalog.ports import CatalogVersion, NamespaceInfo
from lakeport.core.closing import Closing
from lakeport.core.errors import (
    PreconditionError,
)
from lakeport.core.names import TableName, fold, quoted


class IcebergCatalog(Closing):
    """`max_staleness` is how old a table's state may be, in seconds: 0 for SQL, 1 for services.

    `memory` is where dropped tables are remembered; without one they are in the log alone.
    """

    def __init__(  # noqa: PLR0913  one keyword per setting
        self,
        profile: Profile,
        *,
        clock: Callable[[], int] = time.time_ns,
        options: ReadOptions | None = None,
        max_staleness: float | None = None,
        refresh_seconds: float = 5.0,
        cache_bytes: int = 256 * MEBIBYTE,
        durable: bool = False,
        memory: Memory | None = None,
    ) -> None:
        native, caches = connect(profile, durable=durable), Caches(cache_bytes)
        pointers: Pointers
        if isinstance(native, PatientSqlCatalog):
            pointers = SqlPointers(profile, native, caches, Counter(clock), max_staleness or 0.0)
        else:
            staleness = 1.0 if max_staleness is None else max_staleness
            freshness = Freshness(staleness, refresh_seconds)
            pointers = RemotePointers(profile, native, caches, freshness, Counter(clock))
        options = options or ReadOptions()
        pointer = Pointer(profile, native, pointers, caches, options, clock)
        commits = Commits(profile, pointer, clock, durable=durable)
        self._surroundings = Surroundings(
            profile, native, pointers, caches, options, clock, commits, memory or Memory()
        )
        self._engines = EngineDoor(self._surroundings)
        self._lock = threading.Lock()

    @classmethod
    def open(cls, profile: Profile) -> Self:
        return cls(profile)

    @property
    def name(self) -> str:
        return self._surroundings.profile.name

    @property
    def profile(self) -> Profile:
        """How it was configured; its text names the catalog in messages."""
        return self._surroundings.profile

    @property
    def options(self) -> ReadOptions:
        """How much of a table is read at once."""
        return self._surroundings.options

    @property
    def pyiceberg(self) -> Catalog:
        """PyIceberg's own catalog, for what the ports do not offer yet."""
        return self._surroundings.native

    @property
    def commits(self) -> Commits:
        """How anything that writes to a table is committed."""
        return self._surroundings.commits

    def cache_figures(self) -> Mapping[str, CacheFigures]:
        return self._surroundings.caches.figures()

    @contextmanager
    def changing(self, name: TableName | None = None) -> Iterator[Catalog]:
        """PyIceberg's own catalog for a change that the ports do not offer yet.

        What it raises is told as ours, and the change is seen here at once: that of the rows of a
        table, if one is named, else any.
        """
        with asking(self.profile):
            try:
                yield self.pyiceberg
            finally:
                self._surroundings.pointers.forget(name)

    def version(self) -> CatalogVersion:
        """Steady while no definition changes.

        SQL: one small question per call, and a listing after somebody committed anything. The number is
        in the database, the same for all processes, and grows in the transaction of the change
        itself. Services: each process counts for itself, up to twice `refresh_seconds` late, and a
        schema that another program changed is noticed when its table is loaded here.
        """
        pointers = self._surroundings.pointers
        return CatalogVersion(pointers.version(), rows=pointers.rows_version())

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self._surroundings.pointers.namespaces()

    def namespace(self, name: str) -> IcebergNamespace:
        return IcebergNamespace(self._surroundings.pointers.namespace(name), self._surroundings)

    def create_namespace(self, info: NamespaceInfo) -> IcebergNamespace:
        check_namespace_name(info.name)
        checked_properties(info.properties)
        with self._lock:
            known = {fold(namespace.name) for namespace in self.namespaces()}
            if fold(info.name) in known:
                raise namespace_taken(info.name)
            self._create(info)
        return self.namespace(info.name)

    def drop_namespace(self, name: str) -> None:
        with self._lock:
            doomed = self.namespace(name)
            require_empty(doomed)
            self._drop(doomed.info.name)

    def engines(self) -> EngineDoor:
        """For engines that read and write files themselves."""
        return self._engines

    # -- dropped tables --------------------------------------------------------------------------

    def dropped_tables(self) -> Sequence[DroppedTable]:
        return restorable(self._surroundings)

    def undrop_table(self, name: TableName) -> IcebergTable:
        record = find_dropped(self._surroundings, name)
        return self.namespace(record.name.namespace).undrop_table(record)

    def remove_dropped(self, *, dry_run: bool = False) -> Sequence[Removed]:
        return remove_dropped(self._surroundings, dry_run=dry_run)

    def close(self) -> None:
        self._surroundings.pointers.close()
        self._surroundings.native.close()
        self._surroundings.memory.records.close()

    # -- inside ----------------------------------------------------------------------------------

    def _create(self, info: NamespaceInfo) -> None:
        with self.changing() as native:
            try:
                native.create_namespace(tuple(info.name.split(".")), properties_of(info))
            except NamespaceAlreadyExistsError as error:
                raise namespace_taken(info.name) from error

    def _drop(self, name: str) -> None:
        identifier = self._surroundings.pointers.identifier(name)
        with self.changing() as native:
            try:
                native.drop_namespace(identifier)
            except NoSuchNamespaceError as error:
                raise dropped_namespace(name) from error
            except NamespaceNotEmptyError as error:
                raise PreconditionError(
                    f"namespace {quoted(name)} is not empty",
                    hint="it may hold views, or tables that are not Iceberg's",
                ) from error
