"""The tables of a query's tree, each with its place in the text and the expressions that call it by name.

Scopes are followed as Spark does: a CTE hides a table of its name, a qualifier means the nearest relation
that goes by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from lakeport.core.names import fold
from lakeport.lineage.bind.written_names import name_parts
from lakeport.lineage.identifier_clause import is_dynamic

_PATHS = re.compile(r"[/:]")


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A table's name in front of a column: of `parts` parts, from `start` to before `end`."""

    start: int
    end: int
    parts: int


@dataclass(slots=True)
class TableUse:
    """A table that is read. `alias_at` is where an alias could be put, None if there is one or no room.

    `travels` is time travel (`VERSION AS OF`). `lead` must come before another name that takes this
    one's place: `TABLE t` is a query of its own. `is_only` says that no other relation of the query goes
    by the last part of its name.
    """

    parts: tuple[str, ...]
    start: int
    end: int
    node: exp.Table
    alias_at: int | None
    travels: bool = False
    lead: str = ""
    is_aliased: bool = False
    is_only: bool = True
    qualifiers: list[Qualifier] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Use:
    """A parameter, or a name that only a run could tell."""

    name: str
    start: int
    end: int


@dataclass(slots=True)
class _Scope:
    """The relations of one SELECT, each by what expressions may call it."""

    parent: _Scope | None
    named: list[tuple[str, TableUse | None]] = field(default_factory=list)


_Step: TypeAlias = tuple[exp.Expr, _Scope, frozenset[str]]


def _with_ctes(
    clause: exp.Expr, scope: _Scope, ctes: frozenset[str], pending: list[_Step]
) -> frozenset[str]:
    """Each CTE is seen by those after it, and by itself if it may be recursive."""
    recursive = bool(clause.args.get("recursive"))
    for cte in clause.expressions:
        visible = ctes | {fold(cte.alias)}
        pending.append((cte.this, scope, visible if recursive else ctes))
        ctes = visible
    return ctes


def _inside(node: exp.Expr) -> Iterator[exp.Expr]:
    for key, value in node.args.items():
        if key in _SKIPPED:
            continue
        if value.__class__ is list:
            yield from (item for item in value if isinstance(item, exp.Expr))
        elif isinstance(value, exp.Expr) and value.__class__ is not exp.Identifier:
            yield value


