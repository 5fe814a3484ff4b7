"""The small protocols that every storage implements and every door uses.

A catalog holds namespaces, a namespace holds tables and functions, and a table has *abilities*: each
is a protocol of one to three methods. A table that lacks one says so by its type; a caller asks for
an ability with `require` and the user gets a clear "unsupported" instead of an attribute error.

Handles are cheap and live: `table.state()` is the head now, and nothing here holds a lock between
calls. What must belong together (schema, version, uuid) comes in one frozen `TableState`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

import pyarrow as pa

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.changelog import Logging
from lakeport.catalog.definition import Constraint, Definition
from lakeport.catalog.delegation import Delegating, Lending
from lakeport.catalog.functions import FunctionHost
from lakeport.catalog.upkeep import (
    ORPHAN_GRACE,
    Compacted,
    Due,
    Expired,
    Orphan,
    Policy,
    Regrouped,
    Swept,
    Task,
)
from lakeport.core.errors import UnsupportedError

if TYPE_CHECKING:
    from lakeport.catalog.changes import Change
    from lakeport.catalog.dropped import DroppedTable, Removed
    from lakeport.catalog.engines import TableChange
    from lakeport.catalog.expressions import Expression
    from lakeport.catalog.predicates import Predicate
    from lakeport.catalog.streams import BatchStream
    from lakeport.core.names import TableName
    from lakeport.core.timepoint import TimePoint

# -- what a catalog is ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CatalogVersion:
    """A number that grows with every change of a namespace's or table's definition.

    `rows` grows with every change of any table's rows, whoever made it; None where that goes unnoticed.
    Two versions are the same if the definitions are.
    """

    number: int
    is_fixed: bool = False
    rows: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NamespaceInfo:
    """`name` is dotted for a nested namespace; `properties` are what DuckDB calls tags."""

    name: str
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableState:
    """One moment of a table. `version` 0 with no snapshot is a table nothing was written to yet."""

    uuid: str
    name: TableName
    definition: Definition
    schema_id: int
    snapshot_id: int | None
    version: int


@runtime_checkable
class Catalog(Protocol):
    @property
    def name(self) -> str: ...

    def version(self) -> CatalogVersion:
        """Must be quick: DuckDB asks for every statement."""
        ...

    def namespaces(self) -> Sequence[NamespaceInfo]: ...

    def namespace(self, name: str) -> Namespace:
        """In any spelling; `NotFoundError` otherwise."""
        ...


@runtime_checkable
class Namespace(Protocol):
    @property
    def info(self) -> NamespaceInfo: ...

    def tables(self) -> Sequence[str]: ...

    def table(self, name: str) -> Table:
        """In any spelling; `NotFoundError` otherwise."""
        ...


@runtime_checkable
class Table(Protocol):
    @property
    def name(self) -> TableName: ...

    def state(self) -> TableState:
        """The head, read now; `NotFoundError` once the table was dropped."""
        ...


class Surveyed(NamedTuple):
    """A table of a namespace that was asked for all of them.

    `state` reads it, and fails as `Table.state` does. `stamp` names the state without reading it: what
    has the same stamp is the same for ever, in every process. None where only reading tells.
    """

    table: Table
    state: Callable[[], TableState]
    stamp: str | None = None


@runtime_checkable
class Surveyable(Protocol):
    """A namespace that finds all its tables by one question."""

    def survey(self) -> Mapping[str, Surveyed]:
        """By name."""
        ...


# -- changing the catalog ------------------------------------------------------------------------

OnConflict: TypeAlias = Literal["error", "ignore", "replace"]


@runtime_checkable
class DynamicCatalog(Protocol):
    def create_namespace(self, info: NamespaceInfo) -> Namespace: ...

    def drop_namespace(self, name: str) -> None:
        """`PreconditionError` while it holds tables."""
        ...


@runtime_checkable
class DynamicNamespace(Protocol):
    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        """`replace` is one commit that keeps the old rows reachable by time travel, and notes its
        context; a new table has no snapshot to note it in.
        """
        ...

    def drop_table(self, name: str) -> None: ...

    def rename_table(self, name: str, to: str) -> Table: ...


@runtime_checkable
class Restoring(Protocol):
    """Dropped tables can be brought back for a while."""

    def dropped_tables(self) -> Sequence[DroppedTable]:
        """Those that can be, newest first."""
        ...

    def undrop_table(self, name: TableName) -> Table:
        """The one dropped last under that name, as it was; `AlreadyExistsError` if that is taken."""
        ...

    def remove_dropped(self, *, dry_run: bool = False) -> Sequence[Removed]:
        """The files of those whose time is over."""
        ...


@runtime_checkable
class Alterable(Protocol):
    def alter(self, changes: Sequence[Change], context: WriteContext | None = None) -> TableState:
        """All changes or none, as one version that every data check was made against."""
        ...


# -- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What to read. Both conditions must hold; `limit` bounds each split and the whole read.

    `columns` are names in the schema of the point read, in the order wanted; None means all, an
    empty tuple none (rows are still counted). `row_ids` adds the row id as the last column.
    """

    columns: tuple[str, ...] | None = None
    predicate: Predicate | None = None
    expression: Expression | None = None
    limit: int | None = None
    at: TimePoint | None = None
    row_ids: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """A piece of one snapshot in plain values: any thread or replica can open it by itself.

    `parts` are ordinals that mean something to the table in that snapshot (its files, its segments).
    """

    snapshot_id: int
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """`schema` is what each split's stream carries. `rows` and `bytes` are estimates, None unknown.

    When `exact` is false the streams may hold rows that the conditions refuse.
    """

    state: TableState
    schema: pa.Schema
    splits: tuple[Split, ...]
    rows: int | None = None
    bytes: int | None = None
    exact: bool = True


