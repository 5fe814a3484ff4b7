"""Rows as CSV (RFC 4180 in UTF-8, with Unix line ends) that `lakeport load` and DuckDB read back.

NULL is nothing, an empty text is `""`. A value in quotes has a comma, a quote, a line break or blanks
at an end. Nested values are JSON, because CSV has no nesting of its own.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.app.lake.rows.plain import plain_values
from lakeport.app.lake.rows.texts import texts
from lakeport.catalog.arrays.containers import is_nested
from lakeport.catalog.arrow import Array
from lakeport.catalog.streams import BatchStream

_compute: Any = pc  # the stubs know no plain text among a kernel's arguments
_NEEDS_QUOTES = r'[",\r\n]|^\s|\s$|^$'


def csv_chunks(stream: BatchStream) -> Generator[bytes, None, None]:
    header = _quoted(pa.array(stream.schema.names, pa.string()))
    yield ",".join(map(str, header.to_pylist())).encode() + b"\n"
    for batch in stream:
        if batch.num_rows:
            yield csv_lines(batch)


def csv_lines(batch: pa.RecordBatch) -> bytes:
    if not batch.num_columns:
        return b"\n" * batch.num_rows
    cells = [_quoted(cell_texts(column)).fill_null("") for column in batch.columns]
    lines = _compute.binary_join_element_wise(*cells, ",")
    return "\n".join([*lines.to_pylist(), ""]).encode()


def cell_texts(column: Array) -> Array:
    """One text per row: nested values as JSON, everything else as `texts` writes it."""
    if not is_nested(column.type) or pa.types.is_run_end_encoded(column.type):
        return texts(column)
    encode = msgspec.json.encode
    found = (None if value is None else encode(value).decode() for value in plain_values(column))
    return pa.array(found, pa.string())


def _quoted(cells: Array) -> Array:
    doubled = _compute.replace_substring(cells, '"', '""')
    marked = _compute.binary_join_element_wise('"', doubled, '"', "")
    needed = _compute.match_substring_regex(cells, _NEEDS_QUOTES)
    chosen: Array = _compute.if_else(needed, marked, cells)
    return chosen
