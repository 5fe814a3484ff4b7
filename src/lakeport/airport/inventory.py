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
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

import pyarrow as pa

from lakeport.access import Identity, visible_namespaces, visible_tables
from lakeport.catalog.functions import Function, FunctionHost
from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    Namespace,
    NamespaceInfo,
    Table,
    TableState,
)
from lakeport.core.errors import CorruptDataError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName

_log = logging.getLogger(__name__)
_KEPT = 64  # sets of grants and spellings of a catalog's name that are asked about at one time

_TRIED = 4  # tables that show how long one takes
_ROUND_TRIP = 0.005  # seconds, above which a catalog is taken to be far away
_AT_ONCE = 16  # tables asked for at the same time then

V = TypeVar("V")

Announce: TypeAlias = Callable[[CatalogVersion, Table, TableState], pa.Schema]
"""The schema a table is listed with."""


@dataclass(frozen=True, slots=True)
class ListedTable:
    name: TableName
    state: TableState
    schema: pa.Schema


@dataclass(frozen=True, slots=True)
class ListedNamespace:
    info: NamespaceInfo
    tables: tuple[ListedTable, ...]
    functions: tuple[Function, ...]


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
    """The tables of one version of a catalog, described as far as somebody asked for them."""

    version: CatalogVersion
    tables: dict[TableName, ListedTable | None] = field(default_factory=dict)


class Inventory:
    def __init__(self, announce: Announce) -> None:
        self._announce = announce
        self._described: dict[str, _Described] = {}
        self._listings: Kept[tuple[ListedNamespace, ...]] = Kept()

    def of(
        self, catalog: Catalog, identity: Identity, version: CatalogVersion
    ) -> tuple[ListedNamespace, ...]:
        """`version` was read before the listing: what changes meanwhile has a newer one."""
        return self._listings.get(
            catalog, version, identity.grants, lambda: self._list(catalog, identity, version)
        )

    def _list(
        self, catalog: Catalog, identity: Identity, version: CatalogVersion
    ) -> tuple[ListedNamespace, ...]:
        described = self._described.get(catalog.name)
        if described is None or described.version != version:
            described = self._described[catalog.name] = _Described(version)
        listed = (
            self._namespace(catalog, identity, info, described)
            for info in visible_namespaces(identity, catalog)
        )
        return tuple(namespace for namespace in listed if namespace is not None)

    def _namespace(
        self, catalog: Catalog, identity: Identity, info: NamespaceInfo, described: _Described
    ) -> ListedNamespace | None:
        try:
            namespace = catalog.namespace(info.name)
            names = visible_tables(identity, catalog, namespace)
        except NotFoundError:
            return None  # dropped since it was listed
        tables = self._tables(namespace, [TableName(info.name, name) for name in names], described)
        functions = namespace.functions() if isinstance(namespace, FunctionHost) else ()
        return ListedNamespace(info, tables, tuple(functions))

    def _tables(
        self, namespace: Namespace, names: list[TableName], described: _Described
    ) -> tuple[ListedTable, ...]:
        missing = [name for name in names if name not in described.tables]
        quickest = math.inf
        for name in missing[:_TRIED]:
            began = time.perf_counter()
            described.tables[name] = self._describe(namespace, name, described.version)
            quickest = min(quickest, time.perf_counter() - began)
        rest = missing[_TRIED:]
        # A remote catalog is asked for several at once, or a thousand tables take a minute. An
        # embedded one answers so fast that threads would only get in each other's way.
        with ThreadPoolExecutor(_AT_ONCE if quickest > _ROUND_TRIP else 1) as pool:
            made = pool.map(lambda name: self._describe(namespace, name, described.version), rest)
            described.tables.update(zip(rest, made, strict=True))
        found = (described.tables[name] for name in names)
        return tuple(table for table in found if table is not None)

    def _describe(
        self, namespace: Namespace, name: TableName, version: CatalogVersion
    ) -> ListedTable | None:
        try:
            table = namespace.table(name.table)
            state = table.state()
            return ListedTable(name, state, self._announce(version, table, state))
        except NotFoundError:
            return None  # dropped since it was listed
        except (CorruptDataError, UnsupportedError) as error:
            _log.warning("listing.table_left_out", extra={"table": str(name), "reason": error.code})
            return None
