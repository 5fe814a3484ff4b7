"""How a value that does not fit a column is refused: the column, a sample, what to do."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from lakeport.catalog.arrays.samples import shown
from lakeport.catalog.arrow import Array
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted


def another_kind(sent: pa.DataType, to: pa.DataType, where: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"column {quoted(where)} is {to}, but {sent} was sent", hint=f"cast it to {to} first"
    )


def misfit(array: Array, index: int, to: pa.DataType, where: str) -> InvalidRequestError:
    sample = shown(array, index)
    return InvalidRequestError(
        f"column {quoted(where)} is {to}, which cannot hold {sample} ({array.type})",
        hint="change the value, or the type of the column",
        details={"sample": sample},
        unseen=f"column {quoted(where)} is {to}, which cannot hold every value ({array.type})",
    )


def first_misfit(array: Array, fits: Callable[[Array], bool]) -> int:
    """The first value that does not fit, by halving: the fast way of knowing only says whether."""
    start, stop = 0, len(array)
    while stop - start > 1:
        middle = (start + stop) // 2
        if fits(array.slice(start, middle - start)):
            start = middle
        else:
            stop = middle
    return start
