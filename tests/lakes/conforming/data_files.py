"""A data file against what its manifest says: ids, counts, sizes, bounds, partition and order of its rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.sorting import NullOrder, SortDirection, SortOrder
from pyiceberg.types import (
    BinaryType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
)
from pyiceberg.types import ListType as IcebergList

from tests.lakes.conforming.avro import local_path, pairs, plain
from tests.lakes.conforming.values import decoded, is_nan, order
from tests.lakes.metrics import TRUNCATED
from tests.lakes.storage import arrow_type, plain_values

_ID = b"PARQUET:field_id"
_BOUNDED = (IntegerType, LongType, StringType, DecimalType)
_TYPES = "lakeport.types"


def data_file_complaints(entry: Mapping[str, Any], metadata: TableMetadata) -> Iterator[str]:
    """`entry` is a manifest's record of the file, as Avro has it."""
    path = local_path(entry["file_path"])
    if path.stat().st_size != entry["file_size_in_bytes"]:
        yield f"it has {path.stat().st_size} bytes, not {entry['file_size_in_bytes']}"
    with pq.ParquetFile(path) as file:
        footer, schema, rows = file.metadata, file.schema_arrow, file.read()
    if rows.num_rows != entry["record_count"] or not rows.num_rows:
        yield f"it has {rows.num_rows} rows, not {entry['record_count']}"
    kinds = _kinds(metadata)
    yield from _id_complaints(schema, kinds)
    yield from _layout_complaints(entry, footer)
    columns = dict(_columns(rows, kinds))
    yield from _count_complaints(entry, columns)
    plain_columns = _outer(schema) - _annotated(metadata)
    yield from _missing_complaints(entry, columns, plain_columns)
    for ident, (kind, values) in columns.items():
        yield from _bound_complaints(entry, ident, kind, values)
    spec = metadata.specs()[entry["spec_id"]]
    yield from _partition_complaints(entry, spec, columns)
    yield from _sort_complaints(entry.get("sort_order_id"), metadata, columns, rows.num_rows)


# -- schema --------------------------------------------------------------------------------------


def _kinds(metadata: TableMetadata) -> dict[int, list[NestedField]]:
    """Every field that ever was, by its id."""
    found: dict[int, list[NestedField]] = {}
    for schema in metadata.schemas:
        for field in _fields(schema.as_struct()):
            found.setdefault(field.field_id, []).append(field)
    return found


def _fields(kind: IcebergType) -> Iterator[NestedField]:
    inside: tuple[NestedField, ...] = ()
    match kind:
        case StructType():
            inside = kind.fields
        case IcebergList():
            inside = (kind.element_field,)
        case MapType():
            inside = (kind.key_field, kind.value_field)
    for field in inside:
        yield field
        yield from _fields(field.field_type)


def _id_complaints(schema: pa.Schema, kinds: Mapping[int, list[NestedField]]) -> Iterator[str]:
    found: list[int] = []
    for field in _arrow_fields(list(schema)):
        text = (field.metadata or {}).get(_ID)
        if text is None:
            yield f"its column {field.name} has no field id"
            continue
        found.append(int(text))
        known = kinds.get(int(text), [])
        if not known:
            yield f"its column {field.name} has the id {int(text)} that no schema knows"
        elif not any(_fits(field.type, one.field_type) for one in known):
            yield f"its column {field.name} is {field.type}, not {known[-1].field_type}"
        elif all(one.required for one in known) and field.nullable:
            yield f"its column {field.name} is optional, though always required"
    if len(found) != len(set(found)):
        yield "a field id comes twice"


def _arrow_fields(fields: list[Any]) -> Iterator[Any]:
    for field in fields:
        yield field
        kind = field.type
        if pa.types.is_map(kind):
            yield from _arrow_fields([kind.key_field, kind.item_field])
        elif pa.types.is_nested(kind):
            yield from _arrow_fields([kind.field(at) for at in range(kind.num_fields)])


