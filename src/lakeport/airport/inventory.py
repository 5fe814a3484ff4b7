"""What there is in a catalog for one caller: namespaces, tables with their announced schema, functions.

Kept per catalog version and set of grants (decision 23). States of tables are kept per version alone,
so that the second set of grants costs no second look at a thousand tables. A table that cannot be
described is left out with a logged reason: one bad item makes its whole namespace unusable to DuckDB.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Generic, TypeAlias, TypeVar

import pyarrow as pa

from lakeport.access import (
    Identity,
    visible_functions,
    visible_namespaces,
    visible_tables,
    visible_views,
)
from lakeport.airport.announcements import Announced, Announcements, recalled
from lakeport.airport.functions.declared import Declared, declared_functions
from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    Namespace,
    NamespaceInfo,
    Surveyable,
    Surveyed,
    Table,
    TableState,
)
from lakeport.catalog.views import table_or_view
from lakeport.core.errors import CorruptDataError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName
from lakeport.core.request import current_request, serving

_log = logging.getLogger(__name__)
_KEPT = 64  # sets of grants and spellings of a catalog's name that are asked about at one time

_TRIED = 4  # tables that show how long one takes
_ROUND_TRIP = 0.005  # seconds, above which a catalog is taken to be far away
_AT_ONCE = 16  # tables asked for at the same time then

V = TypeVar("V")

Survey: TypeAlias = Callable[[str], Surveyed]
"""Finds a table by its name and says how to read its state."""

Announce: TypeAlias = Callable[[CatalogVersion, Table, TableState], pa.Schema]
"""The schema a table is listed with."""


@dataclass(frozen=True, slots=True)
class ListedTable:
    """`state` is None if only what is said of the table was remembered.

    `encoded` is how it was described to whom: most tables stay what they are from one listing to the next.
    """

    name: TableName
    uuid: str
    schema_id: int
    comment: str | None
    columns: int
    schema: pa.Schema
    state: TableState | None = None
    stamp: str | None = None
    encoded: dict[Hashable, bytes] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, state: TableState, schema: pa.Schema, stamp: str | None = None) -> ListedTable:
        definition = state.definition
        return cls(
            state.name,
            state.uuid,
            state.schema_id,
            definition.comment,
            len(definition.schema),
            schema,
            state,
            stamp,
        )

    @property
    def announced(self) -> Announced:
        return Announced(self.uuid, self.schema_id, self.comment, self.columns, self.schema)


@dataclass(frozen=True, slots=True)
class ListedNamespace:
    info: NamespaceInfo
    tables: tuple[ListedTable, ...]
    functions: tuple[Declared, ...]


class _Slot(Generic[V]):
    """One answer, made by the first who asks while the others wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: list[V] = []

    def get(self, make: Callable[[], V]) -> V:
        with self._lock:
            if not self._made:
                self._made.append(make())
            return self._made[0]


