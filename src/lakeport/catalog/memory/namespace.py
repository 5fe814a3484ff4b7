"""A namespace of the in-memory catalog: tables, functions, and the DDL on them.

What a namespace holds is an immutable map, swapped under the catalog's lock, so that listing never
sees half a change. Tables are made ready before the lock is taken: it is held for lookups only.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace

from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.define import define
from lakeport.catalog.functions import Function
from lakeport.catalog.memory.alter import replaced_timeline
from lakeport.catalog.memory.store import Surroundings, TableStore
from lakeport.catalog.memory.table import MemoryTable
from lakeport.catalog.memory.timeline import Shape, Timeline
from lakeport.catalog.naming import check_table_name
from lakeport.catalog.ports import NamespaceInfo, OnConflict, Table, WriteContext
from lakeport.core.errors import (
    AlreadyExistsError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import NameMap, TableName, fold, quoted


class MemoryNamespace:
    def __init__(
        self, info: NamespaceInfo, surroundings: Surroundings, lock: threading.Lock
    ) -> None:
        self._info = info
        self._surroundings = surroundings
        self._lock = lock
        self._held: NameMap[TableStore | Table] = NameMap()
        self._functions: tuple[Function, ...] = ()
        self._is_dropped = False

    @property
    def info(self) -> NamespaceInfo:
        return self._info

    def tables(self) -> Sequence[str]:
        self._require_kept()
        return sorted(self._held)

    def table(self, name: str) -> Table:
        self._require_kept()
        return _handle(self._find(name))

    def functions(self) -> Sequence[Function]:
        self._require_kept()
        return self._functions

    # -- DDL -------------------------------------------------------------------------------------

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        check_table_name(name)
        if on_conflict == "ignore" and name in self._held:
            return self.table(name)
        definition = define(definition)
        with self._lock:
            self._require_kept()
            existing = self._held.get(name)
            if existing is None:
                store = self._new_store(name, definition)
                self._swap({**dict(self._held), name: store})
                return MemoryTable(store)
        if on_conflict == "ignore":
            return _handle(existing)
        if on_conflict == "replace":
            return self._replace(existing, definition, context)
        raise _taken(self._info.name, name)

    def drop_table(self, name: str) -> None:
        with self._lock:
            self._require_kept()
            held = self._find(name)
            if isinstance(held, TableStore):
                held.commit(lambda timeline: replace(timeline, is_dropped=True))
            self._swap({known: item for known, item in self._held.items() if item is not held})

    def rename_table(self, name: str, to: str) -> Table:
        check_table_name(to)
        with self._lock:
            self._require_kept()
            held = self._find(name)
            if not isinstance(held, TableStore):
                raise UnsupportedError(f"table {quoted(name)} cannot be renamed")
            if to in self._held and fold(to) != fold(name):
                raise _taken(self._info.name, to)
            named = TableName(self._info.name, to)
            held.commit(lambda timeline: replace(timeline, name=named))
            self._swap({to if item is held else known: item for known, item in self._held.items()})
            return MemoryTable(held)

    # -- building --------------------------------------------------------------------------------

    def add_table(self, table: Table) -> None:
        """Hold any table, such as one that the client reads itself, under its own name."""
        with self._lock:
            self._require_kept()
            name = table.name.table
            if name in self._held:
                raise _taken(self._info.name, name)
            self._swap({**dict(self._held), name: table})

    def add_function(self, function: Function) -> None:
        """Several of one name are overloads."""
        with self._lock:
            self._require_kept()
            self._functions = (*self._functions, function)
            self._surroundings.definitions.bump()

    def retire(self) -> None:
        """The catalog has dropped this namespace; what still holds it gets `NotFoundError`."""
        self._is_dropped = True

    # -- inside ----------------------------------------------------------------------------------

    def _find(self, name: str) -> TableStore | Table:
        held = self._held.get(name)
        if held is None:
            where = f"namespace {quoted(self._info.name)}"
            raise NotFoundError.among("table", name, self._held, where=where)
        return held

    def _new_store(self, name: str, definition: Definition) -> TableStore:
        shape = Shape(definition, 0, tuple(range(len(definition.schema))))
        high, low = self._surroundings.new_id(), self._surroundings.new_id()
        timeline = Timeline(
            uuid=str(uuid.UUID(int=high << 64 | low)),
            name=TableName(self._info.name, name),
            first=shape,
            shape=shape,
            next_column_id=len(definition.schema),
        )
        return TableStore(timeline, self._surroundings)

    def _replace(
        self, existing: TableStore | Table, definition: Definition, context: WriteContext | None
    ) -> Table:
        if not isinstance(existing, TableStore):
            raise UnsupportedError(f"table {quoted(existing.name.table)} cannot be replaced")
        stamp = self._surroundings.stamp(context)
        existing.commit(lambda timeline: replaced_timeline(timeline, definition, stamp))
        self._surroundings.definitions.bump()
        return MemoryTable(existing)

    def _swap(self, held: dict[str, TableStore | Table]) -> None:
        self._held = NameMap(held.items())
        self._surroundings.definitions.bump()

    def _require_kept(self) -> None:
        if self._is_dropped:
            raise NotFoundError(f"namespace {quoted(self._info.name)} was dropped")


def _handle(held: TableStore | Table) -> Table:
    return MemoryTable(held) if isinstance(held, TableStore) else held


def _taken(namespace: str, name: str) -> AlreadyExistsError:
    return AlreadyExistsError(f"there is already a table {quoted(f'{namespace}.{name}')}")
