"""The models of a project in their order, with what each reads and which columns it makes.

Names are the project's: `Node.table` is the one an environment maps it to, and `Query.rewritten` puts
other names in the place of those that a query reads, character for character.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lakeport.core.names import TableName
from lakeport.lineage.models import RowUse
from lakeport.pipeline.graph.renaming import applied, edits_for
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.project.model import Audit, Model
from lakeport.pipeline.project.problems import Place

ReferenceKind: TypeAlias = Literal["model", "source", "catalog", "self"]
"""`self` is a model that reads the table it builds."""

IssueSeverity: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A table's name before a column (`shop.orders.id`): offsets in the text, and of how many parts."""

    start: int
    end: int
    parts: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A table's name where a query reads it; `start` and `end` are offsets in `Query.sql`.

    `suffix` is what follows the table inside of the name (a branch, a tag, a metadata table) and stays.
    `travels` is a read of an older snapshot. The rest is what it takes to put another name there:
    `alias_at` where an alias can be added, None if there is one or no room; `lead` what must come before
    another name (`TABLE t` is a query of its own); `is_only` that no other relation is called alike.
    """

    parts: tuple[str, ...]
    start: int
    end: int
    table: TableName
    kind: ReferenceKind
    place: Place
    suffix: tuple[str, ...] = ()
    travels: bool = False
    alias_at: int | None = None
    lead: str = ""
    is_only: bool = True
    qualifiers: tuple[Qualifier, ...] = ()


@dataclass(frozen=True, slots=True)
class ParameterUse:
    """`:name` in a query."""

    name: str
    start: int
    end: int
    place: Place


@dataclass(frozen=True, slots=True)
class Query:
    """SQL text, the tables it names and the parameters it takes."""

    sql: str
    references: tuple[Reference, ...] = ()
    parameters: tuple[ParameterUse, ...] = ()

    def rewritten(self, mapping: Callable[[Reference], str | None]) -> str:
        """The text with other names for its tables; None leaves one as it is.

        A new name is SQL: quoted where it needs to be, with the branch or the reference's `suffix` if it
        has one, or a whole query in parentheses. Expressions that call the table by its name still find it.
        """
        edits: list[tuple[int, int, str]] = []
        for reference in self.references:
            name = mapping(reference)
            if name is not None:
                edits += edits_for(reference, name)
        return applied(self.sql, edits)


@dataclass(frozen=True, slots=True)
class Column:
    """`type` is None where only a run can tell; `certain` is False for anything that is a guess."""

    name: str
    type: Type | None
    certain: bool


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """A column that a column of a model is made of. Names of tables are the project's."""

    source: TableName
    source_column: str
    target: TableName
    target_column: str
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class RowEdge:
    """A column that a model filters, joins, groups or orders by."""

    source: TableName
    source_column: str
    target: TableName
    use: RowUse
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class GraphIssue:
    """What lineage noticed in a model's SQL that does not stop it."""

    code: str
    severity: IssueSeverity
    message: str
    hint: str | None
    place: Place
    model: TableName


@dataclass(frozen=True, slots=True)
class AuditNode:
    """An audit with its tables found: `to` of `relationships`, and the query of `sql`."""

    audit: Audit
    to: Reference | None = None
    query: Query | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A model in its place. `upstream` are the models it needs, whatever names them.

    A Python model has an empty query; what it may read are `declared`, which also holds the hidden
    reads (`depends_on`) of SQL. `columns` are those of its query, None where they are not all known
    before it runs.
    """

    model: Model
    table: TableName
    query: Query
    upstream: tuple[TableName, ...]
    columns: tuple[Column, ...] | None
    issues: tuple[GraphIssue, ...] = ()
    declared: tuple[Reference, ...] = ()
    audits: tuple[AuditNode, ...] = ()

    @property
    def name(self) -> TableName:
        return self.model.name

    @property
    def sql(self) -> str:
        """The rendered query."""
        return self.query.sql

    @property
    def references(self) -> tuple[Reference, ...]:
        return self.query.references

    def everything(self) -> Iterator[Reference]:
        """Whatever it reads, its audits too."""
        yield from self.references
        yield from self.declared
        for audit in self.audits:
            if audit.to is not None:
                yield audit.to
            if audit.query is not None:
                yield from audit.query.references

    def rewritten(self, mapping: Callable[[Reference], str | None]) -> str:
        return self.query.rewritten(mapping)


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table or view that the catalog has, its columns with types in Spark's words.

    `is_empty` says that it is certain to hold no row.
    """

    name: TableName
    columns: tuple[tuple[str, str], ...]
    is_view: bool = False
    is_empty: bool = False


CatalogSchema: TypeAlias = Callable[[Collection[TableName]], Iterable[KnownTable]]
"""Those of the named tables that are there, in the catalog's own spelling."""

Nearest: TypeAlias = Callable[[TableName], TableName | None]
"""The table of the catalog that somebody may have meant by a name that is not there."""


@dataclass(frozen=True, slots=True)
class AffectedColumn:
    """A column downstream of a change, with the columns that it is affected through."""

    table: TableName
    column: str
    through: tuple[tuple[TableName, str], ...] = ()
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class AffectedRows:
    """A model whose rows a change decides about: by `uses` of the columns in `through`.

    Without `uses` nobody knows what it does with them: its code is not SQL, or it says what it reads.
    """

    table: TableName
    uses: tuple[RowUse, ...]
    through: tuple[tuple[TableName, str], ...]
    approximate: bool = False
