"""How many rows make a batch of the size asked for, guessed from what the footer says of the columns.

The encoded size misleads where a dictionary or runs stand for the values, so values of a fixed width
are counted by their width, and texts by their smallest and largest one if that is more.
"""

from __future__ import annotations

from typing import Any

from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.task import Task
from lakeport.catalog.iceberg.parts import MEBIBYTE

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
_DECIMAL = 16
_OFFSET = 4
# For a text in a dictionary of which the footer shows no example: writers leave out long ones.
_UNSEEN = 512
# A batch costs some 20 µs for each of its columns whatever it holds: in wide tables more than a few
# rows share that, as long as they are not too much to hold at once.
_FEW_ROWS = 1_024
_MANY_BYTES = 8 * MEBIBYTE


def rows_per_batch(footer: Footer, leaves: tuple[int, ...], task: Task) -> int:
    metadata = footer.metadata
    # One row group speaks for all: they were written by one writer from one kind of rows.
    group = max(range(metadata.num_row_groups), key=lambda i: metadata.row_group(i).num_rows)
    columns = metadata.schema
    decoded = sum(
        _decoded_bytes(columns.column(leaf), footer.chunk(group, leaf)) for leaf in leaves
    )
    per_row = max(decoded / metadata.row_group(group).num_rows, 1)
    rows = int(task.source.options.batch_bytes / per_row)
    rows = max(rows, min(_FEW_ROWS, int(_MANY_BYTES / per_row)), 1)
    return min(rows, task.wanted.batch_rows)


def _decoded_bytes(column: Any, chunk: Any) -> float:
    return float(chunk.num_values * _width(column, chunk))


def _width(column: Any, chunk: Any) -> float:
    if column.logical_type.type == "DECIMAL":
        return _DECIMAL
    if chunk.physical_type == "FIXED_LEN_BYTE_ARRAY":
        return float(column.length)
    return _WIDTHS.get(chunk.physical_type) or _text_width(chunk) + _OFFSET


def _text_width(chunk: Any) -> float:
    encoded: float = chunk.total_uncompressed_size / max(chunk.num_values, 1)
    if not chunk.has_dictionary_page:
        return encoded
    if chunk.is_stats_set and chunk.statistics.has_min_max:
        ends = chunk.statistics.min_raw, chunk.statistics.max_raw
        return max(encoded, sum(len(end) for end in ends) / 2)
    return max(encoded, _UNSEEN)
