"""How many rows are read at once: a few messages' worth, guessed from the types.

The guess is the same for all lanes of a file, so that their chunks match. Texts may be far longer
than guessed; reading a file knows better and then makes its chunks smaller.
"""

from __future__ import annotations

from collections.abc import Iterable

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

# A chunk becomes this many messages: fewer calls into the decoder for the same bytes.
_MESSAGES = 2
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


def rows_at_once(fields: Iterable[NestedField], options: ReadOptions) -> int:
    width = sum(_width(field.field_type) for field in fields)
    rows = _MESSAGES * options.batch_bytes // max(width, 1)
    return max(min(rows, options.batch_rows), _FEWEST_ROWS)


def _width(found: IcebergType) -> int:
    match found:
        case FixedType():
            return len(found)
        case StructType():
            return sum(_width(field.field_type) for field in found.fields)
    return _WIDTHS.get(type(found), _NUMBER)
