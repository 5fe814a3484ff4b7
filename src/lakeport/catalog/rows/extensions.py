"""Extension types beside the plain types that clients send for the same values.

With `arrow_lossless_conversion` off, DuckDB sends a UUID as text, a HUGEINT as decimal(38,0), JSON as
text, BIT as its bytes. Whatever a table calls such a column, the rows of both kinds of clients fit;
what has no plain Arrow form goes through the expression engine's cast, and back where SQL would round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import cast_array
from lakeport.catalog.rows.refusals import another_kind, first_misfit, misfit
from lakeport.catalog.rows.scalars import kind_of
from lakeport.core.errors import InvalidRequestError

Convert: TypeAlias = Callable[[Array, pa.DataType, str], Array]

_compute: Any = pc

_CAST = {
    "arrow.uuid": "text",
    "arrow.json": "text",
    "hugeint": "number",
    "uhugeint": "number",
    "bignum": "number",
    "time_tz": "time of day",
}
"""Extensions and the kind of plain values that SQL casts to them without loss."""


def convert_extension(array: Array, to: pa.DataType, where: str, convert: Convert) -> Array:
    """Either side is an extension type; `convert` brings storages into shape."""
    sent, wanted = name_of(array.type), name_of(to)
    if sent == wanted:
        return _wrapped(convert(_storage(array), _storage_type(to), where), to)
    if {sent, wanted} == {"arrow.bool8", None}:
        return _boolean(array, to, where, convert)
    if sent == "arrow.json" or (sent == "bit" and kind_of(to) == "bytes"):
        return convert(_storage(array), to, where)
    if wanted == "bit" and kind_of(array.type) == "bytes":
        return _wrapped(convert(array, _storage_type(to), where), to)
    if wanted == "arrow.uuid" and array.type == _storage_type(to):
        return _wrapped(array, to)
    if _is_castable(sent, to) or _is_castable(wanted, array.type) or _are_big(sent, wanted):
        return _cast(array, to, where)
    raise another_kind(array.type, to, where)


def name_of(data_type: pa.DataType) -> str | None:
    """What an extension is called; an opaque one is what its vendor calls it."""
    if isinstance(data_type, pa.OpaqueType):
        return data_type.type_name
    return data_type.extension_name if isinstance(data_type, pa.BaseExtensionType) else None


def _is_castable(name: str | None, plain: pa.DataType) -> bool:
    kind = kind_of(plain)
    return name in _CAST and kind is not None and _CAST[name] == kind


def _are_big(sent: str | None, wanted: str | None) -> bool:
    numbers = {"hugeint", "uhugeint", "bignum"}
    return sent in numbers and wanted in numbers


def _cast(array: Array, to: pa.DataType, where: str) -> Array:
    def fits(part: Array) -> bool:
        try:
            _exact(part, to)
        except InvalidRequestError:
            return False
        return True

    try:
        return _exact(array, to)
    except InvalidRequestError as error:
        raise misfit(array, first_misfit(array, fits), to, where) from error


def _exact(array: Array, to: pa.DataType) -> Array:
    cast = cast_array(array, to)
    if _may_round(array.type, to) and not _text(cast_array(cast, array.type)).equals(_text(array)):
        raise InvalidRequestError("a value changed")
    return cast


def _may_round(sent: pa.DataType, to: pa.DataType) -> bool:
    """SQL rounds these without a word; every other cast here is exact or fails."""
    fractional = pa.types.is_decimal(sent) and sent.scale > 0
    return fractional or pa.types.is_floating(sent) or pa.types.is_floating(to)


def _text(array: Array) -> Array:
    return cast_array(array, pa.string())


def _boolean(array: Array, to: pa.DataType, where: str, convert: Convert) -> Array:
    if name_of(to) is None:
        return convert(_compute.not_equal(_storage(array), 0), to, where)
    if not pa.types.is_boolean(array.type):
        raise another_kind(array.type, to, where)
    return _wrapped(array.cast(pa.int8()), to)


def _storage(array: Array) -> Array:
    storage: Array = array.storage if isinstance(array, pa.ExtensionArray) else array
    return storage


def _storage_type(data_type: pa.DataType) -> pa.DataType:
    return data_type.storage_type if isinstance(data_type, pa.BaseExtensionType) else data_type


def _wrapped(storage: Array, to: pa.DataType) -> Array:
    if not isinstance(to, pa.BaseExtensionType):
        return storage
    built: Array = pa.ExtensionArray.from_storage(to, storage)
    return built
