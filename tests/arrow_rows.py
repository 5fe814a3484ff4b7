"""Random Arrow arrays of any type, nested ones built from their children.

Rows come from a small pool per array, so that duplicates, NULL, NaN, ±infinity and extremes are
frequent and comparisons have something to find.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field
from tests.arrow_values import Values, geometries, pool

# The stubs know these constructors for fixed types only, and ours come from a generator.
_arrow: Any = pa
_nulls: Callable[..., Array] = _arrow.nulls
_list: Callable[..., Array] = _arrow.ListArray.from_arrays
_large_list: Callable[..., Array] = _arrow.LargeListArray.from_arrays
_fixed_list: Callable[..., Array] = _arrow.FixedSizeListArray.from_arrays
_map: Callable[..., Array] = _arrow.MapArray.from_arrays


def random_field_array(rng: random.Random, field: Field, rows: int) -> Array:
    if (field.metadata or {}).get(b"ARROW:extension:name") == b"geoarrow.wkb":
        return pa.array(_pick(rng, geometries(rng), rows, nullable=field.nullable), pa.binary())
    return random_array(rng, field.type, rows, nullable=field.nullable)


def random_array(
    rng: random.Random, data_type: pa.DataType, rows: int, *, nullable: bool = True
) -> Array:
    """One array; all rows NULL now and then."""
    if isinstance(data_type, pa.DictionaryType):
        return _dictionary(rng, data_type, rows, nullable=nullable)
    if isinstance(data_type, pa.RunEndEncodedType):
        return _run_ends(rng, data_type, rows, nullable=nullable)
    if data_type.num_fields:
        return _nested(rng, data_type, rows, nullable=nullable)
    if nullable and rng.random() < 0.05:
        return _nulls(rows, data_type)
    return from_storage(_pick(rng, pool(rng, data_type), rows, nullable=nullable), data_type)


def from_storage(values: Values, data_type: pa.DataType) -> Array:
    """An array from storage values, which exist even where a Python object does not (infinity)."""
    if isinstance(data_type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(data_type, pa.array(values, data_type.storage_type))
    if pa.types.is_temporal(data_type) and not pa.types.is_interval(data_type):
        width = pa.int32() if data_type.bit_width == 32 else pa.int64()
        return pa.array(values, width).view(data_type)
    if pa.types.is_decimal(data_type):
        raw = [
            None if value is None else value.to_bytes(data_type.byte_width, "little", signed=True)
            for value in values
        ]
        return pa.array(raw, pa.binary(data_type.byte_width)).view(data_type)
    return pa.array(values, data_type)


def _pick(rng: random.Random, values: Values, rows: int, *, nullable: bool) -> Values:
    share = rng.choice([0.0, 0.15, 0.5]) if nullable else 0.0
    return [None if rng.random() < share else rng.choice(values) for _ in range(rows)]


def _mask(rng: random.Random, rows: int, *, nullable: bool) -> pa.BooleanArray:
    share = rng.choice([0.0, 0.2]) if nullable else 0.0
    return pa.array([rng.random() < share for _ in range(rows)], pa.bool_())


def _dictionary(
    rng: random.Random, data_type: pa.DictionaryType[Any, Any], rows: int, *, nullable: bool
) -> Array:
    values = list(dict.fromkeys(pool(rng, data_type.value_type)))
    picks = _pick(rng, list(range(len(values))), rows, nullable=nullable)
    codes = pa.array(picks, data_type.index_type)
    return pa.DictionaryArray.from_arrays(codes, pa.array(values, data_type.value_type))


def _run_ends(
    rng: random.Random, data_type: pa.RunEndEncodedType[Any, Any], rows: int, *, nullable: bool
) -> Array:
    ends = sorted({rows, *(rng.randint(1, rows) for _ in range(3))}) if rows else []
    values = random_array(rng, data_type.value_type, len(ends), nullable=nullable)
    run_ends = pa.array(ends, data_type.run_end_type)
    return pa.RunEndEncodedArray.from_arrays(run_ends, values, data_type)


def _nested(rng: random.Random, data_type: pa.DataType, rows: int, *, nullable: bool) -> Array:
    mask = _mask(rng, rows, nullable=nullable)
    if isinstance(data_type, pa.StructType):
        fields = list(data_type)
        children = [random_array(rng, f.type, rows, nullable=f.nullable) for f in fields]
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    if isinstance(data_type, pa.SparseUnionType):
        members = [data_type.field(at) for at in range(data_type.num_fields)]
        children = [random_array(rng, m.type, rows, nullable=nullable) for m in members]
        tags = pa.array([rng.randrange(len(members)) for _ in range(rows)], pa.int8())
        return pa.UnionArray.from_sparse(tags, children, [member.name for member in members])
    if isinstance(data_type, pa.FixedSizeListType):
        values = random_array(rng, data_type.value_type, rows * data_type.list_size)
        return _fixed_list(values, type=data_type, mask=mask)
    empty = [hidden.as_py() or rng.random() < 0.2 for hidden in mask]
    sizes = [0 if none else rng.randint(1, 3) for none in empty]
    starts = [sum(sizes[:at]) for at in range(rows + 1)]
    if isinstance(data_type, pa.MapType):
        keys = [key for size in sizes for key in _distinct(rng, data_type.key_type, size)]
        items = random_array(rng, data_type.item_type, len(keys))
        offsets = pa.array(starts, pa.int32(), mask=[*mask.to_pylist(), False])
        return _map(offsets, from_storage(keys, data_type.key_type), items, data_type)
    values = random_array(rng, data_type.field(0).type, starts[-1])
    if isinstance(data_type, pa.LargeListType):
        large = pa.array(starts, pa.int64())
        return _large_list(large, values, data_type, mask=mask)
    if isinstance(data_type, pa.ListType):
        small = pa.array(starts, pa.int32())
        return _list(small, values, data_type, mask=mask)
    raise NotImplementedError(str(data_type))


def _distinct(rng: random.Random, data_type: pa.DataType, count: int) -> Values:
    found: dict[Any, None] = {}
    while len(found) < count:
        found.update(dict.fromkeys(pool(rng, data_type)))
    return rng.sample(list(found), count)
