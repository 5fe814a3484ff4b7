"""What a run tells, written down as it happens, for `status`, for the next plan and for `state:modified`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.pipeline.planning.known import Futures, viewed
from lakeport.pipeline.planning.staged import record_of
from lakeport.pipeline.running.events import Event, ModelBegan, ModelEnded, RunBegan
from lakeport.state.run_records import ModelRecord, ModelStatus

if TYPE_CHECKING:
    from lakeport.pipeline.graph import Graph, Node
    from lakeport.pipeline.running.result import ModelResult, RunResult
    from lakeport.state import Store


class Recorder:
    """A listener. With `atomic` a model has succeeded when the whole run has."""

    def __init__(self, store: Store, graph: Graph, run_id: str, *, atomic: bool) -> None:
        self._runs = store.runs
        self._graph = graph
        self._run_id = run_id
        self._atomic = atomic
        self._futures = Futures(graph)

    def __call__(self, event: Event) -> None:
        match event:
            case RunBegan():
                waiting = [self._bare(self._graph.node(name), "waiting") for name in event.models]
                self._runs.models_of_run(self._run_id, waiting)
            case ModelBegan():
                node = self._graph.node(event.model)
                self._runs.model(self._run_id, self._bare(node, "running"))
            case ModelEnded():
                self._learn(event.result)
                if not self._atomic:
                    self._runs.model(self._run_id, self._record(event.result))
            case _:
                pass

    def finish(self, result: RunResult) -> None:
        """What is known of every model in the end."""
        later = [each for each in result.models if self._atomic or each.materialized == "ephemeral"]
        self._runs.models_of_run(self._run_id, [self._record(each) for each in later])

    def _learn(self, result: ModelResult) -> None:
        """The columns that the models after it have found."""
        growth = None if result.outcome is None else result.outcome.growth
        if growth is not None:
            self._futures.put(result.model, growth.after)
        elif result.materialized == "view" and result.columns is not None:
            self._futures.put(result.model, viewed(result.columns))

    def _bare(self, node: Node, status: ModelStatus) -> ModelRecord:
        return ModelRecord(
            model=str(node.name),
            table=node.table,
            status=status,
            fingerprint=node.model.fingerprint,
        )

    def _record(self, result: ModelResult) -> ModelRecord:
        node, outcome = self._graph.node(result.model), result.outcome
        error = result.error
        status: ModelStatus = "interrupted" if result.status == "stopped" else result.status
        return ModelRecord(
            model=str(result.model),
            table=result.table if outcome is None else outcome.table,
            status=status,
            strategy=result.strategy,
            rows=result.rows,
            counts={} if outcome is None else outcome.counts,
            started_ns=result.started_ns,
            ended_ns=result.ended_ns,
            snapshot_id=None if outcome is None else outcome.snapshot_id,
            version=None if outcome is None else outcome.version,
            created=outcome is not None and outcome.created,
            attempts=1 if outcome is None else outcome.attempts,
            fingerprint=node.model.fingerprint,
            interval=None if result.interval is None else result.interval.text,
            code=None if error is None else error.code,
            error=None if error is None else error.message,
            hint=None if error is None else error.hint,
            columns=self._columns(result, node),
            warnings=result.warnings,
        )

    def _columns(self, result: ModelResult, node: Node) -> str | None:
        if result.columns is None:
            return None
        marks = self._futures.marks(node)
        reads = {name: mark for name, mark in marks.items() if mark is not None}
        return record_of(result.columns, reads if len(reads) == len(marks) else None)
