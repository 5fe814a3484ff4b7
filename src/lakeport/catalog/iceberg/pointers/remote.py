"""Pointers behind a service (REST, Glue, Hive…): every question is a request, so answers are reused.

A table is loaded again once its answer is older than `max_staleness`. For the catalog's version, listings
are refreshed in the background while somebody asks, and in the foreground after a pause. Listings do
not tell where a table's metadata is, so the tables used last are loaded with them: a schema that
another program changed shows in the version then, or when its table is next loaded here.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError as Unfitting
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import ValidationError
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Identifier

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.failures import (
    asking,
    dropped_namespace,
    dropped_table,
    file_failure,
)
from lakeport.catalog.iceberg.metadata import Loaded, SharedStorage, remember
from lakeport.catalog.iceberg.pointers.answers import Answers
from lakeport.catalog.iceberg.pointers.port import Listing, can_exist
from lakeport.catalog.iceberg.pointers.versions import Counter, defines
from lakeport.catalog.iceberg.pointers.walk import (
    MISSING,
    Namespaces,
    list_everything,
    list_namespaces,
)
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import LakeportError, NotFoundError, UnavailableError
from lakeport.core.names import NameMap, TableName, quoted

_ALL = ""  # the one question there is about namespaces

_MOST_REMEMBERED = 1_000
_MOST_REFRESHED = 8


@dataclass(frozen=True, slots=True)
class Freshness:
    """In seconds: how old a table's answer may be, and how often the version is brought up to date."""

    table: float = 1.0
    listing: float = 5.0


@dataclass(frozen=True, slots=True)
class _Listed:
    """`since` is from before the question, as with all answers."""

    listing: Listing
    since: float


