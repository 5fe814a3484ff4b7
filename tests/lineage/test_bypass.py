"""Removing relations keeps exactly what flowed through them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.lineage.bypass import bypass, hidden_relations
from lakeport.lineage.graph import edge_id, node_id
from lakeport.lineage.result import (
    CanonicalName,
    Edge,
    EdgeType,
    GlobalEdge,
    GlobalNode,
    Node,
    NodeType,
)


class Graph:
    """A statement's graph, written as `relation("t", "a")` and `edge("t.a", "out.a")`."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []

    def relation(self, name: str, *columns: str, kind: NodeType = "table") -> Graph:
        self.nodes.append(Node(id=identity(name), node_type=kind, label=name, qualified_name=name))
        for column in columns:
            full = f"{name}.{column}"
            self.nodes.append(
                Node(id=identity(full), node_type="column", label=column, qualified_name=full)
            )
            self.edge(name, full, "ownership")
        return self

    def edge(
        self,
        source: str,
        target: str,
        kind: EdgeType = "data_flow",
        expression: str | None = None,
        *,
        approximate: bool = False,
    ) -> Graph:
        ends = identity(source), identity(target)
        self.edges.append(
            Edge(
                id=edge_id(*ends, kind),
                source=ends[0],
                target=ends[1],
                edge_type=kind,
                expression=expression,
                approximate=approximate,
            )
        )
        return self

    def without(self, *names: str) -> tuple[set[str], dict[tuple[str, str], Edge]]:
        nodes, edges = bypass(self.nodes, self.edges, {identity(name) for name in names})
        spelt = {node.id: node.qualified_name or "" for node in self.nodes}
        flows = {
            (spelt[edge.source], spelt[edge.target]): edge
            for edge in edges
            if edge.edge_type != "ownership"
        }
        return {spelt[node.id] for node in nodes}, flows


def identity(name: str) -> str:
    return node_id("node", name)


def chain() -> Graph:
    graph = Graph().relation("t", "a", "b").relation("c", "s", kind="cte")
    graph.relation("out", "s", kind="output")
    graph.edge("t.a", "c.s", "derivation", "a + b").edge("t.b", "c.s", "derivation", "a + b")
    return graph.edge("c.s", "out.s")


def test_ancestors_are_joined_to_descendants() -> None:
    nodes, flows = chain().without("c")
    assert nodes == {"t", "t.a", "t.b", "out", "out.s"}
    assert set(flows) == {("t.a", "out.s"), ("t.b", "out.s")}


def test_a_path_with_a_computation_is_a_derivation_and_keeps_its_text() -> None:
    _, flows = chain().without("c")
    edge = flows["t.a", "out.s"]
    assert edge.edge_type == "derivation"
    assert edge.expression == "a + b"
    assert edge.metadata["via"] == ["c"]


def test_copies_of_copies_stay_copies() -> None:
    graph = Graph().relation("t", "a").relation("c", "a").relation("d", "a").relation("out", "a")
    graph.edge("t.a", "c.a").edge("c.a", "d.a").edge("d.a", "out.a")
    _, flows = graph.without("c", "d")
    assert set(flows) == {("t.a", "out.a")}
    assert flows["t.a", "out.a"].edge_type == "data_flow"
    assert flows["t.a", "out.a"].metadata["via"] == ["c", "d"]


def test_the_last_expression_wins() -> None:
    graph = Graph().relation("t", "a").relation("c", "a").relation("out", "a")
    graph.edge("t.a", "c.a", "derivation", "a + 1").edge("c.a", "out.a", "derivation", "a * 2")
    _, flows = graph.without("c")
    assert flows["t.a", "out.a"].expression == "a * 2"


def test_one_approximate_hop_makes_the_path_approximate() -> None:
    graph = Graph().relation("t", "a").relation("c", "a").relation("out", "a")
    graph.edge("t.a", "c.a", approximate=True).edge("c.a", "out.a")
    _, flows = graph.without("c")
    assert flows["t.a", "out.a"].approximate


def test_an_exact_way_beside_an_approximate_one_is_exact() -> None:
    graph = Graph().relation("t", "a").relation("c", "a").relation("d", "a").relation("out", "a")
    graph.edge("t.a", "c.a", approximate=True).edge("c.a", "out.a")
    graph.edge("t.a", "d.a").edge("d.a", "out.a")
    _, flows = graph.without("c", "d")
    assert not flows["t.a", "out.a"].approximate


def test_a_predicate_inside_reaches_the_relation_outside() -> None:
    graph = chain().edge("t.b", "c", "indirect_dependency")
    _, flows = graph.without("c")
    assert flows["t.b", "out"].edge_type == "indirect_dependency"
    assert ("t.b", "out.s") in flows


def test_a_predicate_outside_reaches_back_to_the_column_inside() -> None:
    graph = chain().edge("c.s", "out", "indirect_dependency")
    _, flows = graph.without("c")
    assert flows["t.a", "out"].edge_type == "indirect_dependency"


def test_counting_rows_of_a_removed_relation_counts_those_of_its_source() -> None:
    graph = Graph().relation("t", "a").relation("c", "a").relation("out", "n")
    graph.edge("t.a", "c.a").edge("c", "out.n", "derivation", "count(*)")
    _, flows = graph.without("c")
    assert set(flows) == {("t", "out.n")}


def test_counting_rows_behind_a_star_opens_nothing() -> None:
    graph = Graph().relation("t").relation("c").relation("out", "n")
    graph.edge("t", "c", approximate=True).edge("c", "out.n", "derivation", "count(*)")
    _, flows = graph.without("c")
    assert set(flows) == {("t", "out.n")}


