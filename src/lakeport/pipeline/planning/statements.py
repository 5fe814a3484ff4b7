"""The statements that would write a model's rows, as the engine would send them, but for the run's id."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.core.names import OWN_PREFIX, TableName
from lakeport.pipeline.graph.model import Node, Reference
from lakeport.pipeline.growth.plan import Plan
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.project.model import Environment, PublishMode
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.target.head import Head
from lakeport.pipeline.target.run import Run
from lakeport.pipeline.writing.prepare import prepared, texts
from lakeport.pipeline.writing.request import WriteRequest

STAGED = Relation((f"{OWN_PREFIX}_staged",))
RUN = Run(id="RUN")
"""Stands for the id that a run would have."""


@dataclass(frozen=True, slots=True)
class Statements:
    """`catalog` is what Spark calls the lake."""

    catalog: str
    environment: Environment

    def of_write(
        self, request: WriteRequest, growth: Plan, head: Head | None, publish: PublishMode
    ) -> tuple[str, ...]:
        """Raises what the engine would raise of a key or a range that cannot be."""
        name = request.into if head is None else head.name
        # A table without a snapshot has nowhere to begin a branch.
        aside = publish != "direct" and head is not None and head.snapshot_id is not None
        target = Relation(self._parts(name), RUN.branch if aside else None)
        write = prepared(request, growth, head, target, STAGED, RUN)
        keyed = head is not None and bool(head.definition.keys)
        return texts(request, write, aside=keyed and not aside)

    def of_view(self, table: TableName, query: str) -> tuple[str, ...]:
        return (f"CREATE OR REPLACE VIEW {Relation(self._parts(table)).sql} AS\n{query.strip()}",)

    def query(self, node: Node) -> str:
        """As it would be staged: models by the names that the environment gives them."""
        return node.rewritten(self._mapped).strip()

    def _mapped(self, reference: Reference) -> str | None:
        if reference.kind not in {"model", "self"}:
            return None
        mapped = self.environment.table(reference.table)
        if mapped == reference.table:
            return None
        parts = (*mapped.namespace.split("."), mapped.table, *reference.suffix)
        return ".".join(identifier(part) for part in parts)

    def _parts(self, table: TableName) -> tuple[str, ...]:
        return (self.catalog, *table.namespace.split("."), table.table)
