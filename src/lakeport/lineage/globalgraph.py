"""The graph of the whole workload: one node per canonical name, edges merged, statements linked."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from lakeport.lineage.bypass import is_temporary
from lakeport.lineage.flows import IDENTITY
from lakeport.lineage.graph import PLAIN_EDGE, column_ids, edge_id, node_id, table_id
from lakeport.lineage.lives import Lives, Turn
from lakeport.lineage.open_ends import OpenEnd
from lakeport.lineage.result import (
    CanonicalName,
    GlobalEdge,
    GlobalLineage,
    GlobalNode,
    StatementRef,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from lakeport.lineage.names import Name
    from lakeport.lineage.open_ends import Opened
    from lakeport.lineage.request import Options
    from lakeport.lineage.result import Edge, EdgeType, Node, StatementLineage


# A column is followed through so many stars.
_MAX_HOPS = 20
# The relations behind the stars of another, each once for the names that do not come from there.
_Ways: TypeAlias = "dict[tuple[str, frozenset[str]], OpenEnd]"
_NO_TURN = Turn({}, {}, [])
# What a node over the whole workload keeps of a statement's.
_KEPT = frozenset({"temporary", "placeholder", "derived", "external", "dataType", "dataTypeOrigin"})


def workload_graph(options: Options) -> GlobalGraph:
    """An empty graph that will answer what the options ask."""
    pattern = options.collapse_pattern
    return GlobalGraph(
        (lambda node: is_temporary(node, pattern)) if options.collapse_temporary else None
    )


class GlobalGraph:
    """Grows statement by statement."""

    __slots__ = (
        "_edges",
        "_lives",
        "_nodes",
        "_open",
        "_producers",
    )

    def __init__(self, collapses: Callable[[Node], bool] | None = None) -> None:
        # A relation that will be collapsed is another node each time what it holds changes.
        self._lives = None if collapses is None else Lives(collapses)
        self._nodes: dict[str, GlobalNode] = {}
        # By id, which says kind and ends; parallel edges of a statement are one edge here.
        self._edges: dict[str, GlobalEdge] = {}
        # Who wrote a relation since its last full rewrite.
        self._producers: dict[str, list[int]] = {}
        # Where the columns of a relation come from that nobody listed: once for each way there.
        self._open: dict[str, _Ways] = {}

    def add(
        self,
        statement: StatementLineage,
        names: dict[str, Name],
        owners: dict[str, str],
        renewed: Collection[str] = (),
        opened: Sequence[Opened] = (),
    ) -> None:
        """Merge one statement.

        `names` are the canonical names of its relations by node id, `owners` what a node belongs to
        that does not stand right behind its relation, `renewed` the ids of those that hold nothing
        but its rows afterwards, `opened` those with columns that nobody listed. Imported views have
        no index: nothing points to them.
        """
        # Second and later instances of a table are that table here; without any, ids are the same.
        same: dict[str, str] = {}
        for own, name in names.items():
            canonical = table_id(name)
            if canonical != own:
                same[own] = canonical
        turn = _NO_TURN
        if self._lives is not None:
            turn = self._lives.turn(statement, names, owners, renewed, same)
        self._merge_nodes(statement, names, owners, same)
        if turn is not _NO_TURN:
            self._turn(turn, same)
        self._merge_edges(statement.edges, same, turn.before)
        if self._open or opened:
            self._pass_open_ends(statement, owners, same)
            self._open_ends(names, renewed, opened, same)

    def _pass_open_ends(
        self, statement: StatementLineage, owners: dict[str, str], same: dict[str, str]
    ) -> None:
        """Columns used of relations that somebody made with a star come from behind that star."""
        ends: _Ways = {}
        prefix = ""
        alters = statement.statement_type == "ALTER_TABLE"
        renamed = {edge.source for edge in statement.edges} if alters else frozenset[str]()
        for node in statement.nodes:
            if node.node_type != "column":
                ends = self._open.get(same.get(node.id, node.id), {})
                prefix = f"{node.qualified_name}."
            elif ends and node.id not in owners:
                key = (node.qualified_name or node.label).removeprefix(prefix)
                if alters and node.id not in renamed:
                    # Added, or the new name of one: no star has made it.
                    for way, end in ends.items():
                        ends[way] = end._replace(without=end.without | {key})
                    continue
                behind = tuple(ends.values())
                self._behind(same.get(node.id, node.id), node.label, key, behind, _MAX_HOPS)

    def _behind(
        self, target: str, label: str, key: str, ends: Sequence[OpenEnd], hops: int
    ) -> None:
        """One hop from a column to the columns of its name behind the stars that made it."""
        found = [end for end in ends if key not in end.without]
        for end in found:
            source = column_ids(end.relation)[key]
            edge = edge_id(source, target, "data_flow")
            if source == target or edge in self._edges or not hops:
                continue
            if source not in self._nodes:
                called = _column_of(_canonical(end.name), label)
                self._nodes[source] = GlobalNode(source, "column", label, called, [], "implied")
                owned = edge_id(end.relation, source, "ownership")
                self._edges[owned] = GlobalEdge(owned, end.relation, source, "ownership")
            guessed = not end.certain or len(found) > 1
            self._edges[edge] = GlobalEdge(edge, source, target, "data_flow", guessed, IDENTITY)
            self._behind(source, label, key, end.behind, hops - 1)

    def _open_ends(
        self,
        names: dict[str, Name],
        renewed: Collection[str],
        opened: Sequence[Opened],
        same: dict[str, str],
    ) -> None:
        """What a star leaves open from here on, until the relation is made anew."""
        made: list[tuple[str, OpenEnd]] = []
        for relation, certain, origins in opened:
            for origin, without in origins:
                behind = same.get(origin, origin)
                ends = tuple(self._open.get(behind, {}).values())
                end = OpenEnd(behind, names[origin], without, ends, certain)
                made.append((same.get(relation, relation), end))
        for relation in renewed:
            self._open.pop(same.get(relation, relation), None)
        for relation, end in made:
            self._open.setdefault(relation, {})[end.relation, end.without] = end

    def _merge_nodes(
        self,
        statement: StatementLineage,
        names: dict[str, Name],
        owners: dict[str, str],
        same: dict[str, str],
    ) -> None:
        """All nodes in one flat loop; those of a column of a renamed relation are renamed, too.

        Fields are given in their order: names would be looked up for each of many nodes.
        """
        nodes, index = self._nodes, statement.statement_index
        counted = index >= 0
        place, relation, prefix = _NOWHERE, "", ""
        name, catalog, schema = place.name, place.catalog, place.schema
        # The ids of the columns of the relation that this one is another instance of.
        ids: dict[str, str] | None = None
        for node in statement.nodes:
            identifier = own = node.id
            kind, label, metadata = node.node_type, node.label, node.metadata
            if kind == "column" and own not in owners:
                if ids is not None:
                    key = (node.qualified_name or label).removeprefix(prefix)
                    identifier = same[own] = ids[key]
                called = None
            elif kind == "column":
                owner = owners[own]
                identifier = _owned_id(node, owner, names, same)
                holder = (
                    place if owner == relation else nodes[same.get(owner, owner)].canonical_name
                )
                called, metadata = _column_of(holder, label), _kept(metadata)
            else:
                relation, ids = own, None
                parts = names.get(own) or (label,)
                if own in same:
                    identifier = same[own]
                    ids, prefix = column_ids(identifier), f"{'.'.join(parts)}."
                called = place = _canonical(parts)
                name, catalog, schema = place.name, place.catalog, place.schema
                if metadata and not (metadata.keys() <= _KEPT):
                    metadata = _kept(metadata)
            if identifier not in nodes:
                nodes[identifier] = GlobalNode(
                    identifier,
                    kind,
                    label,
                    called or CanonicalName(name, catalog, schema, label),
                    [StatementRef(index, own)] if counted else [],
                    node.resolution_source,
                    (),
                    metadata,
                )
                continue
            held = nodes[identifier]
            if kind != "column" or node.resolution_source != held.resolution_source:
                _improve(held, node)
            if counted:
                held.statement_refs.append(StatementRef(index, own))

    def _turn(self, turn: Turn, same: dict[str, str]) -> None:
        """Nodes for what is read of a life that ends, and the ways from one life to the next."""
        for own, former in turn.before.items():
            if former not in self._nodes:
                self._continue(same.get(own, own), former)
        for own, former in turn.before.items():
            relation = turn.owners.get(own)
            if relation is not None:
                self._connect(relation, former, "ownership")
        for former, later, keys, has_stars in turn.carried:
            self._continue(former, later)
            self._open[later] = dict(self._open.get(former, {}))
            if has_stars:
                self._connect(former, later, "data_flow", guessed=True)
            before, after = column_ids(former), column_ids(later)
            for key in keys:
                self._continue(before[key], after[key])
                self._connect(later, after[key], "ownership")
                self._connect(before[key], after[key], "data_flow")

    def _continue(self, held: str, other: str) -> None:
        """A node that is another life of one we have."""
        node = self._nodes[held]
        if other not in self._nodes:
            self._nodes[other] = replace(node, id=other, statement_refs=[])
        elif node.metadata.get("temporary"):
            _stay_temporary(self._nodes[other])

    def _connect(self, source: str, target: str, kind: EdgeType, *, guessed: bool = False) -> None:
        edge = edge_id(source, target, kind)
        metadata = {} if kind == "ownership" else IDENTITY
        if edge not in self._edges:
            self._edges[edge] = GlobalEdge(edge, source, target, kind, guessed, metadata)

    def _merge_edges(self, edges: list[Edge], same: dict[str, str], before: dict[str, str]) -> None:
        merged = self._edges
        for edge in edges:
            key = identifier = edge.id
            source, target, kind = edge.source, edge.target, edge.edge_type
            if same and (source in same or target in same):
                if source in before and kind != "ownership":
                    source = before[source]
                source, target = same.get(source, source), same.get(target, target)
                key = identifier = edge_id(source, target, kind)
            elif len(key) != PLAIN_EDGE:
                key = edge_id(source, target, kind)
            if key not in merged:
                merged[key] = GlobalEdge(
                    identifier, source, target, kind, edge.approximate, edge.metadata
                )
            elif kind != "ownership":
                held = merged[key]
                if held.approximate and not edge.approximate:
                    held.approximate = False
                if _masks(held.metadata) and not _masks(edge.metadata):
                    held.metadata = edge.metadata

    def link(
        self, index: int, reads: list[str], writes: list[str], rewrites: Collection[str]
    ) -> None:
        """Cross-statement edges: to the last full rewrite and everything appended since."""
        for name in reads:
            for producer in self._producers.get(name, []):
                if producer != index:
                    self._cross(name, producer, index)
        for name in writes:
            if name in rewrites:
                self._producers[name] = [index]
            else:
                self._producers.setdefault(name, []).append(index)

    def _cross(self, identifier: str, producer: int, consumer: int) -> None:
        edge = edge_id(identifier, identifier, "cross_statement", f"{producer}_{consumer}")
        if identifier in self._nodes and edge not in self._edges:
            self._edges[edge] = GlobalEdge(
                id=edge,
                source=identifier,
                target=identifier,
                edge_type="cross_statement",
                producer_statement=producer,
                consumer_statement=consumer,
            )

    def result(self) -> GlobalLineage:
        """Nodes and edges in order of first appearance."""
        return GlobalLineage(nodes=list(self._nodes.values()), edges=list(self._edges.values()))


def owners_of(edges: list[Edge]) -> dict[str, str]:
    """The node that each column or field belongs to."""
    return {edge.target: edge.source for edge in edges if edge.edge_type == "ownership"}


def _masks(metadata: dict[str, Any]) -> bool:
    """A value reaches its target unmasked if one statement lets it through."""
    return bool(metadata.get("transformation", {}).get("masking"))


_NOWHERE = CanonicalName(name="")


@lru_cache(maxsize=4096)
def _canonical(name: Name) -> CanonicalName:
    if len(name) >= 3:
        return CanonicalName(catalog=".".join(name[:-2]), schema=name[-2], name=name[-1])
    if len(name) == 2:
        return CanonicalName(schema=name[0], name=name[1])
    return CanonicalName(name=name[0])


def _column_of(owner: CanonicalName, label: str) -> CanonicalName:
    """The name of a column of a relation, or of a field of a column."""
    inner = owner.column
    column = label if inner is None else f"{inner}.{label}"
    return CanonicalName(owner.name, owner.catalog, owner.schema, column)


def _kept(metadata: dict[str, Any]) -> dict[str, Any]:
    """Mostly all of it, and then `add` takes the same map: it is never changed in place."""
    return {key: value for key, value in metadata.items() if key in _KEPT}


def _owned_id(node: Node, owner: str, names: dict[str, Name], same: dict[str, str]) -> str:
    """The id here of what belongs to `owner`, which may have another id here itself."""
    if owner not in same:
        return node.id
    # The column part of its identity is read back from its qualified name.
    name = names.get(owner)
    prefix = ".".join(name) + "." if name is not None else ""
    key = (node.qualified_name or node.label).removeprefix(prefix)
    same[node.id] = node_id("column", same[owner], key)
    return same[node.id]


_CERTAINTY = {None: 0, "unknown": 1, "implied": 2, "imported": 3}


def _improve(held: GlobalNode, node: Node) -> None:
    """A later statement may know more: a definition beats a placeholder."""
    if _CERTAINTY[node.resolution_source] > _CERTAINTY[held.resolution_source]:
        held.resolution_source = node.resolution_source
        if "placeholder" in held.metadata:
            held.metadata = {k: v for k, v in held.metadata.items() if k != "placeholder"}
    if node.node_type == "view":
        held.node_type = "view"
    if node.metadata.get("temporary"):
        _stay_temporary(held)


def _stay_temporary(held: GlobalNode) -> None:
    held.metadata = {**held.metadata, "temporary": True}
