"""How staged rows get into a table: one builder of statements per strategy, pure text in Spark SQL."""

from __future__ import annotations

from lakeport.pipeline.strategies.branch import drop_branch
from lakeport.pipeline.strategies.measure import (
    Measured,
    countable,
    counted,
    measure,
    measured,
    repeated_keys,
    repetition,
    require_keys,
)
from lakeport.pipeline.strategies.registry import STRATEGIES, builder_of, statements
from lakeport.pipeline.strategies.required import count_nulls, require_values
from lakeport.pipeline.strategies.time_range import left_out
from lakeport.pipeline.strategies.unique import taken_keys
from lakeport.pipeline.strategies.write import (
    Bound,
    NullKeys,
    Relation,
    Statement,
    TimeRange,
    Write,
)

__all__ = [
    "STRATEGIES",
    "Bound",
    "Measured",
    "NullKeys",
    "Relation",
    "Statement",
    "TimeRange",
    "Write",
    "builder_of",
    "count_nulls",
    "countable",
    "counted",
    "drop_branch",
    "left_out",
    "measure",
    "measured",
    "repeated_keys",
    "repetition",
    "require_keys",
    "require_values",
    "statements",
    "taken_keys",
]
