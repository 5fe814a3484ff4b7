"""A table's earlier states: read as they were, held by a name, and gone back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from lakeport.catalog.ports.catalog import TableState
from lakeport.catalog.ports.writing import WriteContext

if TYPE_CHECKING:
    from lakeport.catalog.engines import TableChange
    from lakeport.core.timepoint import TimePoint


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
