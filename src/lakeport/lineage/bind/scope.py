"""The plan a statement is bound into: relations, their columns, and what each column is made of.

Nothing here knows syntax or the wire. Columns of base tables are made on first use, because most
columns of most tables are never mentioned. An open tail stands for columns nobody could name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from sqlglot import exp

    from lakeport.lineage.names import Name
    from lakeport.lineage.registry import ColumnEntry, TableEntry
    from lakeport.lineage.types import SqlType

# How an input takes part in an output: the vocabulary of OpenLineage, ordered by strength.
VALUE, AGGREGATE, CONDITIONAL, WINDOW, SORT, FILTER = range(6)
SUBTYPES = ("TRANSFORMATION", "AGGREGATION", "CONDITIONAL", "WINDOW", "SORT", "FILTER")


class Ref(NamedTuple):
    """One input of a column: a column, or a whole relation for `COUNT(*)` and unknown stars."""

    origin: Column | Relation
    role: int = VALUE
    approximate: bool = False
    path: str | None = None
    masking: bool = False
    operation: str | None = None
    # Set when columns of different making are folded into one: this input is computed, by this text.
    derived: bool = False
    text: str | None = None


class Column:
    """A column of a relation inside one statement."""

    __slots__ = (
        "aggregation",
        "approximate",
        "entry",
        "expression",
        "generated",
        "identity",
        "inferred",
        "key",
        "label_known",
        "name",
        "refs",
        "relation",
        "span",
        "text",
        "type",
        "type_label",
        "typed",
        "widened",
    )

    def __init__(self, name: str, key: str, relation: Relation | None = None) -> None:
        self.name = name
        self.key = key
        self.relation = relation
        self.refs: list[Ref] = []
        # True when the value is copied unchanged.
        self.identity = False
        self.approximate = False
        # The name was made up by the dialect's rules.
        self.generated = False
        self.inferred = False
        self.entry: ColumnEntry | None = None
        self.expression: exp.Expr | None = None
        self.text: str | None = None
        self.span: tuple[int, int] | None = None
        self.aggregation: tuple[bool, str | None, bool] | None = None
        self.type: SqlType | None = None
        self.typed = False
        # The type is the common one of several branches.
        self.widened = False
        # The type as text, once somebody asked for it.
        self.label_known = False
        self.type_label: str | None = None


def explicit(column: Column, operation: str | None = None) -> list[Ref]:
    """A column's inputs with "computed or copied" written on each, ready to be mixed with others."""
    if column.identity and operation is None:
        return column.refs
    made = []
    for ref in column.refs:
        derived = ref.derived or not column.identity
        text = ref.text or (column.text if derived else None)
        made.append(ref._replace(derived=derived, text=text, operation=operation or ref.operation))
    return made


class Tail(NamedTuple):
    """The unnamed rest of a relation in a list of columns."""

    relation: Relation
    excluded: frozenset[str] = frozenset()


Item: TypeAlias = "Column | Tail"


