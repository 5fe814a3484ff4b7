"""What a table function says about a column, on its way from a worker to the server."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.catalog.ports import ColumnStatistics
from lakeport.functions.workers.messages import Claims, Done


def claims_of(said: ColumnStatistics) -> tuple[Done, pa.RecordBatch]:
    bounds = [_one(said.minimum), _one(said.maximum)]
    claims = Claims(
        said.minimum is not None,
        said.maximum is not None,
        said.has_null,
        said.has_values,
        said.distinct,
        said.longest,
    )
    return Done(claims=claims), pa.record_batch(bounds, names=["minimum", "maximum"])


def statistics_of(done: Done, bounds: pa.RecordBatch | None) -> ColumnStatistics:
    claims = done.claims
    if claims is None or bounds is None:
        return ColumnStatistics()
    return ColumnStatistics(
        bounds.column(0)[0] if claims.has_minimum else None,
        bounds.column(1)[0] if claims.has_maximum else None,
        claims.has_null,
        claims.has_values,
        claims.distinct,
        claims.longest,
    )


def _one(value: Any) -> Any:
    """A bound may be told as a Python value, too."""
    scalar = value if isinstance(value, pa.Scalar) else pa.scalar(value)
    return pa.array([scalar.as_py()], scalar.type)
