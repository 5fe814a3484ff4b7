"""The graph itself: which models come before and after which, and whose columns a change reaches.

Nodes are in topological order: by depth, then by name, so that equal projects run alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName
from lakeport.lineage.models import Declared
from lakeport.pipeline.graph.model import (
    AffectedColumn,
    AffectedRows,
    ColumnEdge,
    GraphIssue,
    KnownTable,
    Node,
    Reference,
    RowEdge,
)
from lakeport.pipeline.graph.reach import Reach
from lakeport.pipeline.graph.selection import Modified, chosen
from lakeport.pipeline.project.model import Project, TableMap


@dataclass(frozen=True)
class Graph:
    """`catalog` holds what the catalog answered: tables that are read, and targets that exist (mapped).

    `seen` is each model as those after it find it once it has run.
    """

    project: Project
    nodes: tuple[Node, ...]
    column_edges: tuple[ColumnEdge, ...] = ()
    row_edges: tuple[RowEdge, ...] = ()
    catalog: TableMap[KnownTable] = field(default_factory=TableMap)
    seen: TableMap[Declared] = field(default_factory=TableMap)

    @cached_property
    def _nodes(self) -> TableMap[Node]:
        return TableMap((node.name, node) for node in self.nodes)

    @cached_property
    def _downstream(self) -> TableMap[tuple[TableName, ...]]:
        readers: dict[tuple[str, str], list[TableName]] = {}
        for node in self.nodes:
            for name in node.upstream:
                readers.setdefault(name.folded, []).append(node.name)
        return TableMap(
            (node.name, tuple(readers.get(node.name.folded, ()))) for node in self.nodes
        )

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self.nodes, self.column_edges, self.row_edges)

    @property
    def names(self) -> tuple[TableName, ...]:
        return tuple(node.name for node in self.nodes)

    @property
    def issues(self) -> Iterator[GraphIssue]:
        return (issue for node in self.nodes for issue in node.issues)

    def node(self, name: TableName) -> Node:
        if name not in self._nodes:
            raise NotFoundError.among("model", str(name), map(str, self._nodes))
        return self._nodes[name]

    def upstream(self, name: TableName) -> tuple[TableName, ...]:
        """The models it needs, not those that they need."""
        return self.node(name).upstream

    def downstream(self, name: TableName) -> tuple[TableName, ...]:
        return self._downstream[self.node(name).name]

    def ancestors(self, names: Iterable[TableName], depth: int | None = None) -> set[TableName]:
        """Without the models themselves, unless one is another's."""
        return self._reached(names, self.upstream, depth)

    def descendants(self, names: Iterable[TableName], depth: int | None = None) -> set[TableName]:
        return self._reached(names, self.downstream, depth)

    def select(
        self,
        select: Collection[str] = (),
        exclude: Collection[str] = (),
        modified: Modified | None = None,
    ) -> tuple[TableName, ...]:
        """The models that selectors mean, in the order of the graph; all without any."""
        return chosen(self, select, exclude, modified)

    def affected(self, changed: Mapping[TableName, Collection[str]]) -> tuple[AffectedColumn, ...]:
        """The columns made of changed ones, directly or through others, in the order of the graph.

        `changed` names columns of models, sources or any table that is read. A column that is made of
        changed columns in more than one way is told once, with all of them.
        """
        return self._reach.columns(changed)

    def affected_rows(
        self, changed: Mapping[TableName, Collection[str]]
    ) -> tuple[AffectedRows, ...]:
        """The models whose rows are chosen, matched, gathered or sorted by changed columns, or by columns
        made of them; each once, in the order of the graph.
        """
        return self._reach.rows(changed)

    def missing_sources(self, node: Node) -> tuple[Reference, ...]:
        """Where a model reads a source that is declared and not in the catalog; each source once."""
        found = {
            one.table: one
            for one in node.everything()
            if one.kind == "source" and one.table not in self.catalog
        }
        return tuple(found.values())

    def _reached(
        self,
        names: Iterable[TableName],
        neighbours: Callable[[TableName], tuple[TableName, ...]],
        depth: int | None,
    ) -> set[TableName]:
        found: set[TableName] = set()
        layer = {self.node(name).name for name in names}
        while layer and (depth is None or depth > 0):
            layer = {near for name in layer for near in neighbours(name)} - found
            found |= layer
            depth = None if depth is None else depth - 1
        return found
