"""Whether statistics are true of rows."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.ports import ColumnStatistics
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.ordering import keys


def assert_true(found: ColumnStatistics, values: Any) -> None:
    """Each claim holds of the values; what is unknown claims nothing."""
    if found.has_null is not None:
        assert found.has_null == (values.null_count > 0)
    if found.has_values is not None:
        assert found.has_values == (values.null_count < len(values))
    if found.distinct is not None:
        assert found.distinct == len({str(value) for value in values.drop_null().to_pylist()})
    if found.longest is not None:
        lengths = [
            len(value.encode()) if isinstance(value, str) else len(value)
            for value in values.drop_null().to_pylist()
        ]
        assert found.longest == max(lengths, default=0)
    if found.minimum is not None:
        _assert_end(values, found.minimum, "less")
    if found.maximum is not None:
        _assert_end(values, found.maximum, "greater")


def _assert_end(values: Any, end: Scalar, beyond: str) -> None:
    """DuckDB's order: NaN is above everything."""
    plain: Any = keys(values)
    bound: Any = keys(kernels.repeat(end, 1))[0]
    if pa.types.is_floating(plain.type) and math.isnan(bound.as_py()):
        is_nan = pc.is_nan(plain)
        assert is_nan.true_count
        assert beyond == "greater" or is_nan.false_count == 0
        return
    outside = getattr(pc, beyond)(plain, bound).true_count
    if beyond == "greater" and pa.types.is_floating(plain.type):
        outside += pc.is_nan(plain).true_count
    assert outside == 0
    assert pc.equal(plain, bound).true_count
