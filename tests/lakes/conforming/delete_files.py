"""A file of position deletes against what its manifest says, and against the data files it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pyarrow.parquet as pq

from tests.lakes.conforming.avro import local_path, pairs

_PATH, _POSITION = 2147483546, 2147483545
_ID = b"PARQUET:field_id"


def positions_of(location: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    rows = pq.read_table(local_path(location))
    if rows.column_names != ["file_path", "pos"]:
        return found  # which is complained about elsewhere
    for row in rows.to_pylist():
        found.setdefault(row["file_path"], []).append(row["pos"])
    return found


def position_file_complaints(entry: Mapping[str, Any]) -> Iterator[str]:
    path = local_path(entry["file_path"])
    if path.stat().st_size != entry["file_size_in_bytes"]:
        yield f"it has {path.stat().st_size} bytes, not {entry['file_size_in_bytes']}"
    with pq.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.read()
    ids = {field.name: int((field.metadata or {}).get(_ID, b"0")) for field in schema}
    if ids != {"file_path": _PATH, "pos": _POSITION}:
        yield f"its columns are {ids}"
        return
    if any(field.nullable for field in schema):
        yield "its columns are optional"
    pairs_of = [(row["file_path"].encode(), row["pos"]) for row in rows.to_pylist()]
    if len(pairs_of) != entry["record_count"] or not pairs_of:
        yield f"it has {len(pairs_of)} rows, not {entry['record_count']}"
    if any(second <= first for first, second in pairwise(pairs_of)):
        yield "its rows are not sorted, or one comes twice"
    named = {path for path, _ in pairs_of}
    lower, upper = pairs(entry.get("lower_bounds")) or {}, pairs(entry.get("upper_bounds")) or {}
    if _PATH not in lower or _PATH not in upper:
        yield "it has no bounds of file_path"
    elif not (bytes(lower[_PATH]) <= min(named) and max(named) <= bytes(upper[_PATH])):
        yield "its bounds of file_path do not hold its paths"
    referenced = entry.get("referenced_data_file")
    if referenced is not None and named != {referenced.encode()}:
        yield f"it is said to be about {referenced} alone"
    if entry.get("sort_order_id") is not None:
        yield "position deletes have no sort order"
