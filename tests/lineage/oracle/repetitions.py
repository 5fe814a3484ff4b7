"""Queries of several branches: by name, and those that read themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import Query
from tests.lineage.oracle.world import Column

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import QueryMaker


def by_name(maker: QueryMaker, depth: int) -> Query:
    """The second branch has the columns in another order, and one that the first has not."""
    sources = maker.from_clause(depth), maker.from_clause(depth - 1)
    first, second = ([maker.random.choice(s.visible) for _ in range(2)] for s in sources)
    shared, left, right = maker.name(), maker.name(), maker.name()
    sql = (
        f"SELECT {first[0].text} AS {shared}, {first[1].text} AS {left} {sources[0].sql}"
        f" UNION ALL BY NAME "
        f"SELECT {second[0].text} AS {right}, {second[1].text} AS {shared} {sources[1].sql}"
    )
    columns = (
        Column(shared, roots=first[0].column.roots | second[1].column.roots),
        # NULL in the rows of the other branch, so that no join and no filter may stand on them,
        # and never both there: the shared root keeps them out of one expression.
        Column(left, nullable=True, roots=first[1].column.roots | {shared}),
        Column(right, nullable=True, roots=second[0].column.roots | {shared}),
    )
    # In brackets: the names must not meet those of another branch.
    return Query(f"SELECT * FROM ({sql}) AS {maker.alias()}", columns)


def recursive(maker: QueryMaker, depth: int) -> Query:
    """Steps are counted from a small column, and something is added at each."""
    source, alias, name = maker.small_source(depth), maker.alias(), maker.alias()
    start = maker.random.choice([v for v in source.visible if v.column.small])
    value = maker.random.choice(source.visible)
    table = maker.random.choice(maker.tables)
    added = maker.random.choice(table.columns[1:])
    columns = (
        Column(maker.name(), roots=start.column.roots),
        Column(maker.name(), roots=value.column.roots | added.roots),
    )
    sql = (
        f"WITH RECURSIVE {name}(n, total) AS ("
        f"SELECT {start.text}, {value.text} {source.sql}"
        f" UNION ALL SELECT {name}.n + 1, {name}.total + 3 * {alias}.{added.name}"
        f" FROM {name} JOIN {table.name} AS {alias} ON {alias}.k = {name}.n WHERE {name}.n < 3"
        f") SELECT n AS {columns[0].name}, total AS {columns[1].name} FROM {name}"
    )
    return Query(f"SELECT * FROM ({sql}) AS {maker.alias()}", columns)
