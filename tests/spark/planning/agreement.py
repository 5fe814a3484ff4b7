"""A plan and the run that follows it, held against each other model by model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lakeport.app.project.plan import plan_project
from lakeport.app.project.request import PlanRequest
from lakeport.pipeline.planning.model import ModelPlan
from lakeport.pipeline.planning.whole import ProjectPlan
from lakeport.pipeline.running.result import ModelResult, RunResult
from tests.spark.ground import Lent
from tests.spark.running.folder import Folder

_STATUS = {"refused": "failed", "blocked": "blocked"}
_BOUNDS = re.compile(r"\n  AND [^\n]* BETWEEN [^\n]*")


def plan_of(folder: Folder, *select: str, spark: bool = True, **wanted: Any) -> ProjectPlan:
    return plan_project(
        folder.settings(),
        PlanRequest(select=select, spark=spark, **wanted),
        spark=lambda: Lent(folder.jvm),
    )


@dataclass(frozen=True, slots=True)
class Agreed:
    plan: ProjectPlan
    run: RunResult

    def of(self, name: str) -> ModelPlan:
        return next(each for each in self.plan if str(each.model) == name)


def agreed(
    folder: Folder, *select: str, between: Callable[[], None] | None = None, **wanted: Any
) -> Agreed:
    """Planned, run, compared; `between` is called when the plan is there and nothing has run."""
    plan = plan_of(folder, *select, **wanted)
    if between is not None:
        between()
    run = folder.run(*select, **wanted)
    assert [each.model for each in plan] == [each.model for each in run.models]
    for planned, ran in zip(plan.models, run.models, strict=True):
        _compare(planned, ran, run.run_id)
    return Agreed(plan, run)


def _compare(planned: ModelPlan, ran: ModelResult, run_id: str) -> None:
    told = (str(planned.model), ran.error)
    usual = "skipped" if planned.materialized == "ephemeral" else "succeeded"
    assert ran.status == _STATUS.get(planned.status, usual), told
    assert ran.table == planned.table, told
    if ran.outcome is None or ran.outcome.growth is None:
        return
    made = ran.outcome
    assert (made.strategy, made.created) == (planned.strategy, planned.creates), told
    if planned.growth is None:
        assert planned.language == "python", told
        return
    assert planned.unknown == (), told
    assert made.growth is not None
    assert made.growth.as_dict() == planned.growth.as_dict(), told
    assert made.growth.after == planned.growth.after, told
    if made.sql and planned.language == "sql":  # what Python gives may be staged in a table
        assert _bare(made.sql, run_id) == _bare(planned.sql, "RUN"), told


def _bare(statements: tuple[str, ...], run_id: str) -> list[str]:
    """Without what only rows tell, and who runs it: bounds of keys, the run's id, where rows are staged."""
    bare = (_BOUNDS.sub("", text).replace(run_id, "ID") for text in statements)
    staged = (re.sub(r"`__lakeport_staged[^`]*`", "STAGED", text) for text in bare)
    return [re.sub(r" AS OF VERSION \d+", "", text) for text in staged]
