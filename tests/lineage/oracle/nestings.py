"""Queries whose values hold values: structs of which one field is taken, lists made and unmade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import Query
from tests.lineage.oracle.world import Column

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import QueryMaker, Visible

_COMPREHENSIONS = (
    "list_sum([e * 2 FOR e IN [{0}, {1}]])",
    "list_sum([e + 1000 FOR e IN [{0}, {1}] IF e > {2}])",
    "list_sum(list_transform([{0}, {1}], e -> e + {2}))",
    "list_max(list_filter([{0}, {1}], e -> e <> {2}))",
)


def struct_fields(maker: QueryMaker, depth: int) -> Query:
    """A struct is made in one query and taken apart in the next, one field of it left out."""
    source, alias = maker.from_clause(depth), maker.alias()
    one, left_out, other = (maker.random.choice(source.visible) for _ in range(3))
    struct = f"{{'p': {one.text}, 'q': {left_out.text}, 'r': {{'s': {other.text}}}}}"
    inner = f"SELECT {struct} AS made {source.sql}"
    columns = (one.column.renamed(maker.name()), other.column.renamed(maker.name()))
    shown = f"{alias}.made.p AS {columns[0].name}, made.r.s AS {columns[1].name}"
    return Query(f"SELECT {shown} FROM ({inner}) AS {alias}", columns)


def unnested(maker: QueryMaker, depth: int) -> Query:
    source, alias = maker.from_clause(depth), maker.alias()
    one, other, key = (maker.random.choice(source.visible) for _ in range(3))
    columns = (key.column.renamed(maker.name()), _of(maker, one, other))
    items = f"{key.text} AS {columns[0].name}"
    made = f"[{one.text}, {other.text}]"
    match maker.random.choice(("list", "from", "lateral")):
        case "list":
            sql = f"SELECT {items}, unnest({made}) AS {columns[1].name} {source.sql}"
        case "from":
            sql = f"SELECT {items}, {alias}.item AS {columns[1].name} {source.sql}"
            sql += f", unnest({made}) AS {alias}(item)"
        case _:
            sql = f"SELECT {items}, item AS {columns[1].name} {source.sql}"
            sql += f" CROSS JOIN LATERAL (SELECT unnest({made}) AS item) AS {alias}"
    return Query(sql, columns)


def comprehension(maker: QueryMaker, depth: int) -> Query:
    source = maker.from_clause(depth)
    form = maker.random.choice(_COMPREHENSIONS)
    picked = maker.picked(source.visible)
    if len(picked) < 3:
        form, picked = _COMPREHENSIONS[0], [picked[0], picked[-1], picked[-1]]
    used = picked[: 3 if "{2}" in form else 2]
    column = _of(maker, *used)
    text = form.format(*(item.text for item in picked))
    return Query(f"SELECT {text} AS {column.name} {source.sql}{maker.where(source)}", (column,))


def _of(maker: QueryMaker, *parts: Visible) -> Column:
    return Column(
        maker.name(), roots=frozenset[str]().union(*(part.column.roots for part in parts))
    )
