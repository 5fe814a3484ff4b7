"""Dictionaries and run ends: encodings of a column that are part of its Arrow type.

Files hold the plain values. They are encoded again batch by batch, so a batch with more different values
than its index type can count must be cut in two: that is a `LimitError`, and every batch can be cut until
it fits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.codec import Codec
from lakeport.catalog.iceberg.types.scalars import storage_of
from lakeport.core.errors import LimitError

_compute: Any = pc


def dictionary(values: Codec, index: pa.DataType, *, ordered: bool) -> Codec:
    logical: Any = pa.dictionary(index, values.logical, ordered=ordered)

    def decode(array: Array) -> Array:
        # The stored values are encoded, not the logical ones: Arrow can do that for all of them.
        encoded = _compute.dictionary_encode(storage_of(array))
        indices = _counted(encoded.indices, index)
        different = values.decoded(_like(encoded.dictionary, array.type))
        built: Array = pa.DictionaryArray.from_arrays(indices, different, ordered=ordered)
        return built

    def encode(array: Any) -> Array:
        return _repeated(values.encoded(array.dictionary), array.indices)

    return Codec(values.stored, logical, decode, encode, values.ordered, values=values)


def run_ends(values: Codec, index: pa.DataType) -> Codec:
    logical: Any = pa.run_end_encoded(index, values.logical)

    def decode(array: Array) -> Array:
        if len(array) > 2 ** (index.bit_width - 1) - 1:
            raise _too_many("rows", index)
        runs = _compute.run_end_encode(storage_of(array), run_end_type=index)
        heads = values.decoded(_like(runs.values, array.type))
        built: Array = pa.RunEndEncodedArray.from_arrays(runs.run_ends, heads, logical)
        return built

    def encode(array: Any) -> Array:
        ends = array.run_ends.to_numpy(zero_copy_only=False)
        rows = np.arange(array.offset, array.offset + len(array))
        return _repeated(values.encoded(array.values), np.searchsorted(ends, rows, side="right"))

    return Codec(values.stored, logical, decode, encode, values.ordered, values=values)


def _repeated(different: Array, which: Any) -> Array:
    """The stored values, one per row; Arrow's own decoders do not know every logical type."""
    if not len(different):
        return nulls(len(which), different.type)
    return different.take(which)


def _counted(indices: Array, index: pa.DataType) -> Array:
    try:
        return indices.cast(index)
    except pa.ArrowInvalid as error:
        raise _too_many("different values", index) from error


def _too_many(what: str, index: pa.DataType) -> LimitError:
    return LimitError(
        f"one batch holds more {what} than {index} can count", hint="read smaller batches"
    )


def _like(storage: Array, data_type: pa.DataType) -> Array:
    if isinstance(data_type, pa.BaseExtensionType):
        wrapped: Array = pa.ExtensionArray.from_storage(data_type, storage)
        return wrapped
    return storage
