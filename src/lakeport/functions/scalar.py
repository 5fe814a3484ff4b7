"""Scalar functions in Python: `@scalar_function` over plain values, or over whole arrays.

The decorated function can still be called as before. NULLs: a row with a NULL for a parameter that is not
`T | None` gives NULL and is not shown to functions over plain values, numpy and pandas; Arrow and polars
have NULLs of their own and get them. `nulls=` says otherwise.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.vectors import Vector, Vectors, is_vector, number_type
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.functions import Returns, Signature, Stability
from lakeport.catalog.parameters import is_any
from lakeport.catalog.rows.convert import convert
from lakeport.core.request import Request, current_request
from lakeport.functions.collecting import declares
from lakeport.functions.declared import (
    MISSING,
    Declared,
    RowCount,
    arrow_type,
    declared,
    described,
)
from lakeport.functions.limits import Limits, check_size, too_slow
from lakeport.functions.mistakes import mistake
from lakeport.functions.styles import Style
from lakeport.functions.values.fit import wrong_length
from lakeport.functions.values.plain import array_of_values, python_values
from lakeport.functions.values.vectors import given, taken
from lakeport.functions.written import PythonFunction

P = ParamSpec("P")
R = TypeVar("R")

Nulls: TypeAlias = Literal["skip", "pass"]
_WITH_NULLS = frozenset({Style.ARROW, Style.POLARS})


@dataclass(frozen=True, slots=True)
class _Way:
    """How the function is called."""

    style: Style
    skips: bool


class PythonScalar(PythonFunction[P, R]):
    """A `catalog.functions.ScalarFunction` in this process."""

    def __init__(
        self,
        told: Declared,
        way: _Way,
        returns: Returns,
        *,
        signature: Signature,
        stability: Stability,
        limits: Limits,
    ) -> None:
        super().__init__(told, signature, limits)
        self._way = way
        self._returns = returns
        self._stability = stability
        self._kind = number_type(self._type)
        self._strict = tuple(
            index for index, each in enumerate(told.parameters) if not each.optional
        )

    @property
    def returns(self) -> Returns:
        return self._returns

    @property
    def stability(self) -> Stability:
        return self._stability

    @property
    def takes_nulls(self) -> bool:
        return not self._way.skips or len(self._strict) < len(self._told.parameters)

    def call(self, arguments: pa.RecordBatch) -> Array:
        began = time.monotonic()
        columns = [
            values if is_any(each.field) else convert(values, each.field.type, each.field.name)
            for each, values in zip(self._told.parameters, arguments.columns, strict=True)
        ]
        result = self._results(columns, arguments.num_rows)
        self._check(began, result.nbytes)
        return result

    @property
    def takes_vectors(self) -> bool:
        return self._way.style is Style.NUMPY and self._kind is not None

    def call_vectors(self, arguments: Vectors) -> Vector | Array:
        """Without Arrow on either side, unless the function gives something else than it declares."""
        began = time.monotonic()
        columns, rows = arguments
        extra = self._extra(rows) if self._told.injected else {}
        result: Any = self._told.function(*columns, **extra)
        if self._kind is None or not is_vector(result, self._kind, rows):
            result = self._as_declared(result, rows)
        limits = self.limits
        if limits.seconds is not None or limits.output is not None:
            self._check(began, result.nbytes)
        found: Vector | Array = result
        return found

    def _check(self, began: float, size: int) -> None:
        if self.limits.seconds is not None and time.monotonic() - began > self.limits.seconds:
            raise too_slow(self.what, self.limits)
        check_size(self.what, size, self.limits)

    def _results(self, columns: list[Array], rows: int) -> Array:
        if not self._way.style.is_whole:
            return self._row_by_row(columns, rows)
        present = self._present(columns, rows)
        if present is None:
            return self._at_once(columns, rows)
        taken_rows = np.flatnonzero(present)
        dense = [column.take(taken_rows) for column in columns]
        found = self._at_once(dense, len(taken_rows))
        places = np.cumsum(present) - 1
        spread: Array = found.take(pa.array(places, mask=~present))
        return spread

    def _row_by_row(self, columns: list[Array], rows: int) -> Array:
        function, extra = self._told.function, self._extra(1)
        if extra:
            function = functools.partial(function, **extra)
        values = [
            python_values(column, each.field.name)
            for column, each in zip(columns, self._told.parameters, strict=True)
        ]
        strict = [values[index] for index in self._strict if columns[index].null_count]
        if not values:
            results = [function() for _ in range(rows)]
        elif strict and self._way.skips:
            results = [
                None if None in needed else function(*row)
                for row, needed in zip(
                    zip(*values, strict=True), zip(*strict, strict=True), strict=True
                )
            ]
        else:
            results = list(map(function, *values))
        return array_of_values(results, self._type, self.what)

    def _at_once(self, columns: list[Array], rows: int) -> Array:
        values = [given(self._way.style, column) for column in columns]
        return self._as_declared(self._told.function(*values, **self._extra(rows)), rows)

    def _as_declared(self, result: object, rows: int) -> Array:
        found = taken(result, self._type, self.what)
        if len(found) != rows:
            raise wrong_length(self.what, len(found), rows)
        return found

    def _present(
        self, columns: list[Array], rows: int
    ) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """Which rows have all that they need; None where all of them do, or where it is not asked."""
        holed = [columns[index] for index in self._strict if columns[index].null_count]
        if not holed or not self._way.skips:
            return None
        present = np.ones(rows, dtype=np.bool_)
        for column in holed:
            present &= np.asarray(column.is_valid().to_numpy(zero_copy_only=False), dtype=np.bool_)
        return present

    def _extra(self, rows: int) -> dict[str, Any]:
        known: dict[Any, Any] = {Request: current_request(), RowCount: rows}
        return {name: known.get(kind) for name, kind in self._told.injected.items()}

    @property
    def _type(self) -> pa.DataType:
        return self._returns.type if isinstance(self._returns, pa.Field) else self._returns


@overload
def scalar_function(function: Callable[P, R], /) -> PythonScalar[P, R]: ...


@overload
def scalar_function(
    *,
    parameters: pa.Schema | None = None,
    returns: pa.DataType | Field | None = None,
    style: Style | Literal["plain", "arrow", "numpy", "pandas", "polars"] | None = None,
    nulls: Nulls | None = None,
    stability: Stability
    | Literal["consistent", "consistent_within_query", "volatile"]
    | None = None,
    name: str | None = None,
    description: str | None = None,
    limits: Limits | None = None,
) -> Callable[[Callable[P, R]], PythonScalar[P, R]]: ...


def scalar_function(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function callable from SQL: one value for each row.

    Types come from the annotations, or from `parameters` and `returns`. Without `stability` a function of
    something is `consistent` (the same for the same arguments), a function of nothing `volatile`.
    """
    if function is not None:
        return _scalar(function, **options)
    return functools.partial(_scalar, **options)


