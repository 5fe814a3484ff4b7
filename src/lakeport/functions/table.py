"""Table functions in Python: `@table_function` over anything that returns or yields rows.

Positional parameters of SQL are Python's parameters without a default, named ones those with. The columns
are declared (`returns=schema`), told by the arguments (`returns=lambda count: …`), or those of the row type
that the function says it returns (`-> Iterator[Row]` with a TypedDict, NamedTuple or dataclass).
"""

from __future__ import annotations

import collections.abc
import functools
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeAlias, TypeVar, overload

import pyarrow as pa

from lakeport.catalog.functions import Signature
from lakeport.catalog.ports import ColumnStatistics, ScanRequest
from lakeport.catalog.scan import Scan
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import quoted
from lakeport.functions.annotations import UnclearError, is_row, row_fields
from lakeport.functions.arguments import call_with, injected, python_arguments
from lakeport.functions.collecting import declares
from lakeport.functions.declared import MISSING, Declared, declared, described, require_plain
from lakeport.functions.limits import Limits, stepped
from lakeport.functions.mistakes import mistake
from lakeport.functions.values.rows import batches_of
from lakeport.functions.written import Columns, PythonFunction, known_columns, told_columns

P = ParamSpec("P")
R = TypeVar("R")

Estimate: TypeAlias = int | Callable[..., int | None]
Measure: TypeAlias = Callable[[str], ColumnStatistics]

_ROWS_OF = (
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.Sequence,
    list,
)


class PythonTable(PythonFunction[P, R]):
    """A `catalog.functions.TableFunction` in this process."""

    def __init__(
        self,
        told: Declared,
        columns: Columns,
        *,
        signature: Signature,
        rows: Estimate | None,
        limits: Limits,
    ) -> None:
        super().__init__(told, signature, limits)
        self._columns = columns
        self._rows = rows

    @property
    def returns(self) -> pa.Schema | None:
        return known_columns(self._columns)

    def bind(self, arguments: pa.RecordBatch) -> BoundPython:
        what = self.what
        known = python_arguments(self._told, arguments, what)
        whole = {**_defaults(self._told), **known}
        schema = told_columns(self._columns, known=whole, what=what)
        rows = call_with(self._rows, known=whole) if callable(self._rows) else self._rows
        return BoundPython(self._told, known, schema, rows, what, self.limits)


class MeasuredTable(PythonTable[P, R]):
    """One that knows bounds of its columns: a `catalog.functions.MeasuredFunction`."""

    measure: Measure

    def statistics(self, column: str) -> ColumnStatistics:
        return self.measure(column)


@dataclass(frozen=True, slots=True)
class BoundPython:
    """`known` are the arguments, by Python's names."""

    told: Declared
    known: Mapping[str, Any]
    schema: pa.Schema
    rows: int | None
    what: str
    limits: Limits

    def open(self, request: ScanRequest) -> BatchStream:
        if request.at is not None or request.row_ids:
            missing = "be read as of an earlier point" if request.at else "give row ids"
            raise UnsupportedError(f"{self.what} cannot {missing}")
        columns = tuple(self.schema.names) if request.columns is None else request.columns
        scan = Scan.of(request, columns, request.predicate)
        fields = [self.schema.field(name) for name in scan.columns]
        wanted = pa.schema(fields).with_metadata(self.schema.metadata)

        def batches() -> Iterator[pa.RecordBatch]:
            left = scan.limit
            if left == 0:
                return
            result = self.told.function(**self.known, **injected(self.told, scan))
            for batch in stepped(batches_of(result, wanted, self.what), self.what, self.limits):
                yield batch if left is None else batch.slice(0, left)
                if left is not None:
                    left -= batch.num_rows
                    if left <= 0:
                        return

        return BatchStream(wanted, batches())


@overload
def table_function(function: Callable[P, R], /) -> PythonTable[P, R]: ...


@overload
def table_function(
    *,
    returns: Columns | None = None,
    parameters: pa.Schema | None = None,
    rows: Estimate | None = None,
    statistics: Measure | None = None,
    name: str | None = None,
    description: str | None = None,
    limits: Limits | None = None,
) -> Callable[[Callable[P, R]], PythonTable[P, R]]: ...


def table_function(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function that gives rows callable from SQL, in the place of a table.

    `rows` is how many it will give, roughly, or a function of the arguments that says so. `statistics`
    tells what is true of a column whatever the arguments are. A parameter `scan: Scan` gets the columns,
    conditions and limit that are asked for.
    """
    if function is not None:
        return _table(function, **options)
    return functools.partial(_table, **options)


def _table(  # noqa: PLR0913  those of the decorator
    function: Callable[..., Any],
    *,
    returns: Columns | None = None,
    parameters: pa.Schema | None = None,
    rows: Estimate | None = None,
    statistics: Measure | None = None,
    name: str | None = None,
    description: str | None = None,
    limits: Limits | None = None,
) -> PythonTable[..., Any]:
    told = declared(function, parameters, names_defaults=True)
    require_plain(told, "a table function is called once")
    signature = Signature(
        name or function.__name__, told.schema, description or described(function)
    )
    columns = _columns(told, returns)
    kind: type[PythonTable[..., Any]] = PythonTable if statistics is None else MeasuredTable
    made = kind(told, columns, signature=signature, rows=rows, limits=limits or Limits())
    if isinstance(made, MeasuredTable) and statistics is not None:
        made.measure = statistics
    return declares(made)


def _columns(told: Declared, asked: Columns | None) -> Columns:
    if isinstance(asked, pa.Schema) or callable(asked):
        return asked
    if asked is not None:
        raise mistake(
            told.function,
            f"says returns={asked!r}",
            "say `returns=pa.schema([…])`, or a function of the arguments that gives one",
        )
    hint = told.returned
    inside = typing.get_args(hint)
    if typing.get_origin(hint) in _ROWS_OF and inside and is_row(inside[0]):
        try:
            return pa.schema(row_fields(inside[0]))
        except UnclearError as error:
            what = f"is unclear about the columns of {quoted(inside[0].__name__)}"
            raise mistake(told.function, what, str(error)) from error
    raise mistake(
        told.function,
        "does not say which columns it gives",
        'say `returns=pa.schema([("id", pa.int64())])`, a function of its arguments that gives a schema, or'
        " return rows of a TypedDict: `-> Iterator[Row]`",
    )


def _defaults(told: Declared) -> dict[str, Any]:
    return {each.name: each.default for each in told.parameters if each.default is not MISSING}
