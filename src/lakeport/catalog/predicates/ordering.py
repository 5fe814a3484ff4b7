"""DuckDB's order on Arrow arrays: every column becomes *keys* that Arrow's kernels order the same way.

What a newcomer would get wrong: DuckDB's NaN equals itself and is above everything, Arrow's is
neither; 128-bit integers are stored little-endian, so their bytes must not be compared. Most types
are their own keys and nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.kernels import Mask
from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT, constant_type, is_zoned_nanoseconds
from lakeport.catalog.predicates.model import Op

_SIGNED_128 = pa.decimal128(38, 0)
_UNSIGNED_128 = pa.decimal256(40, 0)
_ZERO = pa.scalar(Decimal(0), _UNSIGNED_128)
_TWO_TO_128 = pa.scalar(Decimal(2**128), _UNSIGNED_128)


def decoded(array: Array) -> Array:
    """The same rows without dictionary or run-end encoding."""
    if isinstance(array, pa.DictionaryArray):
        return decoded(array.dictionary_decode())
    if isinstance(array, pa.RunEndEncodedArray):
        return decoded(kernels.run_end_decode(array))
    return array


def keys(array: Array) -> Array:
    """What to compare instead of the array; keys of keys are the keys themselves."""
    array = decoded(array)
    data_type = array.type
    if isinstance(array, pa.ExtensionArray):
        return _extension_keys(array)
    if pa.types.is_string_view(data_type):
        return array.cast(pa.large_string())
    if pa.types.is_binary_view(data_type):
        return array.cast(pa.large_binary())
    if pa.types.is_fixed_size_binary(data_type):
        return array.cast(constant_type(data_type))
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type):
        return array.cast(pa.decimal128(data_type.precision, data_type.scale))
    if is_zoned_nanoseconds(data_type):
        # As DuckDB rounds: towards 1970.
        return kernels.divided(array.view(pa.int64()), 1000).view(constant_type(data_type))
    return array


def _extension_keys(array: pa.ExtensionArray[Array]) -> Array:
    storage: Array = array.storage
    data_type: pa.DataType = array.type
    if data_type == HUGEINT:
        # A decimal is stored as the same 128 bits; kernels compare them whole, beyond 38 digits too.
        return storage.view(_SIGNED_128)
    if data_type == UHUGEINT:
        signed = storage.view(_SIGNED_128).cast(_UNSIGNED_128)
        wrapped = kernels.add(signed, _TWO_TO_128).cast(_UNSIGNED_128)
        return kernels.if_else(kernels.less(signed, _ZERO), wrapped, signed)
    if data_type == pa.bool8():
        return kernels.not_equal(storage, 0)
    return keys(storage)


def key(scalar: Scalar) -> Scalar:
    only: Scalar = keys(kernels.repeat(scalar, 1))[0]
    return only


_Kernel: TypeAlias = Callable[[Array, Scalar], Mask]

# Each operator as a kernel and whether its answer is turned around. Only `=`, `<` and `<=` are
# FALSE for Arrow's NaN, which is right for DuckDB's as well, as long as the constant is none.
_KERNELS: dict[Op, tuple[_Kernel, bool]] = {
    Op.EQ: (kernels.equal, False),
    Op.NOT_DISTINCT: (kernels.equal, False),
    Op.NE: (kernels.equal, True),
    Op.DISTINCT: (kernels.equal, True),
    Op.LT: (kernels.less, False),
    Op.GE: (kernels.less, True),
    Op.LE: (kernels.less_equal, False),
    Op.GT: (kernels.less_equal, True),
}


def compare(op: Op, left: Array, right: Scalar) -> Mask:
    """Keys with the key of a constant that is not NULL; NULL where a key is, for every operator."""
    if is_nan(right):
        # To be NaN or not is all that counts, and "it is" comes after "it is not".
        return compare(op, kernels.is_nan(left), pa.scalar(value=True))
    kernel, turned = _KERNELS[op]
    answer = kernel(left, right)
    return kernels.invert(answer) if turned else answer


def is_nan(value: Scalar) -> bool:
    return pa.types.is_floating(value.type) and value.as_py() != value.as_py()


def found_in(left: Array, values: Array) -> Mask:
    """Whether keys are among the keys of constants, none of which is NULL; FALSE for NULL."""
    if pa.types.is_floating(values.type):
        # The kernel looks floats up by their bits: NaN finds NaN, but 0.0 does not find -0.0.
        zeros = kernels.array([0.0, -0.0], values.type)
        if kernels.equal(values, zeros[0]).true_count:
            values = kernels.concat([values, zeros])
    return kernels.is_in(left, values)
