"""What a write is, as the builders of statements see it, and what they make: SQL text and settings.

Builders decide nothing about a schema: the projection comes from a growth plan and names every column
of the table. Private names start with Lakeport's own prefix, which no user's column may have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from lakeport.core.names import OWN_PREFIX, NameMap
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.spark_select import select_list
from lakeport.pipeline.growth.spark_words import identifier

NullKeys: TypeAlias = Literal["append", "match", "fail"]
Value: TypeAlias = int | str | Decimal
"""Of a key, as `measure` asks for it: days or microseconds since 1970, a wall clock's time as text."""

TARGET = f"{OWN_PREFIX}_target"
SOURCE = f"{OWN_PREFIX}_source"


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view by its parts, from the catalog down; `branch` is Iceberg's."""

    parts: tuple[str, ...]
    branch: str | None = None

    @property
    def sql(self) -> str:
        branch = () if self.branch is None else (f"branch_{self.branch}",)
        return ".".join(identifier(part) for part in (*self.parts, *branch))


@dataclass(frozen=True, slots=True)
class Bound:
    """The least and the greatest key of the staged rows."""

    column: str
    low: Value
    high: Value


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` up to, not including, `end`; dates for a date column, else points in time."""

    column: str
    start: date | datetime
    end: date | datetime


MEANING: Mapping[str, str] = {
    "spark.sql.ansi.enabled": "true",  # a cast that fails fails, and makes no NULL
    "spark.sql.parser.escapedStringLiterals": "false",  # as our literals are written
}
"""Settings of a session that every statement of ours relies on."""


@dataclass(frozen=True, slots=True)
class Statement:
    """`settings` of the session are part of what the text means."""

    sql: str
    settings: Mapping[str, str] = field(default_factory=lambda: MEANING)


@dataclass(frozen=True, slots=True)
class Write:
    """Staged rows on their way into a table. What a strategy does not need is left at its default.

    `branch` is the name of a branch of the run's own, for what cannot be done in one statement; `base`
    is the snapshot it starts from, where it matters that it is no later one.
    """

    target: Relation
    staged: Relation
    projection: tuple[Projected, ...]
    unique_key: tuple[str, ...] = ()
    null_keys: NullKeys = "append"
    bounds: tuple[Bound, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    time_range: TimeRange | None = None
    branch: str | None = None
    base: int | None = None

    @property
    def given(self) -> NameMap[Projected]:
        """The columns that the model has values for, as the table spells them."""
        return NameMap((c.name, c) for c in self.projection if c.source is not None)

    @property
    def columns(self) -> str:
        """The explicit column list of every INSERT."""
        return ", ".join(identifier(column.name) for column in self.projection)

    @property
    def values(self) -> str:
        """An expression over the staged rows for each of those columns."""
        return ", ".join(select_list(self.projection))

    @property
    def select(self) -> str:
        return f"SELECT {self.values}\nFROM {self.staged.sql}"
