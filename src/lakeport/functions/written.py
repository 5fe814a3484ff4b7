"""What every decorated function is: callable as its author wrote it, with what SQL is told of it.

`what` and `limits` are set again where a project's settings or the place of its file say more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import pyarrow as pa

from lakeport.catalog.functions import Signature
from lakeport.core.errors import FunctionError
from lakeport.core.names import quoted
from lakeport.functions.arguments import call_with
from lakeport.functions.declared import Declared
from lakeport.functions.limits import Limits

P = ParamSpec("P")
R = TypeVar("R")

Columns: TypeAlias = pa.Schema | Callable[..., pa.Schema]
"""Those of a function's rows, or a function that gives them."""


class PythonFunction(Generic[P, R]):
    __name__: str

    def __init__(self, told: Declared, signature: Signature, limits: Limits) -> None:
        # First, since it takes over whatever attributes the author's function has. Those of a class
        # are its methods.
        updated = () if isinstance(told.function, type) else functools.WRAPPER_UPDATES
        functools.update_wrapper(self, told.function, updated=updated)
        self.limits = limits
        self.what = f"function {quoted(signature.name)}"
        self._told = told
        self._signature = signature

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The function, or the class, as it was written."""
        result: R = self._told.function(*args, **kwargs)
        return result

    @property
    def function(self) -> Callable[P, R]:
        return self._told.function

    @property
    def signature(self) -> Signature:
        return self._signature


def known_columns(columns: Columns) -> pa.Schema | None:
    """None where only a call tells them."""
    return columns if isinstance(columns, pa.Schema) else None


def told_columns(
    columns: Columns, *first: object, known: Mapping[str, Any], what: str
) -> pa.Schema:
    """Those of one call; `first` and `known` are what a function that gives them may take."""
    if isinstance(columns, pa.Schema):
        return columns
    found = call_with(columns, *first, known=known)
    if not isinstance(found, pa.Schema):
        raise FunctionError(
            f"{what} told its columns as {type(found).__name__}",
            hint="its author must return a pa.Schema from `returns`",
        )
    return found
