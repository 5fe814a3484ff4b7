"""Arrow columns as the plain values JSON is made of, whole columns at a time.

Numbers stay numbers with all their digits (64-bit and 128-bit integers, decimals), NaN and the
infinities become text because JSON has no word for them, a JSON column is embedded as it is, bytes
are base64, and everything else is the text of `texts`. Containers keep their shape: a map is an
object whose keys are text, a union an object with the one member it holds.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.app.lake.rows.texts import texts
from lakeport.catalog.arrays.containers import Parts, child_fields, is_nested, take_apart
from lakeport.catalog.arrow import Array
from lakeport.catalog.predicates.kinds import Kind, is_decimal, is_text, kind_of

Values: TypeAlias = list[Any]
_compute: Any = pc
_BIGNUM = "bignum"


def plain_values(array: Array) -> Values:
    """One value per row, ready for `msgspec`; NULL is None."""
    kind: Any = array.type
    if isinstance(kind, pa.DictionaryType):
        return plain_values(_compute.dictionary_decode(array))
    if isinstance(kind, pa.RunEndEncodedType):
        return plain_values(_compute.run_end_decode(array))
    if isinstance(kind, pa.JsonType):
        return _each(array.storage.to_pylist(), _embedded)  # type: ignore[attr-defined]  # an extension array
    if kind == pa.bool8():
        return _each(array.storage.to_pylist(), bool)  # type: ignore[attr-defined]  # an extension array
    if is_nested(kind):
        return _containers(take_apart(array), kind)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or is_text(kind):
        return array.to_pylist()
    match kind_of(kind):
        case Kind.NULL:
            return [None] * len(array)
        case Kind.FLOAT:
            return _each(_floats(array), _number)
        case Kind.BYTES:
            return _each(array.to_pylist(), _base64)
    shown: Values = texts(array).to_pylist()
    return _each(shown, _digits) if _is_number(kind) else shown


def _is_number(kind: pa.DataType) -> bool:
    """Numbers that Python would print in another way, or that `msgspec` finds too large."""
    if isinstance(kind, pa.OpaqueType) and kind.type_name == _BIGNUM:
        return True
    return is_decimal(kind) or kind_of(kind) is Kind.NUMBER


def _each(values: Iterable[Any], change: Callable[[Any], object]) -> Values:
    return [None if value is None else change(value) for value in values]


def _floats(array: Array) -> Values:
    """A float of 32 bits with the digits that are its own: 0.1, and not 0.10000000149011612."""
    if array.type != pa.float32():
        return array.to_pylist()
    return _each(array.to_pylist(), lambda value: float(str(np.float32(value))))


def _number(value: float) -> object:
    if isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124  NaN differs from itself


def _digits(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _embedded(text: str) -> object:
    """A JSON document inside ours; what another engine wrote may be none, and is then just text."""
    encoded = text.encode()
    try:
        msgspec.json.decode(encoded)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return text
    return msgspec.Raw(encoded)


# -- containers ----------------------------------------------------------------------------------


def _containers(parts: Parts, kind: pa.DataType) -> Values:
    valid = _validity(parts)
    if pa.types.is_struct(kind):
        found = _structs(parts, kind)
    elif pa.types.is_union(kind):
        found = _unions(parts, kind)
    elif pa.types.is_map(kind):
        found = _maps(parts)
    else:
        elements = plain_values(parts.children[0])
        found = [elements[start:end] for start, end in _bounds(parts)]
    return (
        found if valid is None else [v if ok else None for v, ok in zip(found, valid, strict=True)]
    )


def _structs(parts: Parts, kind: pa.DataType) -> Values:
    names = [field.name for field in child_fields(kind)]
    columns = [plain_values(child) for child in parts.children]
    if not columns:
        return [{} for _ in range(parts.length)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _maps(parts: Parts) -> Values:
    keys, items = parts.children
    names: Values = keys.to_pylist() if is_text(keys.type) else texts(keys).to_pylist()
    values = plain_values(items)
    return [
        dict(zip(names[start:end], values[start:end], strict=True)) for start, end in _bounds(parts)
    ]


def _unions(parts: Parts, kind: Any) -> Values:
    names = {
        code: field.name for code, field in zip(kind.type_codes, child_fields(kind), strict=True)
    }
    columns = {
        code: plain_values(child)
        for code, child in zip(kind.type_codes, parts.children, strict=True)
    }
    codes = [] if parts.codes is None else parts.codes.tolist()
    held = [(names[code], columns[code][row]) for row, code in enumerate(codes)]
    # DuckDB's NULL union arrives as a NULL member: the two cannot be told apart.
    return [None if value is None else {name: value} for name, value in held]


def _bounds(parts: Parts) -> Iterable[tuple[int, int]]:
    bounds = [] if parts.offsets is None else parts.offsets.tolist()
    return pairwise(bounds)


def _validity(parts: Parts) -> list[bool] | None:
    if parts.valid is None:
        return None
    flags = pa.Array.from_buffers(pa.bool_(), parts.length, [None, parts.valid])
    return [bool(flag) for flag in flags.to_pylist()]
