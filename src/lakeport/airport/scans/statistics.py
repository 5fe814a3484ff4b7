"""`column_statistics`: what the optimiser may believe of a column, as the one-row stream it reads.

A wrong bound gives wrong results and a type the client does not know fails the statement (chapter 3.9),
so statistics are announced for tables whose every column can be answered for, and an answer is exact
or says that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from lakeport.airport.scans.conform import nulls
from lakeport.airport.wire_types import PLAIN, wire_type
from lakeport.catalog.arrow import Array, Field, Scalar
from lakeport.catalog.ports import (
    CatalogVersion,
    ColumnStatistics,
    Measurable,
    Table,
    TableState,
    is_able,
)

_OPAQUE = frozenset({"hugeint", "uhugeint", "bignum"})
_EXTENSIONS = frozenset({"arrow.uuid", "arrow.json", "arrow.bool8"})
_EXTENSION_NAME = b"ARROW:extension:name"

_TEXTS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)
_NUMBERS = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_timestamp,
)
_CONTAINERS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
    pa.types.is_fixed_size_list,
    pa.types.is_struct,
    pa.types.is_map,
)


def produces_statistics(version: CatalogVersion, table: Table, state: TableState) -> bool:
    """Whether every question about this table can be answered, the row id being its last field."""
    measurable = is_able(table, Measurable) and takes_statistics(state.definition.schema)
    return measurable and (is_vouched_for(table) or outdates(version))


def is_vouched_for(table: Table) -> bool:
    """Whether who wrote the table says that its statistics hold for whatever a scan will find."""
    return getattr(table, "statistics_hold", False) is True


def takes_statistics(schema: pa.Schema) -> bool:
    """Whether the client takes an answer for each of these columns."""
    return all(map(_is_taken, schema))


def outdates(version: CatalogVersion) -> bool:
    """Whether clients are told once statistics are wrong.

    A prepared plan keeps the ones it was made with, and is made anew only when the catalog's version on
    the wire is another. Where new rows do not show in that, an answer would be believed for ever.
    """
    return version.rows is not None and not version.is_fixed


def encode_statistics(column: Field, known: ColumnStatistics) -> bytes:
    """What is not known is said in the way that decides nothing: there may be NULLs, and values.

    So is an empty table: the client was never seen to be told of a column with neither.
    """
    bounds = _bounds_type(column)
    is_empty = known.has_values is False and known.has_null is False
    named: dict[str, Array] = {
        "has_not_null": pa.array([known.has_values is not False or is_empty]),
        "has_null": pa.array([known.has_null is not False or is_empty]),
        "distinct_count": pa.array([known.distinct or 0], pa.uint64()),
        "min": _bound(known.minimum, bounds),
        "max": _bound(known.maximum, bounds),
    }
    if _is_one(bounds, _TEXTS):
        if known.longest is not None:
            named["max_string_length"] = pa.array([known.longest], pa.uint64())
        named["contains_unicode"] = pa.array([True])
    batch = pa.RecordBatch.from_pydict(named)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def _is_taken(column: Field) -> bool:
    """The client's own list. INTERVAL, BIT, UNION, TIMETZ, GEOMETRY and what it does not know fail."""
    if _EXTENSION_NAME in (column.metadata or {}):
        return False
    if column.type.id in PLAIN:
        return True
    own = wire_type(column.type)
    if isinstance(own, pa.OpaqueType):
        return own.type_name in _OPAQUE
    if isinstance(own, pa.BaseExtensionType):
        return own.extension_name in _EXTENSIONS
    if isinstance(own, pa.DictionaryType):
        return _is_one(own.value_type, _TEXTS)
    return _is_one(own, (*_TEXTS, *_NUMBERS, *_CONTAINERS))


def _bounds_type(column: Field) -> pa.DataType:
    """A dictionary of texts is a VARCHAR to the client."""
    own = wire_type(column.type)
    return own.value_type if isinstance(own, pa.DictionaryType) else own


def _bound(value: Scalar | None, declared: pa.DataType) -> Array:
    """Left out where Arrow's order or form of a value need not be DuckDB's."""
    plain = _is_one(declared, (*_TEXTS, *_NUMBERS))
    if value is None or not value.is_valid or not plain or value.type != declared:
        return nulls(1, declared)
    bound: Array = pa.repeat(value, 1)  # type: ignore[call-overload] # the stubs know concrete types only
    return bound


def _is_one(own: pa.DataType, kinds: tuple[Callable[[pa.DataType], bool], ...]) -> bool:
    return any(is_kind(own) for is_kind in kinds)
