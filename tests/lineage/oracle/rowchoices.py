"""Queries that choose rows: QUALIFY, DISTINCT ON, and EXISTS or IN in whatever clause."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import Query
from tests.lineage.oracle.world import Column

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import QueryMaker, Source


def qualified(maker: QueryMaker, depth: int) -> Query:
    source = maker.from_clause(depth)
    items, columns = plain_items(maker, source)
    part, order = (maker.random.choice(source.visible).text for _ in range(2))
    test = f"rank() OVER (PARTITION BY {part} ORDER BY {order}) <= 2"
    return Query(f"SELECT {items} {source.sql}{maker.where(source)} QUALIFY {test}", columns)


def distinct_on(maker: QueryMaker, depth: int) -> Query:
    source = maker.from_clause(depth)
    items, columns = plain_items(maker, source)
    key = maker.random.choice(source.visible).text
    order = ", ".join(visible.text for visible in source.visible)
    sql = f"SELECT DISTINCT ON ({key}) {items} {source.sql} ORDER BY {order}"
    # In brackets: a branch of a set operation cannot be sorted.
    return Query(f"SELECT * FROM ({sql}) AS {maker.alias()}", columns)


def in_any_clause(maker: QueryMaker, depth: int) -> Query:
    """A predicate that asks another table, in a clause or in the select list."""
    source = maker.from_clause(depth)
    items, columns = plain_items(maker, source)
    test = _predicate(maker, source)
    match maker.random.choice(("where", "join", "qualify", "having", "case", "filter")):
        case "where":
            return Query(f"SELECT {items} {source.sql} WHERE {test}", columns)
        case "join":
            table, alias = maker.random.choice(maker.tables), maker.alias()
            joined = f"{source.sql} JOIN {table.name} AS {alias} ON {alias}.k < 2 AND {test}"
            return Query(f"SELECT {items} {joined}", columns)
        case "qualify":
            order = maker.random.choice(source.visible).text
            chosen = f"rank() OVER (ORDER BY {order}) <= 3 OR {test}"
            return Query(f"SELECT {items} {source.sql} QUALIFY {chosen}", columns)
        case "having":
            key = maker.random.choice(source.visible)
            name = maker.name()
            chosen = f"max({key.text}) IN (SELECT k FROM {maker.random.choice(maker.tables).name})"
            sql = f"SELECT {key.text} AS {name} {source.sql} GROUP BY ALL HAVING {chosen}"
            return Query(sql, (key.column.renamed(name),))
        case "case":
            text, chosen_by = _case(maker, source, test)
            name = maker.name()
            sql = f"SELECT {items}, {text} AS {name} {source.sql}"
            return Query(sql, (*columns, chosen_by.renamed(name)))
        case _:
            value = maker.random.choice(source.visible)
            name = maker.name()
            sql = f"SELECT sum({value.text}) FILTER (WHERE {test}) AS {name} {source.sql}"
            return Query(sql, (Column(name, varies=False, roots=value.column.roots),))


def plain_items(maker: QueryMaker, source: Source) -> tuple[str, tuple[Column, ...]]:
    """One to three columns as they are."""
    chosen = maker.random.sample(
        source.visible, k=min(len(source.visible), maker.random.randint(1, 3))
    )
    columns = tuple(visible.column.renamed(maker.name()) for visible in chosen)
    pairs = zip(chosen, columns, strict=True)
    return ", ".join(f"{visible.text} AS {column.name}" for visible, column in pairs), columns


def _predicate(maker: QueryMaker, source: Source) -> str:
    table, alias = maker.random.choice(maker.tables), maker.alias()
    small = [v for v in source.visible if v.column.small and "." in v.text]
    outer = maker.random.choice(small or source.visible).text
    match maker.random.choice(("exists", "not exists", "in", "correlated in", "scalar", "any")):
        case "in":
            return f"{outer} IN (SELECT {alias}.k FROM {table.name} AS {alias})"
        case "correlated in":
            other = maker.random.choice(source.visible).text
            inner = f"SELECT {alias}.k FROM {table.name} AS {alias} WHERE {alias}.k <> {other}"
            return f"{outer} IN ({inner})"
        case "scalar":
            inner = f"SELECT max({alias}.k) FROM {table.name} AS {alias} WHERE {alias}.k < 4"
            return f"{outer} < ({inner})"
        case "any":
            return f"{outer} > ANY (SELECT {alias}.k FROM {table.name} AS {alias})"
        case word:
            inner = f"SELECT 1 FROM {table.name} AS {alias} WHERE {alias}.k = {outer}"
            return f"{word.upper()} ({inner})"


def _case(maker: QueryMaker, source: Source, test: str) -> tuple[str, Column]:
    """A CASE that the predicate decides, and what it yields."""
    one = maker.random.choice(source.visible)
    other = next(iter(maker.apart(source.visible, one)), None)
    if other is None:
        return f"CASE WHEN {test} THEN {one.text} ELSE -900 END", replace(one.column, small=False)
    text = f"CASE WHEN {test} THEN {one.text} ELSE 3 * {other.text} END"
    return text, Column("", roots=one.column.roots | other.column.roots)
