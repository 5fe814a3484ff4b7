"""Statistics of a column, exact over the live rows of the head.

Clients believe them and drop conditions that they decide, so what cannot be exact is left unknown.
They are kept with the snapshot: optimisers ask for the same column several times per statement.
"""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array, Field, Scalar
from lakeport.catalog.definition import require_column
from lakeport.catalog.memory.timeline import Timeline
from lakeport.catalog.ports import ColumnStatistics
from lakeport.catalog.predicates import bounds_of
from lakeport.catalog.predicates.ordering import keys
from lakeport.core.names import quoted


def measure(timeline: Timeline, column: str) -> ColumnStatistics:
    schema = timeline.shape.definition.schema
    index = require_column(schema, column, where=f"table {quoted(str(timeline.name))}")
    snapshot = timeline.head
    if snapshot is None:
        return ColumnStatistics(has_null=False, has_values=False, distinct=0)
    known = snapshot.statistics.get(index)
    if known is None:
        pieces = [segment.live_rows([index]).column(0) for segment in snapshot.segments]
        known = snapshot.statistics[index] = _of(pieces, schema.field(index))
    return known


def _of(pieces: list[Array], column: Field) -> ColumnStatistics:
    values = pa.concat_arrays(pieces) if pieces else nulls(0, column.type)
    bounds = bounds_of([values])
    absent = values.null_count if bounds.null_count is None else bounds.null_count[0].as_py()
    has_nan = bounds.nan_count is not None and bounds.nan_count[0].as_py() > 0
    minimum, maximum = _end(bounds.minimum, column), _end(bounds.maximum, column)
    if has_nan:
        # Bounds leave NaN out, but it is a value: the largest one.
        maximum = pa.scalar(math.nan, column.type)
        minimum = maximum if minimum is None else minimum
    return ColumnStatistics(
        minimum=minimum,
        maximum=maximum,
        has_null=absent > 0,
        has_values=absent < len(values),
        distinct=None if pa.types.is_null(bounds.minimum.type) else _distinct(values),
        longest=_longest(values),
    )


def _end(bound: Array, column: Field) -> Scalar | None:
    return bound[0] if bound.type == column.type and bound[0].is_valid else None


def _distinct(values: Array) -> int:
    """Values that DuckDB tells apart: one NaN, one zero, and NULL is none."""
    plain = keys(values)
    if not pa.types.is_floating(plain.type):
        return int(pc.count_distinct(plain).as_py())
    is_nan = pc.is_nan(plain)
    zero: Scalar = pa.scalar(0.0, plain.type)
    numbers = pc.add(plain.filter(pc.invert(is_nan)), zero)  # −0.0 + 0.0 is 0.0
    return int(pc.count_distinct(numbers).as_py()) + bool(pc.any(is_nan).as_py())


def _plain(values: Array) -> Array:
    return values.storage if isinstance(values, pa.ExtensionArray) else values


def _longest(values: Array) -> int | None:
    """In bytes, as DuckDB counts the length that its statistics speak of."""
    plain = _plain(values)
    if not any(is_one(plain.type) for is_one in _OF_ANY_LENGTH):
        return None
    lengths: Array = pc.binary_length(plain.cast(pa.large_binary()))  # type: ignore[call-overload] # the stubs know concrete arrays only
    return pc.max(lengths).as_py() or 0


_OF_ANY_LENGTH = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
)
