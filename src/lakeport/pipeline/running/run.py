"""A whole run: its models by their needs, and what was written aside published at the end, all at once.

With `run-atomic` every model writes on a branch and reads the branches of those before it. If one fails,
nothing is published. If others wrote to a table of the run meanwhile, the models of that table and those
below it are made again on what is there now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace

from lakeport.core.errors import ConflictError, LakeportError
from lakeport.core.names import TableName
from lakeport.pipeline.graph import Node
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.events import (
    ModelEnded,
    Publishing,
    RunBegan,
    Stopping,
    WrittenAgain,
)
from lakeport.pipeline.running.leases import leased
from lakeport.pipeline.running.one import not_begun, run_model
from lakeport.pipeline.running.result import DONE, ModelResult, ModelStatus, RunResult, RunStatus
from lakeport.pipeline.running.schedule import Crew, Schedule
from lakeport.pipeline.running.stop import StoppedError
from lakeport.pipeline.running.views import create_view
from lakeport.pipeline.target import (
    Branched,
    MovedError,
    drop_branches,
    publish,
    require_together,
)
from lakeport.pipeline.writing import Point, Progress, logged

_TRIES = 5


def carry_out(context: RunContext, selected: Sequence[TableName], started_ns: int) -> RunResult:
    """The models of the graph that were selected, in whatever order they were named."""
    return _Running(context, selected, started_ns).carried_out()


@dataclass(slots=True)
class _Running:
    context: RunContext
    selected: Sequence[TableName]
    started_ns: int
    results: dict[TableName, ModelResult] = field(default_factory=dict)
    error: LakeportError | None = None

    @property
    def nodes(self) -> list[Node]:
        wanted = {name.folded for name in self.selected}
        return [node for node in self.context.graph.nodes if node.name.folded in wanted]

    def carried_out(self) -> RunResult:
        context = self.context
        busy = [node for node in self.nodes if node.model.settings.materialized != "ephemeral"]
        for node in self.nodes:
            if node not in busy:
                self.results[node.name] = not_begun(node, "skipped")
        names = tuple(node.name for node in busy)
        wanted = context.wanted
        mode = "run-atomic" if wanted.is_atomic else wanted.publish or wanted.usual
        context.tell(RunBegan(context.run.id, names, mode, wanted.jobs, context.resumed))
        if wanted.is_atomic:
            self._together(busy)
        else:
            self._schedule(names)
        return RunResult(
            run_id=context.run.id,
            status=self._status(),
            environment=context.project.environment.name,
            publish=mode,
            started_ns=self.started_ns,
            ended_ns=context.clock(),
            models=tuple(self.results[node.name] for node in self.nodes),
            resumed=context.resumed,
            error=self.error,
        )

    def _status(self) -> RunStatus:
        statuses = {result.status for result in self.results.values()}
        if "stopped" in statuses:
            return "stopped"
        return "failed" if statuses - DONE or self.error is not None else "succeeded"

    # -- models ----------------------------------------------------------------------------------

    def _schedule(self, names: Sequence[TableName]) -> None:
        graph, context = self.context.graph, self.context
        chosen = set(names)
        needs = {name: graph.ancestors([name]) & chosen for name in names}
        crew = Crew(self._work, self._leave, lambda: context.tell(Stopping()), context.wanted.jobs)
        Schedule(names, needs, crew, context.stop).carry_out()

    def _work(self, name: TableName) -> bool:
        result = run_model(self.context, self.context.graph.node(name))
        self._ended(result)
        return result.status in DONE

    def _leave(self, name: TableName, blamed: TableName | None) -> None:
        node = self.context.graph.node(name)
        status: ModelStatus = "stopped" if blamed is None else "blocked"
        self._ended(not_begun(node, status, blamed))

    def _ended(self, result: ModelResult) -> None:
        self.results[result.model] = result
        self.context.tell(ModelEnded(result))

    # -- all at once -----------------------------------------------------------------------------

    def _together(self, busy: Sequence[Node]) -> None:
        context = self.context
        require_together(context.tables)
        with ExitStack() as leases:
            try:
                # In one order, so that no two runs wait for each other.
                for node in sorted(busy, key=lambda node: node.table.folded):
                    leases.enter_context(leased(context, node))
            except StoppedError:
                for node in busy:
                    self._leave(node.name, None)
                return
            try:
                self._schedule([node.name for node in busy])
                self._publish(busy)
            finally:
                left = [Branched(self._table(name), branch) for name, branch in self._branched()]
                with suppress(LakeportError):  # whatever failed before is what is told
                    drop_branches(context.tables, left)

    def _publish(self, busy: Sequence[Node]) -> None:
        context = self.context
        for _ in range(_TRIES):
            blamed = self._blamed(busy)
            if blamed is not None or context.stop.is_asked:
                self._withhold(busy, blamed)
                return
            branched = [Branched(self._table(name), branch) for name, branch in self._branched()]
            if branched:
                context.tell(Publishing(tuple(each.table for each in branched)))
            try:
                publish(context.tables, branched)
            except MovedError as moved:
                self._again(busy, moved.tables)
                continue
            self._published(busy)
            return
        self.error = ConflictError(
            f"others wrote to tables of this run during each of {_TRIES} attempts to publish it",
            hint="run it again when fewer write to them; nothing was published",
        )
        self._withhold(busy, None)

    def _again(self, busy: Sequence[Node], moved: Iterable[TableName]) -> None:
        """What stands on a table that moved, and what was computed from that."""
        context = self.context
        tables = {name.folded for name in moved}
        roots = {node.name for node in busy if node.table.folded in tables}
        affected = roots | context.graph.descendants(roots)
        again = [node for node in busy if node.name in affected]
        context.tell(WrittenAgain(tuple(node.name for node in again)))
        known = {name: branch for name, branch in self._branched() if name in affected}
        for name, branch in known.items():
            context.branches.forget(name)
            drop_branches(context.tables, [Branched(self._table(name), branch)])
        self._schedule([node.name for node in again])

    def _published(self, busy: Sequence[Node]) -> None:
        context = self.context
        for name, _ in self._branched():
            seen = Progress(Point.PUBLISHED, self._table(name), context.run.id)
            (context.observe or logged)(seen)
            context.branches.forget(name)
        views = [node for node in busy if node.model.settings.materialized == "view"]
        for node in views:
            try:
                with context.sessions.engine() as engine:
                    create_view(context, node, engine)
            except LakeportError as error:
                failed = replace(self.results[node.name], status="failed", error=error)
                self._ended(failed)

    def _withhold(self, busy: Sequence[Node], blamed: TableName | None) -> None:
        """Nothing is published: what succeeded did so for nobody."""
        for node in busy:
            before = self.results[node.name]
            if before.status != "succeeded":
                continue
            is_stopped = blamed is None and self.error is None
            status: ModelStatus = "stopped" if is_stopped else "blocked"
            self.results[node.name] = replace(
                before, status=status, blocked_by=blamed, outcome=None
            )

    def _blamed(self, busy: Sequence[Node]) -> TableName | None:
        bad = (node.name for node in busy if self.results[node.name].status == "failed")
        return next(bad, None)

    def _branched(self) -> list[tuple[TableName, str]]:
        known = self.context.branches.known()
        return [
            (node.name, known[node.name.folded]) for node in self.nodes if node.name.folded in known
        ]

    def _table(self, model: TableName) -> TableName:
        return self.context.graph.node(model).table
