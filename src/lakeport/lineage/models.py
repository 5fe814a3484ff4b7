"""The models of a project, bound one after the other in an order that the caller knows.

Their trees come from `references.read_query`, so nothing is parsed twice; their tables were found by the
caller, who gives each its full name. After each model the caller may say what the table really has
(`declare`): a table that only grows has more columns than the query that fills it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from sqlglot import exp

from lakeport.lineage.analyze import Undisturbed, open_session
from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.globalgraph import owners_of
from lakeport.lineage.request import (
    AnalyzeRequest,
    ColumnSchema,
    Options,
    SchemaMetadata,
    SchemaTable,
)
from lakeport.lineage.statement import Analysed, analyse_statement
from lakeport.lineage.text import SourceText
from lakeport.lineage.workload import Statement

if TYPE_CHECKING:
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.names import Name
    from lakeport.lineage.references import QueryText

_VALUES = frozenset({"data_flow", "derivation"})

RowUse: TypeAlias = Literal["filter", "join", "group", "order"]
"""What a query does with a column to choose, match, gather or sort its rows."""

_USES: dict[str | None, RowUse] = {
    "FILTER": "filter",
    "JOIN": "join",
    "GROUP_BY": "group",
    "SORT": "order",
}


@dataclass(frozen=True, slots=True)
class Declared:
    """A table by namespace and name, its columns with types in Spark's words, None where not known."""

    namespace: str
    table: str
    columns: tuple[tuple[str, str | None], ...]
    complete: bool = True

    @property
    def name(self) -> tuple[str, str]:
        return self.namespace, self.table


@dataclass(frozen=True, slots=True)
class Origin:
    """A column of a table that a value comes from; tables in lower case, as lineage knows them."""

    table: tuple[str, ...]
    column: str
    target: str
    approximate: bool


@dataclass(frozen=True, slots=True)
class Decider:
    """A column of a table that decides about rows, whether or not any value comes from it."""

    table: tuple[str, ...]
    column: str
    use: RowUse
    approximate: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """What a model makes. `complete` is False where columns may be missing from the list."""

    columns: tuple[tuple[str, str | None], ...]
    complete: bool
    origins: tuple[Origin, ...]
    deciders: tuple[Decider, ...] = ()


class ModelBinder:
    """A session over all models; used as a context, inside of which no garbage is collected."""

    def __init__(self, imported: Iterable[Declared]) -> None:
        tables = [
            SchemaTable(
                name=table.table,
                schema=table.namespace,
                columns=[ColumnSchema(name=name, data_type=type_) for name, type_ in table.columns],
                columns_complete=table.complete,
            )
            for table in imported
        ]
        request = AnalyzeRequest(
            dialect="spark",
            encoding="codepoint",
            options=Options(unknown_table_policy="never", include_indirect=True),
            schema=SchemaMetadata(tables=tables),
        )
        self._session = open_session(request, [])
        self._undisturbed = Undisturbed()
        self._count = 0

    def __enter__(self) -> Self:
        self._undisturbed.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._undisturbed.__exit__(kind, error, trace)

    @property
    def issues(self) -> list[Issue]:
        """Of all models so far; `statement_index` counts `bind`s, spans are code points."""
        return self._session.issues

    def declare(self, table: Declared) -> None:
        """What models bound from now on see of a table."""
        session = self._session
        name = tuple(session.folding.table(part) for part in table.name)
        columns = [
            ColumnEntry(
                column,
                session.folding.column(column),
                "implied",
                data_type=type_,
                type_origin="declared" if type_ else None,
            )
            for column, type_ in table.columns
        ]
        entry = TableEntry(
            name, table.name, columns, "implied", complete=table.complete, inference="ddl"
        )
        session.registry.define(entry)

    def bind(
        self, query: QueryText, builds: tuple[str, str], reads: Sequence[tuple[str, ...]], path: str
    ) -> Bound:
        """`reads` are the full names of `query.tables`, in the same order."""
        assert query.chunk is not None  # noqa: S101 - a query with trouble is not bound
        assert query.parsed is not None  # noqa: S101 - the same
        for use, parts in zip(query.tables, reads, strict=True):
            _rename(use.node, parts)
        source = SourceText(query.text, path, "codepoint")
        statement = Statement(self._count, source, query.chunk, query.parsed, builds=builds)
        self._count += 1
        name = tuple(self._session.folding.table(part) for part in builds)
        held = self._session.registry.implied.get(name)
        if held is not None:  # declared for a model that reads its own table: no other builds it
            held.source_name = path
        analysed = analyse_statement(self._session, statement)
        entry = self._session.registry.implied.get(name)
        columns = tuple((one.name, one.data_type) for one in entry.columns) if entry else ()
        behind = _Behind(analysed)
        return Bound(
            columns,
            complete=entry is not None and entry.complete,
            origins=behind.origins(name),
            deciders=behind.deciders(),
        )


