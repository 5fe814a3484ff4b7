"""A catalog, its audit and its runs, as far as one caller may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from lakeport.catalog import views
from lakeport.catalog.files import Roots
from lakeport.catalog.ports import Table
from lakeport.core.names import TableName
from lakeport.state import AuditEntry, ModelRecord, RunRecord, StoredEdge, StoredIssue


class SeenRun(NamedTuple):
    """A run with those of its models that the caller may know of.

    `is_whole` says that they may know the rest of it, too: who asked for it, where it ran. `tells` says
    that they may read what is said about its models, which may name any table.
    """

    run: RunRecord
    models: Sequence[ModelRecord]
    is_whole: bool
    tells: bool


class SeenIssue(NamedTuple):
    """`tells`: the caller may read its words, which may name any table."""

    environment: str | None
    issue: StoredIssue
    tells: bool


class View(Protocol):
    def names(self) -> Iterator[TableName]: ...

    def table(self, name: TableName) -> Table: ...

    def size(self, summary: Mapping[str, str] | None) -> tuple[int | None, int | None]:
        """Rows and bytes of a table, by the summary of its newest snapshot."""
        ...

    def view_names(self) -> Iterator[TableName]: ...

    def view(self, name: TableName) -> views.View: ...

    def audit(self) -> Iterator[Sequence[AuditEntry]]: ...

    def runs(self) -> Iterator[SeenRun]:
        """Oldest first."""
        ...

    def edges(self) -> Iterator[tuple[str | None, StoredEdge]]:
        """Each with its environment."""
        ...

    def issues(self) -> Iterator[SeenIssue]: ...

    def roots(self) -> Roots:
        """The folders from which functions may read files."""
        ...
