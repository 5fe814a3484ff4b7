"""What a function gives, held against what it declares: names, order, types, NOT NULL, number of rows.

Anything else never reaches the wire, where it would crash DuckDB or show other numbers (chapter 0, rule 3).
The caller is told which function broke which declaration, and so is the log.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.airport.functions.declared import wire_schema
from lakeport.airport.scans.conform import as_declared
from lakeport.airport.scans.doubt import forbidden_null
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrays.vectors import number_type
from lakeport.catalog.arrow import Array, Field
from lakeport.core.errors import FunctionError
from lakeport.core.names import fold, quoted

_log = logging.getLogger(__name__)
_DAMAGE = (pa.ArrowException, ValueError, TypeError)


@dataclass(frozen=True)
class Promise:
    """`declared` are the columns in the function's own types, `wire` in those that clients are told."""

    what: str
    declared: pa.Schema
    wire: pa.Schema

    @classmethod
    def of(cls, what: str, declared: pa.Schema) -> Promise:
        return cls(what, declared, wire_schema(declared))

    @cached_property
    def number(self) -> np.dtype[Any] | None:
        """What numpy calls the type of the one column, if that is a number and goes as it is."""
        own = self.declared.field(0).type
        return number_type(own) if own == self.wire.field(0).type else None

    def column(self, given: object, rows: int) -> pa.RecordBatch:
        """The one column of a scalar function, as a batch for the wire."""
        field = self.declared.field(0)
        if not isinstance(given, pa.Array):
            raise self.broken(f"{type(given).__name__} where {field.type} is declared")
        if given.type != field.type:
            raise self.broken(f"{given.type} where {field.type} is declared")
        if len(given) != rows:
            raise self.broken(f"{len(given):,} values for {rows:,} rows")
        self._check(given, field)
        return with_columns([self._sent(given, self.wire.field(0))], self.wire, rows)

    def batch(self, given: object) -> pa.RecordBatch:
        """A batch of a table function, as it goes to the wire."""
        if not isinstance(given, pa.RecordBatch):
            raise self.broken(f"{type(given).__name__} instead of a batch")
        names = given.schema.names
        if list(map(fold, names)) != list(map(fold, self.declared.names)):
            declared = ", ".join(self.declared.names)
            raise self.broken(
                f"the columns {', '.join(names) or 'none'} where {declared} are declared"
            )
        for field, column in zip(self.declared, given.columns, strict=True):
            if column.type != field.type:
                raise self.broken(
                    f"{column.type} in {quoted(field.name)}, which is declared {field.type}"
                )
            self._check(column, field)
        if given.schema.equals(self.wire, check_metadata=True):
            return given
        columns = [
            self._sent(column, field)
            for column, field in zip(given.columns, self.wire, strict=True)
        ]
        return with_columns(columns, self.wire, given.num_rows)

    def broken(self, given: str) -> FunctionError:
        _log.warning("function.undeclared", extra={"function": self.what, "given": given})
        return FunctionError(f"{self.what} gave {given}", hint="tell its author")

    def _check(self, values: Array, field: Field) -> None:
        try:
            values.validate(full=True)
        except _DAMAGE as error:
            raise self.broken(f"a damaged column {quoted(field.name)}") from error
        place = forbidden_null(values, field)
        if place is not None:
            raise self.broken(f"NULL in {quoted(place)}, which is declared NOT NULL")

    def _sent(self, values: Array, field: Field) -> Array:
        if values.type == field.type:
            return values
        return as_declared(values, field.type, f"{self.what}.{field.name}")
