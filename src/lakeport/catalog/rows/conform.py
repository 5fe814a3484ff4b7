"""Batches that arrive, brought into the shape a table stores them in, or refused.

Nothing that arrives is trusted: a batch is fully validated before anything looks inside it, since
reading a malformed one can kill the process. Columns come in any order and spelling, types as
`convert` takes them. NOT NULL, CHECK and keys are checked by `constraints` on what comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.definition import Definition, default_of
from lakeport.catalog.rows.convert import convert
from lakeport.catalog.rows.defaults import filled
from lakeport.catalog.rows.geometries import check_geometries
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import ROW_ID, fold, nearest, quoted, twins


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an UPDATE sets: new values of some columns, in the order received, one row per id."""

    row_ids: pa.Int64Array
    values: pa.RecordBatch


def conform_insert(batch: pa.RecordBatch, definition: Definition) -> pa.RecordBatch:
    """Whole rows with exactly the definition's schema; what is missing gets its DEFAULT, or NULL."""
    check_sound(batch)
    schema = definition.schema
    sent = _by_column(batch.schema, schema)
    columns = [
        _fitted(batch.column(sent[index]), column)
        if index in sent
        else filled(default_of(column), column.type, batch.num_rows)
        for index, column in enumerate(schema)
    ]
    return with_columns(columns, schema, batch.num_rows)


def conform_update(batch: pa.RecordBatch, definition: Definition) -> Assignment:
    check_sound(batch)
    place = _row_id_place(batch.schema)
    others = [index for index in range(batch.num_columns) if index != place]
    rest = with_columns(
        [batch.column(index) for index in others],
        pa.schema([batch.schema.field(index) for index in others]),
        batch.num_rows,
    )
    sent = {index: column for column, index in _by_column(rest.schema, definition.schema).items()}
    fields = [definition.schema.field(sent[index]) for index in range(rest.num_columns)]
    columns = [_fitted(rest.column(index), column) for index, column in enumerate(fields)]
    values = with_columns(columns, pa.schema(fields), batch.num_rows)
    return Assignment(_row_ids(batch.column(place)), values)


def _fitted(array: Array, column: Field) -> Array:
    fitted = convert(array, column.type, column.name)
    check_geometries(fitted, column, column.name)
    return fitted


def conform_delete(batch: pa.RecordBatch) -> pa.Int64Array:
    """The row ids of a DELETE, which sends nothing else."""
    check_sound(batch)
    place = _row_id_place(batch.schema)
    if batch.num_columns > 1:
        raise InvalidRequestError(
            f"a DELETE sends the column {quoted(ROW_ID)} alone,"
            f" but {batch.num_columns} columns were sent",
            hint=f"select only {ROW_ID}",
        )
    return _row_ids(batch.column(place))


def check_sound(batch: pa.RecordBatch) -> None:
    """Every offset, length, index and text of the batch is what Arrow promises it to be."""
    try:
        batch.validate(full=True)
    except (pa.ArrowException, ValueError) as error:
        raise InvalidRequestError(
            f"a record batch is malformed: {error}", hint="the sending program has a bug"
        ) from error


def _by_column(sent: pa.Schema, schema: pa.Schema) -> Mapping[int, int]:
    """For each column of the table that was sent, its place in the batch."""
    return _places(tuple(sent.names), tuple(schema.names))


@lru_cache(maxsize=256)
def _places(sent: tuple[str, ...], names: tuple[str, ...]) -> Mapping[int, int]:
    """Kept, because all batches of a statement, and most statements, send the same columns."""
    pair = twins(sent)
    if pair is not None:
        raise InvalidRequestError(
            f"column {quoted(pair[0])} was sent twice",
            hint="send each column once; names that differ only in case are one",
        )
    known = {fold(name): index for index, name in enumerate(names)}
    for name in sent:
        if fold(name) not in known:
            raise _unknown(name, names)
    return {known[fold(name)]: place for place, name in enumerate(sent)}


def _unknown(name: str, names: Sequence[str]) -> InvalidRequestError:
    if fold(name) == ROW_ID:
        return InvalidRequestError(
            f"{quoted(ROW_ID)} is no column that can be inserted", hint="leave it out"
        )
    close = nearest(name, names)
    known = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return InvalidRequestError(
        f"the table has no column {quoted(name)}",
        hint=f"did you mean {quoted(close)}?" if close else f"columns: {known}",
    )


def _row_id_place(schema: pa.Schema) -> int:
    places = [index for index, name in enumerate(schema.names) if fold(name) == ROW_ID]
    if len(places) != 1:
        fault = "is missing" if not places else "was sent twice"
        raise InvalidRequestError(
            f"the column {quoted(ROW_ID)} {fault}", hint="row ids come from a scan of the table"
        )
    return places[0]


def _row_ids(column: Array) -> pa.Int64Array:
    row_ids = convert(column, pa.int64(), ROW_ID)
    if row_ids.null_count:
        raise InvalidRequestError(
            f"{quoted(ROW_ID)} is NULL in {row_ids.null_count} rows",
            hint="row ids come from a scan of the table",
        )
    return row_ids  # type: ignore[return-value]  # `convert` gave exactly this type
