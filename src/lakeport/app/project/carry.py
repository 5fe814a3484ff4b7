"""A run from its beginning to its end: catalog, store, leases and Spark for the models, and what is
remembered of it all.

The lake is asked what an earlier run has committed; the state store only knows that there was one. So a
run that was killed is gone on with by running again, and nothing is done twice.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from lakeport.app import wiring
from lakeport.app.maintain.after import maintain_after
from lakeport.app.project.begin import Begun, begin
from lakeport.app.project.early import EarlySpark
from lakeport.app.project.load import load_graph
from lakeport.app.project.plan import last_built_in, modified_models
from lakeport.app.project.records import Recorder
from lakeport.app.project.volume import remember_volume
from lakeport.core.errors import LakeportError
from lakeport.core.timepoint import NANOSECONDS
from lakeport.pipeline.planning.interval import Asked
from lakeport.pipeline.running.context import RunContext, Wanted
from lakeport.pipeline.running.events import Event, Listener, Preparing, RunEnded
from lakeport.pipeline.running.result import RunResult
from lakeport.pipeline.running.run import carry_out
from lakeport.pipeline.target import Run, Tables, require_together
from lakeport.state.heartbeat import Heartbeat
from lakeport.state.lineage import StoredEdge, StoredIssue

if TYPE_CHECKING:
    from lakeport.app.lake.pipeline import Pipeline
    from lakeport.app.maintain import Report
    from lakeport.app.project.request import RunRequest
    from lakeport.app.settings import Settings
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.core.names import TableName
    from lakeport.pipeline.graph import Graph
    from lakeport.pipeline.project import Project
    from lakeport.pipeline.session import Session
    from lakeport.pipeline.writing import Engine, Observer
    from lakeport.state import Store


_NAMED = 6


def carry_out_project(
    settings: Settings,
    project: Project,
    request: RunRequest,
    early: EarlySpark,
    listener: Listener,
    observe: Observer | None,
) -> RunResult:
    """What is wrong with the project, or cannot be reached, is told before anything is written down."""
    with ExitStack() as stack:
        catalog = stack.enter_context(wiring.open_catalog(settings))
        store = stack.enter_context(wiring.open_state(settings))
        begun = begin(store, catalog, project, request)
        graph = load_graph(
            project,
            catalog,
            is_incremental=(lambda _: False) if begun.request.full_refresh else None,
        )
        running = _Running(settings, catalog, store, graph, begun, listener, observe)
        return running.carried_out(early)


@dataclass(frozen=True)
class _Running:
    settings: Settings
    catalog: IcebergCatalog
    store: Store
    graph: Graph
    begun: Begun
    listener: Listener
    observe: Observer | None

    def carried_out(self, early: EarlySpark) -> RunResult:
        last = last_built_in(self.store, self.graph.project)
        request = self.begun.request
        selected = self.graph.select(
            request.select, request.exclude, lambda: modified_models(self.graph, last)
        )
        self.begun.notes += tuple(self._done_before(selected))
        ends = {str(name): built.end for name, built in last.items() if built.end is not None}
        wanted = self._wanted()
        tables = Tables(self.catalog, self.begun.actor)
        if wanted.is_atomic:
            require_together(tables)
        if selected:
            early.launch()
        self.begun.take_up()
        with self._means(early) as (sessions, leases):
            recorder = Recorder(self.store, self.graph, self.begun.run_id, atomic=wanted.is_atomic)
            context = RunContext(
                run=Run(self.begun.run_id, actor=self.begun.actor),
                graph=self.graph,
                wanted=wanted,
                sessions=sessions,
                tables=tables,
                leases=leases,
                listener=lambda event: self._heard(event, recorder),
                observe=self.observe,
                resumed=self.begun.resumed,
                last_ends=ends,
            )
            try:
                if selected and not self.begun.resumed:
                    context.tell(Preparing("starting Spark"))
                    sessions.open()
                result = carry_out(context, selected, self.begun.began_ns)
            except BaseException as error:
                self._ended_by(error, context)
                raise
            return self._finished(result, recorder, sessions)

    def _done_before(self, selected: Collection[TableName]) -> Iterator[str]:
        """A selector that asks for what has changed no longer means what this run has built already."""
        if not self.begun.resumed:
            return
        left = {str(name) for name in selected}
        known = self.store.runs.models(self.begun.run_id)
        done = [
            each.model
            for each in known
            if each.status in {"succeeded", "recovered"} and each.model not in left
        ]
        if done:
            were = "model was" if len(done) == 1 else "models were"
            names = ", ".join(done[:_NAMED]) + (", …" if len(done) > _NAMED else "")
            yield f"{len(done):,} {were} done before: {names}"

    def _wanted(self) -> Wanted:
        request, pipeline = self.begun.request, self.settings.pipeline
        now = datetime.fromtimestamp(self.begun.started_ns / NANOSECONDS, UTC)
        return Wanted(
            Asked(now, request.start, request.end, request.full_refresh),
            request.publish,
            pipeline.publish,
            request.jobs or pipeline.workers,
        )

    @contextmanager
    def _means(self, early: EarlySpark) -> Iterator[tuple[_Sessions, Heartbeat]]:
        leases, owner = self.store.leases, self.begun.owner
        with (
            wiring.open_pipeline(
                self.settings, self.catalog, self.begun.actor, start=early.spark
            ) as pipeline,
            Heartbeat(leases, owner, runs=self.store.runs) as heartbeat,
        ):
            try:
                yield _Sessions(pipeline), heartbeat
            finally:
                leases.release_all(owner)

    def _heard(self, event: Event, recorder: Recorder) -> None:
        recorder(event)
        self.listener(event)

    def _ended_by(self, error: BaseException, context: RunContext) -> None:
        """Ctrl-C before there was anything to stop, a second one, or a bug: the next run goes on."""
        context.stop.ask()
        status = "stopped" if isinstance(error, KeyboardInterrupt) else "failed"
        told = error.message if isinstance(error, LakeportError) else type(error).__name__
        self.store.runs.end(self.begun.run_id, status, time.time_ns(), error=told)  # type: ignore[arg-type]

    def _finished(self, result: RunResult, recorder: Recorder, sessions: _Sessions) -> RunResult:
        recorder.finish(result)
        self._remember_lineage()
        remember_volume(self.settings, result)
        notes = self.begun.notes
        kept: Report | None = None
        if result.status != "stopped":
            kept = maintain_after(
                self.settings,
                self.catalog,
                _written(result),
                store=self.store,
                actor=self.begun.actor,
            )
        result = replace(
            result,
            notes=(*notes, *result.notes),
            maintenance=None if kept is None else msgspec.to_builtins(kept),
            ended_ns=time.time_ns(),
        )
        error = result.error or next((m.error for m in result.models if m.error is not None), None)
        told = None if error is None else error.message
        self.store.runs.end(result.run_id, result.status, result.ended_ns, error=told)
        if sessions.failure is not None and not result.count("succeeded", "recovered"):
            raise sessions.failure
        self.listener(RunEnded(result))
        return result

    def _remember_lineage(self) -> None:
        graph, project = self.graph, self.graph.project

        def table(name: TableName) -> TableName:
            return project.environment.table(name) if name in project.models else name

        edges = [
            StoredEdge(
                table(edge.source),
                edge.source_column,
                table(edge.target),
                edge.target_column,
                approximate=edge.approximate,
            )
            for edge in graph.column_edges
        ]
        issues = [
            StoredIssue(
                table(issue.model),
                issue.code,
                issue.severity,
                issue.message,
                issue.hint,
                issue.place.path,
                issue.place.line,
                issue.place.column,
            )
            for issue in graph.issues
        ]
        self.store.lineage.put(project.catalog, project.environment.name, edges, issues)


@dataclass(slots=True)
class _Sessions:
    """The pipeline's. If Spark cannot be had at all, it is tried once and not for every model."""

    pipeline: Pipeline
    failure: LakeportError | None = field(default=None)

    def open(self) -> None:
        """When there is a Spark; a run that goes on with another may need none."""
        if self.failure is not None:
            raise self.failure
        try:
            self.pipeline.spark()
        except LakeportError as error:
            self.failure = error
            raise

    @contextmanager
    def engine(
        self, session: Session | None = None, observe: Observer | None = None, *, keep: bool = True
    ) -> Iterator[Engine]:
        self.open()
        more = {} if observe is None else {"observe": observe}
        with self.pipeline.engine(session, keep=keep, **more) as engine:
            yield engine


def _written(result: RunResult) -> list[TableName]:
    return [
        model.outcome.table
        for model in result.models
        if model.status == "succeeded" and model.outcome is not None
    ]
