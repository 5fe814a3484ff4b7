"""The texts that a run of a model sends to Spark, as it would send them, but for the run's id.

Names are put into a query by the same `Reading` that a run uses: the tables of the environment, the queries
of ephemeral models, and the branches of a run that publishes all of its models together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lakeport.catalog.history import MODEL, RUN_ID
from lakeport.core.names import OWN_PREFIX
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.graph.model import Node
from lakeport.pipeline.growth.plan import Plan
from lakeport.pipeline.growth.spark_select import literal
from lakeport.pipeline.project.model import PublishMode
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.target.head import Head
from lakeport.pipeline.target.run import FINGERPRINT, Run
from lakeport.pipeline.writing.prepare import prepared, property_texts, texts
from lakeport.pipeline.writing.request import WriteRequest

STAGED = Relation((f"{OWN_PREFIX}_staged",))
RUN = Run(id="RUN")
"""Stands for the id that a run would have."""


@dataclass(frozen=True, slots=True)
class Statements:
    """Asked in the order of the run: what is written aside is read from there by those who come after."""

    graph: Graph
    _branches: dict[tuple[str, str], str] = field(default_factory=dict)

    def of_write(
        self, request: WriteRequest, growth: Plan, head: Head | None, publish: PublishMode
    ) -> tuple[str, ...]:
        """Raises what the engine would raise of a key or a range that cannot be."""
        name = request.into if head is None else head.name
        branch = None if publish == "direct" else RUN.branch
        target = Relation(self._reading.relation(name).parts, branch)
        write = prepared(request, growth, head, target, STAGED, RUN)
        # A table with keys is written on a branch in any case: see `Writing._statements`.
        keyed = head is not None and bool(head.definition.keys)
        return (*property_texts(request, head, target), *texts(request, write, aside=keyed))

    def written(self, node: Node, publish: PublishMode) -> None:
        """Whoever reads it from now on finds it where this run has put it."""
        if publish == "run-atomic":
            self._branches[node.name.folded] = RUN.branch

    def of_view(self, node: Node) -> tuple[str, ...]:
        return (view_text(self.graph, node, self.graph.project.catalog, RUN.id),)

    def query(self, node: Node) -> str:
        """As it would be staged; of a view, as it is stored."""
        is_view = node.model.settings.materialized == "view"
        reading = Reading(self.graph, None) if is_view else self._reading
        return reading.rewritten(node.query)

    @property
    def _reading(self) -> Reading:
        return Reading(self.graph, self.graph.project.catalog, self._branches)


def view_text(graph: Graph, node: Node, catalog: str, run_id: str) -> str:
    """`catalog` is the session's name for the lake. The query has none: any session of it reads the view."""
    target = Reading(graph, catalog).relation(node.table).sql
    known = {RUN_ID: run_id, MODEL: str(node.name), FINGERPRINT: node.model.fingerprint}
    properties = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in known.items())
    about = node.model.settings.description
    comment = "" if about is None else f"\nCOMMENT {literal(about)}"
    query = Reading(graph, None).rewritten(node.query)
    return f"CREATE OR REPLACE VIEW {target}{comment}\nTBLPROPERTIES ({properties})\nAS\n{query}"