def _rename(node: exp.Table, parts: tuple[str, ...]) -> None:
    """In place; the last part keeps its place in the text, where issues point to."""
    written = node.this
    while isinstance(written, exp.Dot):
        written = written.expression
    for key, part in zip(("this", "db", "catalog"), reversed(parts), strict=False):
        node.set(key, exp.Identifier(this=part, quoted=False))
    for key in ("db", "catalog")[len(parts) - 1 :]:
        node.set(key, None)
    if written._meta:  # noqa: SLF001 - `meta` would allocate a dict per node
        node.this._meta = dict(written._meta)  # noqa: SLF001 - the same


class _Behind:
    """The edges of one statement, walked back to columns of tables through whatever is between."""

    def __init__(self, analysed: Analysed) -> None:
        self._edges = analysed.lineage.edges
        self._owners = owners_of(self._edges)
        self._labels = {node.id: node.label for node in analysed.lineage.nodes}
        self._tables = analysed.names
        self._renewed = analysed.renewed
        self._incoming: dict[str, list[tuple[str, bool]]] = {}
        for edge in self._edges:
            if edge.edge_type in _VALUES:
                self._incoming.setdefault(edge.target, []).append((edge.source, edge.approximate))

    def origins(self, target: Name) -> tuple[Origin, ...]:
        """The columns of tables behind each column of the target."""
        made = {
            own for own, name in self._tables.items() if name == target and own in self._renewed
        }
        found: dict[tuple[Name, str, str], bool] = {}
        for column, owner in self._owners.items():
            if owner not in made:
                continue
            for source, approximate in self._sources(column):
                key = (*self._named(source), self._labels[column])
                found[key] = found.get(key, True) and approximate
        return tuple(
            Origin(table, source, column, approximate)
            for (table, source, column), approximate in found.items()
        )

    def deciders(self) -> tuple[Decider, ...]:
        """The columns of tables behind each condition, key and order of the query."""
        found: dict[tuple[Name, str, RowUse], bool] = {}
        for edge in self._edges:
            use = _USES.get(edge.operation)
            if edge.edge_type != "indirect_dependency" or use is None:
                continue
            top = self._top(edge.source)
            is_table = self._owners.get(top) in self._tables
            behind = [(top, False)] if is_table else self._sources(edge.source)
            for source, approximate in behind:
                key = (*self._named(source), use)
                found[key] = found.get(key, True) and (approximate or edge.approximate)
        return tuple(
            Decider(table, column, use, approximate)
            for (table, column, use), approximate in found.items()
        )

    def _named(self, column: str) -> tuple[Name, str]:
        return self._tables[self._owners[column]], self._labels[column]

    def _top(self, column: str) -> str:
        """A field of a column counts as the column."""
        while self._owners.get(column) in self._owners:
            column = self._owners[column]
        return column

    def _sources(self, column: str) -> Iterable[tuple[str, bool]]:
        """Columns of tables, and whether the way there is a guess."""
        pending = [(column, False)]
        seen = set(pending)
        while pending:
            at, guessed = pending.pop()
            for source, approximate in self._incoming.get(at, ()):
                step = (source, guessed or approximate)
                top = self._top(source)
                if self._owners.get(top) in self._tables:
                    yield top, step[1]
                elif step not in seen:
                    seen.add(step)
                    pending.append(step)
                    if top != source and (top, step[1]) not in seen:
                        # A field of a local column is made of what the column is made of.
                        seen.add((top, step[1]))
                        pending.append((top, step[1]))
