"""Rows by partition: which tuple of transformed values each row belongs to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema

from tests.lakes.storage import leaf_array, leaves, plain_values


def split_rows(
    rows: pa.Table, schema: Schema, spec: PartitionSpec
) -> Iterator[tuple[tuple[Any, ...], pa.Table]]:
    """Each partition's tuple with its rows, in order of first appearance."""
    if not spec.fields:
        yield (), rows
        return
    columns = [_transformed(rows, schema, spec, at) for at in range(len(spec.fields))]
    tuples = list(zip(*columns, strict=True))
    groups: dict[tuple[Any, ...], list[int]] = {}
    for at, values in enumerate(tuples):
        groups.setdefault(tuple(_key(value) for value in values), []).append(at)
    for members in groups.values():
        yield tuples[members[0]], rows.take(pa.array(members, pa.int64()))


def _transformed(rows: pa.Table, schema: Schema, spec: PartitionSpec, at: int) -> list[Any]:
    field = spec.fields[at]
    ways = {leaf.field_id: way for leaf, way in leaves(schema)}
    values = plain_values(leaf_array(rows, ways[field.source_id]))
    transform = field.transform.transform(schema.find_type(field.source_id))
    return [transform(value) for value in values]


def _key(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and math.isnan(value) else (repr(value), value)
