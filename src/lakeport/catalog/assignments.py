"""What an UPDATE sets, as SQL over the row as it was: `{"price": "price * 2"}`.

The rows that come have the columns that the expressions read, and their ids last; those that go have the
new values in the columns' own types, and the same ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import pyarrow as pa

from lakeport.catalog.arrays.gather import gathered
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.definition import ROW_ID_FIELD, require_column
from lakeport.catalog.expressions import (
    Expression,
    cast_array,
    evaluate,
    parse_expression,
    type_text,
)
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

# Asking an engine for new values has a price that does not depend on rows.
_MANY_ROWS = 32_768
_MANY_BYTES = 1 << 23


@dataclass(frozen=True, slots=True)
class Assignments:
    edits: Mapping[Field, Expression]

    @classmethod
    def of(cls, assignments: Mapping[str, str], schema: pa.Schema, called: str) -> Self:
        """For a table of these columns; `called` is how a refusal names it."""
        if not assignments:
            raise InvalidRequestError("an UPDATE needs at least one column to set")
        edits = {
            schema.field(require_column(schema, name, where=called)): parse_expression(sql, schema)
            for name, sql in assignments.items()
        }
        if len(edits) < len(assignments):
            raise InvalidRequestError(
                "an UPDATE sets a column twice", hint="names differ in more than their case"
            )
        return cls(edits)

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that the new values are made of."""
        return tuple(sorted(frozenset().union(*(edit.columns for edit in self.edits.values()))))

    @property
    def schema(self) -> pa.Schema:
        """Of the rows that go."""
        fields = [pa.field(column.name, column.type) for column in self.edits]
        return pa.schema([*fields, ROW_ID_FIELD])

    def applied(self, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = self.schema
        for batch in gathered(rows, most_rows=_MANY_ROWS, most_bytes=_MANY_BYTES):
            columns = [_fitting(evaluate(sql, batch), column) for column, sql in self.edits.items()]
            columns.append(batch.column(batch.num_columns - 1))
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _fitting(values: Array, column: Field) -> Array:
    try:
        return cast_array(values, column)
    except InvalidRequestError as error:
        raise InvalidRequestError(
            f"a new value of column {quoted(column.name)} does not fit: {error.message}",
            hint=error.hint or f"the column is {type_text(column)}",
        ) from error
