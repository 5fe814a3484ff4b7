"""The rows of a table function as DoGet sends them: every column that was told, in order.

Which columns and rows are wanted goes to the function, which may take no notice. Columns that nobody asked
for are NULL, and rows that the filter refuses are the client's to drop: it applies the filter again.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pyarrow as pa

from lakeport.airport.functions.bound import Bound
from lakeport.airport.functions.declared import Declared
from lakeport.airport.functions.promise import Promise
from lakeport.airport.pushdown import parse_filters
from lakeport.airport.scans.conform import Conform
from lakeport.airport.scans.stream import progress
from lakeport.airport.wire.bodies import ScanParameters
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import ConflictError, InvalidRequestError
from lakeport.core.foreign import dismiss, each, foreign
from lakeport.core.names import fold
from lakeport.core.timepoint import from_unit
from lakeport.flight.service import Chunk, Outgoing

_ROW_ID = 2**64 - 1  # how DuckDB asks for what functions do not have


def wanted_columns(bound: Bound, parameters: ScanParameters) -> tuple[int, ...] | None:
    """Positions, ascending; None is all. `ConflictError` for those of another layout."""
    names = bound.promise.wire.names
    ids = [index for index in parameters.column_ids if index != _ROW_ID]
    if any(index >= len(names) for index in ids):
        raise changed(bound.declared)
    told = _told_names(parameters.json_filters)
    # Of another length, as through a view, they are the names of other columns.
    is_comparable = len(told) == len(parameters.column_ids) == len(ids)
    if is_comparable and [fold(names[index]) for index in ids] != [fold(name) for name in told]:
        raise changed(bound.declared)
    return tuple(sorted(set(ids))) if ids else None


def read(
    bound: Bound,
    columns: tuple[int, ...] | None,
    filters: str = "",
    at: tuple[str, str] = ("", ""),
    *,
    is_airport: bool = False,
) -> Outgoing:
    what, declared = bound.declared.what, bound.promise.declared
    request = _request(declared, columns, filters, at)
    with foreign(what):
        stream = bound.rows.open(request)
    try:
        promise, conform = _expected(bound, stream, columns, with_null_type=is_airport)
    except BaseException:
        dismiss(stream.close, what)
        raise
    count = bound.count if is_airport and not filters else -1
    chunks = _chunks(each(iter(stream), what), promise, conform, count)
    return Outgoing(conform.schema, chunks, lambda: dismiss(stream.close, what))


def _request(
    declared: pa.Schema, columns: tuple[int, ...] | None, filters: str, at: tuple[str, str]
) -> ScanRequest:
    pushed = parse_filters(filters, declared)
    return ScanRequest(
        columns=None if columns is None else tuple(declared.field(i).name for i in columns),
        predicate=pushed.predicate,
        expression=pushed.expression,
        at=from_unit(*at),
    )


def _expected(
    bound: Bound, stream: BatchStream, columns: tuple[int, ...] | None, *, with_null_type: bool
) -> tuple[Promise, Conform]:
    """The columns asked for, or all of them: the stream's own schema says which it gives."""
    whole = bound.promise
    with foreign(whole.what):
        given = stream.schema
    every = tuple(range(len(whole.declared)))
    if not isinstance(given, pa.Schema):
        raise whole.broken("a stream without a schema")
    for places in (every, columns or every):
        promise = Promise.of(whole.what, pa.schema([whole.declared.field(i) for i in places]))
        if list(map(fold, given.names)) == list(map(fold, promise.declared.names)):
            break
    else:
        raise whole.broken(f"the columns {', '.join(given.names) or 'none'}")
    found = {index: place for place, index in enumerate(places)}
    kept = set(every if columns is None else columns)
    at = tuple(found.get(index) if index in kept else None for index in every)
    return promise, Conform(whole.wire, at, str(bound.declared.name), with_null_type=with_null_type)


def _chunks(
    batches: Iterator[pa.RecordBatch], promise: Promise, conform: Conform, count: int
) -> Iterator[Chunk]:
    sent = 0
    for batch in batches:
        checked = promise.batch(batch)
        sent += checked.num_rows
        yield Chunk(conform.batch(checked), progress(sent, count if count > 0 else None))


def _told_names(filters: str) -> list[str]:
    try:
        found = msgspec.json.decode(filters, type=_Names) if filters else _Names()
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return []
    return found.column_binding_names_by_index


class _Names(msgspec.Struct):
    column_binding_names_by_index: list[str] = []


def changed(declared: Declared) -> ConflictError:
    return ConflictError(
        f"{declared.what} gives other columns than it did when the query began",
        hint="run the query again",
    )


def require_layout(bound: Bound, layout: str) -> None:
    if layout != bound.layout:
        raise changed(bound.declared)


def require_positions(bound: Bound, columns: tuple[int, ...] | None) -> None:
    """Of a ticket, which may be anybody's work."""
    if columns is not None and not set(columns) <= set(range(len(bound.promise.wire))):
        raise InvalidRequestError("the ticket asks for columns that its function does not give")