def _scalar(  # noqa: PLR0913  those of the decorator
    function: Callable[..., Any],
    *,
    parameters: pa.Schema | None = None,
    returns: Returns | None = None,
    style: str | None = None,
    nulls: Nulls | None = None,
    stability: str | None = None,
    name: str | None = None,
    description: str | None = None,
    limits: Limits | None = None,
) -> PythonScalar[..., Any]:
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        kind = "async" if inspect.iscoroutinefunction(function) else "a generator"
        raise mistake(function, f"is {kind}", "a scalar function returns its value with `return`")
    told = declared(function, parameters)
    chosen = _style(told, parameters, style)
    if nulls not in {None, "skip", "pass"}:
        raise mistake(function, f"says nulls={nulls!r}", 'say "skip" or "pass"')
    skips = chosen not in _WITH_NULLS if nulls is None else nulls == "skip"
    default = Stability.CONSISTENT if told.parameters else Stability.VOLATILE
    made: PythonScalar[..., Any] = PythonScalar(
        told,
        _Way(chosen, skips),
        _returned(told, chosen, returns, is_free=style is not None),
        signature=Signature(
            name or function.__name__, told.schema, description or described(function)
        ),
        stability=default if stability is None else _stability(function, stability),
        limits=limits or Limits(),
    )
    return declares(made)


def _style(told: Declared, schema: pa.Schema | None, asked: str | None) -> Style:
    if asked is not None:
        try:
            return Style(asked)
        except ValueError:
            known = ", ".join(f'"{each}"' for each in Style)
            raise mistake(told.function, f"says style={asked!r}", f"say one of {known}") from None
    if told.style is not None:
        return told.style
    if told.returned is not MISSING and not told.parameters:
        return arrow_type(told.function, told.returned, "its result").style or Style.PLAIN
    return Style.PLAIN if schema is None else Style.ARROW


def _returned(told: Declared, style: Style, asked: Returns | None, *, is_free: bool) -> Returns:
    if asked is not None:
        return asked
    if told.returned is MISSING:
        raise mistake(
            told.function,
            "does not say what it returns",
            "write `-> int` (or float, str, pa.Int64Array, …), or say it with `returns=pa.int64()`",
        )
    found = arrow_type(told.function, told.returned, "its result")
    if found.style is not None and found.style.is_whole != style.is_whole and not is_free:
        takes, gives = ("whole arrays", "one value") if style.is_whole else ("one row", "an array")
        raise mistake(
            told.function,
            f"takes {takes} and says that it returns {gives}",
            "take and return plain values, or take and return arrays",
        )
    if found.type is None:
        why = "a result has one type: write `-> int` or say it with `returns=pa.int64()`"
        raise mistake(told.function, "is unclear about its result", found.reason or why)
    return found.type


def _stability(function: Callable[..., Any], asked: str) -> Stability:
    try:
        return Stability(asked)
    except ValueError:
        known = ", ".join(f'"{each}"' for each in Stability)
        raise mistake(function, f"says stability={asked!r}", f"say one of {known}") from None
