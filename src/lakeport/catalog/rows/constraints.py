"""NOT NULL and CHECK on rows, and all that a schema change asks of the rows that exist.

A CHECK holds when it is TRUE or NULL, as SQL says. NOT NULL reaches into structs, lists and maps: a
field must have a value wherever its parent has one. Keys are compared by `keys.KeyGuard`, which needs
to see more than one batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import Parts, child_fields, is_list, take_apart
from lakeport.catalog.arrays.samples import MANY, shown_rows
from lakeport.catalog.arrays.selection import chosen, take_array
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Check, Definition, PrimaryKey
from lakeport.catalog.evolution.dependents import named
from lakeport.catalog.evolution.nested import requires_inside
from lakeport.catalog.evolution.plan import Evolution
from lakeport.catalog.expressions import Expression, evaluate, parse_expression
from lakeport.catalog.rows.keys import KeyGuard
from lakeport.core.errors import (
    ConstraintViolationError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import quoted

_compute: Any = pc


def check_rows(batch: pa.RecordBatch, definition: Definition) -> None:
    """`ConstraintViolationError` when a row breaks a NOT NULL or a CHECK of the definition."""
    check_not_null(batch, definition)
    check_conditions(batch, definition)


def check_not_null(batch: pa.RecordBatch, definition: Definition) -> None:
    """Costs next to nothing, unlike `check_conditions`, which asks an engine."""
    for index in range(len(definition.schema)):
        _check_not_null(batch, index, definition)


def check_conditions(batch: pa.RecordBatch, definition: Definition) -> None:
    for check in definition.checks:
        _check_condition(batch, check, definition.schema)


def check_evolution(evolution: Evolution, batches: Iterable[pa.RecordBatch]) -> None:
    """What the evolution asks of the rewritten rows, and nothing that they proved before."""
    proof = EvolutionProof(evolution)
    if proof.is_needed:
        for batch in batches:
            proof.add(batch)
        proof.finish()


class EvolutionProof:
    """The same for rows that come one batch after the other, some of them later than others."""

    def __init__(self, evolution: Evolution) -> None:
        self._definition = definition = evolution.definition
        names = evolution.must_not_be_null
        self._required = [definition.schema.get_field_index(name) for name in names]
        self._checks = [c for c in evolution.constraints_to_check if isinstance(c, Check)]
        self._guards = [
            KeyGuard(key, definition.schema)
            for key in evolution.constraints_to_check
            if not isinstance(key, Check)
        ]

    @property
    def is_needed(self) -> bool:
        return bool(self._required or self._checks or self._guards)

    def add(self, batch: pa.RecordBatch) -> None:
        """`ConstraintViolationError` for a row that breaks a NOT NULL or a CHECK."""
        for index in self._required:
            _check_not_null(batch, index, self._definition)
        for check in self._checks:
            _check_condition(batch, check, self._definition.schema)
        for guard in self._guards:
            guard.add(batch)

    def finish(self) -> None:
        """`KeyViolationError` when two of the rows so far have one key; more may follow."""
        for guard in self._guards:
            guard.check_repeats()


# -- NOT NULL ------------------------------------------------------------------------------------


def _check_not_null(batch: pa.RecordBatch, index: int, definition: Definition) -> None:
    field = definition.schema.field(index)
    column = batch.column(index)
    if (not field.nullable or _is_primary(field.name, definition)) and _has_null(column):
        rows = chosen(column.is_null())
        sample = shown_rows(batch, _identity(definition, field.name), _first(rows))
        raise ConstraintViolationError(
            f"column {quoted(field.name)} is NOT NULL, but {_counted(len(rows))} NULL there"
            + (f": {sample}" if sample else ""),
            hint="give a value, or drop NOT NULL",
            details={"constraint": "NOT NULL", "column": field.name, "sample": sample},
            unseen=f"column {quoted(field.name)} is NOT NULL, but has a NULL",
        )
    hollow = _hollow_path(column, field.type, field.name)
    if hollow is not None:
        raise ConstraintViolationError(
            f"field {quoted(hollow)} is NOT NULL, but a row has NULL there",
            hint="give a value, or drop NOT NULL",
            details={"constraint": "NOT NULL", "column": hollow},
        )


def _is_primary(column: str, definition: Definition) -> bool:
    """A PRIMARY KEY has no NULLs, also where another engine made its column nullable."""
    return any(isinstance(key, PrimaryKey) and column in key.columns for key in definition.keys)


def _has_null(array: Array) -> bool:
    if array.null_count:
        return True
    # These have no NULLs of their own, but what they point at may be NULL.
    kind = array.type
    indirect = (
        pa.types.is_dictionary(kind) or pa.types.is_union(kind) or pa.types.is_run_end_encoded(kind)
    )
    return indirect and bool(_compute.any(array.is_null(), min_count=0).as_py())


def _hollow_path(array: Array, data_type: pa.DataType, where: str) -> str | None:
    """The first nested NOT NULL field without a value under a parent that has one."""
    if not requires_inside(data_type):
        return None
    parts = take_apart(array)
    names = _step_names(data_type)
    for field, child, name in zip(child_fields(data_type), parts.children, names, strict=True):
        used = _in_use(parts, child)
        path = f"{where}.{name}"
        if not field.nullable and _has_null(used):
            return path
        deeper = _hollow_path(used, field.type, path)
        if deeper is not None:
            return deeper
    return None


def _in_use(parts: Parts, child: Array) -> Array:
    """The child's values whose parent is not NULL: the others mean nothing."""
    if parts.valid is None:
        return child
    flags: Any = pa.Array.from_buffers(pa.bool_(), parts.length, [None, parts.valid])
    if parts.offsets is not None:
        shown = np.repeat(flags.to_numpy(zero_copy_only=False), np.diff(parts.offsets))
        flags = pa.array(shown, type=pa.bool_())
    return take_array(child, chosen(flags))


