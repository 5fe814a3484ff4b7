"""One statement being bound: its relations, its issues, and the doors to every part of the binder.

The modules of this package call each other through this object, so that queries can hold
expressions and expressions queries without an import cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakeport.lineage.bind.column_sets import expand_columns
from lakeport.lineage.bind.column_types import ColumnTypes
from lakeport.lineage.bind.ctes import bind_ctes
from lakeport.lineage.bind.derived import rename_columns
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.fragments import Fragments
from lakeport.lineage.bind.infer import infer
from lakeport.lineage.bind.qualified import addressed
from lakeport.lineage.bind.query import bind_query, bind_select
from lakeport.lineage.bind.scope import FILTER, Column, Item, Output, Ref, Relation, Scope
from lakeport.lineage.bind.sources import add_source
from lakeport.lineage.bind.stars import expand_star
from lakeport.lineage.bind.tables import bind_table
from lakeport.lineage.bind.unasked import leave_unnamed, leave_unseen
from lakeport.lineage.engines import text_of
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.issues import Severity
    from lakeport.lineage.routines import Body
    from lakeport.lineage.session import Session


# Names of VALUES columns that are counted from zero.
_FROM_ZERO = frozenset({"_col", "column_", "EXPR$"})


class Binder:
    """The state of binding one statement."""

    __slots__ = (
        "_instances",
        "_labels",
        "blocks",
        "body",
        "change",
        "dialect",
        "explain_only",
        "filters",
        "folded",
        "folding",
        "fragments",
        "index",
        "joins",
        "loops",
        "operations",
        "parameters",
        "reads",
        "registry",
        "relations",
        "repeats",
        "row_fields",
        "session",
        "struct_paths",
        "struct_rows",
        "text",
        "types",
        "unnamed",
        "unseen",
        "variables",
        "wants_indirect",
        "wants_text",
        "writes",
    )

    def __init__(self, session: Session, chunk: Chunk, text: str, index: int) -> None:
        self.session = session
        self.dialect = session.dialect
        self.folding = session.folding
        # Column names and aliases without quotes, folded.
        self.folded = session.folding.columns
        self.registry = session.registry
        self.index = index
        self.text = text
        self.fragments = Fragments(chunk.tokens, text, (chunk.start, chunk.end))
        self.relations: list[Relation] = []
        self.types = ColumnTypes(session)
        # Operators between two values, to be checked when the types of both are known.
        self.operations: list[exp.Expr] = []
        self.joins: list[str] = []
        self.filters = 0
        self.variables = session.variables
        # The blocks of a script around the statement, and the rows of those that loop.
        self.blocks = chunk.blocks
        self.loops: dict[int, Relation] = {}
        self.explain_only = False
        # Queries whose output names nobody asks for, by identity.
        self.unnamed: set[int] = set()
        # Queries of which only the number of rows counts, by identity.
        self.unseen: set[int] = set()
        self.struct_paths = True
        self.wants_text = session.options.enable_column_lineage
        self.wants_indirect = session.options.include_indirect
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self._instances: dict[tuple[str, ...], int] = {}
        # Some table is named more than once.
        self.repeats = False
        self._labels: dict[str, int] = {}
        # Fields of rows and structs that queries put together, by the column they belong to.
        self.row_fields: dict[tuple[int, str], Column] = {}
        # What queries inside expressions yield whose rows are structs, by the identity of the query.
        self.struct_rows: dict[int, list[Item]] = {}
        # What the body of a CREATE FUNCTION gives.
        self.body: Body | None = None
        # Its parameters by their numbers, as `$1` means them.
        self.parameters: dict[str, Column] = {}
        # Set by the statements package: data changes inside a WITH clause.
        self.change: (
            Callable[[Binder, exp.Expr, Scope | None, dict[str, Relation]], Output] | None
        ) = None

    # -- doors -------------------------------------------------------------------------------

    def query(self, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]) -> Output:
        """Bind a nested query."""
        return bind_query(self, node, parent, ctes)

    def ctes(
        self, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
    ) -> dict[str, Relation]:
        """The CTEs visible inside a node with a WITH clause."""
        return bind_ctes(self, node, parent, ctes)

    def select(self, node: exp.Select, scope: Scope) -> Output:
        """Bind a SELECT whose sources are, at least in part, in scope already."""
        return bind_select(self, node, scope)

    def inferred(self, relation: Relation, name: str, key: str) -> Column | None:
        """A column of a partly known relation, deduced from its use."""
        return infer(self, relation, name, key)

    def source(self, node: exp.Expr, scope: Scope) -> list[Relation]:
        """Bind one item of a FROM clause."""
        return add_source(self, node, scope)

    def data_change(
        self, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
    ) -> Output:
        """INSERT, UPDATE or DELETE inside a WITH clause; its output is what it returns."""
        return self.change(self, node, parent, ctes) if self.change else Output([], [], [])

    def expanded(self, star: exp.Expr, scope: Scope) -> list[Item]:
        """What a star as it is written stands for, with its EXCEPT."""
        return expand_star(self, star, scope)

    def star(self, scope: Scope, table: exp.Expr | None = None) -> list[Item]:
        """All columns of a scope's sources, or of one of them."""
        star = exp.Star()
        return expand_star(
            self, star if table is None else exp.Column(this=star, table=table), scope
        )

    def read(self, node: exp.Expr, scope: Scope) -> list[Ref]:
        """What an expression reads; for those that only look at a part of one."""
        return collect(self, node, scope)

    def column_set(self, node: exp.Expr, scope: Scope) -> list[Item]:
        """The columns of `COLUMNS(…)` in an expression: all of them, or the one it is bound for."""
        return [scope.chosen] if scope.chosen is not None else expand_columns(self, node, scope)

    def rename(self, relation: Relation, names: Sequence[exp.Expr] | None) -> None:
        """Apply a column alias list."""
        rename_columns(self, relation, names)

    def addressed(self, parts: list[exp.Expr], scope: Scope) -> Relation | None:
        """The relation a qualifier names, here or outside."""
        level: Scope | None = scope
        while level is not None:
            found = addressed(self, parts, level)
            if found is not None and not found[1]:
                return found[0]
            level = level.parent
        return None

    def predicate(self, query: exp.Expr, scope: Scope, *, exists: bool = False) -> None:
        """A subquery that only decides about rows: by its values, or by whether it has any row."""
        leave_unnamed(self, query)
        unseen = exists and leave_unseen(self, query)
        output = bind_query(self, query, scope, scope.ctes)
        scope.indirect += output.indirect
        for item in output.items if not unseen else ():
            if isinstance(item, Column):
                scope.indirect += [(replace(ref, role=FILTER), "FILTER") for ref in item.refs]

    def table(self, node: exp.Table, scope: Scope) -> Relation:
        """The relation a table name means here."""
        return bind_table(self, node, scope)

    # -- relations ---------------------------------------------------------------------------

    def relation(self, kind: str, label: str, name: tuple[str, ...]) -> Relation:
        """A new relation of the statement; instances of one table are counted."""
        made = Relation(kind, label, name)
        count = self._instances.get(name, 0) + 1
        self._instances[name] = count
        if count > 1:
            made.instance = count
            self.repeats = True
        self.relations.append(made)
        return made

    def derived(self, label: str | None, *, local_kind: str) -> Relation:
        """A derived table or generator."""
        shown = label or f"_derived_{len(self.relations)}"
        made = self._local(shown)
        made.metadata["derived"] = True
        made.local_kind = local_kind
        return made

    def cte(self, identifier: exp.Expr, node: exp.Expr) -> Relation:
        """A CTE by its name; `unused` until somebody reads it."""
        del node
        made = self._local(identifier.name)
        made.local_kind = "cte"
        made.span = self.span(identifier)
        if made.span is not None:
            made.name_spans = (made.span,)
            made.body_span = self.fragments.body(made.span[0])
        return made

    def _local(self, label: str) -> Relation:
        made = Relation("cte", label, (self.folding.table(label),))
        count = self._labels.get(made.name[0], 0) + 1
        self._labels[made.name[0]] = count
        made.path = str(count) if count > 1 else ""
        self.relations.append(made)
        return made

    def external(self, path: str, label: str, *, read: bool = True) -> Relation:
        """A file, folder or stage."""
        if read:
            self.reads.setdefault(path)
        made = self.relation("table", label, (path,))
        made.complete = False
        made.resolution = "unknown"
        made.metadata["external"] = "path"
        made.is_read = read
        return made

    def column_names(self, relation: Relation) -> list[Column]:
        """Known columns for suggestions, without marking them as used."""
        if relation.entry is not None:
            return [Column(entry.name, entry.key) for entry in relation.entry.columns]
        return relation.columns

    def dissolve(self) -> None:
        """Untie columns from their relations: the plan goes at once, without waiting for a collection."""
        for relation in self.relations:
            relation.columns.clear()
            relation.index.clear()
            relation.extra = ()

    # -- names, spans, text ------------------------------------------------------------------

    def key(self, identifier: exp.Expr) -> str:
        """How a column or alias is compared."""
        if identifier.__class__ is exp.Identifier:
            # Straight from the tree: `name` is a property that costs more than the rest of this.
            args = identifier.args
            if not args.get("quoted"):
                return self.folded[args["this"]]
            return self.folding.column(args["this"], quoted=True)
        if identifier.__class__ is exp.Column:
            return self.key(identifier.this)
        return self.folding.column(identifier.name, quoted=bool(identifier.args.get("quoted")))

    def values_name(self, position: int) -> str:
        """The default name of a column of VALUES."""
        prefix = self.dialect.values_columns
        first = 0 if prefix in _FROM_ZERO or self.dialect.name == "duckdb" else 1
        return f"{prefix}{position + first}"

    def span(self, node: exp.Expr | None) -> tuple[int, int] | None:
        """Where a node's own token stands."""
        meta = node._meta if node is not None else None  # noqa: SLF001 - `meta` would allocate a dict per node
        if not meta:
            return None
        try:
            return meta["start"], meta["end"] + 1
        except (KeyError, TypeError):
            # Names the parser splits itself have positions, but no value in them.
            return None

    def extent(self, node: exp.Expr) -> tuple[int, int] | None:
        """From the first to the last positioned token of a tree."""
        own = self._written_span(node)
        if own is not None:
            return own
        start = end = None
        for child in node.walk():
            span = self._written_span(child)
            if span is not None:
                start = span[0] if start is None else min(start, span[0])
                end = span[1] if end is None else max(end, span[1])
        return (start, end) if start is not None and end is not None else None

    def _written_span(self, node: exp.Expr) -> tuple[int, int] | None:
        """Where a node stands; the star of `FROM t` alone has a place in a text of the parser's own."""
        span = self.span(node)
        if span is not None and node.__class__ is exp.Star and self.text[slice(*span)] != "*":
            return None
        return span

    def sql(self, node: exp.Expr) -> str:
        """Generated text, for what cannot be sliced from the source."""
        try:
            return text_of(node, self.dialect.parser)
        except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError):
            extent = self.extent(node)
            return self.text[extent[0] : extent[1]] if extent else ""

    # -- issues ------------------------------------------------------------------------------

    def report(  # noqa: PLR0913 - an issue has this many facts
        self,
        code: IssueCode,
        message: str,
        *,
        at: exp.Expr | None = None,
        extent: tuple[int, int] | None = None,
        relation: Relation | None = None,
        relation_name: str | None = None,
        column: str | None = None,
        severity: Severity | None = None,
        suggestions: list[str] | None = None,
        hint: str | None = None,
    ) -> None:
        """One issue of this statement."""
        extent = extent or (self.extent(at) if at is not None else None)
        self.session.report(
            code,
            message,
            statement=self.index if self.index >= 0 else None,
            extent=extent,
            relation=dotted(relation.name) if relation is not None else relation_name,
            resolution=relation.resolution if relation is not None else None,
            column=column,
            severity=severity,
            suggestions=suggestions or [],
            hint=hint,
        )

    def unsupported(self, node: exp.Expr, message: str, severity: Severity | None = None) -> None:
        """A construct without a rule: say so, never answer with silence."""
        self.report(IssueCode.UNSUPPORTED_SYNTAX, message, at=node, severity=severity)
