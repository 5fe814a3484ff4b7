"""One statement being bound: its relations, its issues, and the doors to every part of the binder.

The modules of this package call each other through this object, so that queries can hold
expressions and expressions queries without an import cycle.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakeport.lineage.bind.ctes import bind_ctes
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.fragments import Fragments
from lakeport.lineage.bind.infer import infer
from lakeport.lineage.bind.keys import note_candidate_key
from lakeport.lineage.bind.qualified import addressed
from lakeport.lineage.bind.query import bind_query, bind_select
from lakeport.lineage.bind.scope import FILTER, Column, Item, Output, Ref, Relation, Scope
from lakeport.lineage.bind.sources import add_source, rename_columns
from lakeport.lineage.bind.stars import expand_star
from lakeport.lineage.bind.tables import bind_table
from lakeport.lineage.dialects import engine_of
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.types import (
    SqlType,
    common_of,
    field_type,
    mismatches,
    read_type,
    type_text,
)
from lakeport.lineage.types import (
    infer as infer_type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.issues import Severity
    from lakeport.lineage.session import Session


_MAX_COPIES = 64
_COMPARISONS = frozenset({exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE})
_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "decimal", "float", "double"})


class Binder:
    """The state of binding one statement."""

    def __init__(self, session: Session, chunk: Chunk, text: str, index: int) -> None:
        self.session = session
        self.dialect = session.dialect
        self.folding = session.folding
        self._keys = session.folding.columns
        self.registry = session.registry
        self.index = index
        self.text = text
        self.fragments = Fragments(chunk.tokens, text)
        self.relations: list[Relation] = []
        self.bound: dict[int, Ref] = {}
        # References to select aliases, which have the type of the whole expression.
        self.aliased: dict[int, Column] = {}
        self.type_memo: dict[int, SqlType | None] = {}
        self.joins: list[str] = []
        self.filters = 0
        self.variables = session.variables
        # The blocks of a script around the statement, and the rows of those that loop.
        self.blocks = chunk.blocks
        self.loops: dict[int, Relation] = {}
        self.explain_only = False
        # A query whose output names nobody asks for.
        self.unnamed: exp.Expr | None = None
        self.struct_paths = True
        self.wants_text = session.options.enable_column_lineage
        self.wants_indirect = session.options.include_indirect
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self._instances: dict[tuple[str, ...], int] = {}
        self._labels: dict[str, int] = {}
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

    def star(self, scope: Scope) -> list[Item]:
        """All columns of a scope's sources."""
        return expand_star(self, exp.Star(), scope)

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

    def predicate(self, query: exp.Expr, scope: Scope) -> None:
        """A subquery that only decides about rows."""
        output = bind_query(self, query, scope, scope.ctes)
        scope.indirect += output.indirect
        for item in output.items:
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
        made.instance = count
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
            made.name_spans.append(made.span)
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
            relation.extra.clear()

    # -- filters -----------------------------------------------------------------------------

    def filter(
        self,
        condition: exp.Expr,
        scope: Scope,
        clause: str,
        texts: list[str] | None,
        joined: list[Relation] | None = None,
    ) -> None:
        """Bind a predicate conjunct by conjunct and attach each to the relations it mentions."""
        conjuncts = _conjuncts(condition)
        exact = texts is not None and len(texts) == len(conjuncts)
        subtype = "JOIN" if clause == "JOIN_ON" else "FILTER"
        for position, conjunct in enumerate(conjuncts):
            refs = collect(self, conjunct, scope, FILTER)
            if self.wants_indirect:
                scope.indirect += [(ref, subtype) for ref in refs]
            self.filters += 1
            self.check_comparison(conjunct)
            if not self.wants_text:
                continue
            text = texts[position] if exact and texts is not None else self.sql(conjunct)
            touched: list[Relation] = []
            for ref in refs:
                relation = ref.origin.relation if isinstance(ref.origin, Column) else ref.origin
                if relation is not None and relation not in touched:
                    touched.append(relation)
                    relation.filters.append((text, clause))
            if joined and conjunct.__class__ is exp.EQ:
                self._join_key(conjunct, joined)

    def _join_key(self, equality: exp.Expr, joined: list[Relation]) -> None:
        left, right = self.bound.get(id(equality.this)), self.bound.get(id(equality.expression))
        if left is None or right is None:
            return
        if not isinstance(left.origin, Column) or not isinstance(right.origin, Column):
            return
        pair = [_shown(left.origin), _shown(right.origin)]
        for relation in joined[:1]:
            relation.join_keys.append(pair)
        note_candidate_key(left.origin, right.origin)

    def check_comparison(self, node: exp.Expr) -> None:
        """`= NULL`, and comparisons of types that never compare."""
        if node.__class__ not in _COMPARISONS:
            return
        left, right = node.this, node.expression
        if isinstance(left, exp.Null) or isinstance(right, exp.Null):
            self.report(
                IssueCode.TYPE_MISMATCH,
                "a comparison with NULL is never true",
                at=node,
                hint="use IS NULL or IS NOT NULL",
            )
            return
        if self._plainly_comparable(left, right):
            return
        for offender, message in mismatches(
            node, self.column_type, self.dialect.name, self.type_memo
        ):
            self.report(IssueCode.TYPE_MISMATCH, message, at=offender, hint="cast one side")

    def _plainly_comparable(self, left: exp.Expr, right: exp.Expr) -> bool:
        """The common cases, cheaply: two columns of one kind, or a number and a number."""
        first, second = self._simple_kind(left), self._simple_kind(right)
        return first is None or second is None or first == second

    def _simple_kind(self, node: exp.Expr) -> str | None:
        """`number` for numbers, the kind for other columns and literals, `?` for what needs thought."""
        if node.__class__ is exp.Literal:
            return "string" if node.args.get("is_string") else "number"
        if node.__class__ is not exp.Column:
            return "?" + str(id(node))
        declared = self._declaration(node)
        if declared is not None:
            return _declared_kind(declared, self.dialect.name)
        return _kind_word(self.column_type(node))

    def _declaration(self, node: exp.Expr) -> str | None:
        """The declared type of a plain reference to a stored column, as text."""
        ref = self.bound.get(id(node))
        if ref is None or ref.path or ref.derived or id(node) in self.aliased:
            return None
        origin = ref.origin
        entry = origin.entry if isinstance(origin, Column) else None
        return entry.data_type if entry is not None else None

    # -- types -------------------------------------------------------------------------------

    def type_of(self, node: exp.Expr | None) -> SqlType | None:
        """The type of a bound expression, if it can be known."""
        if node is None:
            return None
        if self.registry.has_routines:
            self._type_calls(node)
        return infer_type(node, self.column_type, self.dialect.name, self.type_memo)

    def _type_calls(self, node: exp.Expr) -> None:
        """Calls of functions the workload created have the type it declared."""
        for call in node.find_all(exp.Anonymous):
            routine = self.registry.routine(call.name)
            if routine is not None and routine.returns is not None:
                self.type_memo[id(call)] = read_type(routine.returns, self.dialect.name)

    def column_type(self, node: exp.Expr) -> SqlType | None:
        """The type of a bound column reference."""
        alias = self.aliased.get(id(node))
        if alias is not None:
            return self.type_of_column(alias)
        ref = self.bound.get(id(node))
        if ref is None:
            return self.variables.get(self.key(node.this)) if self.variables else None
        return self.type_of_ref(ref)

    def type_of_column(self, column: Column) -> SqlType | None:
        """The type of a column, computed once."""
        if not column.typed:
            column.typed = True
            column.type = self._derive_type(column)
        return column.type

    def _derive_type(self, column: Column) -> SqlType | None:
        if column.entry is not None:
            text = column.entry.data_type
            return read_type(text, self.dialect.name) if text else None
        if column.expression is not None:
            return self.type_of(column.expression)
        if column.identity and len(column.refs) == 1:
            return self.type_of_ref(column.refs[0])
        return None

    def declared_type(self, column: Column) -> str | None:
        """The declared type's own text, for a column that is a plain copy of a declared one."""
        seen = 0
        while column.entry is None and seen < _MAX_COPIES:
            if column.widened:
                return None
            plain = column.identity and len(column.refs) == 1 and column.refs[0].path is None
            origin = column.refs[0].origin if plain else None
            if not isinstance(origin, Column) or column.refs[0].derived:
                return None
            column, seen = origin, seen + 1
        text = column.entry.data_type if column.entry is not None else None
        if text is None or not seen or self.dialect.naming != "spark":
            return text
        # A query's column has Spark's own spelling of the type: `integer` is `int`, and `varchar`
        # is a string, because only tables pad and check it.
        kind = read_type(text, self.dialect.name)
        return (
            "string"
            if kind is not None and kind.kind in {"varchar", "char"}
            else self.type_text(kind)
        )

    def type_of_ref(self, ref: Ref) -> SqlType | None:
        """The type of what a reference reads."""
        if not isinstance(ref.origin, Column):
            return None
        kind = self.type_of_column(ref.origin)
        return field_type(kind, ref.path.split(".")) if ref.path else kind

    def common_type(self, kinds: list[SqlType | None]) -> SqlType | None:
        """The type that holds all of them."""
        return common_of(kinds, self.dialect.name)

    def type_text(self, kind: SqlType | None) -> str | None:
        """A type in the request's dialect."""
        return type_text(kind, self.dialect.name) if kind is not None else None

    # -- names, spans, text ------------------------------------------------------------------

    def key(self, identifier: exp.Expr) -> str:
        """How a column or alias is compared."""
        if identifier.__class__ is exp.Identifier:
            # Straight from the tree: `name` is a property that costs more than the rest of this.
            args = identifier.args
            text = args["this"]
            if not args.get("quoted"):
                return self._keys.get(text) or self.folding.column(text)
            return self.folding.column(text, quoted=True)
        if identifier.__class__ is exp.Column:
            return self.key(identifier.this)
        return self.folding.column(identifier.name, quoted=bool(identifier.args.get("quoted")))

    def values_name(self, position: int) -> str:
        """The default name of a column of VALUES."""
        prefix = self.dialect.values_columns
        first = 0 if prefix == "_col" or self.dialect.name == "duckdb" or prefix == "EXPR$" else 1
        return f"{prefix}{position + first}"

    def span(self, node: exp.Expr | None) -> tuple[int, int] | None:
        """Where a node's own token stands."""
        if node is None or not node._meta:  # noqa: SLF001 - `meta` would allocate a dict per node
            return None
        # Names the parser splits itself have positions, but no value in them.
        start, end = node._meta.get("start"), node._meta.get("end")  # noqa: SLF001 - the same
        return (start, end + 1) if start is not None and end is not None else None

    def extent(self, node: exp.Expr) -> tuple[int, int] | None:
        """From the first to the last positioned token of a tree."""
        own = self.span(node)
        if own is not None:
            return own
        start = end = None
        for child in node.walk():
            span = self.span(child)
            if span is not None:
                start = span[0] if start is None else min(start, span[0])
                end = span[1] if end is None else max(end, span[1])
        return (start, end) if start is not None and end is not None else None

    def slice(self, tokens: list[Token]) -> str:
        """The source text of some tokens."""
        return self.text[tokens[0].start : tokens[-1].end + 1]

    def sql(self, node: exp.Expr) -> str:
        """Generated text, for what cannot be sliced from the source."""
        try:
            return node.sql(dialect=engine_of(self.dialect.parser), copy=False, comments=False)
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


def _kind_word(kind: SqlType | None) -> str | None:
    if kind is None:
        return None
    return "number" if kind.kind in _NUMBERS else kind.kind


@lru_cache(maxsize=4096)
def _declared_kind(text: str, dialect: str) -> str | None:
    return _kind_word(read_type(text, dialect))


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The operands of a left-deep AND chain."""
    found: list[exp.Expr] = []
    stack = [condition]
    while stack:
        node = stack.pop()
        if node.__class__ is exp.And:
            stack.append(node.expression)
            stack.append(node.this)
        else:
            found.append(node)
    return found


def _shown(column: Column) -> str:
    return f"{dotted(column.relation.name)}.{column.key}" if column.relation else column.key
