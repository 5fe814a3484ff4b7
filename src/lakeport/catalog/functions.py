"""Functions that a namespace holds: scalar ones, table functions, and those that take a table.

A function is called with Arrow batches and knows nothing of the protocol it is called over. A namespace
that holds some is a `FunctionHost`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from lakeport.catalog.arrow import Array

if TYPE_CHECKING:
    from lakeport.catalog.ports import ScanRequest
    from lakeport.catalog.streams import BatchStream


class Stability(StrEnum):
    CONSISTENT = "consistent"
    CONSISTENT_WITHIN_QUERY = "consistent_within_query"
    VOLATILE = "volatile"


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters carry the flags of Airport's field metadata (`is_named_parameter`, `is_any_type`…)."""

    name: str
    parameters: pa.Schema
    description: str | None = None


@runtime_checkable
class ScalarFunction(Protocol):
    @property
    def signature(self) -> Signature: ...

    @property
    def returns(self) -> pa.DataType: ...

    @property
    def stability(self) -> Stability: ...

    def call(self, arguments: pa.RecordBatch) -> Array:
        """One value per row."""
        ...


class BoundFunction(Protocol):
    """A table function with its arguments: as good as a table to a scan."""

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def rows(self) -> int | None: ...

    def open(self, request: ScanRequest) -> BatchStream: ...


@runtime_checkable
class TableFunction(Protocol):
    @property
    def signature(self) -> Signature: ...

    def bind(self, arguments: pa.RecordBatch) -> BoundFunction:
        """`arguments` has one row."""
        ...


class InOutCall(Protocol):
    @property
    def schema(self) -> pa.Schema: ...

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]: ...

    def finish(self) -> Iterator[pa.RecordBatch]: ...


@runtime_checkable
class InOutFunction(Protocol):
    @property
    def signature(self) -> Signature: ...

    def start(self, arguments: pa.RecordBatch, rows: pa.Schema) -> InOutCall: ...


Function: TypeAlias = ScalarFunction | TableFunction | InOutFunction


@runtime_checkable
class FunctionHost(Protocol):
    def functions(self) -> Sequence[Function]:
        """Several of one name are overloads."""
        ...
