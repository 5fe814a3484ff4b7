"""Constants as plain Python values and back, without loss.

Times are integers in the type's own unit, decimals and 128-bit integers are integers, UUIDs are 16
bytes: Python's own `date`, `datetime` and `Decimal` cannot hold DuckDB's range (±infinity, years
beyond 9999) or round silently. Never for rows: this is one Python object per value.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT

PlainValue: TypeAlias = bool | int | float | str | bytes | None

_EXACT = Context(prec=80)
_DAY_MS = 86_400_000


def plain_value(scalar: Scalar) -> PlainValue:
    if not scalar.is_valid:
        return None
    data_type = scalar.type
    if isinstance(data_type, pa.DictionaryType | pa.RunEndEncodedType):
        return plain_value(_held(scalar))
    if isinstance(data_type, pa.BaseExtensionType):
        stored = plain_value(_held(scalar))
        if data_type in {HUGEINT, UHUGEINT} and isinstance(stored, bytes):
            return int.from_bytes(stored, "little", signed=data_type == HUGEINT)
        return bool(stored) if data_type == pa.bool8() else stored
    if pa.types.is_date64(data_type):
        return int(_held(scalar)) // _DAY_MS
    if pa.types.is_temporal(data_type):
        return int(_held(scalar))
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        return int(scalar.as_py().scaleb(data_type.scale, _EXACT))
    value: PlainValue = scalar.as_py()
    return value


def _held(scalar: Any) -> Any:
    """The scalar inside one that wraps another; the integer inside a time."""
    return scalar.value


def plain_values(array: Array) -> list[PlainValue]:
    return [plain_value(scalar) for scalar in array]


def scalar_of(value: PlainValue, data_type: pa.DataType) -> Scalar:
    only: Scalar = array_of([value], data_type)[0]
    return only


def array_of(values: Iterable[PlainValue], data_type: pa.DataType) -> Array:
    """The inverse of `plain_values`; Python's or pyarrow's own error for a value that does not fit."""
    given = list(values)
    if isinstance(data_type, pa.BaseExtensionType):
        if data_type in {HUGEINT, UHUGEINT}:
            given = _little_endian(given, 16, signed=data_type == HUGEINT)
        elif data_type == pa.bool8():
            given = [None if value is None else int(value) for value in given]
        storage = kernels.array(given, data_type.storage_type)
        return pa.ExtensionArray.from_storage(data_type, storage)
    if pa.types.is_date64(data_type):
        days = [None if value is None else int(value) * _DAY_MS for value in given]
        return kernels.array(days, pa.int64()).view(data_type)
    if pa.types.is_temporal(data_type):
        integers = pa.int32() if data_type.bit_width == 32 else pa.int64()
        return kernels.array(given, integers).view(data_type)
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        width = data_type.byte_width
        stored = kernels.array(_little_endian(given, width, signed=True), pa.binary(width))
        return stored.view(data_type)
    return kernels.array(given, data_type)


def _little_endian(values: list[PlainValue], width: int, *, signed: bool) -> list[PlainValue]:
    return [
        None if value is None else int(value).to_bytes(width, "little", signed=signed)
        for value in values
    ]