@runtime_checkable
class Scannable(Protocol):
    def plan(self, request: ScanRequest) -> ScanPlan: ...

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        """Batches of one split. The split, not `request.at`, says which snapshot is read."""
        ...


@runtime_checkable
class Travelable(Protocol):
    """Every point of `core.timepoint`; the schema of a point is the one it was written with."""

    def state_at(self, point: TimePoint) -> TableState:
        """The state a scan at this point reads, empty points included (see `TableState`)."""
        ...

    def history(self) -> Sequence[SnapshotInfo]:
        """Oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One commit. `version` is None for what was written before versions were counted."""

    snapshot_id: int
    version: int | None
    timestamp_ns: int
    operation: str
    schema_id: int
    summary: Mapping[str, str]
    parent_id: int | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    name: str
    kind: Literal["tag", "branch"]
    snapshot_id: int


@runtime_checkable
class Referable(Protocol):
    """Tags and branches."""

    def refs(self) -> Sequence[Ref]: ...

    def create_ref(self, ref: Ref) -> None: ...

    def drop_ref(self, name: str) -> None: ...


@runtime_checkable
class Expirable(Protocol):
    def expire(
        self, *, keep: int, older_than: int | None = None, context: WriteContext | None = None
    ) -> int:
        """Forget all but the newest `keep` snapshots and what refs hold; how many went.

        With a moment, in nanoseconds, nothing that was made since then goes either.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rewind:
    """A change that is ready to be committed, and the version that it will be."""

    change: TableChange
    version: int


@runtime_checkable
class Rewindable(Protocol):
    def rewinding(
        self, to: int | None, *, head: int | None, context: WriteContext | None = None
    ) -> AbstractContextManager[Rewind]:
        """The change after which its rows are those of snapshot `to`, or none; columns stay.

        Made by whoever commits it (`catalog.engines`), alone or with changes of other tables, inside the
        block. `ConflictError` if the newest snapshot is not `head`; `PreconditionError` for rows that
        break a constraint that came later.
        """
        ...


@runtime_checkable
class Maintainable(Protocol):
    """Upkeep of a table that lies in files. No task changes a row; statements that began before
    one and name rows it has moved fail, and never hit another row.
    """

    def due(
        self, policy: Policy | None = None, tasks: Collection[Task] = tuple(Task)
    ) -> Sequence[Due]:
        """What there is to do, and why. Changes nothing; of the tasks, `orphans` lists all files."""
        ...

    def forget(self, policy: Policy | None = None, context: WriteContext | None = None) -> Expired:
        """`expire` by the policy, or by the table's own properties where it has them."""
        ...

    def compact(
        self, policy: Policy | None = None, context: WriteContext | None = None
    ) -> Compacted:
        """Join small files and write out deletes, in as many commits as it takes."""
        ...

    def rewrite_manifests(
        self, policy: Policy | None = None, context: WriteContext | None = None
    ) -> Regrouped: ...


@runtime_checkable
class Auditable(Protocol):
    """Other programs write to it, too, and know nothing of our constraints."""

    def broken_rules(self) -> Sequence[tuple[Constraint, str]]:
        """Constraints that cannot be checked any more, each with the reason. Reads no rows."""
        ...