def _step_names(data_type: pa.DataType) -> tuple[str, ...]:
    if pa.types.is_map(data_type):
        return "key", "value"
    return ("element",) if is_list(data_type) else tuple(f.name for f in child_fields(data_type))


# -- CHECK ---------------------------------------------------------------------------------------


def _check_condition(batch: pa.RecordBatch, check: Check, schema: pa.Schema) -> None:
    expression = _expression(check, schema)
    broken = _compute.invert(_evaluated(expression, check, batch).cast(pa.bool_()))
    rows = chosen(_compute.fill_null(broken, fill_value=False))
    if len(rows):
        read = [name for name in schema.names if name in expression.columns]
        sample = shown_rows(batch, read, _first(rows))
        raise ConstraintViolationError(
            f"{_counted(len(rows))} broken {named(check)}" + (f": {sample}" if sample else ""),
            details={"constraint": check.name, "sample": sample},
            unseen=f"rows have broken {named(check)}",
        )


def _evaluated(expression: Expression, check: Check, batch: pa.RecordBatch) -> Array:
    try:
        return evaluate(expression, batch)
    except InvalidRequestError as error:
        raise ConstraintViolationError(
            f"{named(check)} cannot be computed for every row: {error.message}",
            hint=error.hint,
            details={**error.details, "constraint": check.name},
            unseen=f"{named(check)} cannot be computed for every row",
        ) from error


def _expression(check: Check, schema: pa.Schema) -> Expression:
    # It was parsed when it was added; another engine may have changed the table since.
    try:
        return parse_expression(check.expression, schema)
    except (InvalidRequestError, NotFoundError) as error:
        raise PreconditionError(
            f"{named(check)} cannot be checked any more: {error.message}",
            hint="drop the constraint, or bring its columns back",
        ) from error


def _identity(definition: Definition, but: str) -> list[str]:
    """The columns by which a person would find the row."""
    for key in definition.keys:
        if isinstance(key, PrimaryKey) and but not in key.columns:
            return list(key.columns)
    return [name for name in definition.schema.names if name != but][:MANY]


def _first(rows: Array) -> list[int]:
    return [row.as_py() for row in rows.slice(0, MANY)]


def _counted(rows: int) -> str:
    return "1 row has" if rows == 1 else f"{rows:,} rows have"
