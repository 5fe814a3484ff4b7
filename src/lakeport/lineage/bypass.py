"""Taking relations out of a graph while keeping what flows through them.

Every remaining ancestor of a removed node is joined to every remaining descendant. Each removed
node is visited once its predecessors are done, carrying the set of origins that reach it; only the
self-references of recursive CTEs are visited again, until nothing changes.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from lakeport.lineage.graph import edge_id
from lakeport.lineage.result import Edge, EdgeType, GlobalEdge, GlobalNode, Node

N = TypeVar("N", bound=Node | GlobalNode)
E = TypeVar("E", bound=Edge | GlobalEdge)
# A path is as weak as its weakest hop.
_STRENGTH: tuple[EdgeType, ...] = (
    "data_flow",
    "derivation",
    "join_dependency",
    "indirect_dependency",
)
_VALUE = frozenset({"data_flow", "derivation"})
_OF_ROWS = _STRENGTH.index("join_dependency")


def hidden_relations(
    nodes: Iterable[Node | GlobalNode],
    *,
    hide_ctes: bool = False,
    collapse_temporary: bool = False,
    pattern: str | None = None,
) -> set[str]:
    """The relations to remove. `pattern`, a regular expression from the start of a name or a glob,
    tells which others are temporary.
    """
    return {
        node.id
        for node in nodes
        if (hide_ctes and node.node_type == "cte")
        or (collapse_temporary and is_temporary(node, pattern))
    }


def is_temporary(node: Node | GlobalNode, pattern: str | None) -> bool:
    """Declared so, or called so by a pattern."""
    if node.node_type not in {"table", "view"}:
        return False
    if node.metadata.get("temporary"):
        return True
    names = {node.label, _name(node)}
    return pattern is not None and any(_matches(name, pattern) for name in names)


def _matches(name: str, pattern: str) -> bool:
    try:
        found = re.match(pattern, name, re.IGNORECASE) is not None
    except re.error:
        found = False
    return found or fnmatchcase(name.lower(), pattern.lower())


def _name(node: Node | GlobalNode) -> str:
    if isinstance(node, Node):
        return node.qualified_name or node.label
    name = node.canonical_name
    return ".".join(part for part in (name.catalog, name.schema, name.name, name.column) if part)


def bypass(
    nodes: Sequence[N], edges: Sequence[E], removed: Collection[str]
) -> tuple[list[N], list[E]]:
    """The graph without the `removed` relations and their columns."""
    owners = {edge.target: edge.source for edge in edges if edge.edge_type == "ownership"}
    gone = {node.id for node in nodes if _is_within(node.id, removed, owners)}
    if not gone:
        return list(nodes), list(edges)
    names = {node.id: _name(node) for node in nodes}
    hops = _hops(edges, gone, owners)
    kept = [edge for edge in edges if edge.source not in gone and edge.target not in gone]
    return (
        [node for node in nodes if node.id not in gone],
        _with_bypasses(kept, _joined(hops, gone, owners, names)),
    )


def _is_within(node_id: str, removed: Collection[str], owners: Mapping[str, str]) -> bool:
    owner: str | None = node_id
    while owner is not None:
        if owner in removed:
            return True
        owner = owners.get(owner)
    return False


class _Hop(NamedTuple, Generic[E]):
    """One step; `edge` is None where only the relations of two columns are linked by it.

    `counts` says that it leads from a relation to a column, which is made of rows and not of values.
    """

    source: str
    target: str
    edge: E | None
    counts: bool


class _Origin(NamedTuple):
    """Where a path began and how strong it is; `is_real` once a hop of it was an edge.

    `by_rows` says that it came from relation to relation, where columns bring the values.
    """

    node: str
    strength: int
    is_real: bool
    by_rows: bool = False


class _Via(NamedTuple):
    """The relations a path passed, last one first; linked, as long paths share their beginnings."""

    name: str
    before: _Via | None


@dataclass(frozen=True, slots=True)
class _Path(Generic[E]):
    """What is kept of a path: its last edge, the last text and transformation, what it passed."""

    edge: E | None
    is_approximate: bool = False
    expression: str | None = None
    transformation: Mapping[str, Any] | None = None
    via: _Via | None = None


def _hops(
    edges: Sequence[E], gone: Collection[str], owners: Mapping[str, str]
) -> dict[str, list[_Hop[E]]]:
    """The steps that touch a removed node, by where they start.

    A predicate points at a relation and `count(*)` starts at one, while values flow between
    columns: each flow therefore also links the relations, which alone makes no edge.
    """
    hops: dict[str, list[_Hop[E]]] = defaultdict(list)
    links: set[tuple[str, str]] = set()
    for edge in edges:
        if edge.edge_type in {"ownership", "cross_statement"}:
            continue
        if edge.source in gone or edge.target in gone:
            counts = not edge.approximate and edge.source not in owners and edge.target in owners
            hops[edge.source].append(_Hop(edge.source, edge.target, edge, counts))
            link = owners.get(edge.source, edge.source), owners.get(edge.target, edge.target)
            if link != (edge.source, edge.target) and link[0] != link[1] and link not in links:
                links.add(link)
                hops[link[0]].append(_Hop(*link, None, counts=False))
    return hops


def _joined(
    hops: Mapping[str, list[_Hop[E]]],
    gone: Collection[str],
    owners: Mapping[str, str],
    names: Mapping[str, str],
) -> list[E]:
    """The new edges, grouped by the removed node they leave."""
    passed = {node: names.get(owners.get(node, node), node) for node in hops if node in gone}
    reaching = _reaching(hops, gone, passed)
    return [
        edge
        for node, name in passed.items()
        for edge in _leaving(reaching[node], name, hops[node], gone)
    ]


def _reaching(
    hops: Mapping[str, list[_Hop[E]]], gone: Collection[str], passed: Mapping[str, str]
) -> dict[str, dict[_Origin, _Path[E]]]:
    """Which remaining nodes reach each removed one, and how."""
    reaching: dict[str, dict[_Origin, _Path[E]]] = defaultdict(dict)
    nowhere: _Path[E] = _Path(edge=None)
    for source, leaving in hops.items():
        if source not in gone:
            for hop in leaving:
                origin = _Origin(source, 0, is_real=False)
                _arrive(reaching[hop.target], *_extended(origin, nowhere, hop))
    queue = deque(_in_order(hops, gone))
    waiting = set(queue)
    while queue:
        node = queue.popleft()
        waiting.discard(node)
        for hop in hops.get(node, ()):
            if hop.target not in gone:
                continue
            steps = [
                _extended(origin, _passing(path, passed[node]), hop)
                for origin, path in reaching[node].items()
                if _continues(origin, hop)
            ]
            changed = [_arrive(reaching[hop.target], *step) for step in steps]
            if any(changed) and hop.target not in waiting:
                waiting.add(hop.target)
                queue.append(hop.target)
    return reaching


def _in_order(hops: Mapping[str, list[_Hop[E]]], gone: Collection[str]) -> list[str]:
    """The removed nodes with predecessors first; those in a cycle come last."""
    inside = {
        node: [h.target for h in leaving if h.target in gone]
        for node, leaving in hops.items()
        if node in gone
    }
    waiting: dict[str, int] = dict.fromkeys(inside, 0)
    for targets in inside.values():
        for target in targets:
            waiting[target] = waiting.get(target, 0) + 1
    ready = deque(node for node, count in waiting.items() if count == 0)
    order: list[str] = []
    while ready:
        node = ready.popleft()
        order.append(node)
        for target in inside.get(node, ()):
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    return order + [node for node, count in waiting.items() if count > 0]


def _continues(origin: _Origin, hop: _Hop[E]) -> bool:
    """What decides over a relation's rows goes on from relation to relation, not into its values.

    Nor does a relation whose columns bring the values: only its rows can be counted.
    """
    if hop.edge is None or _strength(hop.edge) >= _OF_ROWS:
        return True
    return origin.strength < _OF_ROWS and (hop.counts or not origin.by_rows)


def _strength(edge: E) -> int:
    """A whole relation that decides over the rows of another is like one joined to it."""
    strength = _STRENGTH.index(edge.edge_type)
    if edge.edge_type != "data_flow":
        return strength
    transformation = edge.metadata.get("transformation", {})
    return _OF_ROWS if transformation.get("type") == "INDIRECT" else strength


def _extended(origin: _Origin, path: _Path[E], hop: _Hop[E]) -> tuple[_Origin, _Path[E]]:
    edge = hop.edge
    if edge is None:
        return origin._replace(by_rows=origin.strength < _OF_ROWS), path
    strength = max(origin.strength, _strength(edge))
    expression = edge.expression if isinstance(edge, Edge) else None
    return (
        _Origin(origin.node, strength, is_real=True),
        replace(
            path,
            edge=edge,
            is_approximate=path.is_approximate or edge.approximate,
            expression=expression or path.expression,
            transformation=_combined(path.transformation, edge.metadata.get("transformation")),
        ),
    )


def _passing(path: _Path[E], owner: str) -> _Path[E]:
    if path.via is not None and path.via.name == owner:
        return path
    return replace(path, via=_Via(owner, path.via))


def _names(via: _Via | None) -> list[str]:
    names: list[str] = []
    while via is not None:
        names.append(via.name)
        via = via.before
    return names[::-1]


def _combined(
    earlier: Mapping[str, Any] | None, later: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """The later hop's transformation; an identity adds nothing, masking is never undone."""
    if earlier is None or later is None:
        return later or earlier
    shown = earlier if later.get("subtype") == "IDENTITY" else later
    indirect = "INDIRECT" in {earlier.get("type"), later.get("type")}
    masking = bool(earlier.get("masking") or later.get("masking"))
    return {**shown, "type": "INDIRECT" if indirect else "DIRECT", "masking": masking}


