"""How much is read at once: a few messages' worth, in rows as guessed from the types.

The guess is the same for all lanes of a file, so that their chunks match. Texts may be far longer
than guessed; reading a file knows better and then makes its chunks smaller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    MapType,
    NestedField,
    StringType,
    StructType,
    UUIDType,
)

from lakeport.catalog.iceberg.parts import ReadOptions

# A chunk becomes this many messages. Every chunk has its price in Python: for lineitem's 16 columns and
# two threads 2 took a tenth less CPU than 1, 4 a sixth less, 8 not clearly less than 4 but more memory.
_MESSAGES = 4
_FEWEST_ROWS = 1 << 10

_NUMBER = 8
_WIDTHS: dict[type[IcebergType], int] = {
    BooleanType: 1,
    IntegerType: 4,
    FloatType: 4,
    DateType: 4,
    DecimalType: 16,
    UUIDType: 16,
    StringType: 24,
    BinaryType: 24,
    ListType: 96,
    MapType: 192,
}


def for_chunks(options: ReadOptions) -> ReadOptions:
    """The options with which files are read, where a batch is a chunk."""
    return replace(options, batch_bytes=_MESSAGES * options.batch_bytes)


def rows_at_once(fields: Iterable[NestedField], options: ReadOptions) -> int:
    width = sum(_width(field.field_type) for field in fields)
    rows = for_chunks(options).batch_bytes // max(width, 1)
    return max(min(rows, options.batch_rows), _FEWEST_ROWS)


def _width(found: IcebergType) -> int:
    match found:
        case FixedType():
            return len(found)
        case StructType():
            return sum(_width(field.field_type) for field in found.fields)
    return _WIDTHS.get(type(found), _NUMBER)