def test_the_source_of_a_column_is_not_behind_the_star_of_another() -> None:
    graph = Graph().relation("t", "a").relation("u").relation("c", "a").relation("out", "a")
    graph.edge("t.a", "c.a").edge("u", "c", approximate=True)
    graph.edge("c.a", "out.a").edge("c", "out", approximate=True)
    _, flows = graph.without("c")
    assert set(flows) == {("t.a", "out.a"), ("u", "out")}


def test_a_join_inside_stays_a_join_outside() -> None:
    graph = chain().relation("u", "k").edge("u", "c", "join_dependency")
    _, flows = graph.without("c")
    assert flows["u", "out"].edge_type == "join_dependency"


def test_a_recursive_relation_passes_its_seed() -> None:
    graph = Graph().relation("t", "n").relation("r", "n").relation("out", "n")
    graph.edge("t.n", "r.n").edge("r.n", "r.n", "derivation", "n + 1").edge("r.n", "out.n")
    _, flows = graph.without("r")
    assert set(flows) == {("t.n", "out.n")}


def test_nothing_to_remove_changes_nothing() -> None:
    graph = chain()
    assert bypass(graph.nodes, graph.edges, set()) == (graph.nodes, graph.edges)


def test_masking_inside_is_masking_outside() -> None:
    hashed = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}
    copied = {"type": "DIRECT", "subtype": "IDENTITY", "masking": False}
    graph = Graph().relation("t", "a").relation("c", "a").relation("out", "a")
    graph.edge("t.a", "c.a", "derivation", "sha1(a)").edge("c.a", "out.a")
    for edge, transformation in zip(graph.edges[-2:], (hashed, copied), strict=True):
        edge.metadata = {"transformation": transformation}
    _, flows = graph.without("c")
    assert flows["t.a", "out.a"].metadata["transformation"] == hashed


def test_the_global_graph_is_bypassed_the_same_way() -> None:
    def node(kind: NodeType, name: str, column: str | None = None) -> GlobalNode:
        canonical = CanonicalName(name=name, column=column)
        full = f"{name}.{column}" if column else name
        return GlobalNode(
            id=identity(full),
            node_type=kind,
            label=column or name,
            canonical_name=canonical,
            statement_refs=[],
        )

    def edge(source: str, target: str, kind: EdgeType) -> GlobalEdge:
        ends = identity(source), identity(target)
        return GlobalEdge(id=edge_id(*ends, kind), source=ends[0], target=ends[1], edge_type=kind)

    temporary = node("table", "tmp")
    temporary.metadata = {"temporary": True}
    nodes = [node("table", "t"), node("column", "t", "a"), temporary, node("column", "tmp", "a")]
    nodes += [node("table", "f"), node("column", "f", "a")]
    edges = [edge(name, f"{name}.a", "ownership") for name in ("t", "tmp", "f")]
    edges += [edge("t.a", "tmp.a", "data_flow"), edge("tmp.a", "f.a", "data_flow")]
    edges += [edge("tmp", "tmp", "cross_statement")]
    removed = hidden_relations(nodes, collapse_temporary=True)
    kept, left = bypass(nodes, edges, removed)
    assert [found.label for found in kept] == ["t", "a", "f", "a"]
    assert [(e.source, e.target) for e in left if e.edge_type == "data_flow"] == [
        (identity("t.a"), identity("f.a"))
    ]
    assert not [e for e in left if e.edge_type == "cross_statement"]


def test_relations_to_hide_are_chosen_by_kind_and_name() -> None:
    graph = Graph().relation("c", kind="cte").relation("stage.tmp_orders").relation("orders")
    assert hidden_relations(graph.nodes, hide_ctes=True) == {identity("c")}
    assert hidden_relations(graph.nodes, collapse_temporary=True) == set()
    for pattern in ("stage.tmp_*", r"stage\.tmp_", "STAGE", "^stage", "*tmp_*"):
        found = hidden_relations(graph.nodes, collapse_temporary=True, pattern=pattern)
        assert found == {identity("stage.tmp_orders")}
    assert hidden_relations(graph.nodes, collapse_temporary=True, pattern="(") == set()


LAYERS = st.lists(
    st.lists(st.tuples(st.integers(0, 11), st.booleans()), min_size=0, max_size=3),
    min_size=12,
    max_size=12,
)


@given(LAYERS, st.sets(st.integers(1, 10)))
@settings(derandomize=True, max_examples=150)
def test_reachability_through_removed_nodes_is_all_that_is_added(
    links: list[list[tuple[int, bool]]], hidden: set[int]
) -> None:
    graph = Graph()
    for number in range(12):
        graph.relation(f"r{number}", "x")
    direct: dict[tuple[int, int], bool] = {}
    for target, sources in enumerate(links):
        for source, computed in sources:
            if source < target and (source, target) not in direct:
                direct[source, target] = computed
                kind: EdgeType = "derivation" if computed else "data_flow"
                graph.edge(f"r{source}.x", f"r{target}.x", kind)
    _, flows = graph.without(*(f"r{number}" for number in hidden))
    expected = {
        (f"r{source}.x", f"r{target}.x")
        for source in set(range(12)) - hidden
        for target in reached(source, direct, hidden)
    }
    assert set(flows) == expected


def reached(source: int, direct: dict[tuple[int, int], bool], hidden: set[int]) -> set[int]:
    """The kept nodes that `source` reaches through hidden ones, by plain search."""
    found: set[int] = set()
    frontier = [source]
    while frontier:
        node = frontier.pop()
        for start, end in direct:
            if start == node and end not in found:
                found.add(end)
                if end in hidden:
                    frontier.append(end)
    return found - hidden
