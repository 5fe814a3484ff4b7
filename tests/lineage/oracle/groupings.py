"""Queries that group in more ways than one, and those that turn rows into columns and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import Query
from tests.lineage.oracle.world import Column

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import QueryMaker, Visible

_SETS = ("GROUPING SETS (({0}), ({1}), ())", "ROLLUP ({0}, {1})", "CUBE ({0}, {1})")


def grouping_sets(maker: QueryMaker, depth: int) -> Query:
    source = maker.small_source(depth)
    keys = maker.random.sample(source.visible, k=2)
    value = maker.random.choice(source.visible)
    sets = maker.random.choice(_SETS).format(keys[0].text, keys[1].text)
    items = [keys[0].text, keys[1].text, f"sum({value.text})"]
    columns = [key.column.renamed(maker.name()) for key in keys]
    columns.append(_of(maker, value, *keys))
    if maker.random.random() < 0.5:
        items.append(f"100 * grouping({keys[0].text}) + coalesce({keys[0].text}, 50)")
        columns.append(_of(maker, *keys))
    shown = ", ".join(f"{i} AS {c.name}" for i, c in zip(items, columns, strict=True))
    sql = f"SELECT {shown} {source.sql}{maker.where(source)} GROUP BY {sets}"
    return Query(sql, tuple(columns))


def pivoted(maker: QueryMaker, depth: int) -> Query:
    """Values of a small column become columns, as DuckDB's statement or as SQL's clause."""
    source, alias = maker.small_source(depth), maker.alias()
    small = maker.random.choice([v for v in source.visible if v.column.small])
    while len(others := maker.apart(source.visible, small)) < 2:
        source = maker.small_source(depth)
        small = maker.random.choice([v for v in source.visible if v.column.small])
    value, key = maker.random.sample(others, k=2)
    inner = f"SELECT {key.text} AS g, {small.text} AS f, {value.text} AS v {source.sql}"
    if maker.random.random() < 0.5:
        relation = f"(PIVOT ({inner}) ON f IN (2, 3) USING sum(v) GROUP BY g) AS {alias}"
        names = ('"2"', '"3"')
    else:
        relation = f"({inner}) PIVOT (max(v) AS top FOR f IN (2, 3)) AS {alias}"
        names = ('"2_top"', '"3_top"')
    columns = (key.column.renamed(maker.name()), *(_of(maker, value, small, key) for _ in names))
    pairs = zip(("g", *names), columns, strict=True)
    shown = ", ".join(f"{alias}.{name} AS {column.name}" for name, column in pairs)
    return Query(f"SELECT {shown} FROM {relation}", columns)


def unpivoted(maker: QueryMaker, depth: int) -> Query:
    """Two columns become rows; none of them NULL, or the names would say where the values were."""
    source, alias = maker.small_source(depth), maker.alias()
    one, other = maker.random.sample(source.visible, k=2)
    key = maker.random.choice(source.visible)
    if maker.random.random() < 0.5:
        values = f"coalesce({one.text}, 77) AS a, coalesce({other.text}, 78) AS b"
        relation = (
            f"(UNPIVOT (SELECT {key.text} AS g, {values} {source.sql}) ON a, b INTO NAME n VALUE v)"
        )
    else:
        values = f"{one.text} AS a, {other.text} AS b"
        relation = f"(SELECT {key.text} AS g, {values} {source.sql}) UNPIVOT INCLUDE NULLS (v FOR n IN (a, b))"
    relation += f" AS {alias}"
    columns = (
        key.column.renamed(maker.name()),
        Column(maker.name()),
        _of(maker, one, other),
    )
    texts = ("g", "CASE n WHEN 'a' THEN 1 ELSE 2 END", "v")
    shown = ", ".join(f"{t} AS {c.name}" for t, c in zip(texts, columns, strict=True))
    return Query(f"SELECT {shown} FROM {relation}", columns)


def _of(maker: QueryMaker, *parts: Visible) -> Column:
    return Column(
        maker.name(), roots=frozenset[str]().union(*(part.column.roots for part in parts))
    )
