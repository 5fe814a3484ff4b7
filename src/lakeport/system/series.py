"""The table function `generate_series(start, stop[, step])`, as DuckDB and Postgres have it.

Both ends belong to it; a negative step counts down, a step that leads away from `stop` or a NULL gives
nothing. Batches are made as they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.functions import Signature
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from lakeport.system.table import WHOLE, SystemTable

_NAME = "generate_series"
_DEFINITION = Definition(pa.schema([(_NAME, pa.int64())]))
_BATCH = 65_536
_TOO_MANY = 1 << 63


@dataclass(frozen=True, slots=True)
class Series:
    """One overload, told by the names of its parameters."""

    parameters: tuple[str, ...]

    @property
    def signature(self) -> Signature:
        parameters = pa.schema([(name, pa.int64()) for name in self.parameters])
        return Signature(_NAME, parameters, "Whole numbers from start to stop, both included.")

    @property
    def returns(self) -> pa.Schema:
        return _DEFINITION.schema

    def bind(self, arguments: pa.RecordBatch) -> BoundSeries:
        (given,) = arguments.to_pylist()
        if None in given.values():
            return BoundSeries(range(0))
        step = given.get("step", 1)
        if step == 0:
            raise InvalidRequestError("the step of generate_series cannot be 0")
        return BoundSeries(range(given["start"], given["stop"] + (1 if step > 0 else -1), step))


@dataclass(frozen=True, slots=True)
class BoundSeries:
    numbers: range

    @property
    def schema(self) -> pa.Schema:
        return _DEFINITION.schema

    @property
    def rows(self) -> int | None:
        """None where the number itself is too large for a client."""
        count = self._count
        return count if count < _TOO_MANY else None

    @property
    def _count(self) -> int:
        # `len` of a range refuses what does not fit into a machine word.
        start, stop, step = self.numbers.start, self.numbers.stop, self.numbers.step
        return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)

    def open(self, request: ScanRequest) -> BatchStream:
        table = SystemTable(TableName("lakeport", _NAME), _DEFINITION, self._batches)
        return table.open(request, WHOLE)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        left = self._count
        first, step = self.numbers.start, self.numbers.step
        while left > 0:
            count = min(left, _BATCH)
            # Counted in Python's own numbers: the last of them may be the largest an int64 can be.
            numbers = np.fromiter(range(first, first + count * step, step), np.int64, count)
            yield pa.RecordBatch.from_arrays([pa.array(numbers)], schema=_DEFINITION.schema)
            first, left = first + count * step, left - count


OVERLOADS = (Series(("start", "stop")), Series(("start", "stop", "step")))
