"""A plan that agrees with its own graph: what a model leaves is what those after it were bound against.

The graph is built on what queries say. Where the planner knows better (a policy, a model that stays as it
is, an answer of Spark), it is built again with that, until nothing new is learned; once, mostly. Spark is
asked last, for what is unknown even then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from lakeport.core.names import TableName, fold
from lakeport.lineage.models import Declared
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.planning.known import Futures, Situation, described
from lakeport.pipeline.planning.model import ModelPlan
from lakeport.pipeline.planning.planner import Planner

Build: TypeAlias = Callable[[Mapping[TableName, Declared]], Graph]
"""The graph, given what is known better of some models than their queries say."""


def settled(situation: Situation, build: Build) -> tuple[ModelPlan, ...]:
    """The plans of the selected models, in their order."""
    seen: dict[TableName, Declared] = {}
    plans: tuple[ModelPlan, ...] = ()
    for analyst in (None, situation.analyst) if situation.analyst else (None,):
        situation = replace(situation, analyst=analyst)
        # Each round settles one more level of the graph at least.
        for _ in range(len(situation.graph.nodes) + 1):
            planner = Planner(situation)
            plans = planner.plans()
            better = _better(situation.graph, planner.futures)
            if not better:
                break
            seen |= better
            situation = replace(situation, graph=build(seen))
        if not _in_doubt(situation.graph, plans):
            break
    return plans


def _in_doubt(graph: Graph, plans: Sequence[ModelPlan]) -> bool:
    """Whether there is a query whose columns somebody has to know.

    An ephemeral model that stayed as it was is read as its text: if all who read it are known from their last
    run, on these very inputs, nobody needs it.
    """
    planned = {plan.model.folded for plan in plans}
    certain = {plan.model.folded for plan in plans if plan.known == "last_run"}
    for plan in reversed(plans):
        if plan.known is not None or plan.language != "sql":
            continue
        readers = {name.folded for name in graph.downstream(plan.model)} & planned
        if plan.materialized != "ephemeral" or not readers or not readers <= certain:
            return True
        certain.add(plan.model.folded)
    return False


def _better(graph: Graph, futures: Futures) -> dict[TableName, Declared]:
    found: dict[TableName, Declared] = {}
    for node in graph.nodes:
        schema = futures.schema(node.name)
        # What nobody reads makes no difference.
        if schema is None or not graph.downstream(node.name):
            continue
        columns = described(schema)
        assumed = graph.seen.get(node.name)
        if assumed is None or not assumed.complete or not _are_same(assumed.columns, columns):
            found[node.name] = Declared(node.name.namespace, node.name.table, columns)
    return found


def _are_same(
    assumed: tuple[tuple[str, str | None], ...], planned: tuple[tuple[str, str], ...]
) -> bool:
    return len(assumed) == len(planned) and all(
        fold(one) == fold(other)
        and (text == type_ or (text is not None and type_from_text(text) == type_from_text(type_)))
        for (one, text), (other, type_) in zip(assumed, planned, strict=True)
    )
