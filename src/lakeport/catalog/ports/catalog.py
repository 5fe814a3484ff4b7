"""What a catalog, a namespace and a table are.

Handles are cheap and live: `table.state()` is the head now, and nothing here holds a lock between
calls. What must belong together (schema, version, uuid) comes in one frozen `TableState`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from lakeport.catalog.definition import Definition

if TYPE_CHECKING:
    from lakeport.catalog.views import Views
    from lakeport.core.names import TableName


@dataclass(frozen=True, slots=True)
class CatalogVersion:
    """A number that grows with every change of a namespace's or table's definition.

    `rows` grows with every change of any table's rows, whoever made it; None where that goes unnoticed.
    Two versions are the same if the definitions are.
    """

    number: int
    is_fixed: bool = False
    rows: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NamespaceInfo:
    """`name` is dotted for a nested namespace; `properties` are what DuckDB calls tags.

    `is_default` is told to clients; DuckDB's of today takes no notice of it.
    """

    name: str
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class TableState:
    """One moment of a table. `version` 0 with no snapshot is a table nothing was written to yet."""

    uuid: str
    name: TableName
    definition: Definition
    schema_id: int
    snapshot_id: int | None
    version: int


@runtime_checkable
class Catalog(Protocol):
    @property
    def name(self) -> str: ...

    def version(self) -> CatalogVersion:
        """Must be quick: DuckDB asks for every statement."""
        ...

    def namespaces(self) -> Sequence[NamespaceInfo]: ...

    def namespace(self, name: str) -> Namespace:
        """In any spelling; `NotFoundError` otherwise."""
        ...


@runtime_checkable
class Namespace(Protocol):
    @property
    def info(self) -> NamespaceInfo: ...

    def tables(self) -> Sequence[str]: ...

    def table(self, name: str) -> Table:
        """In any spelling; `NotFoundError` otherwise."""
        ...


@runtime_checkable
class Table(Protocol):
    @property
    def name(self) -> TableName: ...

    def state(self) -> TableState:
        """The head, read now; `NotFoundError` once the table was dropped."""
        ...


class Surveyed(NamedTuple):
    """A table of a namespace that was asked for all of them.

    `state` reads it, and fails as `Table.state` does. `stamp` names the state without reading it: what
    has the same stamp is the same for ever, in every process. None where only reading tells.
    """

    table: Table
    state: Callable[[], TableState]
    stamp: str | None = None


@runtime_checkable
class Surveyable(Protocol):
    """A namespace that finds all its tables by one question."""

    def survey(self) -> Mapping[str, Surveyed]:
        """By name."""
        ...


@runtime_checkable
class ViewHost(Protocol):
    """A namespace that keeps views."""

    def views(self) -> Views: ...
