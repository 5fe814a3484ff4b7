"""A table function with its arguments: what it will give is known, and nothing of it has run.

The columns are checked here, before a client is told of them: DuckDB reads what comes later as if it were
what it was told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import cast

import pyarrow as pa

from lakeport.airport.announce import STATISTICS
from lakeport.airport.functions.choose import Given, by_batch, by_values
from lakeport.airport.functions.declared import Declared, Kind, why_no_rows
from lakeport.airport.functions.promise import Promise
from lakeport.airport.scans.statistics import takes_statistics
from lakeport.airport.wire.objects import schema_bytes
from lakeport.catalog.functions import (
    BoundFunction,
    InOutCall,
    InOutFunction,
    TableFunction,
)
from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.core.foreign import dismiss, foreign
from lakeport.core.names import quoted

_LONGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Bound:
    declared: Declared
    arguments: pa.RecordBatch
    rows: BoundFunction
    promise: Promise

    @property
    def count(self) -> int:
        """For a FlightInfo: −1 where nobody knows. An estimate that is none is not worth an error."""
        with foreign(self.declared.what):
            rows = self.rows.rows
        is_count = isinstance(rows, int) and not isinstance(rows, bool) and 0 <= rows <= _LONGEST
        return rows if is_count and rows is not None else -1

    @property
    def schema(self) -> pa.Schema:
        """As it is announced."""
        return announced(self.declared, self.promise.wire)

    @property
    def layout(self) -> str:
        return layout_of(self.promise.wire)


def bind_values(overloads: Sequence[Declared], given: Given) -> Bound:
    return bind(*by_values(overloads, given))


def bind_batch(overloads: Sequence[Declared], given: pa.RecordBatch) -> Bound:
    return bind(*by_batch(overloads, given))


def bind(declared: Declared, arguments: pa.RecordBatch) -> Bound:
    if declared.kind is not Kind.TABLE:
        raise InvalidRequestError(
            f"{declared.what} is called with rows, by DoExchange",
            hint=f"set the header `airport-operation` to {_OPERATIONS[declared.kind]}",
        )
    function = cast("TableFunction", declared.function)
    with foreign(declared.what):
        rows = function.bind(arguments)
        schema = rows.schema
    return Bound(declared, arguments, rows, _promise(declared, schema))


def start(
    declared: Declared, arguments: pa.RecordBatch, rows: pa.Schema
) -> tuple[InOutCall, Promise]:
    """Whoever starts it closes it."""
    function = cast("InOutFunction", declared.function)
    with foreign(declared.what):
        call = function.start(arguments, rows)
    try:
        with foreign(declared.what):
            schema = call.schema
        return call, _promise(declared, schema)
    except LakeportError:
        dismiss(call.close, declared.what)
        raise


def announced(declared: Declared, schema: pa.Schema) -> pa.Schema:
    """With the flag that lets DuckDB ask for bounds. An answer that it cannot take fails its statement."""
    if not produces_statistics(declared):
        return schema
    return schema.with_metadata({STATISTICS: b"1"})


def produces_statistics(declared: Declared) -> bool:
    """Who asks for them does not say the arguments, so the columns must not depend on those."""
    is_fixed = declared.returns is not None
    return declared.is_measured and is_fixed and takes_statistics(declared.output)


def layout_of(schema: pa.Schema) -> str:
    return sha256(schema_bytes(schema.remove_metadata())).hexdigest()[:16]


def _promise(declared: Declared, schema: object) -> Promise:
    promise = Promise.of(declared.what, schema if isinstance(schema, pa.Schema) else pa.schema([]))
    reason = why_no_rows(schema)
    if reason is not None:
        raise promise.broken(f"no columns that could be read: {reason}")
    returns = declared.returns
    if returns is not None and not promise.declared.equals(returns):
        names = ", ".join(quoted(f"{field.name} {field.type}") for field in promise.declared)
        raise promise.broken(f"the columns {names}, which are not those that it declares")
    return promise


_OPERATIONS = {Kind.SCALAR: "scalar_function", Kind.IN_OUT: "table_function_in_out"}
