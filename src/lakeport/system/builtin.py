"""What the functions of the namespace `lakeport` are made of: arguments read, rows as a table's.

They look at tables as their caller does: what may not be read is refused as reading it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.functions import BoundFunction, Signature
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.produced import apply_request
from lakeport.catalog.requests import BoundRequest, bind_request
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import NANOSECONDS, AtTime, AtVersion, TimePoint, parse_point

Arguments: TypeAlias = Mapping[str, Scalar]
Produce: TypeAlias = Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
"""Batches with these columns, in this order; anew for each read."""

_UNITS = {"s": NANOSECONDS, "ms": 1_000_000, "us": 1_000, "ns": 1}
_DAY = 86_400 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class Builtin:
    """A table function; `make` binds it to its arguments, by name."""

    signature: Signature
    make: Callable[[Arguments], BoundFunction]
    returns: pa.Schema | None = None

    def bind(self, arguments: pa.RecordBatch) -> BoundFunction:
        names = arguments.schema.names
        return self.make({name: arguments.column(at)[0] for at, name in enumerate(names)})


@dataclass(frozen=True, slots=True)
class Rows:
    """A `BoundFunction` whose conditions and limit are applied here."""

    schema: pa.Schema
    produce: Produce
    rows: int | None = None

    def open(self, request: ScanRequest) -> BatchStream:
        if request.at is not None or request.row_ids:
            raise UnsupportedError("what a function gives has no past and no row ids")
        bound = bind_request(request, self.schema)
        return BatchStream(bound.schema, apply_request(bound, self._needed(bound)))

    def _needed(self, bound: BoundRequest) -> Iterator[pa.RecordBatch]:
        return self.produce([self.schema.field(index).name for index in bound.needed])


# -- arguments -----------------------------------------------------------------------------------


def text_of(arguments: Arguments, name: str, function: str) -> str:
    value = arguments[name].as_py()
    if not isinstance(value, str):
        raise InvalidRequestError(f"{quoted(name)} of {quoted(function)} must not be NULL")
    return value


def table_of(arguments: Arguments, function: str) -> TableName:
    text = text_of(arguments, "table", function)
    name = TableName.parse(text)
    if name is None:
        raise InvalidRequestError(
            f"{quoted(text)} is no table", hint="write NAMESPACE.TABLE, like 'shop.orders'"
        )
    return name


def point_of(arguments: Arguments, name: str) -> TimePoint | None:
    """A whole number is a version, a date or a timestamp a moment, and a text what `--at` takes."""
    value = arguments.get(name)
    if value is None or not value.is_valid:
        return None
    kind = value.type
    if pa.types.is_integer(kind):
        return AtVersion(_version(int(value.as_py()), name))
    if isinstance(kind, pa.TimestampType):
        return AtTime(int(value.cast(pa.int64()).as_py()) * _UNITS[kind.unit])
    if pa.types.is_date32(kind):
        return AtTime(int(value.cast(pa.int32()).as_py()) * _DAY)
    if isinstance(value, pa.StringScalar | pa.LargeStringScalar):
        return parse_point(str(value.as_py()))
    raise InvalidRequestError(
        f"{quoted(name)} is no point in time: {kind}",
        hint="give a version, a timestamp, or a text like '2024-01-15', 'tag:v1' or 'snapshot:123'",
    )


def _version(number: int, name: str) -> int:
    if not 0 <= number < 1 << 63:
        raise InvalidRequestError(f"{quoted(name)} is no version: {number}")
    return number
