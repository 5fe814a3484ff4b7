"""What there is in a catalog for one caller: namespaces, tables with their announced schema, functions.

Kept per catalog version and set of grants (decision 23). States of tables are kept per version alone,
so that the second set of grants costs no second look at a thousand tables. A table that cannot be
described is left out with a logged reason: one bad item makes its whole namespace unusable to DuckDB.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pyarrow as pa

from lakeport.access import Identity, visible_namespaces, visible_tables
from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    Function,
    FunctionHost,
    Namespace,
    NamespaceInfo,
    Table,
    TableState,
)
from lakeport.core.errors import CorruptDataError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName

_log = logging.getLogger(__name__)
_KEPT = 64  # sets of grants and spellings of a catalog's name that are asked about at one time

V = TypeVar("V")


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


class Kept(Generic[V]):
    """The answers last asked for, each made once; the oldest go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        # Made under the lock: a thousand clients that re-attach must not list a thousand times.
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            made = self._values[key] = make()
            while len(self._values) > _KEPT:
                self._values.popitem(last=False)
            return made


@dataclass(slots=True)
class _Described:
    """The tables of one version of a catalog, described as far as somebody asked for them."""

    version: CatalogVersion
    tables: dict[TableName, ListedTable | None] = field(default_factory=dict)


class Inventory:
    def __init__(self, announce: Callable[[Table, TableState], pa.Schema]) -> None:
        self._announce = announce
        self._described: dict[str, _Described] = {}
        self._listings: Kept[tuple[ListedNamespace, ...]] = Kept()

    def of(
        self, catalog: Catalog, identity: Identity, version: CatalogVersion
    ) -> tuple[ListedNamespace, ...]:
        """`version` was read before the listing: what changes meanwhile has a newer one."""
        key = (catalog.name, version, identity.grants)
        return self._listings.get(key, lambda: self._list(catalog, identity, version))

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
        found = (self._table(namespace, TableName(info.name, name), described) for name in names)
        functions = namespace.functions() if isinstance(namespace, FunctionHost) else ()
        return ListedNamespace(
            info, tuple(table for table in found if table is not None), tuple(functions)
        )

    def _table(
        self, namespace: Namespace, name: TableName, described: _Described
    ) -> ListedTable | None:
        if name not in described.tables:
            described.tables[name] = self._describe(namespace, name)
        return described.tables[name]

    def _describe(self, namespace: Namespace, name: TableName) -> ListedTable | None:
        try:
            table = namespace.table(name.table)
            state = table.state()
            return ListedTable(name, state, self._announce(table, state))
        except NotFoundError:
            return None  # dropped since it was listed
        except (CorruptDataError, UnsupportedError) as error:
            _log.warning("listing.table_left_out", extra={"table": str(name), "reason": error.code})
            return None