def _fits(found: pa.DataType, kind: IcebergType) -> bool:
    wanted = arrow_type(kind)
    if pa.types.is_nested(wanted):
        return type(found) is type(wanted)
    return found == wanted


# -- sizes and counts ----------------------------------------------------------------------------


def _layout_complaints(entry: Mapping[str, Any], footer: pq.FileMetaData) -> Iterator[str]:
    groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
    offsets = entry.get("split_offsets")
    if offsets is not None and offsets != [_start(group) for group in groups]:
        yield f"its row groups do not begin at {offsets}"
    sizes = pairs(entry.get("column_sizes")) or {}
    total = sum(
        group.column(at).total_compressed_size
        for group in groups
        for at in range(group.num_columns)
    )
    if sizes and sum(sizes.values()) != total:
        yield f"its columns have {total} bytes, not {sum(sizes.values())}"


def _start(group: pq.RowGroupMetaData) -> int:
    chunk = group.column(0)
    first = chunk.dictionary_page_offset
    return chunk.data_page_offset if first is None else min(first, chunk.data_page_offset)


def _annotated(metadata: TableMetadata) -> frozenset[int]:
    """Columns whose values mean something else than they are stored as, and may have no bounds."""
    words = json.loads(metadata.properties.get(_TYPES, "{}"))
    return frozenset(int(ident) for ident in words)


def _outer(schema: pa.Schema) -> frozenset[int]:
    return frozenset(int((field.metadata or {}).get(_ID, b"-1")) for field in schema)


def _columns(
    rows: pa.Table, kinds: Mapping[int, list[NestedField]]
) -> Iterator[tuple[int, tuple[IcebergType, list[Any]]]]:
    """Values of every column and struct field that is no list or map, by field id."""
    arrays = [_whole(column) for column in rows.columns]
    yield from _leaves(list(rows.schema), arrays, kinds)


def _leaves(
    fields: list[Any], arrays: list[Any], kinds: Mapping[int, list[NestedField]]
) -> Iterator[tuple[int, tuple[IcebergType, list[Any]]]]:
    for field, array in zip(fields, arrays, strict=True):
        if pa.types.is_struct(field.type):
            inside = [pc.struct_field(array, at) for at in range(field.type.num_fields)]
            yield from _leaves(list(field.type), inside, kinds)
        elif not pa.types.is_nested(field.type):
            ident = int((field.metadata or {}).get(_ID, b"-1"))
            fitting = [one for one in kinds.get(ident, []) if _fits(field.type, one.field_type)]
            if fitting:
                yield ident, (fitting[0].field_type, plain_values(array))


def _whole(column: Any) -> Any:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def _count_complaints(
    entry: Mapping[str, Any], columns: Mapping[int, tuple[IcebergType, list[Any]]]
) -> Iterator[str]:
    for ident, (_, values) in columns.items():
        truth = {
            "value_counts": len(values),
            "null_value_counts": sum(value is None for value in values),
            "nan_value_counts": sum(is_nan(value) for value in values),
        }
        for name, right in truth.items():
            told = (pairs(entry.get(name)) or {}).get(ident, right)
            if told != right:
                yield f"{name} of {ident} is {told}, not {right}"


def _missing_complaints(
    entry: Mapping[str, Any],
    columns: Mapping[int, tuple[IcebergType, list[Any]]],
    bounded: frozenset[int],
) -> Iterator[str]:
    """Optional to Iceberg; without them nobody can leave the file out."""
    for ident in bounded & columns.keys():
        kind, values = columns[ident]
        there = [value for value in values if value is not None]
        if not there or not isinstance(kind, _BOUNDED):
            continue
        for name in ("lower_bounds", "upper_bounds"):
            # A text of the greatest characters has none above it.
            last = name == "upper_bounds" and isinstance(kind, StringType)
            if last and max(there, key=order).startswith("\U0010ffff"):
                continue
            if ident not in (pairs(entry.get(name)) or {}):
                yield f"{name} of {ident} are missing"


