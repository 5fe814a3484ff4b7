"""What a write would do, and what it did: plain data that every face can show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lakeport.core.names import TableName
from lakeport.pipeline.growth import Plan

_COUNTS = re.compile(
    r"(?:added|deleted|total)-records|added-(?:position-)?delete(?:s|-files)|(?:added|deleted)-data-files"
    r"|added-files-size"
    r"|spark\.merge-into\.num-[a-z-]+"
)


@dataclass(frozen=True, slots=True)
class Planned:
    """What a dry run gives. With a refusal there is no SQL: nothing would be run."""

    table: TableName
    model: str
    strategy: str
    creates: bool
    growth: Plan
    sql: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        return {
            "model": self.model,
            "table": str(self.table),
            "strategy": self.strategy,
            "creates": self.creates,
            "schema": self.growth.as_dict(),
            "sql": list(self.sql),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rows` were staged. `snapshot_id` is None if nothing was committed but columns, or nothing at all.

    `counts` are Spark's and Iceberg's own, of the commit. `repeated` says that the run had committed
    before, and nothing was done now.
    """

    table: TableName
    model: str
    run_id: str
    strategy: str
    rows: int
    snapshot_id: int | None
    version: int
    created: bool = False
    growth: Plan | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    attempts: int = 1
    repeated: bool = False
    branch: str | None = None
    """Where the rows are, and nobody sees them yet."""
    warnings: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        return {
            "model": self.model,
            "table": str(self.table),
            "run_id": self.run_id,
            "strategy": self.strategy,
            "rows": self.rows,
            "snapshot_id": self.snapshot_id,
            "version": self.version,
            "created": self.created,
            "schema": None if self.growth is None else self.growth.as_dict(),
            "counts": dict(self.counts),
            "attempts": self.attempts,
            "repeated": self.repeated,
            "branch": self.branch,
            "warnings": list(self.warnings),
            "sql": list(self.sql),
        }


def counts_in(summary: Mapping[str, str]) -> dict[str, int]:
    return {
        key: int(value)
        for key, value in summary.items()
        if _COUNTS.fullmatch(key) and value.isdigit()
    }