class Walk:
    """One pass over the tree; expressions are looked at when every relation is known."""

    def __init__(
        self, text: str, clauses: list[tuple[int, int]], table_words: dict[int, int]
    ) -> None:
        self._text = text
        self._clauses = clauses
        self._table_words = table_words
        self._uses: dict[tuple[int, int], TableUse] = {}
        self._columns: list[tuple[exp.Expr, _Scope]] = []
        self._names: dict[str, int] = {}
        self.computed: list[Use] = []

    def tables(self) -> list[TableUse]:
        for column, scope in self._columns:
            self._address(column, scope)
        found = sorted(self._uses.values(), key=lambda use: use.start)
        # A clause that is constant has become a name.
        self.computed = [
            one for one in self.computed if all(one.start != use.start for use in found)
        ]
        for use in found:
            use.is_only = self._names.get(fold(use.parts[-1]), 0) <= 1
            use.qualifiers.sort(key=lambda one: one.start)
        return found

    def run(self, tree: exp.Expr) -> None:
        pending: list[_Step] = [(tree, _Scope(None), frozenset())]
        while pending:
            node, scope, ctes = pending.pop()
            if node.args.get("with_") is not None:
                ctes = _with_ctes(node.args["with_"], scope, ctes, pending)
            kind = node.__class__
            if kind is exp.Column:
                if node.args.get("table") is not None:
                    self._columns.append((node, scope))
                continue
            if kind is exp.Select:
                scope = _Scope(scope)
            elif kind is exp.Table:
                self._table(node, scope, ctes)
            elif node.args.get("alias").__class__ is exp.TableAlias:
                self._name(scope, node.args["alias"].name, None)
            pending += [(inner, scope, ctes) for inner in _inside(node)]

    def _name(self, scope: _Scope, name: str, use: TableUse | None) -> None:
        folded = fold(name)
        scope.named.append((folded, use))
        self._names[folded] = self._names.get(folded, 0) + 1

    def _table(self, node: exp.Expr, scope: _Scope, ctes: frozenset[str]) -> None:
        alias = node.args.get("alias")
        called = alias.name if alias is not None else ""
        parts = name_parts(node)
        if not parts or any(part.__class__ is not exp.Identifier for part in parts):
            self._compute(node)
            if called:
                self._name(scope, called, None)
            return
        names = tuple(part.name for part in parts)
        if (len(names) == 1 and fold(names[0]) in ctes) or (
            len(names) == 2 and _PATHS.search(names[1])
        ):
            self._name(scope, called or names[-1], None)
            return
        span = self._span(parts)
        if span is None:
            return
        if any(map(is_dynamic, names)):
            self.computed.append(Use(self._text[slice(*span)], *span))
            self._name(scope, called or names[-1], None)
            return
        use = self._uses.get(span)
        if use is None:
            use = self._uses[span] = self._use(node, names, span, aliased=bool(called))
        self._name(scope, called or names[-1], None if called else use)

    def _use(
        self, node: exp.Expr, names: tuple[str, ...], span: tuple[int, int], *, aliased: bool
    ) -> TableUse:
        assert isinstance(node, exp.Table)  # noqa: S101 - what it was called for
        start, end = span
        travels = node.args.get("version") is not None or node.args.get("when") is not None
        word = self._table_words.get(start)
        if word is not None:
            lead = "SELECT * FROM "
            return TableUse(names, word, end, node, None, travels=travels, lead=lead)
        alias_at = None if aliased or travels else self._after_sample(node, end)
        return TableUse(names, start, end, node, alias_at, travels=travels, is_aliased=aliased)

    def _after_sample(self, node: exp.Table, end: int) -> int:
        """An alias comes after TABLESAMPLE."""
        if node.args.get("sample") is None:
            return end
        found = _SAMPLE.match(self._text, end)
        return end if found is None else found.end()

    def _compute(self, node: exp.Expr) -> None:
        for part in name_parts(node):
            if part.__class__ is exp.Anonymous and part.name.upper() == "IDENTIFIER":
                for start, end in self._clauses:
                    self.computed.append(Use(self._text[start:end], start, end))
                return

    def _span(self, parts: Sequence[exp.Expr]) -> tuple[int, int] | None:
        """Of a name; one that stands in IDENTIFIER(…) reaches from end to end of that."""
        start, end = len(self._text), -1
        for part in parts:
            meta = part._meta  # noqa: SLF001 - `meta` would allocate a dict per node
            if not meta or "start" not in meta:
                continue
            first, last = meta["start"], meta["end"] + 1
            for opened, closed in self._clauses:
                if opened <= first and last <= closed:
                    first, last = opened, closed
            start, end = min(start, first), max(end, last)
        return (start, end) if end > 0 else None

    def _address(self, column: exp.Expr, scope: _Scope | None) -> None:
        """Find the relation that a qualified column belongs to, from the inside out."""
        parts = [part for part in column.parts if part.__class__ is exp.Identifier]  # type: ignore[attr-defined] # of a Column
        names = [fold(part.name) for part in parts]
        # What follows may be the column: in a star, or beyond four parts, it is no part of these.
        more = column.this.__class__ is exp.Star or column.parent.__class__ is exp.Dot
        longest = len(names) if more else len(names) - 1
        while scope is not None:
            for count in range(longest, 0, -1):
                use = _called(scope, names[:count])
                if use is None:
                    continue
                span = self._span(parts[:count])
                if isinstance(use, TableUse) and span is not None:
                    use.qualifiers.append(Qualifier(*span, count))
                return
            scope = scope.parent
        # Pipes are read as nested queries, though a table's name reaches through them.
        for count in range(longest, 1, -1):
            fitting = [use for use in self._uses.values() if _is_called(use, names[:count])]
            span = self._span(parts[:count])
            if len(fitting) == 1 and span is not None:
                fitting[0].qualifiers.append(Qualifier(*span, count))
                return


_SKIPPED = frozenset({"with_", "hint", "db", "catalog"})
_GAP = r"(?:\s|--[^\n]*+\n|(?>/\*.*?\*/))*+"
_SAMPLE = re.compile(
    rf"(?is){_GAP}tablesample{_GAP}\([^()]*(?:\([^()]*\)[^()]*)*\)(?:{_GAP}repeatable{_GAP}\([^()]*\))?"
)


def _called(scope: _Scope, names: list[str]) -> TableUse | bool | None:
    """The table that goes by a name of some parts; True if something else does."""
    for name, use in scope.named:
        if name != names[-1]:
            continue
        if use is None:
            if len(names) == 1:
                return True
            continue
        if _is_called(use, names):
            return use
    return None


def _is_called(use: TableUse, names: list[str]) -> bool:
    written = [fold(part) for part in use.parts]
    return not use.is_aliased and names[-len(written) :] == written[-len(names) :]
