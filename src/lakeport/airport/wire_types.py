"""The type under which a column is announced, where DuckDB's client cannot take its own.

The client refuses float16 and decimal256 outright and reads a dictionary inside a nested type as
its indices (chapter 10). Streams are cast to what is said here, whoever asks: one table has one schema.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Field

_MAX_DIGITS = 38

PLAIN = frozenset(
    kind.id
    for kind in (
        *(pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float32(), pa.float64()),
        *(pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.binary(16)),
        *(pa.date32(), pa.time64("us"), pa.timestamp("us"), pa.decimal128(1)),
    )
)
"""By their ids, the types of almost every column: the client takes them as they are, and statistics of them."""


def wire_type(own: pa.DataType) -> pa.DataType:
    if own.id in PLAIN:
        return own
    if isinstance(own, pa.DictionaryType):
        # At the top level a dictionary is understood, as long as its values are.
        values = _nested(own.value_type)
        return own if values == own.value_type else values
    return _nested(own)


def wire_field(own: Field) -> Field:
    kind = own.type
    shown = wire_type(kind)
    return own if shown is kind else own.with_type(shown)


def _nested(own: pa.DataType) -> pa.DataType:
    if isinstance(own, pa.BaseExtensionType):
        return own  # its storage is what the client was built for
    if isinstance(own, pa.DictionaryType):
        return _nested(own.value_type)
    if pa.types.is_float16(own):
        return pa.float32()
    if isinstance(own, pa.Decimal256Type):
        # More digits than a DECIMAL of DuckDB's has: only text keeps them all.
        narrow = own.precision <= _MAX_DIGITS
        return pa.decimal128(own.precision, own.scale) if narrow else pa.string()
    if isinstance(own, pa.StructType):
        return pa.struct([_inner(own.field(index)) for index in range(own.num_fields)])
    if isinstance(own, pa.MapType):
        key, item = _nested(own.key_type), _nested(own.item_type)
        same = key == own.key_type and item == own.item_type
        return own if same else pa.map_(key, item)
    return _list(own)


def _list(own: pa.DataType) -> pa.DataType:
    if isinstance(own, pa.FixedSizeListType):
        return pa.list_(_inner(own.value_field), own.list_size)
    if isinstance(own, pa.ListType):
        return pa.list_(_inner(own.value_field))
    if isinstance(own, pa.LargeListType):
        return pa.large_list(_inner(own.value_field))
    if isinstance(own, pa.ListViewType):
        return pa.list_view(_inner(own.value_field))
    if isinstance(own, pa.LargeListViewType):
        return pa.large_list_view(_inner(own.value_field))
    return own


def _inner(own: Field) -> Field:
    return own.with_type(_nested(own.type))
