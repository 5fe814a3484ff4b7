"""The plan a statement is bound into: relations, their columns, and what each column is made of.

Nothing here knows syntax or the wire. Columns of base tables are made on first use, because most
columns of most tables are never mentioned. An open tail stands for columns nobody could name.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sqlglot import exp

    from lakeport.lineage.entries import ColumnEntry, TableEntry
    from lakeport.lineage.names import Name
    from lakeport.lineage.types import SqlType

# How an input takes part in an output: the vocabulary of OpenLineage, ordered by strength.
VALUE, AGGREGATE, CONDITIONAL, WINDOW, SORT, FILTER = range(6)
SUBTYPES = ("TRANSFORMATION", "AGGREGATION", "CONDITIONAL", "WINDOW", "SORT", "FILTER")
# No stored columns, as derived relations have none.
_NOTHING: Mapping[str, ColumnEntry] = MappingProxyType({})


def grown(held: AbstractSet[str], key: str) -> set[str]:
    """A set with one more key; one of its own, if it was the shared empty one."""
    own = held if isinstance(held, set) else set(held)
    own.add(key)
    return own


class Ref(msgspec.Struct, frozen=True):
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


# These are made by the thousand: a struct is built in C, with all its defaults, in one call.
class Column(msgspec.Struct, eq=False):
    """A column of a relation inside one statement."""

    name: str
    key: str
    relation: Relation | None = None
    entry: ColumnEntry | None = None
    refs: list[Ref] = []
    # True when the value is copied unchanged.
    identity: bool = False
    approximate: bool = False
    # The name was made up by the dialect's rules.
    generated: bool = False
    inferred: bool = False
    expression: exp.Expr | None = None
    text: str | None = None
    span: tuple[int, int] | None = None
    aggregation: tuple[bool, str | None, bool] | None = None
    type: SqlType | None = None
    typed: bool = False
    # The type is the common one of several branches.
    widened: bool = False
    # The type as text, once somebody asked for it.
    label_known: bool = False
    type_label: str | None = None
    # The id of its node, once it has one.
    node: str | None = None


def copied(origin: Column) -> Column:
    """A column of another relation that is this one, under the same name."""
    column = Column(origin.name, origin.key)
    column.refs, column.identity = [Ref(origin)], True
    return column


def explicit(column: Column, operation: str | None = None) -> list[Ref]:
    """A column's inputs with "computed or copied" written on each, ready to be mixed with others."""
    if column.identity and operation is None:
        return column.refs
    made = []
    computed, written = not column.identity, column.text
    for ref in column.refs:
        derived = ref.derived or computed
        made.append(
            Ref(
                ref.origin,
                ref.role,
                ref.approximate,
                ref.path,
                ref.masking,
                operation or ref.operation,
                derived,
                ref.text or (written if derived else None),
            )
        )
    return made


class Tail(NamedTuple):
    """The unnamed rest of a relation in a list of columns."""

    relation: Relation
    excluded: frozenset[str] = frozenset()
    # False where no star was written that could have been reported.
    told: bool = True


Item: TypeAlias = "Column | Tail"


_NO_NAMES: Mapping[str, Relation] = MappingProxyType({})


class Relation(msgspec.Struct, eq=False):
    """A table, view, CTE, derived table, generator or output inside one statement."""

    kind: str
    label: str
    name: Name
    columns: list[Column] = []
    index: dict[str, Column] = {}
    duplicates: AbstractSet[str] = frozenset()
    # What is known of a stored relation, and every name that binds in it; see `know`.
    entry: TableEntry | None = None
    listed: Mapping[str, ColumnEntry] = _NOTHING
    complete: bool = True
    # Imported, but the workload defines it differently: stars over it are approximate.
    conflicting: bool = False
    stale: bool = False
    # What few relations have is a tuple that all share until they hold something.
    tails: Sequence[Tail] = ()
    # Columns a statement insists on although the list is complete without them.
    extra: Sequence[Column] = ()
    inferring: AbstractSet[str] = frozenset()
    # What generated columns of a table function derive from.
    arguments: list[Ref] | None = None
    # The relations in the FROM clauses that feed this one.
    inputs: list[Relation] = []
    # Those that are still addressed by their names behind a pipe.
    carried: Mapping[str, Relation] = _NO_NAMES
    # Relations that feed this one as a whole, with the operation that says how.
    table_inputs: list[tuple[Relation, str]] = []
    filters: list[tuple[str, str]] = []
    indirect: list[tuple[Ref, str]] = []
    join_type: str | None = None
    join_condition: str | None = None
    join_keys: Sequence[list[str]] = ()
    span: tuple[int, int] | None = None
    body_span: tuple[int, int] | None = None
    name_spans: Sequence[tuple[int, int]] = ()
    resolution: str | None = None
    instance: int = 1
    metadata: dict[str, Any] = {}
    local_kind: str | None = None
    # Distinguishes equal names in one statement.
    path: str = ""
    used: bool = False
    written: bool = False
    # Not all of it is written anew: what it held before remains.
    appended: bool = False
    # False for a pure write target.
    is_read: bool = False
    # The id of its node, once it has one.
    node: str | None = None

    def adopt(self, items: list[Item]) -> None:
        """Take over the output of a query as the columns of this relation."""
        for item in items:
            if isinstance(item, Tail):
                self.tails = (*self.tails, item)
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
            self.duplicates = grown(self.duplicates, column.key)
        else:
            self.index[column.key] = column
        return column

    def know(self, entry: TableEntry) -> None:
        """Let the columns be those of a stored relation; each is made when it is first found."""
        self.entry, self.listed, self.complete = entry, entry.index(), entry.complete

    def find(self, key: str) -> Column | None:
        """The column of that name, if it is known to exist."""
        index, listed = self.index, self.listed
        if key in index:
            return index[key]
        if key not in listed:
            return None
        known = listed[key]
        if known.key == key:
            column = index[key] = Column(known.name, key, self, known)
            self.columns.append(column)
            return column
        # An alias of a renamed or re-spelt column leads to the same column.
        exact = known.name if key == known.name and known.origin == "imported" else known.key
        held = index.get(exact) if exact != key else None
        if held is None:
            column = index[exact] = Column(known.name, exact, self, known)
            self.columns.append(column)
        else:
            column = index[key] = held
        return column

    def known(self) -> list[Column]:
        """Every column known to exist, in order; base tables make them all now."""
        if self.entry is None:
            return list(self.columns)
        found = [self.find(column.key) for column in self.entry.columns]
        return [column for column in found if column is not None]


