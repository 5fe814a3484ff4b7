"""A scalar function at work: arguments in, one value per row out, checked before anybody sees it.

Unless it takes NULLs itself, rows with a NULL among their arguments give NULL and it never sees them, as
DuckDB has it for its own functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.airport.functions.choose import taken
from lakeport.airport.functions.declared import Declared
from lakeport.airport.functions.promise import Promise
from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import keep_rows, take_array
from lakeport.catalog.arrays.vectors import Vector, Vectors, is_vector, number_types
from lakeport.catalog.arrow import Array
from lakeport.catalog.functions import ScalarFunction, VectorFunction
from lakeport.catalog.parameters import is_any
from lakeport.core.foreign import foreign

_compute: Any = pc


@dataclass(frozen=True, slots=True)
class Scalar:
    """`is_flat` says that no argument has NULLs anywhere but in its own rows."""

    declared: Declared
    promise: Promise
    is_flat: bool

    @classmethod
    def of(cls, declared: Declared) -> Scalar:
        own = declared.returns or pa.schema([])
        is_flat = all(_is_flat(each.type) and not is_any(each) for each in declared.arguments)
        return cls(declared, Promise(declared.what, own, declared.output), is_flat)

    @property
    def schema(self) -> pa.Schema:
        return self.promise.wire

    def answer(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        arguments = taken(self.declared, batch)
        present = None if self.declared.takes_nulls else self._without_null(arguments)
        if present is None:
            return self.promise.column(self._called(arguments), batch.num_rows)
        return self.promise.column(self._spread(arguments, present), batch.num_rows)

    def takes_vectors(self, sent: pa.Schema) -> bool:
        """Whether rows sent so can be answered as vectors: nothing is to be converted on either side."""
        if number_types(sent) is None or not sent.equals(self.declared.arguments):
            return False
        function = self.declared.function
        with foreign(self.promise.what):
            takes = isinstance(function, VectorFunction) and function.takes_vectors
        return takes and self.promise.number is not None

    def answer_vectors(self, arguments: Vectors) -> Vectors | pa.RecordBatch:
        function = cast("VectorFunction", self.declared.function)
        promise, rows = self.promise, arguments.rows
        with foreign(promise.what):
            result = function.call_vectors(arguments)
        if promise.number is not None and is_vector(result, promise.number, rows):
            return Vectors((cast("Vector", result),), rows)
        return promise.column(result, rows)

    def _spread(self, arguments: pa.RecordBatch, present: pa.BooleanArray) -> Array:
        """The results back at their rows, NULL at the others."""
        rows = keep_rows(arguments, present)
        if not rows.num_rows:
            return nulls(arguments.num_rows, self.promise.declared.field(0).type)
        result = self._called(rows)
        self.promise.column(result, rows.num_rows)
        places = _compute.subtract(_compute.cumulative_sum(present.cast(pa.int64())), 1)
        return take_array(result, _compute.if_else(present, places, None))

    def _called(self, arguments: pa.RecordBatch) -> Array:
        function = cast("ScalarFunction", self.declared.function)
        with foreign(self.promise.what):
            result: Any = function.call(arguments)
            return result.combine_chunks() if isinstance(result, pa.ChunkedArray) else result

    def _without_null(self, arguments: pa.RecordBatch) -> pa.BooleanArray | None:
        """Which rows have no NULL; None where none has."""
        present: Any = None
        for column in arguments.columns:
            if not column.null_count and (self.is_flat or _is_flat(column.type)):
                continue
            valid = _compute.is_valid(column)
            if valid.true_count < len(valid):
                present = valid if present is None else _compute.and_(present, valid)
        return present  # type: ignore[no-any-return]


def _is_flat(kind: pa.DataType) -> bool:
    """A dictionary's values and the members of a union have NULLs of their own, which are not counted."""
    return kind.num_fields == 0 and not pa.types.is_dictionary(kind)
