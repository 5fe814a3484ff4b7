"""Queries whose values see other rows through a frame, a named window or a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import Query
from tests.lineage.oracle.world import Column

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import QueryMaker

# A sum, of value, part and order: a maximum may be that of any frame.
_FORMS = (
    "sum({0}) OVER (PARTITION BY {1} ORDER BY {2} RANGE BETWEEN 3 PRECEDING AND CURRENT ROW)",
    "sum({0}) FILTER (WHERE {1} > 1) OVER (ORDER BY {2} RANGE UNBOUNDED PRECEDING)",
    "sum({0}) OVER (PARTITION BY {1} ORDER BY {2} DESC RANGE BETWEEN 9 PRECEDING AND 1 PRECEDING)",
    "sum({0}) OVER w",
)


def framed(maker: QueryMaker, depth: int) -> Query:
    source = maker.from_clause(depth)
    picked = maker.picked(source.visible)
    while len(picked) < 3:
        source = maker.from_clause(depth)
        picked = maker.picked(source.visible)
    form = maker.random.choice(_FORMS)
    texts = [item.text for item in picked]
    roots = frozenset[str]().union(*(item.column.roots for item in picked))
    column = Column(maker.name(), roots=roots)
    window = (
        f" WINDOW w AS (PARTITION BY {texts[1]} ORDER BY {texts[2]})" if form[-1] == "w" else ""
    )
    shown = form.format(*texts)
    sql = f"SELECT {shown} AS {column.name} {source.sql}{maker.where(source)}{window}"
    return Query(sql, (column,))
