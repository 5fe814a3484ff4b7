"""What a catalog offers to engines that read and write a table's files themselves: Spark, DuckDB, Trino.

They want a table's description as it is stored, and hand in changes of it, both in the JSON of Iceberg's
REST protocol. Doors pass that JSON on and never look into a schema or a snapshot. Names come in any
spelling and a nested namespace as one dotted name; who may do what was decided before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from lakeport.core.errors import UnavailableError
from lakeport.core.names import TableName

SchemaCheck: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, Any]], None]
"""Is shown the current schema of a table before and after a change, as Iceberg's JSON; may refuse."""


class OutcomeUnknownError(UnavailableError):
    """The change may have been made, or may yet be: nothing must be undone or repeated."""

    code = "outcome_unknown"


@dataclass(frozen=True, slots=True)
class Terms:
    """What is allowed beyond a change's own words.

    `anywhere`: locations outside of the warehouse may be named, and settings of storage.
    """

    anywhere: bool = False
    check: SchemaCheck | None = None


@dataclass(frozen=True, slots=True)
class Pointed:
    """A table, as it is spelled, at one moment: after every change its metadata is another file.

    The location is empty where a service keeps it to itself.
    """

    name: TableName
    location: str


@dataclass(frozen=True, slots=True)
class Described:
    """A table and the text of its metadata; `location` is None of one that is not made yet.

    `was_made`: the change was sent, and made, before.
    """

    name: TableName
    location: str | None
    metadata: bytes
    was_made: bool = False


@dataclass(frozen=True, slots=True)
class TableChange:
    """`body` is a JSON object with `requirements` and `updates`."""

    name: TableName
    body: bytes


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """What became of the properties of a namespace, by key."""

    updated: Sequence[str]
    removed: Sequence[str]
    missing: Sequence[str]


class Engines(Protocol):
    @property
    def is_service(self) -> bool:
        """Whether somebody else keeps the catalog, who checks and decides, and is asked over a network."""
        ...

    @property
    def commits_together(self) -> bool:
        """Whether changes of several tables can be made as one: a service may offer it."""
        ...

    @property
    def keeps_views(self) -> bool:
        """Whether namespaces can hold views (`catalog.views.ViewHost`)."""
        ...

    def levels(self, namespace: str) -> tuple[str, ...]:
        """The parts of a namespace's name."""
        ...

    def properties(self, namespace: str) -> Mapping[str, str]:
        """Of a namespace, its comment among them."""
        ...

    def tables(self, namespace: str) -> Sequence[str]:
        """By name; `NotFoundError` if there is no such namespace."""
        ...

    def forget(self, name: TableName) -> None:
        """What is remembered of it: somebody whom the catalog does not see may have written to it."""
        ...

    def find(self, name: TableName) -> Pointed:
        """`NotFoundError` if there is none, or it is a view."""
        ...

    def load(self, table: Pointed) -> Described: ...

    def create(self, name: TableName, body: bytes, terms: Terms) -> Described:
        """By a JSON object as the protocol has it; with `stage-create` only what it would be."""
        ...

    def register(
        self, name: TableName, location: str, terms: Terms, *, overwrite: bool = False
    ) -> Described:
        """A table of which a metadata file is there already."""
        ...

    def commit(self, change: TableChange, terms: Terms) -> Described:
        """`ConflictError`: not applied, and somebody else was faster. See `OutcomeUnknownError`."""
        ...

    def commit_all(self, changes: Sequence[TableChange], terms: Terms) -> bool:
        """All of them or none. False if they were sent, and made, before."""
        ...

    def rename(self, old: TableName, new: TableName) -> None: ...

    def drop(self, name: TableName, *, purge: bool = False) -> None:
        """With `purge` its files go at once; without they stay for who wants the table back."""
        ...

    def create_namespace(
        self, levels: Sequence[str], properties: Mapping[str, str], terms: Terms
    ) -> str: ...

    def drop_namespace(self, name: str) -> None:
        """`PreconditionError` if something is in it."""
        ...

    def change_properties(
        self, namespace: str, removals: Sequence[str], updates: Mapping[str, str], terms: Terms
    ) -> PropertyChange: ...


@runtime_checkable
class EngineHost(Protocol):
    """An ability of a catalog."""

    def engines(self) -> Engines: ...
