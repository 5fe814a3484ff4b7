"""NOT NULL on staged rows, counted before they are written: Spark itself fails late and names no column.

Only columns: for a NULL inside a struct Spark's own sentence has the path.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeport.core.errors import ConstraintViolationError
from lakeport.core.names import quoted
from lakeport.pipeline.growth.model import Schema
from lakeport.pipeline.growth.spark_select import expression
from lakeport.pipeline.strategies.write import Write


def count_nulls(write: Write, table: Schema) -> str | None:
    """One count per NOT NULL column of the table; None if it has no such column."""
    required = _required(table)
    counts = ", ".join(
        f"count_if({expression(column)} IS NULL)"
        for column in write.projection
        if column.name in required
    )
    return f"SELECT {counts}\nFROM {write.staged.sql}" if counts else None


def require_values(table: Schema, counts: Sequence[int]) -> None:
    """Refuse NULLs where the table has none; `counts` is the answer to `count_nulls`."""
    found = [(name, n) for name, n in zip(_required(table), counts, strict=True) if n]
    if found:
        told = ", ".join(f"{quoted(name)} in {n} rows" for name, n in found)
        raise ConstraintViolationError(
            f"the model gives NULL for columns that are NOT NULL: {told}",
            hint="filter or fill them in the model",
            details={"columns": ", ".join(name for name, _ in found)},
        )


def _required(table: Schema) -> list[str]:
    return [field.name for field in table if field.required]