class RemotePointers:
    def __init__(
        self,
        profile: Profile,
        native: Catalog,
        caches: Caches,
        freshness: Freshness,
        counter: Counter,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._profile = profile
        self._native = native
        self._caches = caches
        self._freshness = freshness
        self._counter = counter
        self._now = now
        self._storage = SharedStorage()
        self._lock = threading.Lock()
        self._relisting = threading.Lock()
        self._answers: Answers[TableName, Loaded] = Answers(freshness.table, now)
        self._definitions: OrderedDict[TableName, tuple[object, ...]] = OrderedDict()
        self._spaces: Answers[str, Namespaces] = Answers(freshness.listing, now)
        self._listed: _Listed | None = None
        self._spelled: dict[str, frozenset[str]] = {}
        self._refresh: threading.Thread | None = None

    # -- names -----------------------------------------------------------------------------------

    def namespaces(self) -> Sequence[NamespaceInfo]:
        infos = self._namespaces(self._freshness.table).infos
        return [infos[name] for name in sorted(infos)]

    def namespace(self, name: str) -> NamespaceInfo:
        found = _spelled(self._namespaces(self._freshness.listing), name)
        if found is None:
            fresh = self._namespaces(self._freshness.table)
            found = _spelled(fresh, name)
            if found is None:
                where = f"catalog {quoted(self._profile.name)}"
                raise NotFoundError.among("namespace", name, fresh.infos, where=where)
        return found

    def tables(self, namespace: str) -> Sequence[str]:
        with asking(self._profile):
            try:
                found = self._native.list_tables(self.identifier(namespace))
            except MISSING as error:
                raise dropped_namespace(namespace) from error
        names = sorted(name[-1] for name in found)
        self._spelled[namespace] = frozenset(names)
        return names

    def table(self, namespace: str, name: str) -> TableName:
        """Some services, ours too, load a table in any spelling and do not say which is its own.

        A listing does, and what it has shown once is believed as long as the table can be loaded.
        """
        exact = TableName(namespace, name)
        if self._has_shown(exact) and self._find(exact) is not None:
            return exact
        known = self.tables(namespace)
        spelled = name if name in known else NameMap((table, table) for table in known).get(name)
        if spelled is not None:
            return TableName(namespace, spelled)
        if self._find(exact) is not None:
            return exact  # not everything that may be loaded is listed
        where = f"namespace {quoted(namespace)}"
        raise NotFoundError.among("table", name, known, where=where)

    def _has_shown(self, name: TableName) -> bool:
        listed = self._listed
        if listed is not None and (name.namespace, name.table) in listed.listing.tables:
            return True
        return name.table in self._spelled.get(name.namespace, ())

    def identifier(self, namespace: str) -> Identifier:
        listed = self._spaces.peek(_ALL)
        known = None if listed is None else listed.identifiers.get(namespace)
        return known or tuple(namespace.split("."))

    def _namespaces(self, within: float) -> Namespaces:
        def ask() -> Namespaces:
            with asking(self._profile):
                return list_namespaces(self._native)

        return self._spaces.get(_ALL, ask, within) or Namespaces({}, {})

    # -- tables ----------------------------------------------------------------------------------

    def load(self, name: TableName) -> Loaded:
        found = self._find(name)
        if found is None:
            raise dropped_table(name)
        return found

    def where(self, name: TableName) -> str:
        return self.load(name).location

    def survey(self, namespace: str) -> Mapping[str, str | None]:
        """A service tells the tables' names alone."""
        try:
            return dict.fromkeys(self.tables(namespace))
        except NotFoundError:
            return {}

    def surveyed(self, name: TableName, location: str | None) -> Loaded:
        del location
        return self.load(name)

    def _find(self, name: TableName) -> Loaded | None:
        return self._answers.get(name, lambda: self._ask(name))

    def _ask(self, name: TableName) -> Loaded | None:
        if not name.table or not can_exist(str(name)):
            return None
        with asking(self._profile):
            try:
                table = self._native.load_table((*self.identifier(name.namespace), name.table))
            except MISSING:
                with self._lock:
                    self._definitions.pop(name, None)
                return None
            except (FileNotFoundError, PermissionError, ValidationError, Unfitting) as error:
                # Glue and Hive know a location, and PyIceberg reads the file. What a REST service
                # says may be all wrong, or what it says of this table.
                if isinstance(error, Unfitting) and not _is_about_table(error):
                    raise
                raise file_failure(f"the metadata of table {quoted(str(name))}", error) from error
        location = table.metadata_location or ""
        metadata = remember(self._caches, name, table)
        self._notice(name, metadata)
        return Loaded(location, metadata, self._storage.shared(table.io), table.config)

    def _notice(self, name: TableName, metadata: TableMetadata) -> None:
        definition = defines(metadata)
        with self._lock:
            before = self._definitions.pop(name, definition)
            self._definitions[name] = definition
            if len(self._definitions) > _MOST_REMEMBERED:
                self._definitions.popitem(last=False)
        if before != definition:
            self._counter.bump()

    # -- changes ---------------------------------------------------------------------------------

    def version(self) -> int:
        with self._lock:
            listed = self._listed
            age = None if listed is None else self._now() - listed.since
            if age is not None and age < 2 * self._freshness.listing:
                if age >= self._freshness.listing and self._refresh is None:
                    self._refresh = threading.Thread(
                        target=self._relist_quietly, name="lakeport-listing", daemon=True
                    )
                    self._refresh.start()
                return self._counter.value
        self._relist(listed)
        return self._counter.value

    def rows_version(self) -> int | None:
        """A listing of a service tells no locations, so what others write goes unnoticed."""
        return None

    def _relist_quietly(self) -> None:
        try:
            self._relist(self._listed)
        except LakeportError:
            pass  # the next one who asks does it in the foreground, and is told
        finally:
            with self._lock:
                self._refresh = None

    def _relist(self, seen: _Listed | None) -> None:
        with self._relisting:
            if self._listed is not seen:
                return  # somebody else has just done it
            now = self._now()
            with asking(self._profile):
                listing = list_everything(self._native)
            with self._lock:
                self._listed = _Listed(listing, now)
                lately = list(self._definitions)[-_MOST_REFRESHED:]
            if seen is not None and seen.listing != listing:
                self._counter.bump()
            for name in lately:
                self._look_at(name)

    def _look_at(self, name: TableName) -> None:
        try:
            self._find(name)
        except UnavailableError:
            raise
        except LakeportError:
            pass  # a table that cannot be read hides no other; its readers are told why

    def forget(self, name: TableName | None = None) -> None:
        self._answers.forget(name)
        if name is None:
            self._spaces.forget()
            self._spelled.clear()
            self._listed = None
            self._counter.bump()

    def close(self) -> None:
        with self._lock:
            running = self._refresh
        if running is not None:
            running.join()


def _spelled(namespaces: Namespaces, name: str) -> NamespaceInfo | None:
    return namespaces.infos.get(name) or NameMap(namespaces.infos.items()).get(name)


def _is_about_table(error: Unfitting) -> bool:
    return any(part["loc"][:1] == ("metadata",) for part in error.errors())
