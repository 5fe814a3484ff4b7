"""The order of models, what names mean, and what is asked of the catalog."""

from __future__ import annotations

import graphlib
from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.core.names import TableName
from lakeport.pipeline.graph import KnownTable, build_graph
from lakeport.pipeline.graph.order import circles, in_order
from tests.pipeline.projects import graph, name_of, project

NAMES = [TableName("n", f"t{number}") for number in range(8)]
graphs = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
)


@given(graphs)
def test_an_order_exists_if_and_only_if_there_is_no_circle(
    drawn: dict[TableName, list[TableName]],
) -> None:
    upstream = {name: [one for one in drawn.get(name, []) if one != name] for name in NAMES}
    found = circles(upstream)
    try:
        list(graphlib.TopologicalSorter(upstream).static_order())
    except graphlib.CycleError:
        assert found
        for circle in found:
            for name, above in zip(circle, [*circle[1:], circle[0]], strict=True):
                assert above in upstream[name]
    else:
        assert not found
        order = in_order(upstream)
        assert sorted(order) == sorted(NAMES)
        places = {name: place for place, name in enumerate(order)}
        assert all(places[above] < places[name] for name in NAMES for above in upstream[name])


def test_a_chain_may_be_longer_than_pythons_stack() -> None:
    chain = [TableName("n", f"t{number:05}") for number in range(5000)]
    upstream = {name: chain[place - 1 : place] if place else [] for place, name in enumerate(chain)}
    assert in_order(upstream) == chain
    assert circles({**upstream, chain[0]: [chain[-1]]}) == [[chain[0], *reversed(chain[1:])]]


def test_models_come_by_depth_and_then_by_name(tmp_path: Path) -> None:
    files = {
        "models/z/first.sql": "SELECT 1 AS id",
        "models/a/second.sql": "SELECT * FROM z.first",
        "models/b/second.sql": "SELECT * FROM Z.FIRST",
        "models/a/third.sql": "SELECT * FROM a.second JOIN b.second USING (id)",
    }
    found = graph(tmp_path, files)
    assert [str(name) for name in found.names] == ["z.first", "a.second", "b.second", "a.third"]
    third = name_of("a.third")
    assert found.ancestors([third], 1) == {name_of("a.second"), name_of("b.second")}
    assert found.descendants([name_of("z.first")]) == {*found.names} - {name_of("z.first")}


def test_names_mean_models_then_sources_then_tables(tmp_path: Path) -> None:
    text = """SELECT * FROM orders JOIN lake.b.orders JOIN raw.events JOIN other.t JOIN other.t.snapshots
JOIN b.orders.branch_x JOIN `sales`.`eu`.x JOIN parquet.`/some/file`
JOIN raw.events VERSION AS OF 3"""
    files = {
        "models/a/x.sql": text,
        "models/b/orders.sql": "SELECT 1 AS id",
        "sources.toml": "[raw.events]",
    }
    catalog = {"Other.T": {"id": "int"}, "sales.eu.x": {"id": "int"}, "raw.events": {"id": "int"}}
    node = graph(tmp_path, files, catalog).node(name_of("a.x"))
    assert [(str(one.table), one.kind, one.suffix, one.travels) for one in node.references] == [
        ("b.orders", "model", (), False),
        ("b.orders", "model", (), False),
        ("raw.events", "source", (), False),
        ("Other.T", "catalog", (), False),
        ("Other.T", "catalog", ("snapshots",), False),
        ("b.orders", "model", ("branch_x",), False),
        ("sales.eu.x", "catalog", (), False),
        ("raw.events", "source", (), True),
    ]
    assert node.upstream == (name_of("b.orders"),)


def test_the_catalog_is_asked_once_and_by_name(tmp_path: Path) -> None:
    files = {
        "models/a/x.sql": "SELECT * FROM raw.t JOIN b.y",
        "models/b/y.sql": "SELECT * FROM raw.t JOIN raw.s",
        "sources.toml": "[raw.s]",
    }
    asked: list[list[str]] = []

    def ask(names: Collection[TableName]) -> list[KnownTable]:
        asked.append([str(name) for name in names])
        return [KnownTable(TableName("raw", "t"), (("id", "int"),))]

    found = build_graph(project(tmp_path, files), ask)
    assert asked == [["a.x", "b.y", "raw.s", "raw.t"]]
    assert list(found.catalog) == [TableName("raw", "t")]


@pytest.mark.parametrize("is_empty", [True, False])
def test_a_table_without_rows_is_built_as_if_it_were_new(tmp_path: Path, is_empty: bool) -> None:  # noqa: FBT001
    text = "SELECT 1 AS k{% if is_incremental() %} WHERE 1 > (SELECT max(k) FROM {{ this }}){% endif %}"
    target = KnownTable(TableName("a", "x"), (("k", "int"),), is_empty=is_empty)
    found = build_graph(project(tmp_path, {"models/a/x.sql": text}), lambda _names: [target])
    (node,) = found.nodes
    assert ("max(k)" in node.sql) is not is_empty