class Relation:
    """A table, view, CTE, derived table, generator or output inside one statement."""

    __slots__ = (
        "arguments",
        "body_span",
        "columns",
        "complete",
        "conflicting",
        "duplicates",
        "entry",
        "extra",
        "filters",
        "index",
        "indirect",
        "inferring",
        "inputs",
        "instance",
        "is_read",
        "join_condition",
        "join_keys",
        "join_type",
        "kind",
        "label",
        "local_kind",
        "metadata",
        "name",
        "name_spans",
        "path",
        "resolution",
        "span",
        "stale",
        "table_inputs",
        "tails",
        "used",
        "written",
    )

    def __init__(self, kind: str, label: str, name: Name) -> None:
        self.kind = kind
        self.label = label
        self.name = name
        self.columns: list[Column] = []
        self.index: dict[str, Column] = {}
        self.duplicates: set[str] = set()
        self.entry: TableEntry | None = None
        self.complete = True
        # Imported, but the workload defines it differently: stars over it are approximate.
        self.conflicting = False
        self.stale = False
        self.tails: list[Tail] = []
        # Columns a statement insists on although the list is complete without them.
        self.extra: list[Column] = []
        self.inferring: set[str] = set()
        # What generated columns of a table function derive from.
        self.arguments: list[Ref] = []
        # The relations in the FROM clauses that feed this one.
        self.inputs: list[Relation] = []
        # Relations that feed this one as a whole, with the operation that says how.
        self.table_inputs: list[tuple[Relation, str]] = []
        self.filters: list[tuple[str, str]] = []
        self.indirect: list[tuple[Ref, str]] = []
        self.join_type: str | None = None
        self.join_condition: str | None = None
        self.join_keys: list[list[str]] = []
        self.span: tuple[int, int] | None = None
        self.body_span: tuple[int, int] | None = None
        self.name_spans: list[tuple[int, int]] = []
        self.resolution: str | None = None
        self.instance = 1
        self.metadata: dict[str, Any] = {}
        self.local_kind: str | None = None
        # Distinguishes equal names in one statement.
        self.path = ""
        self.used = False
        self.written = False
        # False for a pure write target.
        self.is_read = False

    def adopt(self, items: list[Item]) -> None:
        """Take over the output of a query as the columns of this relation."""
        for item in items:
            if isinstance(item, Tail):
                self.tails.append(item)
                self.complete = False
            else:
                self.add(item)

    def receive(self, output: Output) -> None:
        """Adopt a whole output, with what it depends on."""
        self.adopt(output.items)
        self.indirect += output.indirect
        self.inputs += output.inputs

    def add(self, column: Column) -> Column:
        """Append a column; a repeated name stays reachable by position only."""
        column.relation = self
        self.columns.append(column)
        if column.key in self.index:
            self.duplicates.add(column.key)
        else:
            self.index[column.key] = column
        return column

    def find(self, key: str) -> Column | None:
        """The column of that name, if it is known to exist."""
        column = self.index.get(key)
        if column is None and self.entry is not None:
            known = self.entry.find(key)
            if known is not None:
                # An alias of a renamed or re-spelt column leads to the same column.
                exact = (
                    known.name if key == known.name and known.origin == "imported" else known.key
                )
                column = self.index.get(exact)
                if column is None:
                    column = Column(known.name, exact)
                    column.entry = known
                    self.add(column)
                else:
                    self.index[key] = column
        return column

    def known(self) -> list[Column]:
        """Every column known to exist, in order; base tables make them all now."""
        if self.entry is None:
            return list(self.columns)
        found = [self.find(column.key) for column in self.entry.columns]
        return [column for column in found if column is not None]


class Output(NamedTuple):
    """What a query yields: columns and tails, what it depends on otherwise, what it reads from."""

    items: list[Item]
    indirect: list[tuple[Ref, str]]
    inputs: list[Relation]


class Merged(NamedTuple):
    """A column that USING or NATURAL made of two: the kept side first."""

    key: str
    left: list[Ref]
    right: list[Ref]
    side: str


class Source(NamedTuple):
    """A relation in a FROM clause under the name it is addressed by."""

    alias: str
    relation: Relation
    # Semi and anti joins hide their right side from everything but their own condition.
    visible: bool = True


class Scope:
    """One SELECT: what its names can mean. `ctes` is inherited, `parent` is for correlation."""

    __slots__ = (
        "aliases",
        "correlated",
        "ctes",
        "hidden",
        "indirect",
        "late_aliases",
        "merged",
        "parent",
        "prefers_projection",
        "projection",
        "qualified",
        "remembered",
        "repeated",
        "sources",
        "windows",
    )

    def __init__(self, parent: Scope | None, ctes: dict[str, Relation]) -> None:
        self.parent = parent
        self.ctes = ctes
        self.sources: list[Source] = []
        self.merged: dict[str, Merged] = {}
        # The columns of each relation that a merged one stands for.
        self.hidden: dict[int, set[str]] = {}
        # Select aliases bound so far, for lateral references.
        self.aliases: dict[str, Column] = {}
        # All of them, for GROUP BY, HAVING, QUALIFY and ORDER BY.
        self.projection: dict[str, Column] = {}
        # Names that outputs of different making share.
        self.repeated: set[str] = set()
        self.windows: dict[str, exp.Expr] = {}
        # Unqualified names found so far, with the number of sources there were.
        self.remembered: dict[str, tuple[int, Column]] = {}
        self.qualified: dict[tuple[str, str], tuple[int, Column]] = {}
        # ORDER BY looks at select aliases first, GROUP BY and HAVING after the sources, if at all.
        self.prefers_projection = False
        self.late_aliases = False
        self.correlated: list[Ref] = []
        self.indirect: list[tuple[Ref, str]] = []

    def relation(self, alias: str) -> Relation | None:
        """The relation addressed by an alias, here only."""
        for source in self.sources:
            if source.alias == alias:
                return source.relation
        return None
