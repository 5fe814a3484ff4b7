"""A namespace of an Iceberg catalog: it finds tables, makes, renames and drops them, and holds none.

Whether a name is free is the catalog's to say, under a lock of its own; what is looked up here before
is for the sake of a good answer. A dropped table leaves its files where they are (`dropped.py`), and its
log line names the last metadata file, from which any Iceberg catalog can register it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from pyiceberg.exceptions import NoSuchTableError, TableAlreadyExistsError

from lakeport.catalog.definition import Definition
from lakeport.catalog.dropped import DroppedTable
from lakeport.catalog.evolution.define import define
from lakeport.catalog.iceberg.alter.replace import Replace
from lakeport.catalog.iceberg.create import create_table, taken
from lakeport.catalog.iceberg.dropped import drop, name_taken, register
from lakeport.catalog.iceberg.failures import asking, dropped_table
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.iceberg.views.host import views_in
from lakeport.catalog.naming import check_table_name
from lakeport.catalog.ports import NamespaceInfo, OnConflict, Surveyed, TableState, WriteContext
from lakeport.catalog.views import NotATableError, Views
from lakeport.core.errors import AlreadyExistsError, NotFoundError
from lakeport.core.names import NameMap, TableName, fold

_UNIQUE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}[^/]*\Z", re.IGNORECASE
)


class IcebergNamespace:
    """`info` is what it was when it was asked for; the tables are those of now."""

    def __init__(self, info: NamespaceInfo, surroundings: Surroundings) -> None:
        self._info = info
        self._surroundings = surroundings
        self._identifier = surroundings.pointers.identifier(info.name)

    @property
    def info(self) -> NamespaceInfo:
        return self._info

    def tables(self) -> Sequence[str]:
        return self._surroundings.pointers.tables(self._info.name)

    def table(self, name: str) -> IcebergTable:
        try:
            found = self._surroundings.pointers.table(self._info.name, name)
        except NotFoundError:
            views = self.views()
            view = NameMap((each, each) for each in views.names()).get(name)
            if view is None:
                raise
            place = TableName(self._info.name, view)
            raise NotATableError(place, lambda: views.view(view)) from None
        return IcebergTable(found, self._surroundings)

    def views(self) -> Views:
        return views_in(self._surroundings, self._info.name)

    def survey(self) -> Mapping[str, Surveyed]:
        return _Survey(self._info.name, self._surroundings)

    # -- DDL -------------------------------------------------------------------------------------

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> IcebergTable:
        check_table_name(name)
        existing = self._spelled(name)
        if existing is None:
            try:
                return self._create(name, definition)
            except AlreadyExistsError:
                existing = self._spelled(name)
                if on_conflict == "error" or existing is None:
                    raise
        if on_conflict == "error":
            raise taken(TableName(self._info.name, name))
        table = self.table(existing)
        if on_conflict == "replace":
            self._replace(table, definition, context)
        return table

    def drop_table(self, name: str) -> None:
        found = self.table(name).name
        with self._changing():
            drop(self._surroundings, found, (*self._identifier, found.table))

    def undrop_table(self, record: DroppedTable) -> IcebergTable:
        if self._spelled(record.name.table) is not None:
            raise name_taken(record.name)
        with self._changing():
            register(self._surroundings, record, (*self._identifier, record.name.table))
        return IcebergTable(record.name, self._surroundings)

    def rename_table(self, name: str, to: str) -> IcebergTable:
        check_table_name(to)
        old = self.table(name).name
        new = TableName(old.namespace, to)
        if fold(to) != fold(old.table) and self._spelled(to) is not None:
            raise taken(new)
        if new != old:
            self._rename(old, new)
        return IcebergTable(new, self._surroundings)

    # -- inside ----------------------------------------------------------------------------------

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """What was remembered of the catalog is wrong afterwards, whatever came of it."""
        with asking(self._surroundings.profile):
            try:
                yield
            finally:
                self._surroundings.pointers.forget()

    def _spelled(self, name: str) -> str | None:
        """The table of that name, if there is one, as it is written."""
        self._surroundings.pointers.forget()
        return NameMap((table, table) for table in self.tables()).get(name)

    def _create(self, name: str, definition: Definition) -> IcebergTable:
        made = TableName(self._info.name, name)
        with self._changing():
            create_table(self._surroundings.native, made, definition, (*self._identifier, name))
        return IcebergTable(made, self._surroundings)

    def _replace(
        self, table: IcebergTable, definition: Definition, context: WriteContext | None
    ) -> None:
        uuid = str(table.source().metadata.table_uuid)
        member = Replace(define(definition), context)
        self._surroundings.commits.commit(table.name, uuid, member)

    def _rename(self, old: TableName, new: TableName) -> None:
        with self._changing():
            try:
                self._surroundings.native.rename_table(
                    (*self._identifier, old.table), (*self._identifier, new.table)
                )
            except NoSuchTableError as error:
                raise dropped_table(old) from error
            except TableAlreadyExistsError as error:
                raise taken(new) from error


class _Survey(Mapping[str, Surveyed]):
    """Made of names and locations. Of thousands of tables most are only asked for their stamp."""

    def __init__(self, namespace: str, surroundings: Surroundings) -> None:
        self._namespace = namespace
        self._surroundings = surroundings
        self._found = surroundings.pointers.survey(namespace)

    def __getitem__(self, name: str) -> Surveyed:
        location = self._found[name]
        table = IcebergTable(TableName(self._namespace, name), self._surroundings)
        return Surveyed(table, lambda: self._state(table, location), _stamp(location))

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def _state(self, table: IcebergTable, location: str | None) -> TableState:
        return table.state_of(self._surroundings.pointers.surveyed(table.name, location))


@lru_cache(maxsize=1 << 15)
def _stamp(location: str | None) -> str | None:
    """A metadata file whose name nobody gives twice: some catalogs count theirs from 1 for each table."""
    return location if location is not None and _UNIQUE.search(location) else None
