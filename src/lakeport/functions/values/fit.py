"""What a function gave, as what it declared: cast where nothing is lost, refused otherwise.

    integers       to any width that holds them; a fraction of .0 is an integer
    float64        to float32, rounded: who declares it knows
    text, bytes    to their large and view twins, dictionaries to their values
    times          to another unit where no part of a unit gets lost
    lists, structs element by element, fields by name

Numbers are not made of text, nor text of numbers, nor days of instants.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import FunctionError, InvalidRequestError


def fit(values: Array, declared: pa.DataType, what: str) -> Array:
    """`what` gave it: "function `geo.area`"."""
    if values.type.equals(declared, check_metadata=True):
        return values
    if pa.types.is_float64(values.type) and pa.types.is_float32(declared):
        return _rounded(values, declared, what)
    try:
        return convert(values, declared, "result")
    except InvalidRequestError as error:
        raise wrong_type(what, str(values.type), declared, error.message) from error
    except (pa.ArrowException, NotImplementedError) as error:
        raise wrong_type(what, str(values.type), declared, "they are of another kind") from error


def wrong_type(what: str, gave: str, declared: pa.DataType, why: str) -> FunctionError:
    return FunctionError(
        f"{what} declares {declared} and gave {gave}: {why}",
        hint="its author must declare what it returns, or return what it declares",
    )


def wrong_length(what: str, gave: int, rows: int) -> FunctionError:
    return FunctionError(
        f"{what} gave {gave:,} values for {rows:,} rows",
        hint="its author must return one value per row",
    )


def one_array(values: Any) -> Array:
    """Of an array, or of one in chunks."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # too long for one array of its type
            values = pa.concat_arrays(values.chunks)
    whole: Array = values
    return whole


def _rounded(values: Array, declared: pa.DataType, what: str) -> Array:
    narrow = values.cast(declared, safe=False)
    before = np.asarray(values.to_numpy(zero_copy_only=False), np.float64)
    after = np.asarray(narrow.to_numpy(zero_copy_only=False), np.float64)
    if np.isinf(after[np.isfinite(before)]).any():
        raise wrong_type(what, str(values.type), declared, "a number is too large for it")
    return narrow
