"""Rows as Python programs have them: Arrow data, data frames, dictionaries, or a stream of these.

Whatever speaks Arrow's C interface (pyarrow, polars, pandas, DuckDB's relations, ADBC's readers) is read
through it, batch by batch, without a copy and without knowing the library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from lakeport.core.errors import InvalidRequestError


@runtime_checkable
class ArrowStream(Protocol):
    """What a polars or pandas frame, a DuckDB relation and a `pyarrow.RecordBatchReader` are."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """One batch of another library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


Row: TypeAlias = Mapping[str, object]
GivenRows: TypeAlias = ArrowStream | ArrowArray | Iterable[ArrowStream | ArrowArray | Row]


def given_rows(rows: GivenRows) -> Iterator[pa.RecordBatch | Row]:
    """Batches and dictionaries, in order. What fails while they are made is the giver's error."""
    if isinstance(rows, ArrowStream | ArrowArray):
        yield from _batches(rows)
        return
    if isinstance(rows, Mapping):
        raise InvalidRequestError(
            "rows are a list of dictionaries, not one dictionary",
            hint="write [row], or pyarrow.table(columns) for a dictionary of columns",
        )
    for item in _iterable(rows):
        # First, because nearly every row is one, and to ask a protocol takes longer than to make a row.
        if type(item) is dict:
            yield item
        elif isinstance(item, ArrowStream | ArrowArray):
            yield from _batches(item)
        elif isinstance(item, Mapping):
            yield item
        else:
            raise InvalidRequestError(f"a row cannot be {type(item).__name__}", hint=_KINDS)


def _iterable(rows: object) -> Iterable[object]:
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise InvalidRequestError(f"rows cannot be made of {type(rows).__name__}", hint=_KINDS)
    return rows


_KINDS = "give Arrow data, a data frame, or a list of dictionaries"


def _batches(data: ArrowStream | ArrowArray) -> Iterator[pa.RecordBatch]:
    if isinstance(data, pa.RecordBatch):
        yield data
        return
    try:
        reader = _reader(data)
    except pa.ArrowInvalid as error:
        raise InvalidRequestError(
            f"{type(data).__name__} has no columns with names", hint=_KINDS
        ) from error
    with reader:
        yield from reader


def _reader(data: ArrowStream | ArrowArray) -> pa.RecordBatchReader:
    if isinstance(data, ArrowStream):
        return pa.RecordBatchReader.from_stream(data)
    batch = pa.record_batch(data)
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])
