"""Arrow's types as Spark's, and which of Arrow's types Spark reads and writes each of them as.

What Spark cannot hold is refused by the column's name, with what to do. `docs/guides/spark-source.md` has
the table for users.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
)

from lakeport.catalog.arrow import Field
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import quoted

_DIGITS = 38
_HUGE = ("hugeint", "uhugeint")

_PLAIN: dict[pa.DataType, DataType] = {
    pa.null(): NullType(),
    pa.bool_(): BooleanType(),
    pa.int8(): ByteType(),
    pa.int16(): ShortType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.uint8(): ShortType(),
    pa.uint16(): IntegerType(),
    pa.uint32(): LongType(),
    pa.uint64(): DecimalType(20, 0),
    pa.float16(): FloatType(),
    pa.float32(): FloatType(),
    pa.float64(): DoubleType(),
    pa.string(): StringType(),
    pa.large_string(): StringType(),
    pa.string_view(): StringType(),
    pa.binary(): BinaryType(),
    pa.large_binary(): BinaryType(),
    pa.binary_view(): BinaryType(),
    pa.date32(): DateType(),
    pa.date64(): DateType(),
}
_NAMED: dict[str, DataType] = {
    "arrow.uuid": StringType(),
    "arrow.json": StringType(),
    "arrow.bool8": BooleanType(),
    "hugeint": DecimalType(_DIGITS, 0),
    "uhugeint": DecimalType(_DIGITS, 0),
    "bignum": StringType(),
    "bit": BinaryType(),
}


def spark_schema(columns: pa.Schema) -> StructType:
    """What is NOT NULL is so in Spark too, as far as it can be checked: not inside of columns."""
    return StructType(
        [
            StructField(column.name, spark_type(column.type, column.name), column.nullable)
            for column in columns
        ]
    )


def arrow_schema(schema: StructType) -> pa.Schema:
    """What Spark's JVM takes columns of these types as, and sends them as."""
    return pa.schema(
        [pa.field(each.name, to_arrow_type(each.dataType), each.nullable) for each in schema]
    )


def spark_type(kind: Any, where: str) -> DataType:
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain
    if isinstance(kind, pa.BaseExtensionType):
        return _extension(kind, where)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return spark_type(kind.value_type, where)
    if pa.types.is_struct(kind):
        return StructType([_inner(each, where) for each in kind])
    if pa.types.is_map(kind):
        key, item = (spark_type(each, where) for each in (kind.key_type, kind.item_type))
        return MapType(key, item)
    if hasattr(kind, "value_field"):  # lists of any layout
        return ArrayType(spark_type(kind.value_type, where))
    return _parametrised(kind, where)


def _inner(field: Field, where: str) -> StructField:
    return StructField(field.name, spark_type(field.type, f"{where}.{field.name}"))


def _parametrised(kind: Any, where: str) -> DataType:
    if pa.types.is_decimal(kind) and kind.precision <= _DIGITS and kind.scale >= 0:
        return DecimalType(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return TimestampNTZType() if kind.tz is None else TimestampType()
    if pa.types.is_fixed_size_binary(kind):
        return BinaryType()
    if pa.types.is_time(kind):
        return TimeType(6)
    if pa.types.is_duration(kind):
        return DayTimeIntervalType()
    raise _cannot_hold(kind, where)


def _extension(kind: Any, where: str) -> DataType:
    """An opaque type is known by what its vendor calls it; of the others, Spark gets what is stored."""
    name = kind.type_name if isinstance(kind, pa.OpaqueType) else kind.extension_name
    known = _NAMED.get(name)
    return spark_type(kind.storage_type, where) if known is None else known


def _cannot_hold(kind: pa.DataType, where: str) -> UnsupportedError:
    column = where.partition(".")[0]
    return UnsupportedError(
        f"column {quoted(where)} is {kind}, which Spark has no type for",
        hint=f'name the columns to read without {quoted(column)}: .option("columns", "…")',
    )
