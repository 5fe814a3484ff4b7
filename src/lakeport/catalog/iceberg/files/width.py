"""How many rows make a batch of a few megabytes, guessed from what the footer says of the columns.

The encoded size misleads where a dictionary or runs stand for the values, so values of a fixed width
are counted by their width, and texts by their smallest and largest one if that is more.
"""

from __future__ import annotations

from typing import Any

from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.task import Task

_FEWEST_ROWS = 256
_DECIMAL = 16
_OFFSET = 4
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}


def rows_per_batch(footer: Footer, leaves: tuple[int, ...], task: Task) -> int:
    metadata, most = footer.metadata, task.wanted.batch_rows
    if not metadata.num_rows:
        return most
    # One row group speaks for all: they were written by one writer from one kind of rows.
    group = max(range(metadata.num_row_groups), key=lambda i: metadata.row_group(i).num_rows)
    columns = metadata.schema
    decoded = sum(
        _decoded_bytes(columns.column(leaf), footer.chunk(group, leaf)) for leaf in leaves
    )
    per_row = decoded / max(metadata.row_group(group).num_rows, 1)
    fitting = int(task.source.options.batch_bytes / max(per_row, 1))
    return min(most, max(fitting, _FEWEST_ROWS))


def _decoded_bytes(column: Any, chunk: Any) -> float:
    width = _DECIMAL if column.logical_type.type == "DECIMAL" else _WIDTHS.get(chunk.physical_type)
    if chunk.physical_type == "FIXED_LEN_BYTE_ARRAY":
        width = width or column.length
    if width is not None:
        return float(chunk.num_values * width)
    lengths = [chunk.total_uncompressed_size / max(chunk.num_values, 1)]
    if chunk.is_stats_set and chunk.statistics.has_min_max:
        ends = chunk.statistics.min_raw, chunk.statistics.max_raw
        lengths.append(sum(len(end) for end in ends) / 2)
    return float(chunk.num_values * (max(lengths) + _OFFSET))
