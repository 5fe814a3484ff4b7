"""Tags follow values, weaken with each computation and stop at masks."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.lineage import analyze
from lakeport.lineage.graph import edge_id, node_id
from lakeport.lineage.request import ColumnTag, TagHint
from lakeport.lineage.result import (
    CanonicalName,
    EdgeType,
    GlobalEdge,
    GlobalNode,
    TagCount,
    TagFlow,
)
from lakeport.lineage.tags import TagReport, is_masking, propagate, seeds_from_hints

PII = ColumnTag(name="pii", confidence=1.0)


def identity(name: str) -> str:
    return node_id("node", name)


def column(name: str) -> GlobalNode:
    *tables, label = name.split(".")
    parts = [None, None, *tables][-3:]
    canonical = CanonicalName(catalog=parts[0], schema=parts[1], name=parts[2] or "", column=label)
    return GlobalNode(
        id=identity(name),
        node_type="column",
        label=label,
        canonical_name=canonical,
        statement_refs=[],
    )


def edge(
    source: str, target: str, kind: EdgeType = "data_flow", *, masking: bool = False
) -> GlobalEdge:
    ends = identity(source), identity(target)
    transformation = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": masking}
    return GlobalEdge(
        id=edge_id(*ends, kind),
        source=ends[0],
        target=ends[1],
        edge_type=kind,
        metadata={"transformation": transformation},
    )


def run(names: list[str], edges: list[GlobalEdge], **seeds: ColumnTag) -> TagReport:
    owned = [edge(name.rpartition(".")[0], name, "ownership") for name in names]
    given_tags = {identity(name.replace("__", ".")): [tag] for name, tag in seeds.items()}
    return propagate([column(name) for name in names], [*owned, *edges], given_tags)


def held(report: TagReport, name: str) -> list[ColumnTag]:
    return report.tags.get(identity(name), [])


def test_a_copy_inherits_the_tag_unweakened() -> None:
    report = run(["s.mail", "t.mail"], [edge("s.mail", "t.mail")], s__mail=PII)
    assert held(report, "s.mail") == [PII]
    assert held(report, "t.mail") == [
        ColumnTag(name="pii", confidence=1.0, inherited=True, from_column_id=identity("s.mail"))
    ]


def test_each_derivation_weakens_by_a_tenth() -> None:
    names = ["s.a", "t.a", "u.a"]
    edges = [edge(one, other, "derivation") for one, other in pairwise(names)]
    report = run(names, edges, s__a=PII)
    assert [held(report, name)[0].confidence for name in names] == [1.0, 0.9, 0.81]


def test_the_surest_way_counts() -> None:
    names = ["s.a", "m.a", "t.a"]
    edges = [edge("s.a", "m.a", "derivation"), edge("m.a", "t.a", "derivation")]
    report = run(names, [*edges, edge("s.a", "t.a", "derivation")], s__a=PII)
    assert held(report, "t.a")[0].confidence == 0.9


def test_masking_stops_the_tag_and_is_noted() -> None:
    names = ["s.mail", "t.hash", "u.hash"]
    edges = [edge("s.mail", "t.hash", "derivation", masking=True), edge("t.hash", "u.hash")]
    report = run(names, edges, s__mail=PII)
    assert held(report, "t.hash") == []
    assert held(report, "u.hash") == []
    assert report.stopped == {identity("t.hash"): ["pii"]}


def test_a_way_around_the_mask_is_not_stopped() -> None:
    edges = [edge("s.a", "t.a", "derivation", masking=True), edge("s.a", "t.a")]
    report = run(["s.a", "t.a"], edges, s__a=PII)
    assert held(report, "t.a")
    assert report.stopped == {}


def test_a_columns_own_tag_is_not_overwritten() -> None:
    own = ColumnTag(name="pii", confidence=0.2, source="robot")
    report = run(["s.a", "t.a"], [edge("s.a", "t.a")], s__a=PII, t__a=own)
    assert held(report, "t.a") == [own]


def test_tags_do_not_follow_predicates() -> None:
    report = run(["s.a", "t.a"], [edge("s.a", "t.a", "indirect_dependency")], s__a=PII)
    assert held(report, "t.a") == []


def test_cycles_come_to_rest() -> None:
    names = ["s.a", "r.a", "q.a"]
    edges = [edge("s.a", "r.a"), edge("r.a", "q.a", "derivation"), edge("q.a", "r.a", "derivation")]
    report = run(names, edges, s__a=PII)
    assert [held(report, name)[0].confidence for name in names] == [1.0, 1.0, 0.9]


def test_the_summary_counts_columns_tables_and_flows() -> None:
    names = ["s.a", "s.b", "t.a", "t.b"]
    edges = [edge("s.a", "t.a"), edge("s.a", "t.b", "derivation")]
    report = run(names, edges, s__a=PII, s__b=ColumnTag(name="internal", source="robot"))
    assert report.counts == [
        TagCount(tag="internal", columns=1, tables=1, sources=["robot"]),
        TagCount(tag="pii", columns=3, tables=2, sources=["user"]),
    ]
    assert report.flows == [
        TagFlow(tag="pii", sources=[identity("s.a")], targets=[identity("t.a"), identity("t.b")])
    ]


def test_without_tags_there_is_nothing_to_say() -> None:
    assert run(["s.a", "t.a"], [edge("s.a", "t.a")]) == TagReport()


@pytest.mark.parametrize(
    ("table", "column_name", "expected"),
    [
        ("orders", "mail", ["lake.sales.orders.mail", "old.orders.mail"]),
        ("sales.orders", "MAIL", ["lake.sales.orders.mail"]),
        ("lake.sales.orders", "*", ["lake.sales.orders.mail", "lake.sales.orders.id"]),
        ("ders", "mail", []),
    ],
)
def test_hints_name_tables_by_their_last_parts(
    table: str, column_name: str, expected: list[str]
) -> None:
    names = ["lake.sales.orders.mail", "lake.sales.orders.id", "old.orders.mail"]
    hints = [TagHint(table=table, column=column_name, tags=[PII, PII])]
    seeds = seeds_from_hints([column(name) for name in names], hints, str.lower)
    assert seeds == {identity(name): [PII] for name in expected}


@pytest.mark.parametrize(
    ("function", "hides"),
    [
        ("sha2", True),
        ("SHA256", True),
        ("md5", True),
        ("hash", True),
        ("mask_email", True),
        ("udfs.mask", True),
        ("aes_encrypt", True),
        ("aes_decrypt", False),
        ("lower", False),
        ("shape_of", False),
        ("unmask", False),
    ],
)
def test_masking_functions_are_known_by_family(function: str, *, hides: bool) -> None:
    assert is_masking(function) is hides


LINKS = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=25)


@given(LINKS)
@settings(derandomize=True, max_examples=150)
def test_what_is_reachable_is_tagged_and_never_surer_than_its_source(
    links: set[tuple[int, int, bool]],
) -> None:
    names = [f"t{number}.x" for number in range(10)]
    edges = [
        edge(names[one], names[other], "derivation" if computed else "data_flow")
        for one, other, computed in sorted(links)
    ]
    report = run(names, edges, t0__x=PII)
    reached, frontier = {0}, [0]
    while frontier:
        here = frontier.pop()
        ahead = {other for one, other, _ in links if one == here} - reached
        reached |= ahead
        frontier.extend(ahead)
    assert set(report.tags) == {identity(names[number]) for number in reached}
    assert all((tag.confidence or 0) <= 1.0 for tags in report.tags.values() for tag in tags)


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("sha2(email, 256)", False),
        ("mask_email(email)", False),
        ("unmask(email)", True),
        ("shape_of(email)", True),
    ],
)
def test_the_engine_stops_tags_where_the_family_says_so(call: str, *, kept: bool) -> None:
    hints = [{"table": "s", "column": "email", "tags": [{"name": "pii", "source": "user"}]}]
    sql = f"CREATE TABLE t AS SELECT {call} AS c FROM s"
    result = analyze({"sql": sql, "dialect": "spark", "tagHints": hints})
    (counted,) = result.summary.tag_counts
    assert counted.columns == (2 if kept else 1)


def test_tags_are_written_with_their_source_and_masks_noted_where_they_stand() -> None:
    hint = {"table": "t", "column": "a", "tags": [{"name": "pii"}]}
    result = analyze({"sql": "SELECT a, md5(a) AS m FROM t", "tagHints": [hint]})
    plain = msgspec.to_builtins(result)["statements"][0]["nodes"]
    nodes = {node["label"]: node for node in plain if node["nodeType"] == "column"}
    assert nodes["a"]["tags"][0]["source"] == "user"
    assert nodes["m"]["metadata"]["tagsMasked"] == ["pii"]


def test_a_confidence_is_between_none_and_certain() -> None:
    hint = {"table": "t", "column": "a", "tags": [{"name": "pii", "confidence": 1.5}]}
    refused = analyze({"sql": "SELECT a FROM t", "tagHints": [hint]}).issues
    assert "$.tagHints[0].tags[0].confidence" in refused[0].message