class Output(msgspec.Struct, frozen=True):
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
    # The place of the first source of its join: in a star it comes before that source's columns.
    start: int = 0


class Source(msgspec.Struct, frozen=True):
    """A relation in a FROM clause under the name it is addressed by."""

    alias: str
    relation: Relation
    # Semi and anti joins hide their right side from everything but their own condition.
    visible: bool = True


class Scope(msgspec.Struct, eq=False):
    """One SELECT: what its names can mean. `ctes` is inherited, `parent` is for correlation."""

    parent: Scope | None
    ctes: dict[str, Relation]
    sources: list[Source] = []
    merged: dict[str, Merged] = {}
    # The place of the first source of the join being read: behind a comma or a bracket another begins.
    start: int = 0
    # The columns of each relation that a merged one stands for.
    hidden: dict[int, set[str]] = {}
    # Select aliases bound so far, for lateral references.
    aliases: dict[str, Column] = {}
    # All of them, for GROUP BY, HAVING, QUALIFY and ORDER BY.
    projection: dict[str, Column] = {}
    # Names that outputs of different making share.
    repeated: AbstractSet[str] = frozenset()
    # Names that row generators in the select list give.
    generated: frozenset[str] = frozenset()
    windows: dict[str, exp.Expr] = {}
    # Unqualified names found so far, as of the source that was the last then.
    remembered: dict[str, tuple[Source, Column]] = {}
    # The relations by alias, None where several have it, as of the source that was the last then.
    addresses: dict[str, Relation | None] = {}
    last: Source | None = None
    # ORDER BY looks at select aliases first, GROUP BY and HAVING after the sources, if at all.
    prefers_projection: bool = False
    late_aliases: bool = False
    # Whether an output is meant where tables cannot be told apart.
    outputs_decide: bool = False
    # The column that a set of columns stands for, while an expression is bound for each of them.
    chosen: Column | None = None
    correlated: list[Ref] = []
    # How many queries away its names are still seen, where an engine minds.
    reach: int = 1
    indirect: list[tuple[Ref, str]] = []

    def only(self, alias: str) -> Relation | None:
        """The relation addressed by an alias that no other has, here only."""
        sources = self.sources
        if not sources:
            return None
        if sources[-1] is not self.last:
            # Sources come and go at the end, and a new one is another object.
            self.last = sources[-1]
            self.addresses = addresses = {}
            for source in sources:
                name = source.alias
                addresses[name] = source.relation if name not in addresses else None
        return self.addresses.get(alias)

    def sole(self, key: str) -> Column | None:
        """The column of that name if one source has it, known and seen by all: as most names are.

        Merged columns and select aliases are the caller's.
        """
        sources, remembered = self.sources, self.remembered
        if key in remembered:
            # The same column is named again and again; what changes the sources makes another last one.
            last, column = remembered[key]
            if sources and last is sources[-1]:
                return column
        owner: Relation | None = None
        for source in sources:
            relation = source.relation
            if key in relation.listed or key in relation.index:
                if owner is not None or not source.visible:
                    return None
                owner = relation
        if owner is None or key in owner.duplicates:
            return None
        index = owner.index
        found = index[key] if key in index else owner.find(key)
        if found is None or found.inferred:
            return None
        remembered[key] = sources[-1], found
        return found

    def relation(self, alias: str) -> Relation | None:
        """The relation addressed by an alias, here only."""
        for source in self.sources:
            if source.alias == alias:
                return source.relation
        return None
