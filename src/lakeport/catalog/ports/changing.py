"""Namespaces and tables that come, go, come back and get other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from lakeport.catalog.definition import Definition
from lakeport.catalog.ports.catalog import Namespace, NamespaceInfo, Table, TableState
from lakeport.catalog.ports.writing import WriteContext

if TYPE_CHECKING:
    from lakeport.catalog.changes import Change
    from lakeport.catalog.dropped import DroppedTable, Removed
    from lakeport.core.names import TableName

OnConflict: TypeAlias = Literal["error", "ignore", "replace"]


@runtime_checkable
class DynamicCatalog(Protocol):
    def create_namespace(self, info: NamespaceInfo) -> Namespace: ...

    def drop_namespace(self, name: str) -> None:
        """`PreconditionError` while it holds tables."""
        ...


@runtime_checkable
class DynamicNamespace(Protocol):
    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        """`replace` is one commit that keeps the old rows reachable by time travel, and notes its
        context; a new table has no snapshot to note it in.
        """
        ...

    def drop_table(self, name: str) -> None: ...

    def rename_table(self, name: str, to: str) -> Table: ...


@runtime_checkable
class Restoring(Protocol):
    """Dropped tables can be brought back for a while."""

    def dropped_tables(self) -> Sequence[DroppedTable]:
        """Those that can be, newest first."""
        ...

    def undrop_table(self, name: TableName) -> Table:
        """The one dropped last under that name, as it was; `AlreadyExistsError` if that is taken."""
        ...

    def remove_dropped(self, *, dry_run: bool = False) -> Sequence[Removed]:
        """The files of those whose time is over."""
        ...


@runtime_checkable
class Alterable(Protocol):
    def alter(self, changes: Sequence[Change], context: WriteContext | None = None) -> TableState:
        """All changes or none, as one version that every data check was made against."""
        ...
