"""Batches of a scan as the client must get them: every declared column, in order, in the declared type.

A stream that differs from what was declared crashes DuckDB or shows other numbers (chapter 0, rule 3),
so what a catalog gives is held against its declaration and never sent if it does not fit. Columns
nobody asked for are all NULL; to DuckDB they go as Arrow's `null` type, which takes no bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from lakeport.airport.scans.doubt import Doubt
from lakeport.airport.wire_types import wire_type
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array, Field
from lakeport.core.errors import InternalError, UnsupportedError
from lakeport.core.names import quoted


@dataclass(slots=True)
class Conform:
    """`places[i]` is where column `i` of `declared` is in the batches, None where it was not asked for."""

    declared: pa.Schema
    places: tuple[int | None, ...]
    table: str
    doubt: Doubt | None = None
    with_null_type: bool = False
    schema: pa.Schema = field(init=False)
    _fields: tuple[Field, ...] = field(init=False)
    _is_whole: bool = field(init=False)
    _nulls: dict[int, Array] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        fields = [
            pa.field(column.name, pa.null()) if place is None and self.with_null_type else column
            for column, place in zip(self.declared, self.places, strict=True)
        ]
        self.schema = pa.schema(fields).with_metadata(self.declared.metadata)
        self._fields = tuple(self.schema)
        self._is_whole = self.places == tuple(range(len(fields)))

    def batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """`InternalError` with the reason, for the log alone, if it is not what was declared."""
        if self.doubt is not None:
            self.doubt.check(batch)
        self._check(batch)
        # Taking a batch apart and putting it together again costs as much as framing it.
        if self._is_whole and batch.schema.equals(self.schema):
            return batch
        columns = [
            self._missing(index, batch.num_rows)
            if place is None
            else self._column(batch.column(place), self._fields[index])
            for index, place in enumerate(self.places)
        ]
        return with_columns(columns, self.schema, batch.num_rows)

    def _check(self, batch: pa.RecordBatch) -> None:
        wanted = [place for place in self.places if place is not None]
        if wanted and max(wanted) >= batch.num_columns:
            raise InternalError(
                f"table {quoted(self.table)} gave {batch.num_columns} columns,"
                f" and was asked for {len(wanted)}"
            )
        try:
            # The contents were checked when they were read, or by the doubt.
            batch.validate()
        except pa.ArrowInvalid as error:
            raise InternalError(
                f"table {quoted(self.table)} gave a damaged batch: {error}"
            ) from error

    def _column(self, values: Array, column: Field) -> Array:
        if values.type == column.type:
            return values
        return as_declared(values, column.type, f"{self.table}.{column.name}")

    def _missing(self, index: int, rows: int) -> Array:
        """Slices of one array, the longest that was needed: batches have any number of rows."""
        held = self._nulls.get(index)
        if held is None or len(held) < rows:
            held = self._nulls[index] = nulls(rows, self._fields[index].type)
        return held if len(held) == rows else held.slice(0, rows)


def places_of(columns: tuple[int, ...], *, row_ids: bool, declared: int) -> tuple[int | None, ...]:
    """Where each declared column comes in a scan of these columns, the row id being last in both."""
    place = {column: index for index, column in enumerate(columns)}
    if row_ids:
        place[declared - 1] = len(columns)
    return tuple(place.get(index) for index in range(declared))


def as_declared(values: Array, declared: pa.DataType, what: str) -> Array:
    """Only for what `wire_type` changes: another type than the catalog's own declaration is a bug.

    A catalog may give `int32` for `int64` as little as text: where values fit by chance today, they
    will not tomorrow.
    """
    if wire_type(values.type) != declared:
        raise InternalError(f"{quoted(what)} came as {values.type} and is declared {declared}")
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    try:
        return values.cast(declared)
    except pa.ArrowNotImplementedError as error:
        raise UnsupportedError(
            f"{quoted(what)} has the type {values.type}, which clients cannot read"
        ) from error


def nulls(rows: int, data_type: pa.DataType) -> Array:
    if isinstance(data_type, pa.BaseExtensionType):
        wrapped: Array = pa.ExtensionArray.from_storage(
            data_type, nulls(rows, data_type.storage_type)
        )
        return wrapped
    plain: Array = pa.nulls(rows, data_type)  # type: ignore[call-overload] # the stubs know concrete types only
    return plain
