"""Tables that were dropped and can be brought back: what is remembered of one, and by whom.

Dropping removes a name and no file. As long as a table is remembered here its files are spared; whoever
forgets it lets them go. Other processes see the same, so it is kept outside of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lakeport.catalog.upkeep import DAY
from lakeport.core.names import TableName


@dataclass(frozen=True, slots=True)
class DroppedTable:
    """`metadata` is the file that describes the table as it was last, `location` its folder."""

    name: TableName
    uuid: str
    location: str
    metadata: str
    dropped_ns: int


@dataclass(frozen=True, slots=True)
class Removed:
    """A dropped table whose time was over: its files, and how many of them could not be removed."""

    table: DroppedTable
    files: int = 0
    bytes: int = 0
    left: int = 0
    problem: str | None = None


class DropRecords(Protocol):
    """One for all catalogs of a project."""

    def add(self, catalog: str, table: DroppedTable) -> None: ...

    def of(self, catalog: str) -> Sequence[DroppedTable]:
        """Newest first."""
        ...

    def remove(self, catalog: str, table: DroppedTable) -> None:
        """It was brought back, or its files are gone; no error if somebody else was faster."""
        ...

    def close(self) -> None: ...


class Forgetful:
    """Remembers nothing: without a place to keep it, a dropped table is only in the log."""

    def add(self, catalog: str, table: DroppedTable) -> None:
        del catalog, table

    def of(self, catalog: str) -> Sequence[DroppedTable]:
        del catalog
        return ()

    def remove(self, catalog: str, table: DroppedTable) -> None:
        del catalog, table

    def close(self) -> None:
        return


@dataclass(frozen=True, slots=True)
class Memory:
    """Where dropped tables are remembered, and for how many nanoseconds each can be brought back."""

    records: DropRecords = field(default_factory=Forgetful)
    keep_for: int = 7 * DAY
