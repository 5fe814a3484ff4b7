"""What changed between two analyses: relations and columns, the edges between them, the schema.

Things are the same when their names are. An edge that was copied and is now computed is one
changed edge, not one lost and one new.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lakeport.lineage.labels import dotted, labels
from lakeport.lineage.wire import Wire

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult, GlobalEdge

T = TypeVar("T")
_VALUE = frozenset({"data_flow", "derivation"})


class NodeFacts(Wire, frozen=True):
    """A relation or column, and what may change about it while its name stays."""

    name: str
    node_type: str
    resolution_source: str | None = None
    data_type: str | None = None
    tags: tuple[str, ...] = ()


class EdgeFacts(Wire, frozen=True):
    """An edge by the names of its ends."""

    source: str
    target: str
    edge_type: str
    approximate: bool = False
    transformation: str | None = None


class ColumnFacts(Wire, frozen=True):
    """A column of the resolved schema."""

    table: str
    column: str
    position: int
    data_type: str | None = None
    origin: str | None = None
    nullable: bool | None = None


class Change(Wire, Generic[T], frozen=True):
    """The same thing before and after."""

    before: T
    after: T


class Changes(Wire, Generic[T], frozen=True):
    """What is new, what is gone, what is different."""

    added: tuple[T, ...] = ()
    removed: tuple[T, ...] = ()
    changed: tuple[Change[T], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class LineageDiff(Wire, frozen=True):
    """Everything that differs between two analyses."""

    nodes: Changes[NodeFacts]
    edges: Changes[EdgeFacts]
    columns: Changes[ColumnFacts]

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges or self.columns)


def diff(old: AnalyzeResult, new: AnalyzeResult) -> LineageDiff:
    return LineageDiff(
        nodes=_compared(
            _nodes(old), _nodes(new), lambda node: (node.name, node.node_type == "column")
        ),
        edges=_compared(_edges(old), _edges(new), _edge_identity),
        columns=_compared(_columns(old), _columns(new), lambda c: (c.table, c.column.casefold())),
    )


def _compared(
    before: Iterable[T], after: Iterable[T], identity: Callable[[T], Hashable]
) -> Changes[T]:
    old = {identity(item): item for item in before}
    new = {identity(item): item for item in after}
    return Changes(
        added=tuple(item for key, item in new.items() if key not in old),
        removed=tuple(item for key, item in old.items() if key not in new),
        changed=tuple(
            Change(before=old[key], after=item)
            for key, item in new.items()
            if key in old and old[key] != item
        ),
    )


def _nodes(result: AnalyzeResult) -> list[NodeFacts]:
    names = labels(result.global_lineage)
    return [
        NodeFacts(
            name=names[node.id],
            node_type=node.node_type,
            resolution_source=node.resolution_source,
            data_type=node.metadata.get("dataType"),
            tags=tuple(sorted(tag.name for tag in node.tags)),
        )
        for node in result.global_lineage.nodes
    ]


def _edges(result: AnalyzeResult) -> list[EdgeFacts]:
    names = labels(result.global_lineage)
    return [
        EdgeFacts(
            source=names[edge.source],
            target=names[edge.target],
            edge_type=edge.edge_type,
            approximate=edge.approximate,
            transformation=_subtype(edge),
        )
        for edge in result.global_lineage.edges
        if edge.edge_type != "ownership"
    ]


def _edge_identity(edge: EdgeFacts) -> Hashable:
    family = "value" if edge.edge_type in _VALUE else edge.edge_type
    return edge.source, edge.target, family


def _columns(result: AnalyzeResult) -> list[ColumnFacts]:
    tables = result.resolved_schema.tables if result.resolved_schema else []
    return [
        ColumnFacts(
            table=dotted(table),
            column=column.name,
            position=position,
            data_type=column.data_type,
            origin=column.origin,
            nullable=column.nullable,
        )
        for table in tables
        for position, column in enumerate(table.columns)
    ]


def _subtype(edge: GlobalEdge) -> str | None:
    transformation: dict[str, Any] = edge.metadata.get("transformation") or {}
    return transformation.get("subtype")
