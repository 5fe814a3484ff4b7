"""Pointers in a SQL database: asked anew for every call, unless the settings allow an older answer.

Where the database says for next to nothing that nobody committed since it was listed, the listing answers.
The two tables of PyIceberg's SQL catalog are read directly: its own methods take a query per namespace,
and count `a` as a namespace because there is an `a.b`. Changes go through PyIceberg.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from pyiceberg.catalog.sql import IcebergNamespaceProperties, IcebergTables
from pyiceberg.io import FileIO
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Identifier
from sqlalchemy import Select, bindparam, select

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.drivers.counter import BusyError
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import asking, dropped_namespace, dropped_table
from lakeport.catalog.iceberg.metadata import Loaded, load_metadata, open_storage
from lakeport.catalog.iceberg.pointers.answers import Answers
from lakeport.catalog.iceberg.pointers.port import Listing, can_exist, describe
from lakeport.catalog.iceberg.pointers.probes import Probe, probe_for
from lakeport.catalog.iceberg.pointers.versions import Counter, is_changed
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import NameMap, TableName, quoted

_NAMESPACE = IcebergTables.table_namespace
_TABLE = IcebergTables.table_name
_LOCATION = IcebergTables.metadata_location


class SqlPointers:
    def __init__(
        self,
        profile: Profile,
        native: PatientSqlCatalog,
        caches: Caches,
        counter: Counter,
        max_staleness: float = 0.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._profile = profile
        self._native = native
        self._caches = caches
        self._storage: dict[str, FileIO] = {}
        self._locations: Answers[TableName, str] = Answers(max_staleness, now)
        self._is_fresh = not max_staleness
        self._counter = counter
        native.read_through(self._metadata_at)
        self._probe: Probe = probe_for(native.engine, native.name, native.counter.value)
        self._lock = threading.Lock()
        self._seen: tuple[object, Listing] | None = None
        self._number: int | None = None
        self._has_begun = False
        self._version = counter.value
        self._rows_counter = Counter(counter.clock)
        mine = (IcebergTables.catalog_name == native.name) & native.is_table()
        self._rows = select(_NAMESPACE, _TABLE, _LOCATION).where(mine)
        self._of_namespace = select(_TABLE, _LOCATION).where(
            mine, bindparam("namespace") == _NAMESPACE
        )
        self._views = select(_NAMESPACE, _TABLE, _LOCATION).where(
            IcebergTables.catalog_name == native.name, *native.is_view()
        )
        self._views_of = self._views.where(bindparam("namespace") == _NAMESPACE)
        self._pointer = select(_LOCATION).where(
            mine, bindparam("namespace") == _NAMESPACE, bindparam("table") == _TABLE
        )
        # With rows that are no tables: a namespace of views is one, too.
        self._spaces = (
            select(_NAMESPACE).where(IcebergTables.catalog_name == native.name).distinct()
        )
        self._space = self._spaces.where(bindparam("namespace") == _NAMESPACE).limit(1)
        self._properties = select(
            IcebergNamespaceProperties.namespace,
            IcebergNamespaceProperties.property_key,
            IcebergNamespaceProperties.property_value,
        ).where(IcebergNamespaceProperties.catalog_name == native.name)
        self._own_properties = self._properties.where(
            bindparam("namespace") == IcebergNamespaceProperties.namespace
        )

    # -- names -----------------------------------------------------------------------------------

    def namespaces(self) -> Sequence[NamespaceInfo]:
        listing = self._unchanged()
        found = self._namespaces() if listing is None else listing.namespaces
        return [found[name] for name in sorted(found)]

    def namespace(self, name: str) -> NamespaceInfo:
        # The very spelling first: it is quick, and another engine may have written two that differ in
        # case alone.
        info = self._namespace(name)
        if info is not None:
            return info
        found = self._namespaces()
        info = NameMap(found.items()).get(name)
        if info is None:
            where = f"catalog {quoted(self._profile.name)}"
            raise NotFoundError.among("namespace", name, found, where=where)
        return info

    def tables(self, namespace: str) -> Sequence[str]:
        names = [name for name, _ in self._in_namespace(namespace)]
        if not names and self._namespace(namespace) is None:
            raise dropped_namespace(namespace)
        return sorted(names)

    def table(self, namespace: str, name: str) -> TableName:
        if self._location(TableName(namespace, name)) is not None:
            return TableName(namespace, name)
        known = self.tables(namespace)
        spelled = NameMap((table, table) for table in known).get(name)
        if spelled is None:
            where = f"namespace {quoted(namespace)}"
            raise NotFoundError.among("table", name, known, where=where)
        return TableName(namespace, spelled)

    def views(self, namespace: str) -> Mapping[str, str]:
        """Where their metadata is, by name; none if there is no such namespace."""
        listing = self._unchanged()
        if listing is not None:
            return listing.views.get(namespace, {})
        if not self._native.keeps_views:
            return {}
        rows = self._query(self._views_of, namespace=namespace)
        return {name: location for _, name, location in rows}

    def identifier(self, namespace: str) -> Identifier:
        return tuple(namespace.split("."))

    # -- tables ----------------------------------------------------------------------------------

    def load(self, name: TableName) -> Loaded:
        return self._load(name, self.where(name))

    def where(self, name: TableName) -> str:
        location = self._location(name)
        if location is None:
            raise dropped_table(name)
        return location

    def survey(self, namespace: str) -> Mapping[str, str | None]:
        return dict(self._in_namespace(namespace))

    def surveyed(self, name: TableName, location: str | None) -> Loaded:
        return self.load(name) if location is None else self._load(name, location)

    def _load(self, name: TableName, location: str) -> Loaded:
        metadata = load_metadata(self._caches, name, location, lambda: self._io(location))
        return Loaded(location, metadata, self._io(location))

    def _metadata_at(self, identifier: Identifier, location: str) -> TableMetadata:
        *namespace, table = identifier
        return self._load(TableName(".".join(namespace), table), location).metadata

    def _io(self, location: str) -> FileIO:
        """One for all tables of a kind of storage: it holds connections."""
        scheme = location.partition("://")[0] if "://" in location else ""
        known = self._storage.get(scheme)
        if known is None:
            opened = open_storage(self._native.properties, location)
            known = self._storage.setdefault(scheme, opened)
        return known

    def _location(self, name: TableName) -> str | None:
        return self._locations.get(name, lambda: self._ask(name))

    def _ask(self, name: TableName) -> str | None:
        if not can_exist(str(name)):
            return None
        listing = self._unchanged()
        if listing is not None:
            return listing.tables.get((name.namespace, name.table))
        found = self._query(self._pointer, namespace=name.namespace, table=name.table)
        return found[0][0] if found else None

    # -- changes ---------------------------------------------------------------------------------

    def version(self) -> int:
        self._begin()
        with asking(self._profile):
            token = self._probe.token()
        if self._seen is not None and token is not None and token == self._seen[0]:
            return self._version
        with self._lock:
            # The token is the oldest, then the number, then the listing: what came in between is
            # found next time.
            with asking(self._profile):
                number = self._native.counter.value()
            before, after = self._seen[1] if self._seen else None, self._list()
            if (
                before is not None
                and number == self._number
                and is_changed(before, after, self._looked_at)
            ):
                # Somebody else's change, which was not counted.
                try:
                    number = self._bump(number)
                except BusyError:
                    # It is found again next time.
                    return self._counter.value if number is None else number
            if before is not None and before.tables != after.tables:
                self._rows_counter.bump()
            self._seen, self._number = (token, after), number
            self._version = self._counter.value if number is None else number
            return self._version

    def rows_version(self) -> int | None:
        """Each process counts for itself: a pointer moves with every commit, whoever makes it.

        Where tables may be read from older pointers than the listing's, nothing is promised.
        """
        return self._rows_counter.value if self._is_fresh else None

    def _begin(self) -> None:
        """Whatever was changed while nobody looked counts as one change."""
        with self._lock:
            if self._has_begun:
                return
            with suppress(BusyError):  # then the next one who asks does it
                with asking(self._profile):
                    number = self._native.counter.value()
                self._bump(number)
                self._has_begun = True

    def _bump(self, seen: int | None) -> int | None:
        """In the database, so that all processes agree; in this one alone if that is not possible."""
        number = self._native.counter.bump(seen)
        if number is None:
            self._counter.bump()
        return number

    def forget(self, name: TableName | None = None) -> None:
        self._locations.forget(name)

    def close(self) -> None:
        self._probe.close()

    def _looked_at(self, key: tuple[str, str], location: str) -> TableMetadata | None:
        try:
            return self._load(TableName(*key), location).metadata
        except LakeportError:
            return None  # whoever reads the table will be told why

    # -- queries ---------------------------------------------------------------------------------

    def _unchanged(self) -> Listing | None:
        """What was listed last, if nobody has committed anything since, and that is cheaply known."""
        seen = self._seen
        if seen is None or not self._probe.is_cheap:
            return None
        with asking(self._profile):
            return seen[1] if self._probe.token() == seen[0] else None

    def _in_namespace(self, namespace: str) -> Iterable[tuple[str, str]]:
        """Names of tables and where their metadata is."""
        listing = self._unchanged()
        if listing is None:
            rows = self._query(self._of_namespace, namespace=namespace)
            return [(table, location) for table, location in rows]
        found = listing.tables.items()
        return [(table, location) for (space, table), location in found if space == namespace]

    def _list(self) -> Listing:
        rows = self._query(self._rows)
        tables = {(space, table): location for space, table, location in rows}
        return Listing(self._namespaces(), tables, self._list_views())

    def _list_views(self) -> Mapping[str, Mapping[str, str]]:
        found: dict[str, dict[str, str]] = {}
        if self._native.keeps_views:
            for namespace, name, location in self._query(self._views):
                found.setdefault(namespace, {})[name] = location
        return found

    def _namespace(self, name: str) -> NamespaceInfo | None:
        if not can_exist(name):
            return None
        listing = self._unchanged()
        if listing is not None:
            return listing.namespaces.get(name)
        rows = self._query(self._own_properties, namespace=name)
        if not rows and not self._query(self._space, namespace=name):
            return None
        return describe(name, {key: value for _, key, value in rows})

    def _namespaces(self) -> dict[str, NamespaceInfo]:
        found: dict[str, dict[str, str]] = {name: {} for (name,) in self._query(self._spaces)}
        for namespace, key, value in self._query(self._properties):
            found.setdefault(namespace, {})[key] = value
        return {name: describe(name, properties) for name, properties in found.items()}

    def _query(
        self, statement: Select[*tuple[object, ...]], **values: str
    ) -> Sequence[tuple[str, ...]]:
        with asking(self._profile), self._native.engine.connect() as connection:
            # The driver's own tuples: SQLAlchemy's rows take three times as long for 10,000 tables.
            return connection.execute(statement, values).cursor.fetchall()