class Kept(Generic[V]):
    """Answers about the newest version of each catalog. Those not asked for lately go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._catalogs: dict[str, tuple[CatalogVersion, OrderedDict[Hashable, _Slot[V]]]] = {}

    def get(
        self, catalog: Catalog, version: CatalogVersion, key: Hashable, make: Callable[[], V]
    ) -> V:
        # Made once, outside this lock: a thousand clients that re-attach must not list a thousand
        # times, and nobody waits for a catalog that is none of theirs.
        return self._slot(catalog.name, version, key).get(make)

    def forget(self, catalog: str) -> None:
        with self._lock:
            self._catalogs.pop(catalog, None)

    def _slot(self, catalog: str, version: CatalogVersion, key: Hashable) -> _Slot[V]:
        with self._lock:
            kept = self._catalogs.get(catalog)
            if kept is None or kept[0] != version:
                kept = self._catalogs[catalog] = (version, OrderedDict())
            slots = kept[1]
            slot = slots.setdefault(key, _Slot())
            slots.move_to_end(key)
            while len(slots) > _KEPT:
                slots.popitem(last=False)
            return slot


@dataclass(slots=True)
class _Described:
    """The tables of one version of a catalog, described as far as somebody asked for them.

    Most of them are what they were in the version `before`: then their schema is not made again. What a
    server before this one announced is `remembered`; what had to be read is `fresh`, by stamp.
    """

    version: CatalogVersion
    before: Mapping[TableName, ListedTable | None] = field(default_factory=dict)
    tables: dict[TableName, ListedTable | None] = field(default_factory=dict)
    remembered: Mapping[str, bytes] = field(default_factory=dict)
    fresh: dict[str, ListedTable] = field(default_factory=dict)


class Inventory:
    def __init__(self, announce: Announce, announcements: Announcements | None = None) -> None:
        self._announce = announce
        self._announcements = announcements or Announcements()
        self._described: dict[str, _Described] = {}
        self._listings: Kept[tuple[ListedNamespace, ...]] = Kept()

    def of(
        self, catalog: Catalog, identity: Identity, version: CatalogVersion
    ) -> tuple[ListedNamespace, ...]:
        """`version` was read before the listing: what changes meanwhile has a newer one."""
        sight = identity.sight
        if sight is None:
            return self._list(catalog, identity, version)
        return self._listings.get(
            catalog, version, sight, lambda: self._list(catalog, identity, version)
        )

    def forget(self, catalog: str) -> None:
        """Another catalog may come under the name, which counts its versions anew."""
        self._described.pop(catalog, None)
        self._listings.forget(catalog)

    def _list(
        self, catalog: Catalog, identity: Identity, version: CatalogVersion
    ) -> tuple[ListedNamespace, ...]:
        described = self._described.get(catalog.name)
        if described is None or described.version != version:
            described = self._described[catalog.name] = self._begun(catalog, version, described)
        listed = (
            self._namespace(catalog, identity, info, described)
            for info in visible_namespaces(identity, catalog)
        )
        found = tuple(namespace for namespace in listed if namespace is not None)
        self._remember(catalog, described)
        return found

    def _begun(
        self, catalog: Catalog, version: CatalogVersion, last: _Described | None
    ) -> _Described:
        if last is not None:
            return _Described(version, last.tables)
        return _Described(version, remembered=self._announcements.known(catalog.name, version))

    def _remember(self, catalog: Catalog, described: _Described) -> None:
        fresh, described.fresh = described.fresh, {}
        if not fresh:
            return
        gone = {
            before.stamp
            for table in fresh.values()
            if (before := described.before.get(table.name)) is not None and before.stamp
        }
        announced = {stamp: table.announced for stamp, table in fresh.items()}
        self._announcements.keep(catalog.name, described.version, announced, gone)

    def _namespace(
        self, catalog: Catalog, identity: Identity, info: NamespaceInfo, described: _Described
    ) -> ListedNamespace | None:
        try:
            namespace = catalog.namespace(info.name)
            names = visible_tables(identity, catalog, namespace)
            names += visible_views(identity, catalog, namespace)
            functions = visible_functions(identity, catalog, namespace)
        except NotFoundError:
            return None  # dropped since it was listed
        tables = self._tables(namespace, [TableName(info.name, name) for name in names], described)
        return ListedNamespace(info, tables, tuple(declared_functions(functions, info.name)))

    def _tables(
        self, namespace: Namespace, names: list[TableName], described: _Described
    ) -> tuple[ListedTable, ...]:
        missing = [name for name in names if name not in described.tables]
        if not missing:
            return _listed(names, described)
        survey = _survey(namespace)
        quickest = math.inf
        for name in missing[:_TRIED]:
            began = time.perf_counter()
            described.tables[name] = self._describe(survey, name, described)
            quickest = min(quickest, time.perf_counter() - began)
        rest = missing[_TRIED:]
        if quickest > _ROUND_TRIP:
            # A remote catalog is asked for several at once, or a thousand tables take a minute.
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                request = current_request()

                def describe(name: TableName) -> ListedTable | None:
                    with serving(request):
                        return self._describe(survey, name, described)

                made = pool.map(describe, rest)
                described.tables.update(zip(rest, made, strict=True))
        else:
            # An embedded one answers before a thread has begun: handing over took a third of the time.
            for name in rest:
                described.tables[name] = self._describe(survey, name, described)
        return _listed(names, described)

    def _describe(
        self, survey: Survey, name: TableName, described: _Described
    ) -> ListedTable | None:
        try:
            return self._told(name, survey(name.table), described)
        except NotFoundError:
            return None  # dropped since it was listed
        except (CorruptDataError, UnsupportedError) as error:
            _log.warning("listing.table_left_out", extra={"table": str(name), "reason": error.code})
            return None

    def _told(self, name: TableName, found: Surveyed, described: _Described) -> ListedTable:
        known, stamp = described.before.get(name), found.stamp
        if known is not None and stamp is not None and known.stamp == stamp:
            return known
        told = None if stamp is None else recalled(described.remembered.get(stamp))
        if told is not None:
            return ListedTable(name, *told, stamp=stamp)
        state = found.state()
        if known is not None and known.state == state:
            return replace(known, stamp=stamp)
        schema = self._announce(described.version, found.table, state)
        listed = ListedTable.of(state, schema, stamp)
        if stamp is not None:
            described.fresh[stamp] = listed
        return listed


def _listed(names: Sequence[TableName], described: _Described) -> tuple[ListedTable, ...]:
    found = (described.tables[name] for name in names)
    return tuple(table for table in found if table is not None)


def _survey(namespace: Namespace) -> Survey:
    if not isinstance(namespace, Surveyable):
        return lambda name: _looked_up(namespace, name)
    known = namespace.survey()

    def find(name: str) -> Surveyed:
        found = known.get(name)
        return _looked_up(namespace, name) if found is None else found

    return find


def _looked_up(namespace: Namespace, name: str) -> Surveyed:
    """A view is shown as a table, since DuckDB knows no views of others, and refused when it is read."""
    table = table_or_view(lambda: namespace.table(name))
    return Surveyed(table, table.state)
