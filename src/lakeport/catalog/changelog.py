"""What happened to a table's rows between two points: an ability, and the form of its answer.

Rows that a commit took away and rows that it brought, commit by commit: those of the earlier point,
without what was deleted and with what was inserted, are those of the later one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

if TYPE_CHECKING:
    from lakeport.catalog.ports import SnapshotInfo, TableState
    from lakeport.core.timepoint import TimePoint

ChangeKind: TypeAlias = Literal["insert", "delete"]


@dataclass(frozen=True, slots=True)
class ChangedRows:
    kind: ChangeKind
    snapshot: SnapshotInfo
    rows: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class Changelog:
    """`state` is the later point's: all rows are in its columns, found by what they are, not by name.

    `read` takes names of those that are wanted, and gives the oldest commit first, in each of them what
    was deleted before what was inserted.
    """

    state: TableState
    read: Callable[[Sequence[str]], Iterator[ChangedRows]]


@runtime_checkable
class Logging(Protocol):
    def changes(self, since: TimePoint, until: TimePoint | None = None) -> Changelog:
        """After `since`, up to and with `until`, or the head."""
        ...