@runtime_checkable
class Sweepable(Protocol):
    """`grace` is in nanoseconds: a younger file may belong to a write that has not been committed."""

    def orphans(self, *, grace: int = ORPHAN_GRACE) -> Iterator[Orphan]:
        """Files at the table's place that nothing names."""
        ...

    def remove_orphans(self, *, grace: int = ORPHAN_GRACE) -> Swept: ...


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Believed by clients: exact over the rows of the head, or None for unknown.

    `has_null` and `has_values` are claims about presence; unknown means "assume it may". `distinct`
    alone may be an estimate, such as a sketch gives.
    """

    minimum: Scalar | None = None
    maximum: Scalar | None = None
    has_null: bool | None = None
    has_values: bool | None = None
    distinct: int | None = None
    longest: int | None = None


@runtime_checkable
class Measurable(Protocol):
    def statistics(self, column: str) -> ColumnStatistics: ...


@dataclass(frozen=True, slots=True)
class Storage:
    """Where a table's files are and in which format, as a person would say it: `iceberg 2`."""

    format: str
    location: str


@runtime_checkable
class Stored(Protocol):
    """Rows lie in files that other engines may read, too."""

    def storage(self) -> Storage: ...


# -- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Who writes and for what statement or run; kept in the snapshot's summary."""

    actor: str | None = None
    statement: str | None = None
    summary: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """What a statement changed. A statement that changed nothing commits nothing."""

    rows: int
    snapshot_id: int | None
    version: int


class Write(Protocol):
    """One statement in progress: staged batch by batch, applied by `commit` or not at all.

    Leaving the `with` block without `commit` aborts. Reads see none of it before `commit`.
    """

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        """Stage a batch, fully validated first. With `returning`, the rows as stored or removed."""
        ...

    def commit(self) -> Written: ...

    def abort(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class Insertable(Protocol):
    def insert(self, context: WriteContext | None = None) -> Write:
        """Batches hold columns in any order; one that is missing gets its DEFAULT, or NULL."""
        ...


@runtime_checkable
class Updatable(Protocol):
    def update(self, context: WriteContext | None = None) -> Write:
        """Batches hold the row id and new values of the other columns they name.

        With `returning` the batch comes back as stored, in the columns and order it had. A row id
        that comes twice changes its row once, the last value wins.
        """
        ...


@runtime_checkable
class Deletable(Protocol):
    def delete(self, context: WriteContext | None = None) -> Write:
        """Batches hold the row id. With `returning` the whole removed rows come back."""
        ...


@runtime_checkable
class Truncatable(Protocol):
    def truncate(self, context: WriteContext | None = None) -> Written: ...


@runtime_checkable
class Overwritable(Protocol):
    def overwrite(self, context: WriteContext | None = None) -> Write:
        """As INSERT, but all rows that are there at the commit go in the same version.

        `Written.rows` counts the new ones. Without any it is a TRUNCATE.
        """
        ...


# -- asking for an ability -----------------------------------------------------------------------

A = TypeVar("A")

# How a user is told that something lacks one: "table `s.t` cannot take INSERT".
ABILITIES: dict[type, str] = {
    Scannable: "be read",
    Insertable: "take INSERT",
    Updatable: "take UPDATE",
    Deletable: "take DELETE",
    Truncatable: "take TRUNCATE",
    Overwritable: "have its rows replaced",
    Alterable: "be altered",
    Travelable: "be read as of an earlier point",
    Logging: "tell which of its rows changed",
    Referable: "have tags or branches",
    Expirable: "forget snapshots",
    Rewindable: "go back to an earlier snapshot",
    Maintainable: "be maintained",
    Auditable: "tell what other programs broke",
    Sweepable: "be searched for files that nothing names",
    Measurable: "give statistics",
    Stored: "say where its files are",
    Delegating: "be read by the client itself",
    Lending: "be read from its files by the client itself",
    DynamicCatalog: "create or drop namespaces",
    DynamicNamespace: "create, drop or rename tables",
    Restoring: "bring dropped tables back",
    FunctionHost: "hold functions",
}


_ABLE: dict[tuple[type, type], bool] = {}


def is_able(thing: object, ability: type) -> bool:
    """`isinstance`, which takes a listing of thousands of tables a third of its time to ask of each.

    Objects of our own classes have the abilities of their class; others are asked one by one.
    """
    kind = type(thing)
    if kind.__module__.partition(".")[0] != "lakeport":
        return isinstance(thing, ability)
    known = _ABLE.get((kind, ability))
    if known is None:
        known = _ABLE[kind, ability] = isinstance(thing, ability)
    return known


def require(thing: object, ability: type[A], what: str) -> A:
    """`thing` as something with that ability; `what` is how the user calls it: "table `s.t`"."""
    if isinstance(thing, ability):
        return thing
    raise UnsupportedError(f"{what} cannot {ABILITIES[ability]}")
