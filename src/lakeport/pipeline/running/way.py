"""One model on its way: what is known of it so far, and how that is told.

What is told in the end is a `ModelResult`, also of a model that failed. Those who know how a table or a view is
made walk the way with it (`tables.py`, `views.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lakeport.core.errors import LakeportError
from lakeport.pipeline.graph import Node
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.planning.interval import Interval
from lakeport.pipeline.running.audits.ask import Asking, ask
from lakeport.pipeline.running.audits.failure import require_passed, warnings_of
from lakeport.pipeline.running.audits.storing import store
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.events import ModelReached
from lakeport.pipeline.running.python import Authors
from lakeport.pipeline.running.result import AuditResult, ModelResult, ModelStatus
from lakeport.pipeline.running.rows import Computing
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.target import Run
from lakeport.pipeline.writing import Engine, Outcome, Point, Progress, logged

_STOPPABLE = frozenset(
    {Point.LEASED, Point.ANALYSED, Point.STAGED, Point.CHECKED, Point.GROWN, Point.BRANCHED}
)
"""Points at which nothing is lost by stopping."""


@dataclass(slots=True)
class Way:
    context: RunContext
    node: Node
    interval: Interval | None = None
    strategy: str | None = None
    outcome: Outcome | None = None
    audits: tuple[AuditResult, ...] = ()
    columns: Schema | None = None
    status: ModelStatus = "succeeded"
    warnings: list[str] = field(default_factory=list)
    started_ns: int = 0

    @property
    def mode(self) -> str:
        return self.context.wanted.publish_of(self.node)

    def computing(self, engine: Engine, *, is_incremental: bool) -> Computing:
        context, node = self.context, self.node
        assert self.interval is not None  # noqa: S101  set before
        return Computing(
            context,
            node,
            engine,
            context.reading(engine.around.catalog),
            self.interval,
            is_incremental,
            Authors(node, context.root, engine.around.console.session),
        )

    def audit(
        self, engine: Engine, catalog: str | None, rows: Relation, schema: Schema, run: Run
    ) -> None:
        """Raises if an audit fails that must not."""
        node = self.node
        if not node.audits:
            return
        assert self.interval is not None  # noqa: S101  set before
        self.audits = ask(
            Asking(
                engine.around.console,
                node,
                rows,
                schema,
                self.context.reading(catalog),
                lambda audit, failing, given: store(engine, node, audit, failing, given, run),
                self.context.values(self.interval),
            )
        )
        self.tell(Point.AUDITED)
        self.context.stop.require()
        require_passed(node, self.audits)

    # -- telling ---------------------------------------------------------------------------------

    def tell(self, point: Point, attempt: int = 1, **facts: object) -> None:
        self.observe(Progress(point, self.node.table, self.context.run.id, attempt, facts))

    def observe(self, seen: Progress) -> None:
        if seen.table.folded != self.node.table.folded:
            return  # rows of an audit that are stored
        (self.context.observe or logged)(seen)
        self.context.tell(ModelReached(self.node.name, seen))
        if seen.point in _STOPPABLE:
            self.context.stop.require()

    def result(self, status: ModelStatus, error: LakeportError | None = None) -> ModelResult:
        node, outcome = self.node, self.outcome
        warnings: Sequence[Any] = () if outcome is None else outcome.warnings
        return ModelResult(
            model=node.name,
            table=node.table,
            path=node.model.path,
            materialized=node.model.settings.materialized,
            status=status,
            strategy=self.strategy,
            interval=self.interval,
            started_ns=self.started_ns,
            ended_ns=self.context.clock(),
            outcome=outcome,
            audits=self.audits,
            error=error,
            warnings=(*self.warnings, *warnings, *warnings_of(node, self.audits)),
            columns=self.columns,
        )
