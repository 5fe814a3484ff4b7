"""How many rows make a batch of the size asked for, guessed from what the footer says of the columns.

The encoded size misleads where a dictionary or runs stand for the values, so values of a fixed width
are counted by their width, and texts by their smallest and largest one if that is more.
"""

from __future__ import annotations

from typing import Any

from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.task import Task

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
_DECIMAL = 16
_OFFSET = 4
# For a text in a dictionary of which the footer shows no example: writers leave out long ones.
_UNSEEN = 512


def rows_per_batch(footer: Footer, leaves: tuple[int, ...], task: Task) -> int:
    metadata = footer.metadata
    # One row group speaks for all: they were written by one writer from one kind of rows.
    group = max(range(metadata.num_row_groups), key=lambda i: metadata.row_group(i).num_rows)
    columns = metadata.schema
    decoded = sum(
        _decoded_bytes(columns.column(leaf), footer.chunk(group, leaf)) for leaf in leaves
    )
    per_row = max(decoded / metadata.row_group(group).num_rows, 1)
    return max(min(task.wanted.batch_rows, int(task.source.options.batch_bytes / per_row)), 1)


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
