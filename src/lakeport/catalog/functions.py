"""Functions that a namespace holds: scalar ones, table functions, and those that take a table.

A function is called with Arrow batches and knows nothing of the protocol it is called over. A namespace
that holds some is a `FunctionHost`. Several threads may call one at the same time, each with arguments
of its own; what it raises is told to the caller (`core.foreign`), and what it gives is held against what
it declares before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from lakeport.catalog.arrays.vectors import Vector, Vectors
from lakeport.catalog.arrow import Array, Field

if TYPE_CHECKING:
    from lakeport.catalog.ports import ColumnStatistics, ScanRequest
    from lakeport.catalog.streams import BatchStream


class Stability(StrEnum):
    CONSISTENT = "consistent"
    CONSISTENT_WITHIN_QUERY = "consistent_within_query"
    VOLATILE = "volatile"


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters carry the flags of `catalog.parameters`. A function that takes rows has exactly one
    table parameter, which is not among the arguments it is called with.
    """

    name: str
    parameters: pa.Schema
    description: str | None = None


Returns: TypeAlias = "pa.DataType | Field"
"""Of a scalar function. A field says more than a type: NOT NULL, and metadata such as geometry's."""


@runtime_checkable
class ScalarFunction(Protocol):
    @property
    def signature(self) -> Signature: ...

    @property
    def returns(self) -> Returns: ...

    @property
    def stability(self) -> Stability: ...

    @property
    def takes_nulls(self) -> bool:
        """Whether rows with a NULL among their arguments are for it to decide. Otherwise they give
        NULL, and `call` never sees them.
        """
        ...

    def call(self, arguments: pa.RecordBatch) -> Array:
        """One value per row, of the declared type. Without parameters the batch still has its rows."""
        ...


@runtime_checkable
class VectorFunction(Protocol):
    """A scalar function that also takes numbers without a NULL as numpy has them, where that saves work."""

    @property
    def takes_vectors(self) -> bool: ...

    def call_vectors(self, arguments: Vectors) -> Vector | Array:
        """As `call`. A vector that it gives is of the declared type, and nobody keeps it to write into it."""
        ...


class BoundFunction(Protocol):
    """A table function with its arguments: as good as a table to a scan."""

    @property
    def schema(self) -> pa.Schema:
        """All its columns, whatever is asked for."""
        ...

    @property
    def rows(self) -> int | None:
        """How many there will be, roughly; None where nobody knows."""
        ...

    def open(self, request: ScanRequest) -> BatchStream:
        """With the columns of the request in its order, or with all of them. Conditions may be ignored,
        in whole or in part: rows that they refuse may come, rows that they keep must.
        """
        ...


@runtime_checkable
class TableFunction(Protocol):
    @property
    def signature(self) -> Signature: ...

    @property
    def returns(self) -> pa.Schema | None:
        """Its columns if they are the same for all arguments; None where these decide."""
        ...

    def bind(self, arguments: pa.RecordBatch) -> BoundFunction:
        """`arguments` has one row and a column for every parameter, in order; those that were left out
        are NULL.
        """
        ...


@runtime_checkable
class MeasuredFunction(Protocol):
    """A table function that knows bounds of its columns. Clients believe them (`ColumnStatistics`)."""

    def statistics(self, column: str) -> ColumnStatistics:
        """True whatever the arguments are: who asks does not say them."""
        ...


class InOutCall(Protocol):
    """One query's rows on their way through a function. One thread at a time works with it."""

    @property
    def schema(self) -> pa.Schema: ...

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Any number of batches of any length for one that came."""
        ...

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left to say when all rows have come."""
        ...

    def close(self) -> None:
        """Called when it is over, however it ended, perhaps more than once or before anything else.

        It comes from another thread where the client is gone while `process` runs, which should end then.
        """
        ...


@runtime_checkable
class InOutFunction(Protocol):
    @property
    def signature(self) -> Signature: ...

    @property
    def returns(self) -> pa.Schema | None:
        """As that of a `TableFunction`; None where the rows that come decide, too."""
        ...

    def start(self, arguments: pa.RecordBatch, rows: pa.Schema) -> InOutCall:
        """`arguments` as in `TableFunction.bind`; `rows` are the columns of what will come. Should be
        cheap: a client asks for the schema first, and by another call.
        """
        ...


Function: TypeAlias = ScalarFunction | TableFunction | InOutFunction


@runtime_checkable
class FunctionHost(Protocol):
    def functions(self) -> Sequence[Function]:
        """Several of one name and kind are overloads, told apart by their parameters."""
        ...


def result_field(function: ScalarFunction) -> Field:
    """What a scalar function declares, as the one column that clients get."""
    declared = function.returns
    return declared if isinstance(declared, pa.Field) else pa.field("result", declared)
