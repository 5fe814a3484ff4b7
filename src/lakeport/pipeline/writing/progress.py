"""How far a write is, told to whoever wants to know while it happens.

Each point is passed once per attempt, and what is before it is done: a test that ends the process when a
point is told stands exactly where a crash would.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from lakeport.core.names import TableName

_log = logging.getLogger(__name__)


class Point(StrEnum):
    LEASED = "leased"
    """No other run writes the table while this one does; told by runs only."""
    ANALYSED = "analysed"
    """The query's columns are known and the table can take them; nothing was computed."""
    STAGED = "staged"
    """The rows are computed, once and for all."""
    CHECKED = "checked"
    """They are counted and keep the table's rules."""
    GROWN = "grown"
    """The table has all columns; told whether or not some had to be added."""
    BRANCHED = "branched"
    """There is a branch for the rows, which are to be written aside."""
    WRITING = "writing"
    """The statement that commits is sent next."""
    WRITTEN = "written"
    """It came back: the commit is made."""
    AUDITED = "audited"
    """The questions about the rows were asked: of staged rows before they are written, of a branch
    after it; told by runs only."""
    PUBLISHED = "published"
    """Main was moved to the branch; told by runs only."""
    RETRYING = "retrying"
    """Another writer was faster; nothing of this attempt is in the table."""
    DONE = "done"
    """The commit was found in the table, and what was left beside it is gone."""


@dataclass(frozen=True, slots=True)
class Progress:
    point: Point
    table: TableName
    run: str
    attempt: int = 1
    facts: Mapping[str, object] = field(default_factory=dict)


class Observer(Protocol):
    """What it raises ends the write where it stands."""

    def __call__(self, progress: Progress, /) -> None: ...


def logged(progress: Progress) -> None:
    """The observer there is when nobody gives one."""
    _log.info(
        f"write.{progress.point}",
        extra={
            "table": str(progress.table),
            "run": progress.run,
            "attempt": progress.attempt,
            **progress.facts,
        },
    )
