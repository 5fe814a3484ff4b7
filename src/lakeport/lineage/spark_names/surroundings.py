"""What the printer must ask the binder: tokens alone do not tell a table from a struct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.types import SqlType


class Surroundings(Protocol):
    """The select item's world."""

    @property
    def outer(self) -> Iterator[list[str]]:
        """For each subquery in turn the outer columns it mentions: all that Spark shows of one."""

    @property
    def time_zone(self) -> str | None:
        """The session's zone, if the workload names it."""

    @property
    def wall_clock(self) -> bool:
        """Whether TIMESTAMP is the kind without a zone."""

    @property
    def calendar_intervals(self) -> bool:
        """Whether intervals count months, days and microseconds, all at once."""

    def qualifiers(self, parts: list[str]) -> int:
        """How many leading parts of a name say which source it is a column of."""

    def is_column(self, name: str) -> bool:
        """Whether a source has such a column."""

    def is_alias(self, name: str) -> bool:
        """Whether the name can only mean a select item before this one."""

    def outer_reference(self, parts: list[str]) -> str | None:
        """How a column of a query around this one is shown."""

    def window(self, name: str) -> list[Token]:
        """The definition of a named window."""

    def star(self, name: str) -> list[str]:
        """The columns of one source, or of all if there is no name."""

    def matching(self, pattern: str) -> list[str]:
        """The columns a quoted pattern stands for; none where patterns are switched off."""

    def type_of(self, tokens: list[Token]) -> SqlType | None:
        """The type of a part of the item."""

    def routine(self, name: str) -> str | None:
        """The full name of a function that the workload created."""

    def variable(self, parts: list[str]) -> str | None:
        """The value that a session variable is known to hold."""
