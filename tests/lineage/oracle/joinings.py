"""Queries over relations that stand beside each other in unusual ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import Query, Source, Visible
from tests.lineage.oracle.rowchoices import plain_items
from tests.lineage.oracle.world import Column

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import QueryMaker


def as_of(maker: QueryMaker, depth: int) -> Query:
    """The last row not later; of two that are equally late any one would do, so they are added up.

    Without the NULLs: DuckDB has two ways to join, by the size it guesses, that take them differently.
    """
    left, alias, inner = maker.small_source(depth), maker.alias(), maker.alias()
    kind = maker.random.choice(("ASOF JOIN", "ASOF LEFT JOIN"))
    key = maker.random.choice([v for v in left.visible if v.column.small]).text
    since = maker.random.choice(left.visible).text
    table = maker.random.choice(maker.tables)
    late, value = table.columns[-1].name, table.columns[1]
    query = f"SELECT {inner}.k, {inner}.{late} AS late, sum({inner}.{value.name}) AS s"
    query += f" FROM {table.name} AS {inner} WHERE {inner}.{late} IS NOT NULL GROUP BY ALL"
    test = f"{key} = {alias}.k AND coalesce({since}, 0) >= {alias}.late"
    summed = Visible(f"{alias}.s", Column("s", roots=value.roots))
    sql = f"{left.sql} {kind} ({query}) AS {alias} ON {test}"
    return _over(maker, sql, [*left.visible, summed])


def positional(maker: QueryMaker, _depth: int) -> Query:
    left, right = _table(maker), _table(maker)
    sql = f"FROM {left.sql} POSITIONAL JOIN {right.sql}"
    return _over(maker, sql, left.visible + right.visible)


def lateral(maker: QueryMaker, depth: int) -> Query:
    """A derived table that sees what stands before it, by the word, the comma or a LEFT JOIN."""
    left, alias, inner = maker.small_source(depth), maker.alias(), maker.alias()
    # Not the merged key: its name without a table would be the inner one's.
    outer = maker.random.choice([v for v in left.visible if "." in v.text])
    table = maker.random.choice(maker.tables)
    value = maker.random.choice(table.columns[1:])
    query = f"SELECT sum({inner}.{value.name}) AS s FROM {table.name} AS {inner}"
    query += f" WHERE {inner}.k = {outer.text}"
    joined = maker.random.choice((", ({0}) AS {1}", ", LATERAL ({0}) AS {1}", _LEFT_LATERAL))
    summed = Column("s", roots=value.roots | outer.column.roots)
    sql = left.sql + joined.format(query, alias)
    return _over(maker, sql, [*left.visible, Visible(f"{alias}.s", summed)])


def with_values(maker: QueryMaker, depth: int) -> Query:
    """A list of rows, whose columns come from no table."""
    left, alias = maker.small_source(depth), maker.alias()
    one = maker.random.choice([v for v in left.visible if v.column.small])
    rows = ", ".join(f"({key}, {key * 100})" for key in range(4))
    joined = f"{left.sql} JOIN (VALUES {rows}) AS {alias}(n, w) ON {alias}.n = {one.text}"
    listed = Visible(f"{alias}.w", Column("w", roots=frozenset({f"{alias}.w"})))
    return _over(maker, joined, [*left.visible, listed])


_LEFT_LATERAL = " LEFT JOIN LATERAL ({0}) AS {1} ON true"


def _table(maker: QueryMaker) -> Source:
    table = maker.random.choice(maker.tables)
    return maker.aliased(table.name, maker.alias(), table.columns)


def _over(maker: QueryMaker, sql: str, visible: list[Visible]) -> Query:
    source = Source(sql, visible)
    if maker.random.random() < 0.5:
        items, columns = plain_items(maker, source)
        return Query(f"SELECT {items} {sql}", columns)
    text, column = maker.expression(visible)
    name = maker.name()
    return Query(f"SELECT {text} AS {name} {sql}", (column.renamed(name),))