# -- bounds --------------------------------------------------------------------------------------


def _bound_complaints(
    entry: Mapping[str, Any], ident: int, kind: IcebergType, values: list[Any]
) -> Iterator[str]:
    there = sorted((plain(one) for one in values if one is not None and not is_nan(one)), key=order)
    for name, right in (("lower_bounds", there[:1]), ("upper_bounds", there[-1:])):
        data = (pairs(entry.get(name)) or {}).get(ident)
        if data is None:
            continue
        told = decoded(kind, bytes(data))
        if not right:
            yield f"{name} of {ident} is {told!r}, but there are no values"
        elif isinstance(told, float) and not math.isfinite(told):
            yield f"{name} of {ident} is {told!r}"
        elif not _bounds(kind, told, right[0], upper=name == "upper_bounds"):
            yield f"{name} of {ident} is {told!r}, the value is {right[0]!r}"


def _bounds(kind: IcebergType, told: Any, value: Any, *, upper: bool) -> bool:
    """Whether the bound is the value itself, or as near as a cut text can be."""
    if told == value:
        return True
    if not isinstance(kind, StringType | BinaryType) or len(value) <= TRUNCATED:
        return False
    if not upper:
        return bool(told == value[:TRUNCATED])
    return bool(order(told) > order(value) and len(told) <= TRUNCATED)


# -- partition and order -------------------------------------------------------------------------


def _partition_complaints(
    entry: Mapping[str, Any],
    spec: PartitionSpec,
    columns: Mapping[int, tuple[IcebergType, list[Any]]],
) -> Iterator[str]:
    told = [plain(value) for value in entry["partition"].values()]
    if len(told) != len(spec.fields):
        yield f"its partition has {len(told)} values, its spec {len(spec.fields)} fields"
        return
    for field, value in zip(spec.fields, told, strict=True):
        if field.source_id not in columns:
            continue
        kind, values = columns[field.source_id]
        transform = field.transform.transform(kind)
        for found in {repr(one): plain(one) for one in map(transform, values)}.values():
            if found != value and not (is_nan(found) and is_nan(value)):
                yield f"a row belongs to partition {field.name}={found!r}, not {value!r}"


def _sort_complaints(
    ident: int | None,
    metadata: TableMetadata,
    columns: Mapping[int, tuple[IcebergType, list[Any]]],
    rows: int,
) -> Iterator[str]:
    orders = {known.order_id: known for known in metadata.sort_orders}
    if ident is None or ident == 0:
        return
    if ident not in orders:
        yield f"its sort order {ident} does not exist"
    else:
        yield from _order_complaints(orders[ident], columns, rows)


def _order_complaints(
    known: SortOrder, columns: Mapping[int, tuple[IcebergType, list[Any]]], rows: int
) -> Iterator[str]:
    keys: list[tuple[Any, ...]] = [() for _ in range(rows)]
    for field in known.fields:
        kind, values = columns.get(field.source_id, (IntegerType(), [None] * rows))
        transform = field.transform.transform(kind)
        last = field.null_order == NullOrder.NULLS_LAST
        backwards = field.direction == SortDirection.DESC
        keys = [
            (*key, _Place(transform(value), last=last, backwards=backwards))
            for key, value in zip(keys, values, strict=True)
        ]
    if any(second < first for first, second in pairwise(keys)):
        yield f"its rows are not in the sort order {known.order_id}"


class _Place:
    """Where a value belongs in a sorted file."""

    def __init__(self, value: Any, *, last: bool, backwards: bool) -> None:
        self._value, self._last, self._backwards = value, last, backwards

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and repr(self._value) == repr(other._value)

    def __hash__(self) -> int:
        return hash(repr(self._value))

    def __lt__(self, other: _Place) -> bool:
        if self._value is None or other._value is None:
            first, second = self._value is None, other._value is None
            return first != second and (second if self._last else first)
        one, two = order(self._value), order(other._value)
        return bool(two < one if self._backwards else one < two)
