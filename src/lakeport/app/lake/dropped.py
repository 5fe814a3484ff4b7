"""Dropped tables: remembered in the project's state store, and brought back by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from lakeport.app.lake.writing import namespace_for
from lakeport.catalog.dropped import DroppedTable
from lakeport.catalog.ports import Catalog, Restoring, Table, require
from lakeport.catalog.reports.dropped import Dropped, report_dropped
from lakeport.catalog.reports.find import name_in
from lakeport.core.names import TableName, quoted

if TYPE_CHECKING:
    from lakeport.state import Store, StoredDrop


class StateRecords:
    """`DropRecords` in a state store that is opened when it is needed first: few programs drop."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._store: Store | None = None
        self._lock = threading.Lock()

    def add(self, catalog: str, table: DroppedTable) -> None:
        self._opened().dropped.add(catalog, _stored(table))

    def of(self, catalog: str) -> Sequence[DroppedTable]:
        return [_dropped(each) for each in self._opened().dropped.of(catalog)]

    def remove(self, catalog: str, table: DroppedTable) -> None:
        self._opened().dropped.remove(catalog, table.metadata)

    def close(self) -> None:
        with self._lock:
            store, self._store = self._store, None
        if store is not None:
            store.close()

    def _opened(self) -> Store:
        with self._lock:
            if self._store is None:
                self._store = self._open()
            return self._store


def dropped_tables(catalog: Catalog) -> tuple[Dropped, ...]:
    return report_dropped(_restoring(catalog).dropped_tables())


def undrop_table(catalog: Catalog, name: str) -> Table:
    """A namespace that was dropped after its table is made again."""
    restoring = _restoring(catalog)
    known = restoring.dropped_tables()
    wanted = name_in(name, lambda: (str(each.name) for each in known))
    is_known = any(each.name.folded == wanted.folded for each in known)
    with namespace_for(catalog, wanted) if is_known else nullcontext():
        return restoring.undrop_table(wanted)


def _restoring(catalog: Catalog) -> Restoring:
    return require(catalog, Restoring, f"catalog {quoted(catalog.name)}")


def _stored(table: DroppedTable) -> StoredDrop:
    from lakeport.state import StoredDrop  # noqa: PLC0415  loads SQLAlchemy

    name = table.name
    return StoredDrop(
        name.namespace, name.table, table.uuid, table.location, table.metadata, table.dropped_ns
    )


def _dropped(stored: StoredDrop) -> DroppedTable:
    name = TableName(stored.namespace, stored.table)
    return DroppedTable(name, stored.uuid, stored.location, stored.metadata, stored.dropped_ns)