def _arrive(known: dict[_Origin, _Path[E]], origin: _Origin, path: _Path[E]) -> bool:
    """Keep the first path of each kind, unless a later one is exact and the first was not."""
    present = known.get(origin)
    if present is not None and not (present.is_approximate and not path.is_approximate):
        return False
    known[origin] = path
    return True


def _leaving(
    origins: Mapping[_Origin, _Path[E]],
    owner: str,
    leaving: Iterable[_Hop[E]],
    gone: Collection[str],
) -> Iterable[E]:
    for hop in leaving:
        if hop.target in gone:
            continue
        for origin, path in origins.items():
            if not _continues(origin, hop):
                continue
            (node, strength, is_real, by_rows), whole = _extended(
                origin, _passing(path, owner), hop
            )
            # A table may get its own values back; that its own rows decide over it says nothing.
            closes = node == hop.target and strength >= _OF_ROWS
            if is_real and whole.edge is not None and not closes and not by_rows:
                yield _edge(node, hop.target, _STRENGTH[strength], whole)


def _edge(source: str, target: str, edge_type: EdgeType, path: _Path[E]) -> E:
    last = path.edge
    if last is None:
        raise AssertionError("a path without an edge is never drawn")
    metadata = {**last.metadata, "via": _names(path.via)}
    if path.transformation is not None:
        metadata["transformation"] = dict(path.transformation)
    changes: dict[str, Any] = {
        "id": edge_id(source, target, edge_type),
        "source": source,
        "target": target,
        "edge_type": edge_type,
        "approximate": path.is_approximate,
        "metadata": metadata,
    }
    if isinstance(last, Edge):
        changes["expression"] = path.expression
    return msgspec.structs.replace(last, **changes)


def _with_bypasses(kept: list[E], found: Iterable[E]) -> list[E]:
    """One edge per pair and kind; an exact way makes an approximate one exact."""
    merged: dict[tuple[str, str, str], E] = {}
    direct = {(edge.source, edge.target, edge.edge_type) for edge in kept}
    for edge in found:
        key = edge.source, edge.target, edge.edge_type
        if key in direct:
            continue
        if key not in merged or (merged[key].approximate and not edge.approximate):
            merged[key] = edge
    return [*kept, *merged.values()]
