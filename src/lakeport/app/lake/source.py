"""Where a command's answer comes from: a lake of this machine's, or one that a server has.

A command is written once, against `Source`, and cannot know which of the two it talks to. Names are as
people type them, and both refuse what they refuse with the same words.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Protocol

from lakeport.app.lake.actor import current_actor
from lakeport.app.lake.dropped import dropped_tables, undrop_table
from lakeport.app.lake.find import find_table
from lakeport.app.lake.load.place import CatalogPlace, Place
from lakeport.catalog.ports import Catalog, WriteContext
from lakeport.catalog.query import Query, open_query
from lakeport.catalog.reports.description import TableDescription, describe_table
from lakeport.catalog.reports.dropped import Dropped
from lakeport.catalog.reports.history import Commit, history_of
from lakeport.catalog.reports.listing import Listed, list_tables, places_of
from lakeport.catalog.streams import BatchStream
from lakeport.catalog.views import table_or_view
from lakeport.core.names import TableName, fold
from lakeport.core.timepoint import TimePoint

SYSTEM = "lakeport"
"""The namespace of what Lakeport knows (`lakeport.system`, which is not loaded to find out)."""


class Source(Protocol):
    def tables(self, namespace: str | None, *, long: bool) -> tuple[Listed, ...]: ...

    def describe(self, table: str, at: TimePoint | None) -> TableDescription: ...

    def history(self, table: str) -> tuple[Commit, ...]: ...

    def read(self, table: str, query: Query) -> BatchStream: ...

    def dropped(self) -> tuple[Dropped, ...]: ...

    def undrop(self, table: str) -> str:
        """The name of the table that is back, as it is spelled."""
        ...

    def place(self) -> Place:
        """Where files can be loaded to."""
        ...

    def close(self) -> None: ...


class Closable(Catalog, Protocol):
    def close(self) -> None: ...


class LocalSource:
    """Closes its catalog. `knowing` adds to it what Lakeport knows, if there is a place for that."""

    def __init__(
        self,
        catalog: Closable,
        knowing: Callable[[Catalog], AbstractContextManager[Catalog]] | None = None,
    ) -> None:
        self._catalog = catalog
        self._knowing = knowing
        self._opened = ExitStack()

    def tables(self, namespace: str | None, *, long: bool) -> tuple[Listed, ...]:
        return list_tables(places_of(self._catalog, namespace), long=long)

    def describe(self, table: str, at: TimePoint | None) -> TableDescription:
        catalog = self._of(table)
        return describe_table(table_or_view(lambda: find_table(catalog, table)), at)

    def history(self, table: str) -> tuple[Commit, ...]:
        return history_of(find_table(self._catalog, table))

    def read(self, table: str, query: Query) -> BatchStream:
        return open_query(find_table(self._of(table), table), query)

    def dropped(self) -> tuple[Dropped, ...]:
        return dropped_tables(self._catalog)

    def undrop(self, table: str) -> str:
        return str(undrop_table(self._catalog, table).name)

    def place(self) -> Place:
        return CatalogPlace(self._catalog, WriteContext(actor=current_actor()))

    def close(self) -> None:
        self._opened.close()
        self._catalog.close()

    def _of(self, table: str) -> Catalog:
        """The catalog that has the table: what Lakeport knows is opened when it is asked for."""
        name = TableName.parse(table)
        if self._knowing is None or name is None or fold(name.namespace) != SYSTEM:
            return self._catalog
        return self._opened.enter_context(self._knowing(self._catalog))
