"""What RETURNING shows, and the schema that is promised for it before the first row has come.

INSERT and DELETE show whole rows: every column of the client's by the name and type it was told, more
if the table has more by now. UPDATE shows what was sent, in the order and the types it was sent in:
anything else ends the user's whole DuckDB (chapter 0, rule 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from lakeport.airport.exchange.target import Target
from lakeport.airport.scans.conform import Conform, is_distrusted
from lakeport.airport.wire_types import wire_field
from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import ROW_ID_FIELD, column_index, require_column
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import InternalError
from lakeport.core.names import ROW_ID, fold, quoted


class Shown(Protocol):
    @property
    def schema(self) -> pa.Schema: ...

    def batch(self, stored: pa.RecordBatch | None, rows: int) -> pa.RecordBatch:
        """Of what `Write.add` gave for a batch of so many rows."""
        ...


@dataclass(frozen=True, slots=True)
class WholeRows:
    conform: Conform
    table: str

    @property
    def schema(self) -> pa.Schema:
        return self.conform.schema

    def batch(self, stored: pa.RecordBatch | None, rows: int) -> pa.RecordBatch:
        return self.conform.batch(_given(stored, rows, self.table))


@dataclass(frozen=True, slots=True)
class AsSent:
    """`schema` has the columns as they were sent, the row id last."""

    schema: pa.Schema
    table: str

    def batch(self, stored: pa.RecordBatch | None, rows: int) -> pa.RecordBatch:
        given = _given(stored, rows, self.table)
        columns = []
        for field in self.schema:
            place = column_index(given.schema, field.name)
            if place is None:
                raise InternalError(f"table {quoted(self.table)} did not give {quoted(field.name)}")
            columns.append(_as_type(given.column(place), field.type, field.name))
        return with_columns(columns, self.schema, rows)


def whole_rows(target: Target) -> WholeRows:
    reading = target.reading
    own = reading.rows.definition.schema
    held = reading.layout.definition.schema
    places = [require_column(own, reading.column(index)) for index in range(len(held))]
    more = [index for index in range(len(own)) if index not in set(places)]
    fields = [*held, *(own.field(index) for index in more)]
    table = reading.found.table
    conform = Conform(
        pa.schema([wire_field(field) for field in fields]),
        (*places, *more),
        str(table.name),
        is_distrusted=is_distrusted(table),
    )
    return WholeRows(conform, str(table.name))


def as_sent(target: Target, sent: pa.Schema) -> AsSent:
    """The row id is found by its name and flag; the client looks for it last."""
    others = [field for field in sent if fold(field.name) != ROW_ID]
    row_ids = [ROW_ID_FIELD.with_type(field.type) for field in sent if fold(field.name) == ROW_ID]
    return AsSent(pa.schema([*others, *row_ids]), str(target.reading.found.table.name))


def _given(stored: pa.RecordBatch | None, rows: int, table: str) -> pa.RecordBatch:
    if stored is None or stored.num_rows != rows:
        raise InternalError(f"table {quoted(table)} did not give back the {rows} rows of a batch")
    return stored


def _as_type(values: Array, sent: pa.DataType, name: str) -> Array:
    """What was stored came from this type without loss, so it goes back."""
    return nulls(len(values), sent) if pa.types.is_null(sent) else convert(values, sent, name)
