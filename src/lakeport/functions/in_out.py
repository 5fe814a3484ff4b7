"""Functions that take a table and give one: `@table_in_out` over batches.

    def f(batch: pa.RecordBatch, factor: float)      called for each batch; what it returns or yields are rows
    class F: __init__(factor), process(batch), finish()   keeps something from batch to batch
    def f(batches: Iterator[pa.RecordBatch], n: int)  a generator that reads its input when it wants to

Batches may be wanted as pandas or polars frames: the annotation says so. All parameters are positional in
SQL: DuckDB cannot bind named ones of such functions.
"""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.functions import Signature
from lakeport.catalog.parameters import table_parameter
from lakeport.core.names import quoted
from lakeport.functions.arguments import injected, python_arguments
from lakeport.functions.collecting import declares
from lakeport.functions.declared import (
    MISSING,
    Declared,
    declared,
    described,
    hints_of,
    require_plain,
)
from lakeport.functions.limits import Limits, stepped
from lakeport.functions.mistakes import mistake
from lakeport.functions.pulled import Pulled
from lakeport.functions.values.frames import Frame, as_frame, frame_of
from lakeport.functions.values.rows import batches_of
from lakeport.functions.written import Columns, PythonFunction, known_columns, told_columns

P = ParamSpec("P")
R = TypeVar("R")

_ITERATORS = (collections.abc.Iterator, collections.abc.Iterable, collections.abc.Generator)


@dataclass(frozen=True, slots=True)
class _Form:
    """`parameter` takes the rows, None for a class, whose `process` does."""

    parameter: str | None
    frame: Frame
    is_generator: bool = False


class PythonInOut(PythonFunction[P, R]):
    """A `catalog.functions.InOutFunction` in this process."""

    def __init__(
        self, told: Declared, form: _Form, columns: Columns, *, signature: Signature, limits: Limits
    ) -> None:
        super().__init__(told, signature, limits)
        self._form = form
        self._columns = columns

    @property
    def returns(self) -> pa.Schema | None:
        return known_columns(self._columns)

    def start(self, arguments: pa.RecordBatch, rows: pa.Schema) -> PythonInOutCall:
        what = self.what
        known = python_arguments(self._told, arguments, what)
        schema = told_columns(self._columns, rows, known=known, what=what)
        arguments_of = {**known, **injected(self._told)}
        return PythonInOutCall(self._told, self._form, arguments_of, schema, what, self.limits)


class PythonInOutCall:
    """The author's code begins with the first batch, or with the end if there is none."""

    def __init__(
        self,
        told: Declared,
        form: _Form,
        known: dict[str, Any],
        schema: pa.Schema,
        what: str,
        limits: Limits,
    ) -> None:
        self._told = told
        self._form = form
        self._known = known
        self._schema = schema
        self._what = what
        self._limits = limits
        self._made: Any = None

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        frame = as_frame(self._form.frame, batch)
        if self._form.is_generator:
            yield from self._rows(self._pulled().push(frame))
        elif self._form.parameter is None:
            yield from self._rows(self._instance().process(frame))
        else:
            result = self._told.function(**{self._form.parameter: frame}, **self._known)
            yield from self._rows(result)

    def finish(self) -> Iterator[pa.RecordBatch]:
        if self._form.is_generator:
            yield from self._rows(self._pulled().end())
        elif self._form.parameter is None:
            finish = getattr(self._instance(), "finish", None)
            if finish is not None:
                yield from self._rows(finish())

    def close(self) -> None:
        made, self._made = self._made, None
        if callable(getattr(made, "close", None)):
            made.close()

    def _rows(self, result: object) -> Iterator[pa.RecordBatch]:
        """Nothing is no rows here: a batch may have none to show for it."""
        if result is None:
            return iter(())
        return stepped(batches_of(result, self._schema, self._what), self._what, self._limits)

    def _instance(self) -> Any:
        if self._made is None:
            self._made = self._told.function(**self._known)
        return self._made

    def _pulled(self) -> Pulled:
        if self._made is None:
            parameter = str(self._form.parameter)
            self._made = Pulled(
                lambda rows: self._told.function(**{parameter: rows}, **self._known), self._what
            )
        made: Pulled = self._made
        return made


def table_in_out(
    *,
    returns: Columns,
    parameters: pa.Schema | None = None,
    name: str | None = None,
    description: str | None = None,
    limits: Limits | None = None,
) -> Callable[[Callable[P, R]], PythonInOut[P, R]]:
    """Make a function of a whole table callable from SQL: `SELECT * FROM ns.f((SELECT …), 3)`.

    `returns` are its columns, or a function of the columns that come (and of the other parameters, where it
    names them) that gives them. `parameters` are those beside the table.
    """

    def decorate(function: Callable[P, R]) -> PythonInOut[P, R]:
        form = _form(function)
        but = frozenset({form.parameter}) if form.parameter else frozenset()
        told = declared(function, parameters, but=but)
        require_plain(told, "beside its table it is given single values")
        _check(function, told, returns)
        fields = _with_table(function, told, form)
        signature = Signature(
            name or function.__name__, pa.schema(fields), description or described(function)
        )
        made: PythonInOut[P, R] = PythonInOut(
            told, form, returns, signature=signature, limits=limits or Limits()
        )
        return declares(made)

    return decorate


def _check(function: Callable[..., Any], told: Declared, returns: object) -> None:
    if not isinstance(returns, pa.Schema) and not callable(returns):
        raise mistake(
            function,
            f"says returns={returns!r}",
            "say `returns=pa.schema([…])`, or `returns=lambda columns: …`",
        )
    named = next((each.name for each in told.parameters if each.default is not MISSING), None)
    if named is not None:
        raise mistake(
            function,
            f"has a default for its parameter {quoted(named)}",
            "DuckDB cannot leave parameters of such functions out: remove the default, or declare a"
            " second function with the same `name=` that lacks the parameter",
        )


def _form(function: Callable[..., Any]) -> _Form:
    if isinstance(function, type):
        process = getattr(function, "process", None)
        if process is None:
            raise mistake(
                function, "is a class without `process`", "write `def process(self, batch):`"
            )
        first = next(iter(list(inspect.signature(process).parameters)[1:]), None)
        if first is None:
            raise mistake(
                function, "has a `process` that takes nothing", "write `def process(self, batch):`"
            )
        return _Form(None, frame_of(hints_of(process).get(first)) or Frame.BATCH)
    hints = hints_of(function)
    names = list(inspect.signature(function).parameters)
    for name in names:
        hint = hints.get(name)
        inside = typing.get_args(hint)
        if typing.get_origin(hint) in _ITERATORS and inside:
            frame = frame_of(inside[0])
            if frame is not None:
                return _Form(name, frame, is_generator=True)
        frame = frame_of(hint)
        if frame is not None:
            return _Form(name, frame)
    if names and names[0] not in hints:
        return _Form(names[0], Frame.BATCH)
    raise mistake(
        function,
        "takes no rows",
        "its first parameter is the table: write `batch: pa.RecordBatch`, or"
        " `batches: Iterator[pa.RecordBatch]` for a generator",
    )


def _with_table(function: Callable[..., Any], told: Declared, form: _Form) -> list[Field]:
    """The table stands in SQL where it stands in Python; for a class it is the first."""
    fields = [each.field for each in told.parameters]
    name = form.parameter or "rows"
    order = [each for each in inspect.signature(function).parameters if each not in told.injected]
    place = order.index(name) if form.parameter else 0
    return [*fields[:place], table_parameter(name), *fields[place:]]
