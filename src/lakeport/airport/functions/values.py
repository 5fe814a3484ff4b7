"""An argument that somebody wrote in JSON or msgpack, as the type that the parameter has.

Strictly at first, when one of several overloads is to be found: a whole number is a whole number, text is
text. Then as a person would expect it: `"2024-05-01"` for a date, `1` for a fraction. Never as something
else: a number is no boolean, though Python would have it so.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from decimal import Decimal
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.parameters import is_any

_REFUSALS = (
    *(pa.ArrowException, TypeError, ValueError, OverflowError, ArithmeticError),
    RecursionError,  # whoever wrote it may nest it as deep as the parser goes
)
_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BYTES = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)
_WRITTEN = (pa.types.is_temporal, pa.types.is_decimal)


def argument(parameter: Field, value: object, *, strict: bool) -> Array | None:
    """One value; None if it does not fit. NULL fits always."""
    kind = parameter.type
    try:
        if is_any(parameter):
            return pa.array([_text(value)])
        if value is None:
            return nulls(1, kind)
        return _converted(value, kind, strict=strict)
    except _REFUSALS:
        return None


def _converted(value: object, kind: pa.DataType, *, strict: bool) -> Array | None:
    if isinstance(kind, pa.BaseExtensionType):
        stored = _converted(value, kind.storage_type, strict=strict)
        return None if stored is None else _extended(kind, stored)
    if _is_one(kind, _BYTES):
        return _array(_binary(value), kind) if isinstance(value, str | bytes) else None
    plain = _text(value)
    if isinstance(plain, bool) or pa.types.is_boolean(kind):
        fits = isinstance(plain, bool) and pa.types.is_boolean(kind)
        return _array(plain, kind) if fits else None
    if isinstance(plain, int):
        whole = pa.types.is_integer(kind)
        return _array(plain, kind) if whole or (not strict and _takes_numbers(kind)) else None
    if isinstance(plain, float):
        if pa.types.is_floating(kind):
            return _array(plain, kind)
        is_exact = not strict and pa.types.is_decimal(kind)
        return _array(Decimal(repr(plain)), kind) if is_exact else None
    if isinstance(plain, str) and not _is_one(kind, _TEXTS):
        is_written = not strict and _is_one(kind, _WRITTEN)
        return pa.array([plain]).cast(kind) if is_written else None
    return _array(plain, kind)


def _array(value: object, kind: pa.DataType) -> Array:
    made: Any = pa.array([value], kind)
    return made  # type: ignore[no-any-return]


def _extended(kind: Any, stored: Array) -> Array:
    made: Array = pa.ExtensionArray.from_storage(kind, stored)
    return made


def _binary(value: str | bytes) -> bytes:
    """Bytes come as base64 in JSON, as everywhere."""
    if isinstance(value, bytes):
        return value
    try:
        return b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError from error


def _text(value: object) -> object:
    """Strings of msgpack come as bytes."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list | tuple):
        return [_text(each) for each in value]
    if isinstance(value, dict):
        return {str(_text(key)): _text(each) for key, each in value.items()}
    return value


def _takes_numbers(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _is_one(kind: pa.DataType, kinds: tuple[Any, ...]) -> bool:
    return any(is_kind(kind) for is_kind in kinds)
