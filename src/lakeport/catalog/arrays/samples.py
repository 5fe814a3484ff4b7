"""Values of rows as messages show them: short, in SQL's own spelling, never a Python object.

DATE infinity and far timestamps cannot become Python objects, so the text comes from the engine that
evaluates expressions. What even that cannot write down is shown by its type alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import cast_array
from lakeport.core.errors import LakeportError

MANY = 3
"""How many offending values a message names."""

_LONGEST = 60


def shown(array: Array, index: int) -> str:
    """One value; text in quotes."""
    # Copied out, not sliced: DuckDB reads a sliced union at the wrong place.
    single = take_array(array, pa.array([index]))
    try:
        text: str | None = cast_array(single, pa.string())[0].as_py()
    except (LakeportError, pa.ArrowException):
        return f"<{array.type}>"
    if text is None:
        return "NULL"
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"'{short}'" if _is_text(array.type) else short


def shown_rows(batch: pa.RecordBatch, columns: Sequence[str], rows: Iterable[int]) -> str:
    """`id = 1, name = 'x'; id = 2, name = 'y'`, of the first few rows."""
    picked = [(name, batch.column(name)) for name in columns]
    if not picked:
        return ""
    lines = [
        ", ".join(f"{name} = {shown(column, row)}" for name, column in picked)
        for row in list(rows)[:MANY]
    ]
    return "; ".join(lines)


def _is_text(data_type: pa.DataType) -> bool:
    if pa.types.is_dictionary(data_type):
        return _is_text(data_type.value_type)
    return (
        pa.types.is_string(data_type)
        or pa.types.is_large_string(data_type)
        or pa.types.is_string_view(data_type)
    )
