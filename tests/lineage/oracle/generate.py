"""Random queries over random tables, such that every direct term can matter.

Nothing here knows lineage: the maker only writes SQL that DuckDB can run. What would make a term
invisible is not generated: `x - x`, constant conditions, LIMIT, `row_number()` (its values do not
depend on the order), DISTINCT over several columns (a column's multiset then depends on its
neighbours), COALESCE over a column that is never NULL, a window over a constant, two terms of one
expression that hold the same values.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from tests.lineage.oracle.world import ROWS, Column, Scenario, Table, random_rows

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Visible:
    """A column in scope: how to write it and what it holds."""

    text: str
    column: Column


@dataclass(slots=True)
class Source:
    sql: str
    visible: list[Visible]


@dataclass(slots=True)
class Query:
    sql: str
    columns: tuple[Column, ...]


def make_scenario(seed: str) -> Scenario:
    return QueryMaker(Random(seed)).scenario()  # noqa: S311  a test's seed, not a secret


@dataclass(slots=True)
class QueryMaker:
    random: Random
    tables: tuple[Table, ...] = ()
    ctes: list[tuple[str, Query]] = field(default_factory=list)
    aliases: int = 0
    names: int = 0

    def scenario(self) -> Scenario:
        self.tables = tuple(self.table(number) for number in range(self.random.randint(2, 3)))
        bodies = []
        for number in range(self.random.choice((0, 0, 1, 2))):
            query = self.query(depth=1)
            self.ctes.append((f"c{number}", query))
            bodies.append(f"c{number} AS ({query.sql})")
        final = self.query(depth=2)
        prefix = f"WITH {', '.join(bodies)} " if bodies else ""
        return Scenario(self.tables, prefix + final.sql)

    def table(self, number: int) -> Table:
        columns = [Column("k", small=True)]
        for position in range(self.random.randint(2, 3)):
            # Names repeat over tables on purpose: qualifiers have to be understood.
            name = f"v{position}" if self.random.random() < 0.4 else f"{'xyz'[number]}{position}"
            columns.append(Column(name, small=position == 0, nullable=position > 0))
        rows = random_rows(columns, ROWS, self.random)
        rooted = [replace(c, roots=frozenset({f"t{number}.{c.name}"})) for c in columns]
        return Table(f"t{number}", tuple(rooted), rows)

    def query(self, depth: int) -> Query:
        return self.random.choice(self.kinds())(depth)

    def kinds(self) -> list[Callable[[int], Query]]:
        kinds: list[Callable[[int], Query]] = [self._select] * 6
        kinds += [self._grouped] * 3 + [self._star] * 2 + [self._union_all] * 2
        return [*kinds, self._one_column_set]

    def _select(self, depth: int) -> Query:
        source = self.from_clause(depth)
        columns: list[Column] = []
        items: list[str] = []
        aliases: list[Visible] = []
        for _ in range(self.random.randint(1, 3)):
            name = self.name()
            pool = source.visible + (aliases if self.random.random() < 0.2 else [])
            text, column = self.expression(pool)
            items.append(f"{text} AS {name}")
            columns.append(column.renamed(name))
            if "SELECT" not in text and "OVER" not in text:  # DuckDB reuses no such alias
                aliases.append(Visible(name, column))
        return Query(f"SELECT {', '.join(items)} {source.sql}{self.where(source)}", tuple(columns))

    def _grouped(self, depth: int) -> Query:
        source = self.from_clause(depth)
        key = self.random.choice(source.visible)
        name = self.name()
        items, columns = [f"{key.text} AS {name}"], [key.column.renamed(name)]
        for _ in range(self.random.randint(1, 2)):
            name = self.name()
            text, roots = self._aggregate(source.visible)
            items.append(f"{text} AS {name}")
            columns.append(Column(name, roots=roots | key.column.roots))
        having = ""
        if self.random.random() < 0.25:
            having = f" HAVING max({self.random.choice(source.visible).text}) > 1"
        where = self.where(source)
        sql = f"SELECT {', '.join(items)} {source.sql}{where} GROUP BY {key.text}{having}"
        return Query(sql, tuple(columns))

    def _star(self, _depth: int) -> Query:
        table = self.random.choice(self.tables)
        modifier = ""
        columns = list(table.columns)
        dropped = columns[-1]
        match self.random.choice(("plain", "exclude", "replace")):
            case "exclude":
                modifier = f" EXCLUDE ({dropped.name})"
                columns.pop()
            case "replace":
                first = columns[0]
                modifier = f" REPLACE ({first.name} + 2 * {dropped.name} AS {first.name})"
                columns[0] = Column(first.name, nullable=True, roots=first.roots | dropped.roots)
        source = Source(f"FROM {table.name}", [Visible(c.name, c) for c in table.columns])
        return Query(f"SELECT *{modifier} {source.sql}{self.where(source)}", tuple(columns))

    def _union_all(self, depth: int) -> Query:
        first, second = self._select(depth - 1), self._select(depth - 1)
        width = min(len(first.columns), len(second.columns))
        left, right = self.cut(first, width), self.cut(second, width)
        columns = tuple(
            Column(
                a.name,
                small=a.small and b.small,
                nullable=a.nullable or b.nullable,
                varies=a.varies or b.varies,
                roots=a.roots | b.roots,
            )
            for a, b in zip(first.columns[:width], second.columns[:width], strict=True)
        )
        return Query(f"{left} UNION ALL {right}", columns)

    def _one_column_set(self, depth: int) -> Query:
        first, second = self._plain_column(depth), self._plain_column(depth)
        operator = self.random.choice(("UNION", "INTERSECT", "EXCEPT"))
        if first.columns[0].roots & second.columns[0].roots:
            operator = "UNION ALL"  # a branch whose values the other always has would not show
        [one], [other] = first.columns, second.columns
        columns = (replace(one, roots=one.roots | other.roots),)
        return Query(f"{first.sql} {operator} {second.sql}", columns)

    def _plain_column(self, depth: int) -> Query:
        source = self.from_clause(min(depth, 0))
        small = [visible for visible in source.visible if visible.column.small]
        chosen = self.random.choice(small or source.visible)
        name = self.name()
        sql = f"SELECT {chosen.text} AS {name} {source.sql}{self.where(source)}"
        return Query(sql, (chosen.column.renamed(name),))

    def cut(self, query: Query, width: int) -> str:
        if width == len(query.columns):
            return query.sql
        kept = ", ".join(column.name for column in query.columns[:width])
        return f"SELECT {kept} FROM ({query.sql}) AS {self.alias()}"

    def from_clause(self, depth: int) -> Source:
        source = self._relation(depth)
        if self.random.random() < 0.55:
            source = self._join(source, self._relation(depth - 1))
        return Source(f"FROM {source.sql}", source.visible)

    def small_source(self, depth: int) -> Source:
        """A FROM clause of several columns, of which one at least has values that joins find."""
        while True:
            source = self.from_clause(depth)
            if len(source.visible) > 1 and any(v.column.small for v in source.visible):
                return source

    def _relation(self, depth: int) -> Source:
        alias = self.alias()
        if depth > 0 and self.random.random() < 0.35:
            query = self.query(depth - 1)
            return self.aliased(f"({query.sql})", alias, query.columns)
        if self.ctes and self.random.random() < 0.4:
            name, query = self.random.choice(self.ctes)
            return self.aliased(name, alias, query.columns)
        table = self.random.choice(self.tables)
        return self.aliased(table.name, alias, table.columns)

    @staticmethod
    def aliased(sql: str, alias: str, columns: tuple[Column, ...]) -> Source:
        visible = [Visible(f"{alias}.{column.name}", column) for column in columns]
        return Source(f"{sql} AS {alias}", visible)

    def _join(self, left: Source, right: Source) -> Source:
        lefts = [visible for visible in left.visible if visible.column.small]
        rights = [visible for visible in right.visible if visible.column.small]
        if not lefts or not rights:
            return left
        if _has_key(left) and _has_key(right) and self.random.random() < 0.4:
            return self._using(left, right)
        kind = self.random.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"))
        one, other = self.random.choice(lefts), self.random.choice(rights)
        if kind == "ANTI JOIN" and one.column.roots & other.column.roots:
            kind = "JOIN"  # a column always finds itself: nothing would be left
        condition = f"{one.text} = {other.text}"
        visible = list(left.visible)
        if kind not in {"SEMI JOIN", "ANTI JOIN"}:
            visible += right.visible
        return Source(f"{left.sql} {kind} {right.sql} ON {condition}", visible)

    def _using(self, left: Source, right: Source) -> Source:
        kind = self.random.choice(("JOIN", "LEFT JOIN", "FULL JOIN"))
        keys = [v.column for v in left.visible + right.visible if v.column.name == "k"]
        merged = Visible("k", replace(keys[0], roots=keys[0].roots | keys[1].roots, nullable=False))
        others = [v for v in left.visible + right.visible if v.column.name != "k"]
        return Source(f"{left.sql} {kind} {right.sql} USING (k)", [merged, *others])

    def where(self, source: Source) -> str:
        # A filter on a column with NULLs would leave COALESCE nothing to do.
        full = [visible for visible in source.visible if not visible.column.nullable]
        if not full or self.random.random() < 0.5:
            return ""
        column = self.random.choice(full)
        if self.random.random() < 0.2:
            table = self.random.choice(self.tables)
            inner = self.alias()
            # One more than the key: after an anti join on the key itself, nothing would be left.
            test = f"SELECT {inner}.k + 1 FROM {table.name} AS {inner} WHERE {inner}.k < 4"
            return f" WHERE {column.text} IN ({test})"
        limit = 1 if column.column.small else -20
        return f" WHERE {column.text} > {limit}"

    def _aggregate(self, visible: list[Visible]) -> tuple[str, frozenset[str]]:
        chosen = self.random.choice(visible)
        others = self.apart(visible, chosen)
        match self.random.choice(("sum", "min", "max", "count", "all", "filter")):
            case "all":
                return "count(*)", frozenset()
            case "filter" if others:
                test = self.random.choice(others)
                text = f"sum({chosen.text}) FILTER (WHERE {test.text} > 1)"
                return text, chosen.column.roots | test.column.roots
            case "min" | "max" as function:
                return f"{function}({chosen.text})", chosen.column.roots
            case "count" if chosen.column.nullable or chosen.column.small:
                return f"count({chosen.text})", chosen.column.roots
            case _:
                return f"sum({chosen.text})", chosen.column.roots

    @staticmethod
    def apart(visible: list[Visible], *chosen: Visible) -> list[Visible]:
        """The columns that vary and share nothing with those already chosen."""
        taken = frozenset[str]().union(*(item.column.roots for item in chosen))
        return [v for v in visible if v.column.varies and not v.column.roots & taken]

    def picked(self, visible: list[Visible]) -> list[Visible]:
        """Up to three columns that share nothing."""
        picked = [self.random.choice(visible)]
        while len(picked) < 3 and (others := self.apart(visible, *picked)):
            picked.append(self.random.choice(others))
        return picked

    def expression(self, visible: list[Visible]) -> tuple[str, Column]:
        picked = self.picked(visible)
        one = picked[0]
        kinds = ["plain", "plain", "scale", "scalar", "correlated"]
        kinds += ["add", "window"] if len(picked) > 1 else []
        kinds += ["coalesce"] if len(picked) > 1 and one.column.nullable else []
        kinds += ["case", "ordered"] if len(picked) > 2 else []
        kind = self.random.choice(kinds)
        if kind == "plain":
            return one.text, one.column
        if kind in {"scalar", "correlated"}:
            return self._subquery(one, correlated=kind == "correlated")
        text, used = _computed(kind, [item.text for item in picked])
        terms = [item.column for item in picked[:used]]
        column = Column(
            "",
            nullable=kind in {"scale", "add"} and any(term.nullable for term in terms),
            varies=any(term.varies for term in terms),
            roots=frozenset[str]().union(*(term.roots for term in terms)),
        )
        return text, column

    def _subquery(self, outer: Visible, *, correlated: bool) -> tuple[str, Column]:
        table = self.random.choice(self.tables)
        alias = self.alias()
        value = self.random.choice(table.columns[1:])
        correlated = correlated and outer.column.small
        condition = f" WHERE {alias}.k = {outer.text}" if correlated else ""
        text = f"(SELECT sum({alias}.{value.name}) FROM {table.name} AS {alias}{condition})"
        roots = value.roots | (outer.column.roots if correlated else frozenset())
        return text, Column("", varies=correlated, roots=roots)

    def alias(self) -> str:
        self.aliases += 1
        return f"q{self.aliases}"

    def name(self) -> str:
        self.names += 1
        return f"o{self.names}"


def _has_key(source: Source) -> bool:
    """Exactly one `k`, so that USING (k) is not ambiguous."""
    return sum(visible.column.name == "k" for visible in source.visible) == 1


def _computed(kind: str, texts: list[str]) -> tuple[str, int]:
    """The expression and how many of the terms it uses."""
    match kind:
        case "scale":
            return f"abs({texts[0]} - 3)", 1
        case "add":
            return f"{texts[0]} + 3 * {texts[1]}", 2
        case "coalesce":
            return f"coalesce({texts[0]}, {texts[1]})", 2
        case "case":
            return f"CASE WHEN {texts[0]} % 3 = 1 THEN {texts[1]} ELSE {texts[2]} END", 3
        case "window":
            return f"sum({texts[0]}) OVER (PARTITION BY {texts[1]})", 2
        case _:
            return f"sum({texts[0]}) OVER (PARTITION BY {texts[1]} ORDER BY {texts[2]})", 3
