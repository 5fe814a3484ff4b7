"""Whether two tables hold exactly the same rows: every type, NaN, infinities and all.

Arrow's own equality says that NaN differs from itself, and Python objects cannot hold every date.
Its text rendering can show everything, so the texts are compared.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import take_rows
from tests.catalog.iceberg.types.visible import visible_table

POSITION = "position"
"""An extra column that numbers the rows: a table has no order of its own."""

_ALL = 1_000_000


def numbered(table: pa.Table) -> pa.Table:
    numbers = pa.array(range(table.num_rows), pa.int64())
    return table.append_column(pa.field(POSITION, pa.int64()), numbers)


def in_order(table: pa.Table) -> pa.RecordBatch:
    """The rows by their numbers."""
    rows = glue_rows(table.to_batches(), table.schema)
    order = pc.sort_indices(rows.column(POSITION)).cast(pa.int64())
    return take_rows(rows, order)


def assert_same_rows(found: pa.Table, expected: pa.Table) -> None:
    assert found.schema.equals(expected.schema, check_metadata=True)
    found.validate(full=True)
    # What a NULL hides means nothing, and a storage need not keep it.
    one, other = in_order(visible_table(found)), in_order(visible_table(expected))
    for column in found.schema.names:
        assert _text(one.column(column)) == _text(other.column(column)), column


def _text(array: Any) -> str:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)  # type: ignore[attr-defined] # not in the stubs
    return str(array.to_string(window=_ALL, container_window=_ALL, element_size_limit=_ALL))
