"""What a run would do, as data: `lakeport plan` draws it and writes it as JSON, and neither knows more.

Names of models are the project's; `table` is where an environment puts the rows. The shape of `as_dict`
is versioned: fields are added to it, and what is there keeps its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lakeport.core.names import TableName, fold
from lakeport.lineage.models import RowUse
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.growth.plan import Padded, Plan, dotted
from lakeport.pipeline.growth.spark_words import text_of
from lakeport.pipeline.planning.interval import Interval
from lakeport.pipeline.project.model import Materialized, PublishMode, Severity
from lakeport.pipeline.project.problems import Place

Status: TypeAlias = Literal["unchanged", "new", "changed", "refused", "blocked"]
"""`blocked`: a model that it reads is refused, so a run would not come to it."""

Known: TypeAlias = Literal["lineage", "last_run", "spark"]
"""Who told the types of a query's columns."""

Effect: TypeAlias = Literal["new", "null", "widened", "relaxed", "refused"]
"""What becomes of the column upstream: there for the first time, NULL in new rows, of a wider type, …"""

ReasonCode: TypeAlias = Literal[
    "never_run", "sql_changed", "settings_changed", "model_changed", "upstream_changed", "schema"
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a model counts as changed, since it was built last."""

    code: ReasonCode
    text: str

    def as_dict(self) -> dict[str, object]:
        return {"code": self.code, "text": self.text}


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """`type` is None where only a run can tell."""

    name: str
    type: Type | None

    def as_dict(self) -> dict[str, object]:
        return {"name": self.name, "type": None if self.type is None else text_of(self.type)}


@dataclass(frozen=True, slots=True)
class Affected:
    """A column downstream of one that changes, and the columns that it is reached through."""

    model: TableName
    column: str
    cause: str
    effect: Effect
    through: tuple[tuple[TableName, str], ...]
    approximate: bool = False

    def as_dict(self) -> dict[str, object]:
        return {
            "model": str(self.model),
            "column": self.column,
            "cause": self.cause,
            "effect": self.effect,
            "through": [f"{table}.{column}" for table, column in self.through],
            "approximate": self.approximate,
        }


@dataclass(frozen=True, slots=True)
class AffectedRows:
    """A model downstream that chooses, joins, gathers or sorts its rows by what changes.

    `through` are the columns that it does so by: the changed one, or ones that are made of it. Without
    `uses` its code is not SQL, and only that it reads the table is known.
    """

    model: TableName
    cause: str
    effect: Effect
    uses: tuple[RowUse, ...]
    through: tuple[tuple[TableName, str], ...]
    approximate: bool = False

    def as_dict(self) -> dict[str, object]:
        return {
            "model": str(self.model),
            "cause": self.cause,
            "effect": self.effect,
            "uses": list(self.uses),
            "through": [f"{table}.{column}" for table, column in self.through],
            "approximate": self.approximate,
        }


@dataclass(frozen=True, slots=True)
class PlannedAudit:
    name: str
    kind: str
    columns: tuple[str, ...]
    severity: Severity

    def as_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "kind": self.kind,
            "columns": list(self.columns),
            "severity": self.severity,
        }


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a run would stop at this model, beyond what its columns say: a key it lacks, a closed table.

    `source` is set if it is one that is declared and not loaded, and `place` to where it is read.
    """

    code: str
    message: str
    hint: str | None = None
    source: TableName | None = None
    place: Place | None = None

    def as_dict(self) -> dict[str, object]:
        return {"code": self.code, "message": self.message, "hint": self.hint}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """`growth` is None where nothing is known of the columns, and where there is no table: of views.

    `unknown` are columns of the query whose types only a run can tell; they are in no part of `growth`
    unless the table has them, and then as they are there.
    """

    model: TableName
    table: TableName
    path: str
    language: str
    materialized: Materialized
    strategy: str | None
    publish: PublishMode | None
    depth: int
    upstream: tuple[TableName, ...]
    creates: bool
    reasons: tuple[Reason, ...] = ()
    columns: tuple[PlannedColumn, ...] | None = None
    known: Known | None = None
    growth: Plan | None = None
    unknown: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    """Padded columns that were padded by the last run, too; folded."""
    interval: Interval | None = None
    downstream: tuple[Affected, ...] = ()
    downstream_rows: tuple[AffectedRows, ...] = ()
    blocked_by: tuple[TableName, ...] = ()
    waits_for: tuple[TableName, ...] = ()
    """Sources that are not loaded yet, and that it or a model before it reads."""
    obstacles: tuple[Obstacle, ...] = ()
    warnings: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    audits: tuple[PlannedAudit, ...] = ()
    query: str | None = field(default=None, repr=False)
    sql: tuple[str, ...] = field(default=(), repr=False)

    @property
    def status(self) -> Status:
        if self.obstacles or (self.growth is not None and self.growth.refused):
            return "refused"
        if self.blocked_by:
            return "blocked"
        if self.creates:
            return "new"
        # That others change before it changes its rows at most, which every run may do.
        own = any(reason.code != "upstream_changed" for reason in self.reasons)
        return "changed" if own else "unchanged"

    @property
    def only_waits(self) -> bool:
        """Whether nothing else is in its way than sources that are not loaded."""
        refused = self.growth is not None and bool(self.growth.refused)
        others = any(each.source is None for each in self.obstacles)
        return bool(self.waits_for) and not refused and not others

    @property
    def newly_padded(self) -> tuple[Padded, ...]:
        """Those that had values until now."""
        if self.growth is None:
            return ()
        return tuple(each for each in self.growth.padded if not self.is_kept(each))

    def is_kept(self, padded: Padded) -> bool:
        return fold(dotted(padded.path)) in self.kept

    @property
    def changes_schema(self) -> bool:
        """Whether the table will be another one, or have NULLs where it had values."""
        grown = self.growth is not None and not self.growth.refused and self.growth.changes_schema
        return self.creates or grown or bool(self.newly_padded)

    def as_dict(self) -> dict[str, object]:
        return {
            "model": str(self.model),
            "table": str(self.table),
            "path": self.path,
            "language": self.language,
            "materialized": self.materialized,
            "strategy": self.strategy,
            "publish": self.publish,
            "depth": self.depth,
            "upstream": [str(name) for name in self.upstream],
            "status": self.status,
            "creates": self.creates,
            "reasons": [reason.as_dict() for reason in self.reasons],
            "interval": None if self.interval is None else self.interval.as_dict(),
            "columns": None
            if self.columns is None
            else [column.as_dict() for column in self.columns],
            "columns_known_from": self.known,
            "schema": self._schema(),
            "unknown": list(self.unknown),
            "downstream": [each.as_dict() for each in self.downstream],
            "downstream_rows": [each.as_dict() for each in self.downstream_rows],
            "blocked_by": [str(name) for name in self.blocked_by],
            "waits_for": [str(name) for name in self.waits_for],
            "problems": [each.as_dict() for each in self.obstacles],
            "warnings": list(self.warnings),
            "rules": list(self.rules),
            "audits": [audit.as_dict() for audit in self.audits],
            "query": self.query,
            "sql": list(self.sql),
        }

    def _schema(self) -> dict[str, object]:
        if self.growth is None:
            return {"added": [], "padded": [], "widened": [], "relaxed": [], "refused": []}
        padded = [{**each.as_dict(), "new": not self.is_kept(each)} for each in self.growth.padded]
        return {**self.growth.as_dict(), "padded": padded}
