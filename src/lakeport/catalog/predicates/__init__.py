"""What can prune: conditions on single columns, joined by AND, OR and NOT, with DuckDB's semantics.

`bind` first; then `evaluate` or `keep` rows, ask which files are `possible` or `certain` from their
`Bounds`, `describe` it as SQL, or send it along as plain values. Everything that is not a comparison
with a constant is an expression instead (`catalog/expressions`).
"""

from __future__ import annotations

from lakeport.catalog.predicates.bind import bind
from lakeport.catalog.predicates.bounds import Bounds, bounds_of
from lakeport.catalog.predicates.describe import describe
from lakeport.catalog.predicates.evaluate import evaluate, keep
from lakeport.catalog.predicates.model import (
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
    columns_of,
)
from lakeport.catalog.predicates.plain import from_plain, to_plain
from lakeport.catalog.predicates.prune import certain, possible

__all__ = [
    "Always",
    "And",
    "Between",
    "Bounds",
    "Compare",
    "IsIn",
    "IsNull",
    "Not",
    "Op",
    "Or",
    "Predicate",
    "StartsWith",
    "bind",
    "bounds_of",
    "certain",
    "columns_of",
    "describe",
    "evaluate",
    "from_plain",
    "keep",
    "possible",
    "to_plain",
]
