"""One model's way: lease, recovery check, analyse, stage, audit, grow, write, verify, publish.

A crash anywhere leaves the table as it was, or complete: the next run finds out which by asking it. What
is told here is a `ModelResult`, also of a model that failed; nothing is raised but the end of the process.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

from lakeport.catalog.views import NotATableError
from lakeport.core.errors import (
    ConflictError,
    InternalError,
    LakeportError,
    PreconditionError,
)
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.graph import Node
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.planning.interval import Interval, interval_of, last_end
from lakeport.pipeline.planning.request import write_request
from lakeport.pipeline.running.audits.ask import Asking, ask
from lakeport.pipeline.running.audits.failure import require_passed, warnings_of
from lakeport.pipeline.running.audits.storing import store
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.events import ModelBegan, ModelReached
from lakeport.pipeline.running.leases import leased, was_lost
from lakeport.pipeline.running.losses import Kept
from lakeport.pipeline.running.placing import placed
from lakeport.pipeline.running.python import Authors
from lakeport.pipeline.running.result import AuditResult, ModelResult, ModelStatus
from lakeport.pipeline.running.rows import Computing, columns_in
from lakeport.pipeline.running.sources import require_sources
from lakeport.pipeline.running.stop import StoppedError
from lakeport.pipeline.running.views import create_view
from lakeport.pipeline.session import Frame
from lakeport.pipeline.staging import Given, Staged
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.target import (
    Branched,
    Head,
    MovedError,
    Run,
    can_publish,
    drop_branches,
    publish,
)
from lakeport.pipeline.target.run import FINGERPRINT
from lakeport.pipeline.writing import Engine, Outcome, Point, Progress, WriteRequest, logged
from lakeport.pipeline.writing.attempts import TRIES
from lakeport.pipeline.writing.engine import recovered
from lakeport.pipeline.writing.failures import of_query

_log = logging.getLogger(__name__)

_STOPPABLE = frozenset(
    {Point.LEASED, Point.ANALYSED, Point.STAGED, Point.CHECKED, Point.GROWN, Point.BRANCHED}
)
"""Points at which nothing is lost by stopping."""


def run_model(context: RunContext, node: Node) -> ModelResult:
    return _Way(context, node).walked()


@dataclass(slots=True)
class _Way:
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

    def walked(self) -> ModelResult:
        context = self.context
        self.started_ns = context.clock()
        context.tell(ModelBegan(self.node.name))
        try:
            self._walk()
        except StoppedError as error:
            return self._result("stopped", error)
        except SparkError as error:
            spark = placed(of_query(error, "Spark's log"), self.node)
            return self._result("stopped" if context.stop.is_asked else "failed", spark)
        except LakeportError as error:
            # What a cancelled statement says is about cancelling.
            return self._result("stopped" if context.stop.is_asked else "failed", error)
        except Exception as error:  # noqa: BLE001  told as a bug of ours, with its trace in the log
            _log.exception("model.crashed", extra={"model": str(self.node.name)})
            crash = InternalError(
                f"an internal error: {type(error).__name__}", hint="this is a bug of Lakeport"
            )
            return self._result("failed", crash)
        return self._result(self.status)

    def _walk(self) -> None:
        context, node = self.context, self.node
        context.stop.require()
        require_sources(context, node)
        if context.wanted.is_atomic:  # all leases were taken before the first model
            self._leased()
            return
        with leased(context, node):
            self._leased()
            if was_lost(context, node.table):
                self.warnings.append(
                    f"the lease of table {quoted(str(node.table))} was lost while it was written:"
                    " another run may have written to it, too"
                )

    def _leased(self) -> None:
        self._tell(Point.LEASED)
        if self.node.model.settings.materialized == "view":
            self._view()
        else:
            self._table()

    # -- tables ----------------------------------------------------------------------------------

    def _table(self) -> None:
        context, node = self.context, self.node
        head = self._head()
        self.interval = interval_of(node.model.settings, context.wanted.asked, self._last_end(head))
        run = context.run_of(node, self.interval)
        mode = context.wanted.publish_of(node)
        left = self._recovered(head, run) if context.resumed else None
        if self.status == "recovered" and left is None:
            return
        if left is not None and not node.audits and self._go_on(None, left, run, mode):
            return
        keeps = node.model.language == "sql"  # what Python does to its session nobody knows
        with (
            context.sessions.engine(observe=self._observe, keep=keeps) as engine,
            context.stop.watching(engine.around.console.session),
        ):
            if left is not None and node.audits and self._go_on(engine, left, run, mode):
                return
            context.branches.making(node.name)
            self._write(engine, run, mode, is_incremental=head is not None and not head.is_empty)

    def _head(self) -> Head | None:
        try:
            return self.context.tables.head(self.node.table)
        except NotATableError:
            raise PreconditionError(
                f"{quoted(str(self.node.table))} is a view, and the model builds a table",
                hint='drop the view first, or set materialized = "view"',
            ) from None

    def _last_end(self, head: Head | None) -> datetime | None:
        """Where the model's last commit ended; a table whose history was cut is not asked alone."""
        if head is None:
            return None
        found = last_end(str(self.node.name), head.commits)
        if found is None and not head.is_whole:
            return self.context.last_ends.get(str(self.node.name))
        return found

    def _write(self, engine: Engine, run: Run, mode: str, *, is_incremental: bool) -> None:
        asked = self.context.wanted.asked
        assert self.interval is not None  # noqa: S101  set before
        computing = Computing(
            self.context,
            self.node,
            engine,
            self.context.reading(engine.around.catalog),
            self.interval,
            is_incremental and not asked.full_refresh,
            Authors(self.node, self.context.root, engine.around.console.session),
        )
        kept = Kept.of(self.context, self.node, engine)
        given = computing.given()
        request = self._request(given)
        try:
            with _entered(computing.watching, engine.stage(given, request, run)) as staged:
                self.columns = staged.schema
                kept.require()
                self._staged(engine, computing, staged, request, run, mode)
        except LakeportError as error:
            raise placed(error, self.node, computing.reading) from error

    def _request(self, given: Given) -> WriteRequest:
        settings = self.node.model.settings
        assert self.interval is not None  # noqa: S101  set before
        columns = columns_in(given) if settings.strategy == "time_range" else ()
        request = write_request(
            self.node.model,
            self.node.table,
            self.interval,
            columns,
            full_refresh=self.context.wanted.asked.full_refresh,
        )
        self.strategy = request.chosen
        return request

    def _staged(
        self,
        engine: Engine,
        computing: Computing,
        staged: Staged,
        request: WriteRequest,
        run: Run,
        mode: str,
    ) -> None:
        if mode == "direct":
            self._audit(engine, computing.reading.catalog, staged.relation, staged.schema, run)
            self.outcome = engine.write_staged(staged, request, run)
            return
        for attempt in count(1):
            made = engine.write_staged(staged, request, run, aside=True)
            if self._go_on(engine, made, run, mode):
                return
            if attempt >= TRIES:
                raise ConflictError(
                    f"others wrote to table {quoted(str(request.into))} during each of {attempt}"
                    " attempts to publish it",
                    hint="run it again when fewer write to the table",
                )
            self._tell(Point.RETRYING, attempt, reason="others wrote to the table first")

    # -- on a branch -----------------------------------------------------------------------------

    def _go_on(self, engine: Engine | None, made: Outcome, run: Run, mode: str) -> bool:
        """With rows on a branch: audited, and published unless the whole run is. False if main moved."""
        tables, node = self.context.tables, self.node
        branched = Branched(made.table, run.branch)
        if made.branch is not None and mode == "run-atomic":
            self.context.branches.put(node.name, run.branch)
        try:
            if engine is not None and node.audits:
                catalog = engine.around.catalog
                reading = self.context.reading(catalog)
                relation = reading.relation(made.table, made.branch)
                self._audit(engine, catalog, relation, self._whole(made), run)
            if mode != "run-atomic" and made.branch is not None:
                publish(tables, [branched])
                self._tell(Point.PUBLISHED)
        except MovedError:
            drop_branches(tables, [branched])
            self.status = "succeeded"
            return False
        except BaseException:
            self.context.branches.forget(node.name)
            with suppress(LakeportError):  # what is told is what failed first
                drop_branches(tables, [branched])
            raise
        self.outcome = made
        return True

    def _whole(self, made: Outcome) -> Schema:
        return self.context.tables.columns(made.table) if made.growth is None else made.growth.after

    def _recovered(self, head: Head | None, run: Run) -> Outcome | None:
        """What this run has done before it was cut off. Rows that wait on a branch are given back."""
        tables, node, mode = self.context.tables, self.node, self._mode
        if head is None:
            return None
        branched = Branched(head.name, run.branch)
        request = WriteRequest(node.table)
        self.outcome = recovered(tables, request, run)
        if self.outcome is not None:
            self.status = "recovered"
            self._compare(head, run)
            if run.branch in head.branches:
                drop_branches(tables, [branched])
            return None
        if run.branch not in head.branches:
            return None
        left = recovered(tables, request, run, branch=run.branch)
        above = self.context.graph.ancestors([node.name])
        is_good = left is not None and mode != "direct" and can_publish(head, run.branch)
        if is_good and not self.context.branches.has_made(above):
            self.status = "recovered"
            return left
        drop_branches(tables, [branched])
        return None

    def _compare(self, head: Head, run: Run) -> None:
        made = head.commit_of(run.id, run.model or "")
        if made is not None and made.summary.get(FINGERPRINT) != run.fingerprint:
            self.warnings.append(
                "this run wrote it before its file was changed, and a run writes a table once:"
                " run it again without --retry"
            )

    @property
    def _mode(self) -> str:
        return self.context.wanted.publish_of(self.node)

    # -- views -----------------------------------------------------------------------------------

    def _view(self) -> None:
        context, node = self.context, self.node
        self.strategy = "view"
        self.interval = interval_of(node.model.settings, context.wanted.asked, None)
        with (
            context.sessions.engine(observe=self._observe) as engine,
            context.stop.watching(engine.around.console.session),
        ):
            reading = context.reading(engine.around.catalog)
            authors = Authors(node, context.root, engine.around.console.session)
            computing = Computing(context, node, engine, reading, self.interval, False, authors)  # noqa: FBT003
            if node.audits or context.wanted.is_atomic:
                frame = computing.frame(node)
                self.columns = columns_in(frame)
                self._audit_view(engine, computing, frame)
            if not context.wanted.is_atomic:  # else after all tables are published
                create_view(context, node, engine)
            self._tell(Point.DONE)

    def _audit_view(self, engine: Engine, computing: Computing, frame: Frame) -> None:
        if not self.node.audits or self.columns is None:
            return
        run = self.context.run_of(self.node, None)
        with computing.as_view(frame) as rows:
            self._audit(engine, computing.reading.catalog, rows, self.columns, run)

    # -- audits ----------------------------------------------------------------------------------

    def _audit(
        self, engine: Engine, catalog: str | None, rows: Relation, schema: Schema, run: Run
    ) -> None:
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
        self._tell(Point.AUDITED)
        self.context.stop.require()
        require_passed(node, self.audits)

    # -- telling ---------------------------------------------------------------------------------

    def _tell(self, point: Point, attempt: int = 1, **facts: object) -> None:
        self._observe(Progress(point, self.node.table, self.context.run.id, attempt, facts))

    def _observe(self, seen: Progress) -> None:
        if seen.table.folded != self.node.table.folded:
            return  # rows of an audit that are stored
        (self.context.observe or logged)(seen)
        self.context.tell(ModelReached(self.node.name, seen))
        if seen.point in _STOPPABLE:
            self.context.stop.require()

    def _result(self, status: ModelStatus, error: LakeportError | None = None) -> ModelResult:
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


@contextmanager
def _entered(
    watching: AbstractContextManager[None], staging: AbstractContextManager[Staged]
) -> Iterator[Staged]:
    """Rows staged; what is said about computing them is not about what is done with them."""
    with ExitStack() as stack:
        with watching:
            staged = stack.enter_context(staging)
        yield staged


def not_begun(node: Node, status: ModelStatus, blamed: TableName | None = None) -> ModelResult:
    return ModelResult(
        model=node.name,
        table=node.table,
        path=node.model.path,
        materialized=node.model.settings.materialized,
        status=status,
        blocked_by=blamed,
    )
