"""What came of a run: plain data that every face can show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lakeport.core.errors import LakeportError
from lakeport.core.names import TableName
from lakeport.core.timepoint import NANOSECONDS, format_time
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.planning.interval import Interval
from lakeport.pipeline.project.model import AuditKind, Materialized, PublishMode, Severity
from lakeport.pipeline.writing import Outcome

ModelStatus: TypeAlias = Literal[
    "succeeded", "failed", "blocked", "skipped", "recovered", "stopped"
]
"""`recovered`: this run had committed it before, and it was not repeated. `skipped`: an ephemeral model,
which those who read it compute. `blocked`: a model that it needs has failed. `stopped`: not begun, or cut
off."""

RunStatus: TypeAlias = Literal["succeeded", "failed", "stopped"]

DONE: frozenset[ModelStatus] = frozenset({"succeeded", "recovered", "skipped"})


@dataclass(frozen=True, slots=True)
class AuditResult:
    """`failures` are rows, None if the question could not be asked. `stored` is where they can be read."""

    name: str
    kind: AuditKind
    severity: Severity
    line: int
    failures: int | None
    message: str = ""
    sample: tuple[Mapping[str, str | None], ...] = ()
    stored: TableName | None = None

    @property
    def passed(self) -> bool:
        return self.failures == 0

    def as_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "kind": self.kind,
            "severity": self.severity,
            "line": self.line,
            "passed": self.passed,
            "failures": self.failures,
            "message": self.message or None,
            "sample": [dict(row) for row in self.sample],
            "stored": None if self.stored is None else str(self.stored),
        }


@dataclass(frozen=True, slots=True)
class ModelResult:
    """One model. `blocked_by` is the model that failed; `outcome` is what was written, if rows were."""

    model: TableName
    table: TableName
    path: str
    materialized: Materialized
    status: ModelStatus
    strategy: str | None = None
    interval: Interval | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    outcome: Outcome | None = None
    audits: tuple[AuditResult, ...] = ()
    error: LakeportError | None = None
    blocked_by: TableName | None = None
    warnings: tuple[str, ...] = ()
    columns: Schema | None = None
    """The query's, as they were staged; for the next plan."""

    @property
    def rows(self) -> int | None:
        return None if self.outcome is None else self.outcome.rows

    @property
    def seconds(self) -> float | None:
        if self.started_ns is None or self.ended_ns is None:
            return None
        return (self.ended_ns - self.started_ns) / NANOSECONDS

    def as_dict(self) -> dict[str, object]:
        outcome = self.outcome
        growth = None if outcome is None else outcome.growth
        return {
            "model": str(self.model),
            "table": str(self.table),
            "path": self.path,
            "materialized": self.materialized,
            "status": self.status,
            "strategy": self.strategy,
            "interval": None if self.interval is None else self.interval.as_dict(),
            "started": _time(self.started_ns),
            "ended": _time(self.ended_ns),
            "seconds": self.seconds,
            "rows": self.rows,
            "created": outcome is not None and outcome.created,
            "snapshot_id": None if outcome is None else outcome.snapshot_id,
            "version": None if outcome is None else outcome.version,
            "attempts": None if outcome is None else outcome.attempts,
            "counts": {} if outcome is None else dict(outcome.counts),
            "schema": None if growth is None else growth.as_dict(),
            "audits": [audit.as_dict() for audit in self.audits],
            "blocked_by": None if self.blocked_by is None else str(self.blocked_by),
            "error": None if self.error is None else self.error.as_dict(),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class RunResult:
    """`resumed`: it went on with a run that had been begun before. `notes` are for people."""

    run_id: str
    status: RunStatus
    environment: str | None
    publish: PublishMode
    started_ns: int
    ended_ns: int
    models: tuple[ModelResult, ...]
    resumed: bool = False
    error: LakeportError | None = None
    """Why nothing was published, where no single model is to blame."""
    notes: tuple[str, ...] = ()
    maintenance: Mapping[str, object] | None = None

    @property
    def seconds(self) -> float:
        return (self.ended_ns - self.started_ns) / NANOSECONDS

    def count(self, *statuses: ModelStatus) -> int:
        return sum(1 for model in self.models if model.status in statuses)

    def as_dict(self) -> dict[str, object]:
        return {
            "run_id": self.run_id,
            "status": self.status,
            "environment": self.environment,
            "publish": self.publish,
            "resumed": self.resumed,
            "started": _time(self.started_ns),
            "ended": _time(self.ended_ns),
            "seconds": self.seconds,
            "models": [model.as_dict() for model in self.models],
            "error": None if self.error is None else self.error.as_dict(),
            "notes": list(self.notes),
            "maintenance": self.maintenance,
        }


def _time(ns: int | None) -> str | None:
    return None if ns is None else format_time(ns)
