"""Other names in the place of tables: exact to the character, and the query means the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.lineage.models import Declared, ModelBinder
from lakeport.lineage.references import QueryText, TableUse, read_query
from lakeport.pipeline.graph import Qualifier, Query, Reference
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.project import Place
from tests.pipeline.projects import graph, name_of


def query_of(text: str) -> Query:
    read = read_query(text)
    assert read.trouble is None, read.trouble
    return Query(text, tuple(map(_reference, read.tables)))


def _reference(use: TableUse) -> Reference:
    return Reference(
        use.parts,
        use.start,
        use.end,
        name_of(".".join(("none", *use.parts)[-2:])),
        "model",
        Place("x.sql"),
        alias_at=use.alias_at,
        lead=use.lead,
        is_only=use.is_only,
        qualifiers=tuple(Qualifier(one.start, one.end, one.parts) for one in use.qualifiers),
    )


def moved(text: str, name: str = "dev_{0}.{1}") -> str:
    """By a mapping of namespace and table."""
    return query_of(text).rewritten(lambda one: name.format(one.table.namespace, one.table.table))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM shop.orders", "SELECT * FROM dev_shop.orders"),
        ("SELECT * FROM`shop`.`orders`AS o", "SELECT * FROM dev_shop.orders AS o"),
        (
            "SELECT 'shop.orders', `shop.orders` /* shop.orders */ FROM shop.orders o -- shop.orders",
            "SELECT 'shop.orders', `shop.orders` /* shop.orders */ FROM dev_shop.orders o -- shop.orders",
        ),
        (
            "SELECT shop.orders.id, orders.x, shop.orders.* FROM shop.orders",
            "SELECT dev_shop.orders.id, orders.x, dev_shop.orders.* FROM dev_shop.orders",
        ),
        (
            "WITH orders AS (SELECT * FROM shop.orders) SELECT orders.id FROM orders, shop.orders AS x",
            "WITH orders AS (SELECT * FROM dev_shop.orders) SELECT orders.id FROM orders, dev_shop.orders AS x",
        ),
        (
            "SELECT * FROM a.t JOIN a.t AS u ON a.t.id = u.id",
            "SELECT * FROM dev_a.t JOIN dev_a.t AS u ON dev_a.t.id = u.id",
        ),
        ("SELECT 'ü€😀', x.t.id FROM x.t", "SELECT 'ü€😀', dev_x.t.id FROM dev_x.t"),
        ("SELECT * FROM IDENTIFIER('a.' || 'b') AS x", "SELECT * FROM dev_a.b AS x"),
        ("TABLE a.b", "SELECT * FROM dev_a.b"),
        ("FROM a.b |> WHERE a.b.x > 1", "FROM dev_a.b |> WHERE dev_a.b.x > 1"),
        (
            "SELECT * FROM a.b VERSION AS OF 3 WHERE a.b.x = 1",
            "SELECT * FROM dev_a.b VERSION AS OF 3 WHERE dev_a.b.x = 1",
        ),
    ],
)
def test_another_namespace(text: str, expected: str) -> None:
    assert moved(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SELECT orders.id FROM shop.orders",
            "SELECT orders.id FROM shop.orders.branch_r AS `orders`",
        ),
        (
            "SELECT shop.orders.id FROM shop.orders WHERE orders.x = 1",
            "SELECT `orders`.id FROM shop.orders.branch_r AS `orders` WHERE orders.x = 1",
        ),
        ("SELECT o.id FROM shop.orders o", "SELECT o.id FROM shop.orders.branch_r o"),
        (
            "SELECT * FROM shop.orders /* x */ TABLESAMPLE (5 ROWS) REPEATABLE (1) WHERE shop.orders.id > 0",
            (
                "SELECT * FROM shop.orders.branch_r /* x */ TABLESAMPLE (5 ROWS) REPEATABLE (1) AS `orders` "
                "WHERE `orders`.id > 0"
            ),
        ),
        (
            "SELECT * FROM shop.orders PIVOT (sum(x) FOR y IN (1, 2))",
            "SELECT * FROM shop.orders.branch_r AS `orders` PIVOT (sum(x) FOR y IN (1, 2))",
        ),
        (
            "SELECT a.t.id, b.t.id FROM a.t JOIN b.t ON a.t.id = b.t.id",
            (
                "SELECT `a.t`.id, `b.t`.id FROM a.t.branch_r AS `a.t` JOIN b.t.branch_r AS `b.t` "
                "ON `a.t`.id = `b.t`.id"
            ),
        ),
        (
            "SELECT t.id FROM a.t WHERE EXISTS (SELECT 1 FROM b.t WHERE b.t.x = a.t.x AND t.y = 1)",
            (
                "SELECT `a.t`.id FROM a.t.branch_r AS `a.t` WHERE EXISTS "
                "(SELECT 1 FROM b.t.branch_r AS `b.t` WHERE `b.t`.x = `a.t`.x AND `b.t`.y = 1)"
            ),
        ),
        ("TABLE a.t", "SELECT * FROM a.t.branch_r"),
    ],
)
def test_a_branch_is_called_as_its_table_was(text: str, expected: str) -> None:
    assert moved(text, "{0}.{1}.branch_r") == expected


def test_a_whole_query_may_take_a_tables_place() -> None:
    rewritten = moved(
        "SELECT shop.orders.id FROM shop.orders JOIN shop.orders o", "(SELECT 1 AS id)"
    )
    assert rewritten == (
        "SELECT `orders`.id FROM (SELECT 1 AS id) AS `orders` JOIN (SELECT 1 AS id) o"
    )


def test_a_name_that_is_left_alone_stays_as_it_is() -> None:
    text = "SELECT /* x */ `a`.t.id FROM `a` . t , b.u"
    assert query_of(text).rewritten(lambda _: None) == text
    assert query_of(text).rewritten(lambda one: "c.u" if one.table.table == "u" else None) == (
        "SELECT /* x */ `a`.t.id FROM `a` . t , c.u"
    )


def test_a_rendered_model_is_rewritten_in_its_rendered_text(tmp_path: Path) -> None:
    files = {
        "models/a/x.sql": "{% for n in ['y', 'z'] %}{{ '' if loop.first else 'UNION ALL ' }}"
        "SELECT id FROM a.{{ n }} {% endfor %}",
        "models/a/y.sql": "SELECT 1 AS id",
        "models/a/z.sql": "SELECT 1 AS id",
    }
    node = graph(tmp_path, files).node(name_of("a.x"))
    mapped = node.rewritten(lambda one: f"b.{one.table.table}")
    assert mapped == "SELECT id FROM b.y UNION ALL SELECT id FROM b.z "


# -- generated queries ---------------------------------------------------------------------------

COLUMNS = ("id", "x", "y")
NAMESPACES = ("a", "B", "näme", "with space", "lake")
TABLES = ("t", "Orders", "straße", "o`k", "select", "t2")
WORDS = ("-- a.t\n", "/* FROM a.t */", " ", "\n", "")


@st.composite
def queries(draw: st.DrawFn, depth: int = 0, outer: tuple[str, ...] = ()) -> str:
    """A query of two tables at most per level; every column it names is there."""
    blank = f" {draw(st.sampled_from(WORDS))} "
    sources = [draw(_sources(depth)) for _ in range(draw(st.integers(1, 2)))]
    calls = _told_apart([calls for _, calls in sources])
    if not calls:
        sources = sources[:1]
        calls = list(sources[0][1])
    shown = [f"{draw(st.sampled_from(calls))}.{column}" for column in COLUMNS[:2]]
    items = ", ".join(f"{item} AS {alias}" for item, alias in zip(shown, COLUMNS, strict=False))
    extra = draw(st.sampled_from(["'a.t'", "1", f"coalesce({shown[0]}, 1)"]))
    text = f"SELECT{blank}{items}, {extra} AS y FROM {sources[0][0]}"
    if len(sources) == 2:
        text += f" JOIN {sources[1][0]} ON {draw(st.sampled_from(calls))}.id = 1"
    nested: bool = draw(st.booleans())
    if depth < 2 and nested:
        inner = draw(queries(depth + 1, (*outer, *calls)))
        text += f" WHERE {shown[0]} IN (SELECT id FROM ({inner}) AS q{depth})"
    elif outer and nested:
        # A name that nothing here is called by means what is outside.
        free = [one for one in outer if one.lower() not in {call.lower() for call in calls}]
        if free:
            text += f" WHERE {draw(st.sampled_from(free))}.x = {shown[0]}"
    if depth == 0 and draw(st.integers(0, 1)):
        name = identifier(draw(st.sampled_from(TABLES)))
        text = f"WITH {name} AS ({draw(queries(1))}) SELECT z.id AS id, z.x AS x, z.y AS y FROM ({text}) AS z JOIN {name} ON true"
    return text


def _told_apart(called: list[tuple[str, ...]]) -> list[str]:
    """The names that mean one relation of a SELECT; none if one of them has no such name."""
    folded = [{name.lower() for name in names} for names in called]
    shared = set.intersection(*folded) if len(folded) > 1 else set()
    kept = [[name for name in names if name.lower() not in shared] for names in called]
    return [name for names in kept for name in names] if all(kept) else []


@st.composite
def _sources(draw: st.DrawFn, depth: int) -> tuple[str, tuple[str, ...]]:
    namespace, table = draw(st.sampled_from(NAMESPACES)), draw(st.sampled_from(TABLES))
    full = f"{identifier(namespace)}.{identifier(table)}"
    kind = draw(st.integers(0, 3))
    if kind == 0:
        alias = identifier(draw(st.sampled_from((*TABLES, "z9"))))
        return f"{full} AS {alias}", (alias,)
    if kind == 1 and depth < 2:
        alias = identifier(draw(st.sampled_from(TABLES)))
        return f"({draw(queries(depth + 1))}) AS {alias}", (alias,)
    return full, (identifier(table), full)


TARGET = ("target", "built")


def lineage_of(read: QueryText, names: Iterable[tuple[str, ...]]) -> tuple[object, set[object]]:
    known = [
        Declared(namespace, table, tuple((column, "int") for column in COLUMNS))
        for namespace, table, *_ in dict.fromkeys(names)
    ]
    with ModelBinder(known) as binder:
        bound = binder.bind(read, TARGET, [use.parts for use in read.tables], "x.sql")
        assert not [issue for issue in binder.issues if issue.severity == "error"]
    return bound.columns, {(one.table, one.column, one.target) for one in bound.origins}


@given(queries(), st.sampled_from(["{0}_dev.{1}", "{0}.{1}.branch_r", "`moved`.{1}_moved"]))
def test_a_rewritten_query_means_the_same_of_other_tables(text: str, shape: str) -> None:
    query = query_of(text)
    renamed: dict[tuple[str, ...], str] = {}

    def mapping(reference: Reference) -> str:
        namespace, table = reference.parts
        new = {
            "{0}_dev.{1}": f"{identifier(namespace + '_dev')}.{identifier(table)}",
            "{0}.{1}.branch_r": f"{identifier(namespace)}.{identifier(table)}.branch_r",
            "`moved`.{1}_moved": f"`moved`.{identifier(f'{namespace}_{table}_moved')}",
        }[shape]
        renamed[reference.parts] = new
        return new

    rewritten = query.rewritten(mapping)
    before, after = read_query(text), read_query(rewritten)
    assert after.trouble is None, rewritten
    assert len(after.tables) == len(before.tables)
    expected = [renamed[use.parts] for use in before.tables]
    assert [rewritten[use.start : use.end] for use in after.tables] == expected
    # Nothing but names and aliases has changed.
    pieces = [
        text[one.end : other.start]
        for one, other in zip(before.tables, before.tables[1:], strict=False)
    ]
    if not any(use.qualifiers or use.alias_at is not None for use in before.tables):
        assert all(piece in rewritten for piece in pieces)
    told = lineage_of(before, [use.parts for use in before.tables])
    moved_names = {
        use.parts: other.parts[:2] for use, other in zip(before.tables, after.tables, strict=True)
    }
    told_after = lineage_of(after, moved_names.values())
    lowered = {_lower(old): _lower(new) for old, new in moved_names.items()}
    assert told_after[0] == told[0]
    assert told_after[1] == {(lowered[table], *rest) for table, *rest in told[1]}  # type: ignore[misc,has-type] # of three


def _lower(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.lower() for part in parts)
