"""The plan: model by model in the order of a run, each against the tables that those before it leave.

Nothing is read but metadata and nothing is written. What only a run can tell is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lakeport.core.errors import LakeportError
from lakeport.core.names import TableName, fold, quoted
from lakeport.pipeline.graph.model import Node
from lakeport.pipeline.growth.model import Schema
from lakeport.pipeline.growth.planner import plan_growth
from lakeport.pipeline.planning.columns import NOT_LOADED, Told, from_lineage, still_holds, told_by
from lakeport.pipeline.planning.downstream import (
    affected,
    affected_rows,
    null_warning,
    rows_warning,
)
from lakeport.pipeline.planning.interval import Interval, interval_of, last_end
from lakeport.pipeline.planning.known import (
    Futures,
    Situation,
    Standing,
    is_ephemeral,
    schema_of,
    viewed,
)
from lakeport.pipeline.planning.model import (
    ModelPlan,
    Obstacle,
    PlannedAudit,
    PlannedColumn,
    Reason,
)
from lakeport.pipeline.planning.reasons import (
    LastBuilt,
    last_in_table,
    own_reasons,
    upstream_reason,
)
from lakeport.pipeline.planning.remarks import (
    emptied,
    kept,
    lost,
    said,
    unaudited,
    unpartitioned,
    unviewable,
)
from lakeport.pipeline.planning.request import STORED, publish_of, strategy_of, write_request
from lakeport.pipeline.planning.rules import rules_of
from lakeport.pipeline.planning.statements import RUN, Statements
from lakeport.pipeline.target.head import Commit
from lakeport.pipeline.writing.prepare import warnings as told_before
from lakeport.pipeline.writing.request import WriteRequest

_TIMES = frozenset({"start", "end"})


@dataclass(frozen=True, slots=True)
class _Before:
    """A model's table and its last commit, as they are."""

    table: Standing | None
    last: LastBuilt | None
    interval: Interval

    @property
    def columns(self) -> Schema:
        return () if self.table is None else self.table.columns


