"""Arrow's kernels under the types we use them at.

pyarrow's stubs give each kernel one overload per element type, and an array of any type matches
none of them; this is the one place that looks away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array, Scalar

Mask: TypeAlias = pa.BooleanArray

_arrow: Any = pa
_compute: Any = pc

equal: Callable[[Array, Array | Scalar], Mask] = _compute.equal
not_equal: Callable[[Array, Array | Scalar | int], Mask] = _compute.not_equal
less: Callable[[Array, Array | Scalar], Mask] = _compute.less
less_equal: Callable[[Array, Array | Scalar], Mask] = _compute.less_equal

both: Callable[[Mask, Mask], Mask] = _compute.and_kleene
either: Callable[[Mask, Mask], Mask] = _compute.or_kleene
invert: Callable[[Mask], Mask] = _compute.invert

# Looks through encodings: also true where a dictionary's code or a run leads to NULL.
is_null: Callable[[Array], Mask] = _compute.is_null
is_nan: Callable[[Array], Mask] = _compute.is_nan
add: Callable[[Array, Array | Scalar | int], Array] = _compute.add
if_else: Callable[[Mask, Array | Scalar | int, Array | Scalar | int], Array] = _compute.if_else
drop_null: Callable[[Array], Array] = _compute.drop_null
run_end_decode: Callable[[Array], Array] = _compute.run_end_decode
sort_indices: Callable[[Array], Array] = _compute.sort_indices
index: Callable[[Array, Scalar], Scalar] = _compute.index
repeat: Callable[[Scalar, int], Array] = _arrow.repeat
nulls: Callable[[int, pa.DataType], Array] = _arrow.nulls
array: Callable[[list[Any], pa.DataType], Array] = _arrow.array
concat: Callable[[list[Array]], Array] = _arrow.concat_arrays


def filled(mask: Mask, *, value: bool) -> Mask:
    """The mask with that value in the place of NULL."""
    answer: Mask = _compute.fill_null(mask, value)
    return answer


def is_in(values: Array, among: Array) -> Mask:
    answer: Mask = _compute.is_in(values, value_set=among)
    return answer


def starts_with(values: Array, prefix: str) -> Mask:
    answer: Mask = _compute.starts_with(values, pattern=prefix)
    return answer


def constant(*, value: bool | None, rows: int) -> Mask:
    answer: Mask = _arrow.repeat(pa.scalar(value, pa.bool_()), rows)
    return answer


def minimum_and_maximum(values: Array) -> tuple[Scalar, Scalar]:
    """NULL without a value; NaN is skipped, unless there is nothing else."""
    found = _compute.min_max(values)
    return found["min"], found["max"]


def when(decided: Mask, answer: Mask) -> Mask:
    """The answer where it is decided, NULL elsewhere."""
    joined: Mask = _compute.if_else(decided, answer, pa.scalar(None, pa.bool_()))
    return joined


def unless(forbidden: Mask, values: Array) -> Array:
    """The values, but null where forbidden."""
    joined: Array = _compute.if_else(forbidden, pa.scalar(None, values.type), values)
    return joined


def divided(integers: Array, divisor: int) -> Array:
    """Rounded towards zero."""
    result: Array = _compute.divide(integers, divisor)
    return result
