"""Views: kept for the engines that run their SQL, and shown to everybody else.

A view is stored as Iceberg's view specification has it, as JSON, and never run here: each engine reads the
query of its own dialect. Beside a table's name no view has the same one, in any spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import Table, TableState, ViewHost
from lakeport.core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName, quoted

Json: TypeAlias = Mapping[str, Any]
"""A JSON object as it came over the wire."""


@dataclass(frozen=True, slots=True)
class ViewQuery:
    dialect: str
    sql: str


@dataclass(frozen=True, slots=True)
class View:
    """What is known of a view. `version` counts its definitions; the last is the one shown."""

    uuid: str
    name: TableName
    schema: pa.Schema
    queries: tuple[ViewQuery, ...]
    version: int
    changed_ns: int
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """Its comment, and the SQL that is not run here, in one text."""
        queries = [f"view ({query.dialect}): {query.sql}" for query in self.queries]
        return "\n\n".join([self.comment, *queries] if self.comment else queries)


@dataclass(frozen=True, slots=True)
class StoredView:
    """`metadata` is the JSON of the file at `location`, byte for byte."""

    name: TableName
    location: str
    metadata: bytes


@dataclass(frozen=True, slots=True)
class ViewTable:
    """A view among tables, as a listing shows it: a `ports.Table` without any ability."""

    view: View

    @property
    def name(self) -> TableName:
        return self.view.name

    def state(self) -> TableState:
        view = self.view
        definition = Definition(view.schema, comment=view.shown)
        return TableState(view.uuid, view.name, definition, view.version, None, 0)


class Views(Protocol):
    """The views of one namespace. Names are found in any spelling; `NotFoundError` otherwise."""

    def names(self) -> Sequence[str]: ...

    def view(self, name: str) -> View: ...

    def load(self, name: str) -> StoredView: ...

    def create(self, name: str, wanted: Json, *, anywhere: bool = False) -> StoredView:
        """`wanted` is the body of Iceberg's create request. Outside the warehouse only if `anywhere`."""
        ...

    def commit(
        self,
        name: str,
        requirements: Sequence[Json],
        updates: Sequence[Json],
        *,
        anywhere: bool = False,
    ) -> StoredView:
        """All updates or none; `ConflictError` if a requirement does not hold any more."""
        ...

    def register(self, name: str, location: str, *, anywhere: bool = False) -> StoredView:
        """A view whose metadata file is there already."""
        ...

    def drop(self, name: str) -> None: ...

    def rename(self, name: str, to: TableName) -> None: ...


def views_of(namespace: object) -> Sequence[str]:
    """Their names; none where there cannot be any."""
    return namespace.views().names() if isinstance(namespace, ViewHost) else ()


def view_of(namespace: object, name: TableName) -> View:
    if not isinstance(namespace, ViewHost):
        raise NotFoundError.among("view", str(name), ())
    return namespace.views().view(name.table)


class InvalidViewError(InvalidRequestError):
    """A view that makes no sense, or would make none after a change."""


class NotATableError(UnsupportedError):
    """Somebody wants to read a view's rows, or to change them."""

    def __init__(self, name: TableName, load: Callable[[], View]) -> None:
        super().__init__(
            f"{quoted(str(name))} is a view: its SQL is shown here, not run",
            hint="read it with Spark, Trino or another engine that attaches to the Iceberg REST door "
            "(`/iceberg` on the HTTP port); `lakeport.views` has the SQL",
        )
        self.load = load


def table_or_view(find: Callable[[], Table]) -> Table:
    """What `find` finds, or a view as it is shown, for who only wants to describe it."""
    try:
        return find()
    except NotATableError as error:
        return ViewTable(error.load())
