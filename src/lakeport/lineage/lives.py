"""Relations that will be collapsed, told apart by what they hold: each of their lives is a node.

A life ends with the next write: when the relation is made anew, and when rows are added to one that
somebody has read by then. What is added goes on from the former life; what was read of that does not
come from the addition. Between two reads all writes share a life, so that a staging table which a
hundred statements fill is one node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lakeport.lineage.graph import column_ids, node_id, table_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lakeport.lineage.names import Name
    from lakeport.lineage.result import Edge, Node, StatementLineage

_VALUE = frozenset({"data_flow", "derivation"})


class Carried(NamedTuple):
    """A life that goes on as another: their ids, the keys of the columns, whether stars fed it."""

    former: str
    later: str
    keys: tuple[str, ...]
    has_stars: bool


class Turn(NamedTuple):
    """What a statement means for lives.

    `before` are the ids of what it reads and writes at once, as it reads it, by its own ids; `owners`
    the relations of the columns among them; `carried` what goes on.
    """

    before: dict[str, str]
    owners: dict[str, str]
    carried: list[Carried]


class Lives:
    """Grows statement by statement."""

    def __init__(self, collapses: Callable[[Node], bool]) -> None:
        self._collapses = collapses
        # How often a relation was turned over, which of them will be collapsed, which life is read.
        self._number: dict[str, int] = {}
        self._collapsed: set[str] = set()
        self._read: set[str] = set()
        # The columns seen of a life, and the lives that whole relations flow into.
        self._keys: dict[str, dict[str, None]] = {}
        self._fed: set[str] = set()
        self._names: dict[str, Name] = {}

    def turn(
        self,
        statement: StatementLineage,
        names: dict[str, Name],
        owners: dict[str, str],
        renewed: Collection[str],
        same: dict[str, str],
    ) -> Turn:
        """Puts the ids of this statement's lives into `same`, by the ids of its own relations."""
        canonical = {own: table_id(name) for own, name in names.items()}
        for node in statement.nodes:
            if node.id in canonical and self._collapses(node):
                self._collapsed.add(canonical[node.id])
        touched = {own: name for own, name in canonical.items() if name in self._collapsed}
        self._names.update((canonical[own], names[own]) for own in touched)
        roots = _roots(statement.nodes, owners)
        read, written = _ends(statement.edges, roots)
        anew = {touched[own] for own in renewed if own in touched}
        turned = anew | {canonical[own] for own in written & touched.keys()} & self._read
        before: dict[str, str] = {}
        for own, name in touched.items():
            is_later = name in turned and (own in renewed or own in written)
            same[own] = self._life(name, later=is_later)
            if is_later and own in read and self._life(name) in self._keys:
                before[own] = self._life(name)
        carried = [self._go_on(name) for name in sorted(turned - anew)]
        for name in turned:
            self._number[name] = self._number.get(name, 0) + 1
        self._read -= turned
        self._read |= {touched[own] for own in read & touched.keys()} - turned
        for node in statement.nodes:
            own = roots[node.id]
            if own in touched and owners.get(node.id, own) == own:
                self._column(node, own, names[own], same[own], before)
        self._fed.update(same[e.target] for e in statement.edges if _is_whole(e, touched))
        formers = {own: before[roots[own]] for own in before if roots[own] != own}
        return Turn(before, formers, carried)

    def _life(self, name: str, *, later: bool = False) -> str:
        number = self._number.get(name, 0) + later
        return node_id("table", *self._names[name], f"@{number}") if number else name

    def _go_on(self, name: str) -> Carried:
        former, later = self._life(name), self._life(name, later=True)
        self._keys[later] = dict(self._keys.get(former, {}))
        has_stars = former in self._fed
        if has_stars:
            self._fed.add(later)
        return Carried(former, later, tuple(self._keys[later]), has_stars)

    def _column(self, node: Node, own: str, name: Name, life: str, before: dict[str, str]) -> None:
        held = self._keys.setdefault(life, {})
        if node.id == own:
            return
        key = (node.qualified_name or node.label).removeprefix(f"{'.'.join(name)}.")
        held[key] = None
        if own in before:
            before[node.id] = column_ids(before[own])[key]


def _roots(nodes: list[Node], owners: dict[str, str]) -> dict[str, str]:
    """The relation of each node: a column stands behind its own, unless its owner is named."""
    roots: dict[str, str] = {}
    relation = ""
    for node in nodes:
        if node.node_type != "column":
            relation = node.id
        owner = owners.get(node.id)
        roots[node.id] = relation if owner is None else roots.get(owner, owner)
    return roots


def _ends(edges: list[Edge], roots: dict[str, str]) -> tuple[set[str], set[str]]:
    """The relations that something comes from, and those that something goes to."""
    read: set[str] = set()
    written: set[str] = set()
    for edge in edges:
        if edge.edge_type != "ownership":
            read.add(roots.get(edge.source, edge.source))
            written.add(roots.get(edge.target, edge.target))
    return read, written


def _is_whole(edge: Edge, touched: Collection[str]) -> bool:
    return edge.edge_type in _VALUE and edge.target in touched
