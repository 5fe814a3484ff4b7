"""A scan: planned into splits of plain values, which any thread or replica opens by itself.

And what can be told of a table's rows without reading them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import pyarrow as pa

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.ports.catalog import TableState

if TYPE_CHECKING:
    from lakeport.catalog.expressions import Expression
    from lakeport.catalog.predicates import Predicate
    from lakeport.catalog.streams import BatchStream
    from lakeport.core.timepoint import TimePoint


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
