"""What RETURNING shows, and the schema that is promised for it before the first row has come.

INSERT and DELETE show whole rows: every column of the client's by the name and type it was told, more
if the table has more by now. UPDATE shows what was sent, in the order and the types it was sent in:
anything else ends the user's whole DuckDB (chapter 0, rule 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import pyarrow as pa

from lakeport.airport.exchange.target import Target
from lakeport.airport.scans.conform import Conform
from lakeport.airport.scans.doubt import Doubt, doubt_of
from lakeport.airport.wire_types import wire_field
from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import ROW_ID_FIELD, require_column
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
class _Given:
    """What a table gives back for a batch; `doubt` where somebody else's code makes it."""

    table: str
    doubt: Doubt | None

    @classmethod
    def of(cls, target: Target, wanted: pa.Schema) -> Self:
        table = target.reading.found.table
        return cls(str(table.name), doubt_of(table, wanted))

    def checked(self, stored: pa.RecordBatch | None, rows: int) -> pa.RecordBatch:
        if stored is None or stored.num_rows != rows:
            raise InternalError(
                f"table {quoted(self.table)} did not give back the {rows} rows of a batch"
            )
        if self.doubt is not None:
            self.doubt.check(stored)
        return stored


@dataclass(frozen=True, slots=True)
class WholeRows:
    conform: Conform
    given: _Given

    @property
    def schema(self) -> pa.Schema:
        return self.conform.schema

    def batch(self, stored: pa.RecordBatch | None, rows: int) -> pa.RecordBatch:
        return self.conform.batch(self.given.checked(stored, rows))


@dataclass(frozen=True, slots=True)
class AsSent:
    """`schema` has the columns as they were sent, the row id last; `places` is where they came."""

    schema: pa.Schema
    places: tuple[int, ...]
    given: _Given

    def batch(self, stored: pa.RecordBatch | None, rows: int) -> pa.RecordBatch:
        found = self.given.checked(stored, rows)
        columns = [
            _as_type(found.column(place), field.type, field.name)
            for place, field in zip(self.places, self.schema, strict=True)
        ]
        return with_columns(columns, self.schema, rows)


def whole_rows(target: Target) -> WholeRows:
    reading = target.reading
    own = reading.rows.definition.schema
    held = reading.layout.definition.schema
    places = [require_column(own, reading.column(index)) for index in range(len(held))]
    more = sorted(set(range(len(own))).difference(places))
    fields = [*held, *(own.field(index) for index in more)]
    conform = Conform(
        pa.schema([wire_field(field) for field in fields]),
        (*places, *more),
        str(reading.found.table.name),
    )
    return WholeRows(conform, _Given.of(target, own))


def as_sent(target: Target, sent: pa.Schema) -> AsSent:
    """The row id is found by its name and flag; the client looks for it last."""
    places = sorted(range(len(sent)), key=lambda place: fold(sent.field(place).name) == ROW_ID)
    fields = [
        ROW_ID_FIELD.with_type(field.type) if fold(field.name) == ROW_ID else field
        for field in map(sent.field, places)
    ]
    return AsSent(pa.schema(fields), tuple(places), _Given.of(target, sent))


def _as_type(values: Array, sent: pa.DataType, name: str) -> Array:
    """What was stored came from this type without loss, so it goes back."""
    return nulls(len(values), sent) if pa.types.is_null(sent) else convert(values, sent, name)