@dataclass(slots=True)
class Planner:
    situation: Situation
    futures: Futures = field(init=False)
    _plans: dict[tuple[str, str], ModelPlan] = field(default_factory=dict)
    _roots: dict[tuple[str, str], tuple[TableName, ...]] = field(default_factory=dict)
    _depths: dict[tuple[str, str], int] = field(default_factory=dict)
    _statements: Statements = field(init=False)

    def __post_init__(self) -> None:
        self.futures = Futures(self.situation.graph)
        self._statements = Statements(self.situation.graph)

    def plans(self) -> tuple[ModelPlan, ...]:
        selected = {name.folded for name in self.situation.selected}
        for node in self.situation.graph.nodes:
            before = (self._depths[name.folded] for name in node.upstream)
            self._depths[node.name.folded] = max(before, default=0) + 1
            if node.name.folded in selected:
                self._plans[node.name.folded] = self._planned(node)
            else:
                self._left_as_it_is(node)
        return tuple(self._reached())

    # -- one model -------------------------------------------------------------------------------

    def _left_as_it_is(self, node: Node) -> None:
        """A model that is not selected: its table stays, and is what others read."""
        if is_ephemeral(node):
            told, _ = self._told(node, None, self._interval(node))
            self.futures.put(node.name, told.schema)
            return
        known = self.situation.graph.catalog.get(node.table)
        self.futures.put(node.name, None if known is None else schema_of(known))

    def _planned(self, node: Node) -> ModelPlan:
        settings = node.model.settings
        table, obstacles = self._standing(node)
        commits = () if table is None else table.commits
        last = self.situation.last.get(node.name) or last_in_table(node.name, commits)
        before = _Before(table, last, self._interval(node, commits, last))
        told, wrong = self._told(node, last, before.interval)
        roots = self._changed_before(node)
        plan = ModelPlan(
            model=node.name,
            table=node.table if table is None else table.name,
            path=node.model.path,
            language=node.model.language,
            materialized=settings.materialized,
            strategy=None,
            publish=None,
            depth=self._depths[node.name.folded],
            upstream=node.upstream,
            creates=False,
            reasons=tuple(upstream_reason(roots)),
            columns=told.columns,
            known=told.known,
            unknown=told.unknown,
            interval=before.interval if _depends_on_time(node) else None,
            blocked_by=self._blocked(node),
            obstacles=(*obstacles, *wrong, *self._missing(node), *self._not_loaded(node)),
            waits_for=self._waits_for(node),
            warnings=() if wrong or told.known in {"last_run", "spark"} else tuple(said(node)),
            audits=tuple(
                PlannedAudit(each.name, each.kind, each.columns, each.severity)
                for each in settings.audits
            ),
            query=self._statements.query(node) if node.model.language == "sql" else None,
        )
        if settings.materialized in STORED:
            plan = self._table(node, plan, told, before)
        elif settings.materialized == "view":
            plan = self._view(node, plan, told, last)
        else:
            # It has no rows of its own; whoever reads it has others, if its text is another one.
            own = () if last is None else own_reasons(node, last, exists=True)
            plan = replace(plan, reasons=(*own, *plan.reasons))
            self.futures.put(node.name, told.schema)
        self._roots[node.name.folded] = roots if plan.status == "unchanged" else (node.name,)
        return plan

    def _table(self, node: Node, plan: ModelPlan, told: Told, before: _Before) -> ModelPlan:
        settings, full = node.model.settings, self.situation.asked.full_refresh
        publish = publish_of(settings, self.situation.publish, self.situation.usual)
        self._statements.written(node, publish)
        plan = replace(
            plan,
            strategy=strategy_of(settings, full_refresh=full),
            publish=publish,
            creates=before.table is None,
            reasons=(
                *own_reasons(node, before.last, exists=before.table is not None),
                *plan.reasons,
            ),
        )
        source = told.over(before.columns)
        held = None if before.table is None else before.columns
        self.futures.put(node.name, held)
        if source is None:
            return self._detailed(plan, None, before)
        try:
            request = write_request(
                node.model, node.table, before.interval, source, full_refresh=full
            )
        except LakeportError as error:
            return replace(plan, obstacles=(*plan.obstacles, _obstacle(error)))
        growth = plan_growth(before.columns, source, request.policy)
        is_whole = not any(_is_new(name, before.columns) for name in told.unknown)
        self.futures.put(node.name, growth.after if is_whole else None)
        before_too = kept(before.columns, before.last, request.policy) if growth.padded else ()
        plan = replace(plan, growth=growth, kept=frozenset(before_too))
        unasked = list(unaudited(node, told, () if publish == "direct" else growth.after))
        plan = replace(
            plan,
            obstacles=(
                *plan.obstacles,
                *(one for how, one in unasked if how == "error"),
                *(
                    unpartitioned(settings.partitioned_by, source)
                    if plan.creates and is_whole
                    else ()
                ),
            ),
            warnings=(*plan.warnings, *(one.message for how, one in unasked if how == "warn")),
        )
        if full and strategy_of(settings, full_refresh=False) != "full":
            plan = replace(plan, warnings=(*plan.warnings, *emptied(growth)))
        if plan.changes_schema and not plan.creates:
            plan = replace(plan, reasons=(*plan.reasons, Reason("schema", "its columns change")))
        return self._detailed(plan, request, before)

    def _detailed(
        self, plan: ModelPlan, request: WriteRequest | None, before: _Before
    ) -> ModelPlan:
        """With the table's rules and the statements, which nobody reads of a model that stays."""
        if plan.status == "unchanged" and not self.situation.with_sql:
            return plan
        head = None if before.table is None else before.table.whole()
        plan = replace(plan, rules=() if head is None else tuple(rules_of(head.definition)))
        growth, publish = plan.growth, plan.publish
        if growth is None or request is None or publish is None:
            return plan
        plan = replace(plan, warnings=(*plan.warnings, *told_before(request, growth, head)))
        if growth.refused or (plan.unknown and plan.creates):
            return plan
        try:
            sql = self._statements.of_write(request, growth, head, publish)
        except LakeportError as error:
            return replace(plan, obstacles=(*plan.obstacles, _obstacle(error)))
        return plan if plan.unknown else replace(plan, sql=sql)

    def _view(self, node: Node, plan: ModelPlan, told: Told, last: LastBuilt | None) -> ModelPlan:
        known = self.situation.graph.catalog.get(node.table)
        reasons = (*own_reasons(node, last, exists=known is not None), *plan.reasons)
        schema = None if told.schema is None else viewed(told.schema)
        self.futures.put(node.name, schema)
        gone = [] if known is None or told.columns is None else lost(known.columns, told)
        seen = [PlannedColumn(field.name, field.type) for field in schema or ()]
        return replace(
            plan,
            creates=known is None,
            reasons=reasons,
            columns=plan.columns if schema is None else tuple(seen),
            obstacles=(*plan.obstacles, *unviewable(told)),
            warnings=(
                *plan.warnings,
                *(f"the view loses its column {quoted(name)}" for name in gone),
            ),
            sql=self._statements.of_view(node),
        )

    # -- what it needs to know -------------------------------------------------------------------

    def _standing(self, node: Node) -> tuple[Standing | None, tuple[Obstacle, ...]]:
        if node.model.settings.materialized not in STORED:
            return None, ()
        try:
            return self.situation.targets(node.table), ()
        except LakeportError as error:
            return None, (_obstacle(error),)

    def _told(
        self, node: Node, last: LastBuilt | None, interval: Interval
    ) -> tuple[Told, tuple[Obstacle, ...]]:
        """With what Spark has against the query, if it was asked."""
        marks = self.futures.marks(node)
        if last is not None and still_holds(last.columns, last.fingerprint, node, marks):
            return told_by(last.columns.columns, "last_run"), ()
        told = from_lineage(node)
        analyst = self.situation.analyst
        if told.known is not None or analyst is None or node.model.language != "sql":
            return told, ()
        if any(issue.code == NOT_LOADED for issue in node.issues):
            return told, ()
        try:
            asked = analyst.columns(
                self.situation.graph,
                node,
                self._readable(node),
                self._parameters(node, interval),
            )
        except LakeportError as error:
            return told, (_obstacle(error),)
        return (told if asked is None else told_by(asked, "spark")), ()

    def _parameters(self, node: Node, interval: Interval) -> dict[str, object]:
        built_in = {"start": interval.start, "end": interval.end, "run_id": RUN.id}
        values: dict[str, object] = {**self.situation.graph.project.parameters, **built_in}
        return {each.name: values[each.name] for each in node.query.parameters}

    def _readable(self, node: Node) -> dict[TableName, Schema]:
        found = ((name, self.futures.schema(name)) for name in node.upstream)
        return {name: schema for name, schema in found if schema is not None}

    def _interval(
        self, node: Node, commits: tuple[Commit, ...] = (), last: LastBuilt | None = None
    ) -> Interval:
        before = last_end(str(node.name), commits)
        if before is None and last is not None:
            before = last.end
        return interval_of(node.model.settings, self.situation.asked, before)

    def _blocked(self, node: Node) -> tuple[TableName, ...]:
        found = ((name, self._plans.get(name.folded)) for name in node.upstream)
        stopped = {"refused", "blocked"}
        return tuple(name for name, plan in found if plan is not None and plan.status in stopped)

    def _not_loaded(self, node: Node) -> Iterator[Obstacle]:
        for one in self.situation.graph.missing_sources(node):
            yield Obstacle(
                "source_not_loaded",
                f"{one.place}: the source {quoted(str(one.table))} is not in the catalog yet",
                f"load it: lakeport load {one.table} FILE",
                one.table,
                one.place,
            )

    def _waits_for(self, node: Node) -> tuple[TableName, ...]:
        own = (one.table for one in self.situation.graph.missing_sources(node))
        above = (self._plans.get(name.folded) for name in node.upstream)
        passed = (name for plan in above if plan is not None for name in plan.waits_for)
        return tuple(dict.fromkeys((*own, *passed)))

    def _missing(self, node: Node) -> Iterator[Obstacle]:
        graph = self.situation.graph
        for name in node.upstream:
            upstream = graph.node(name)
            is_there = (
                name.folded in self._plans
                or is_ephemeral(upstream)
                or upstream.table in graph.catalog
            )
            if not is_there:
                yield Obstacle(
                    "missing_upstream",
                    f"it reads {quoted(str(name))}, which is not built yet and not selected",
                    f"select it too: --select +{node.name}",
                )

    def _changed_before(self, node: Node) -> tuple[TableName, ...]:
        found = (self._roots.get(name.folded, ()) for name in node.upstream)
        return tuple(dict.fromkeys(root for roots in found for root in roots))

    # -- all models ------------------------------------------------------------------------------

    def _reached(self) -> Iterator[ModelPlan]:
        """With the columns downstream of each, and a word to those that will read NULLs."""
        graph, warned = self.situation.graph, dict[tuple[str, str], list[str]]()
        for key, plan in self._plans.items():
            if plan.growth is None or plan.creates:
                continue
            reached = affected(graph, plan.model, plan.growth, plan.kept)
            rows = affected_rows(graph, plan.model, plan.growth, plan.kept)
            self._plans[key] = replace(plan, downstream=reached, downstream_rows=rows)
            is_gone = plan.strategy == "full"
            for each in reached:
                if each.effect == "null":
                    told = null_warning(plan.model, each, replaced=is_gone)
                    warned.setdefault(each.model.folded, []).append(told)
            for some in rows:
                if some.effect == "null":
                    told = rows_warning(plan.model, some, replaced=is_gone)
                    warned.setdefault(some.model.folded, []).append(told)
        for key, plan in self._plans.items():
            yield replace(plan, warnings=(*plan.warnings, *warned.get(key, ())))


def _depends_on_time(node: Node) -> bool:
    uses = {each.name.lower() for each in node.query.parameters} & _TIMES
    return bool(uses) or node.model.settings.strategy == "time_range"


def _is_new(name: str, held: Schema) -> bool:
    return fold(name) not in {fold(field.name) for field in held}


def _obstacle(error: LakeportError) -> Obstacle:
    return Obstacle(error.code, error.message, error.hint)
