"""What the registry holds of a table: its columns, one version of it, and what a look-up answers."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from lakeport.lineage.result import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.issues import ResolutionSource
    from lakeport.lineage.names import Name
    from lakeport.lineage.request import ColumnTag, ForeignKey
    from lakeport.lineage.result import (
        Constraint,
        Edge,
        Node,
        Origin,
        ResolvedColumn,
        TypeOrigin,
    )

RelationKind: TypeAlias = Literal["table", "view"]
Drawn: TypeAlias = "dict[str, tuple[ColumnEntry, Node, Edge]]"


class ColumnEntry(msgspec.Struct, frozen=True):
    """A column of a known table."""

    name: str
    key: str
    origin: Origin
    data_type: str | None = None
    type_origin: TypeOrigin | None = None
    is_primary_key: bool = False
    foreign_key: ForeignKey | None = None
    nullable: bool | None = None
    renamed_from: str | None = None
    tags: tuple[ColumnTag, ...] = ()
    description: str | None = None
    # In column merge mode: known only from the workload, so a star over it is approximate.
    uncertain: bool = False


class TableEntry(msgspec.Struct):
    """A table or view at one version."""

    name: Name
    shown: Name
    columns: list[ColumnEntry]
    origin: Origin
    complete: bool
    kind: RelationKind = "table"
    temporary: bool = False
    inference: Literal["ddl", "usage"] | None = None
    # Use told of columns that no definition lists.
    deduced: bool = False
    statement_index: int | None = None
    source_name: str | None = None
    constraints: list[Constraint] = []
    conflict: Conflict | None = None
    description: str | None = None
    # The format of its files, if the workload says it.
    file_format: str | None = None
    version: int = 1
    # Keys of the columns that stand behind all others: partitions, where folders hold their values.
    partitions: frozenset[str] = frozenset()
    # Columns that bind although the list lacks them: renamed, re-spelt, added over an import.
    overlay: dict[str, ColumnEntry] = {}
    dropped_columns: dict[str, int] = {}
    _index: dict[str, ColumnEntry] | None = None
    # The columns as the result shows them, shared by all requests that import this table.
    shown_columns: list[ResolvedColumn] | None = None
    # Nodes and edges of its columns to copy, by the ids of the relation and of the column.
    _drawn: dict[str, Drawn] = {}

    def find(self, key: str) -> ColumnEntry | None:
        """The column of that key."""
        return self.index().get(key)

    def index(self) -> dict[str, ColumnEntry]:
        """Every name that binds, with its column: the listed ones before those of the overlay."""
        if self._index is None:
            listed = {column.key: column for column in reversed(self.columns)}
            self._index = {**self.overlay, **listed} if self.overlay else listed
        return self._index

    def keys(self) -> set[str]:
        """The keys of all listed columns."""
        return {column.key for column in self.columns}

    def with_columns(self, columns: list[ColumnEntry], **changes: Any) -> TableEntry:
        """The next version of the table."""
        return replace(
            self,
            columns=columns,
            version=self.version + 1,
            _index=None,
            shown_columns=None,
            _drawn={},
            **changes,
        )

    def called(self, name: Name, shown: Name, *, statement: int) -> TableEntry:
        """The same as another statement makes it of another table."""
        made = replace(self, name=name, shown=shown, shown_columns=None, _drawn={})
        made.statement_index = statement
        return made

    def drawn_as(self, relation: str) -> Drawn:
        """What was drawn of its columns before, for the relation of that id."""
        drawn = self._drawn.get(relation)
        if drawn is None:
            drawn = self._drawn[relation] = {}
            _drawings.append((self._drawn, relation))
            if len(_drawings) > _MANY_DRAWINGS:
                held, first = _drawings.popleft()
                held.pop(first, None)
        return drawn


# A drawing takes as much as its table, and in time all tables of a catalog are read: the oldest go.
_MANY_DRAWINGS = 512
_drawings: deque[tuple[dict[str, Drawn], str]] = deque()


class Lookup(msgspec.Struct, frozen=True):
    """The answer to "which table is meant": its canonical name and what is known of it."""

    name: Name
    entry: TableEntry | None
    source: ResolutionSource
    # The statement that dropped it, if one did.
    dropped_at: int | None = None
    # The later statement that creates it, if one does, and what it makes of it.
    created_at: int | None = None
    kind: RelationKind = "table"


class Announced(NamedTuple):
    """What a statement will define, and how to learn its columns if it lists them."""

    name: Name
    entry: Callable[[], TableEntry | None]
    kind: RelationKind = "table"


class Standing(NamedTuple):
    """All that a statement can learn about a name when it begins."""

    imported: TableEntry | None
    implied: TableEntry | None
    # The imported name that is the same in another case, and the tombstone.
    spelt: Name | None
    dropped: tuple[int, TableEntry | None] | None
    # The temporary relation that a name without a namespace means.
    temporary: Name | None
    # 1 if the statement is the one that is to create it, 2 if it is a later one.
    awaited: int

    def entries(self) -> tuple[TableEntry | None, TableEntry | None, TableEntry | None]:
        """What it is by the import, what the workload made of it, and what it was before it went."""
        return self.imported, self.implied, self.dropped[1] if self.dropped is not None else None


class Version(NamedTuple):
    """A table's columns from one statement on; no entry where it is gone from there on."""

    entry: TableEntry | None
    valid_from: int
