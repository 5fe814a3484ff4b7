"""All rows of a batch at once: Arrow arrays, numpy arrays, pandas and polars series.

A library is imported when a function that uses it is called. What comes back may be of any of these forms.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.core.errors import FunctionError, UnsupportedError
from lakeport.functions.styles import Style
from lakeport.functions.values.fit import fit, one_array, wrong_type
from lakeport.functions.values.plain import array_of_values


def given(style: Style, values: Array) -> object:
    """The values of one parameter as the function takes them."""
    return _GIVE[style](values)


def taken(result: object, declared: pa.DataType, what: str) -> Array:
    """What it returned as an array of the declared type; its length is checked elsewhere."""
    if isinstance(result, pa.Array | pa.ChunkedArray):
        return fit(one_array(result), declared, what)
    library = type(result).__module__.partition(".")[0]
    make = _TAKE.get((library, type(result).__name__))
    if make is not None:
        return make(result, declared, what)
    if isinstance(result, Sequence) and not isinstance(result, str | bytes):
        return array_of_values(result, declared, what)
    shown = "nothing" if result is None else f"one value of type {type(result).__name__}"
    raise FunctionError(
        f"{what} gave {shown}", hint="its author must return an array with one value per row"
    )


def _to_numpy(values: Array) -> object:
    return values.to_numpy(zero_copy_only=False)


def _to_pandas(values: Array) -> object:
    _library("pandas")
    return values.to_pandas()


def _to_polars(values: Array) -> object:
    return _library("polars").from_arrow(values)


def _from_numpy(result: Any, declared: pa.DataType, what: str) -> Array:
    if result.ndim != 1:
        raise FunctionError(
            f"{what} gave an array of {result.ndim} dimensions",
            hint="its author must return one value per row",
        )
    mask = getattr(result, "mask", None) if type(result).__name__ == "MaskedArray" else None
    values = getattr(result, "data", result) if mask is not None else result
    if values.dtype == object:
        return array_of_values(result.tolist(), declared, what)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    try:
        made: Array = pa.array(values, mask=_whole_mask(mask, values))
    except pa.ArrowNotImplementedError as error:
        gave = f"numpy's {values.dtype}"
        raise wrong_type(what, gave, declared, "Arrow has no such type") from error
    return fit(made, declared, what)


def _whole_mask(mask: Any, values: Any) -> Any:
    """False is how numpy says that nothing is masked."""
    if mask is None or mask.ndim:
        return mask
    import numpy as np  # noqa: PLC0415  whoever is here has it loaded

    return np.full(len(values), bool(mask))


def _from_pandas(result: Any, declared: pa.DataType, what: str) -> Array:
    """A NaN is how pandas says NULL."""
    if result.dtype == object:
        missing = result.isna()
        cleaned = [None if gone else value for value, gone in zip(result, missing, strict=True)]
        return array_of_values(cleaned, declared, what)
    return fit(one_array(pa.Array.from_pandas(result)), declared, what)


def _from_polars(result: Any, declared: pa.DataType, what: str) -> Array:
    return fit(one_array(result.to_arrow()), declared, what)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnsupportedError(
            f"the function needs {name}, which is not installed where it runs",
            hint=f"install it beside Lakeport: pip install {name}",
        ) from error


_GIVE: dict[Style, Callable[[Array], object]] = {
    Style.ARROW: lambda values: values,
    Style.NUMPY: _to_numpy,
    Style.PANDAS: _to_pandas,
    Style.POLARS: _to_polars,
}
_TAKE: dict[tuple[str, str], Callable[[Any, pa.DataType, str], Array]] = {
    ("numpy", "ndarray"): _from_numpy,
    ("numpy", "MaskedArray"): _from_numpy,
    ("pandas", "Series"): _from_pandas,
    ("polars", "Series"): _from_polars,
}
