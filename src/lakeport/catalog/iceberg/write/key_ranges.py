"""The condition that a row with one of the new keys meets, as far as files can be pruned by it.

Few keys are looked for one by one, many by the range that they span. It may accept more than the keys,
never less: a column whose order is not the one that bounds are kept in is left out.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.predicates import And, Between, IsIn, Predicate, bind
from lakeport.catalog.predicates.ordering import decoded
from lakeport.catalog.rows.keys import KeyGuard
from lakeport.core.errors import LakeportError

_FEW = 1_000

_compute: Any = pc


def condition_on(guard: KeyGuard) -> Predicate | None:
    """Bound to the guard's columns; None when it could not rule anything out."""
    keys = guard.keys
    parts = [
        part
        for field, column in zip(guard.schema, keys.columns, strict=True)
        if (part := _bound(field, column, guard.schema)) is not None
    ]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _bound(field: Field, column: Any, schema: pa.Schema) -> Predicate | None:
    try:
        part = _accepting(field, pa.chunked_array([decoded(chunk) for chunk in column.chunks]))
        return None if part is None else bind(part, schema)
    except (LakeportError, pa.ArrowNotImplementedError):
        return None  # no order to compare by


def _accepting(field: Field, values: Any) -> Predicate | None:
    if pa.types.is_floating(values.type) and _compute.any(_compute.is_nan(values)).as_py():
        return None  # it is above all numbers, and in no bound
    if len(values) <= _FEW:
        known: Array = values.drop_null().combine_chunks()
        return IsIn(field.name, known)
    ends = _compute.min_max(values)
    return Between(field.name, ends["min"], ends["max"]) if ends["min"].is_valid else None
