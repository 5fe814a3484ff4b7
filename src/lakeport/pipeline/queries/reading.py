"""What the tables that a model reads are called in its session, and what is put in the place of some.

A model of the project is read where its environment has it, or from the branch of this very run. What is
stored nowhere, an ephemeral model, is put into the query as the query it is. So is a view if models below
it are on branches: its stored text reads the tables of yesterday.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lakeport.core.names import TableName
from lakeport.pipeline.graph import Graph, Node, Query, Reference
from lakeport.pipeline.strategies import Relation


@dataclass(frozen=True, slots=True)
class Reading:
    """`branches` are those of this run, by the folded names of models; `catalog` is the session's name
    for the lake, None for names that any session of the lake understands.
    """

    graph: Graph
    catalog: str | None
    branches: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def rewritten(self, query: Query) -> str:
        """Without the semicolon that a file may end with."""
        return query.rewritten(self.name).strip().rstrip(";").rstrip()

    def name(self, reference: Reference) -> str:
        """As SQL, with what stands behind the table in the name: a branch, a metadata table."""
        if reference.kind in {"source", "catalog"}:
            return self._table(reference.table, reference.suffix)
        node = self.graph.node(reference.table)
        if reference.kind == "self":
            return self._table(node.table, reference.suffix)
        # A tag, a metadata table or an older snapshot is the table's own, and on no branch of ours.
        is_plain = not reference.suffix and not reference.travels
        if not is_plain:
            return self._table(node.table, reference.suffix)
        if self.is_expanded(node):
            return f"(\n{self.rewritten(node.query)}\n)"
        return self.relation(node.table, self.branches.get(node.name.folded)).sql

    def is_expanded(self, node: Node) -> bool:
        """Whether those who read it read its query."""
        kind = node.model.settings.materialized
        if kind == "view" and self.branches:
            below = self.graph.ancestors([node.name])
            return any(name.folded in self.branches for name in below)
        return kind == "ephemeral"

    def expanded(self, node: Node) -> Iterator[Node]:
        """The models whose queries this one's takes in, those they need first."""
        wanted: set[tuple[str, str]] = set()
        self._collect(node, wanted)
        return (each for each in self.graph.nodes if each.name.folded in wanted)

    def relation(self, table: TableName, branch: str | None = None) -> Relation:
        catalog = () if self.catalog is None else (self.catalog,)
        return Relation((*catalog, *table.namespace.split("."), table.table), branch)

    def _collect(self, node: Node, wanted: set[tuple[str, str]]) -> None:
        for name in node.upstream:
            above = self.graph.node(name)
            if self.is_expanded(above) and above.name.folded not in wanted:
                wanted.add(above.name.folded)
                self._collect(above, wanted)

    def _table(self, table: TableName, suffix: tuple[str, ...]) -> str:
        return Relation((*self.relation(table).parts, *suffix)).sql
