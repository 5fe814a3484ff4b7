"""Whatever somebody calls rows, as Arrow batches: tables, batches, readers, datasets, frames, mappings.

Types are those that were declared. A reader may differ in how they are stored (texts with long offsets,
narrower integers, dictionaries): that is converted where no value is lost; anything else is the author's
mistake, and is told as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from lakeport.airport.scans.doubt import Doubt
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrays.unfit import UNFIT, unfit
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import column_index
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import FunctionError, InternalError, InvalidRequestError
from lakeport.core.names import quoted

BATCH_ROWS = 65_536

_FAMILIES = (
    (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view),
    (pa.types.is_integer,),
    (pa.types.is_floating,),
    (pa.types.is_decimal,),
    (pa.types.is_timestamp,),
    (pa.types.is_date,),
    (pa.types.is_list, pa.types.is_large_list, pa.types.is_list_view, pa.types.is_large_list_view),
    (pa.types.is_struct,),
)


def is_rows(found: object) -> bool:
    """Data that can be read again and again, and says itself what its columns are."""
    return isinstance(found, pa.Table | pa.RecordBatch | ds.Dataset | list) or hasattr(
        found, "__arrow_c_stream__"
    )


def arrow_table(found: Any, schema: pa.Schema | None, what: str) -> pa.Table:
    """Data in memory, of which `what` is made."""
    if isinstance(found, list | tuple):
        return _of_mappings(list(found), schema, what)
    if isinstance(found, pa.Table):
        table = found
    elif isinstance(found, pa.RecordBatch):
        table = pa.Table.from_batches([found])
    else:
        table = pa.RecordBatchReader.from_stream(found).read_all()
    if schema is None:
        return table.replace_schema_metadata(None)
    for field in schema:
        if field.name not in table.column_names:
            raise InvalidRequestError(
                f"{what}: its rows have no column {quoted(field.name)}, which its schema has",
                hint="change the schema, or the rows",
            )
    try:
        return table.select(schema.names).cast(schema)
    except UNFIT as error:
        raise InvalidRequestError(
            f"{what}: its rows are not of its schema: {unfit(error)}",
            hint="change the schema, or the rows",
        ) from error


def _of_mappings(rows: list[Any], schema: pa.Schema | None, what: str) -> pa.Table:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InvalidRequestError(
                f"{what}: row {number} is {type(row).__name__}, no mapping of columns to values",
                hint='give rows as {"column": value, …}',
            )
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except UNFIT as error:
        raise InvalidRequestError(
            f"{what}: {_unfit_column(rows, schema)}{unfit(error)}",
            hint="give every value of a column the same type; `schema=` says which",
        ) from error


def _unfit_column(rows: list[Any], schema: pa.Schema | None) -> str:
    for name in rows[0] if schema is None else schema.names:
        values = [row.get(name) for row in rows]
        try:
            pa.array(values, None if schema is None else schema.field(name).type)
        except UNFIT:
            return f"column {quoted(str(name))}: "
    return ""


def batches_of(found: Any, schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch]:
    """What `what` gave. `schema` gives rows that are mappings their types."""
    if isinstance(found, pa.RecordBatch):
        yield found
    elif isinstance(found, pa.Table):
        yield from found.to_batches(max_chunksize=BATCH_ROWS)
    elif isinstance(found, pa.RecordBatchReader | BatchStream):
        with found:
            yield from found
    elif isinstance(found, ds.Dataset | ds.Scanner):
        yield from found.to_batches()
    elif hasattr(found, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(found)
    elif isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping):
        yield from _pieces(iter(found), schema, what)
    elif found is not None:
        raise FunctionError(
            f"{what} gave {type(found).__name__} instead of rows",
            hint="its author must give Arrow data, a frame, or mappings",
        )


def _pieces(pieces: Iterator[Any], schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch]:
    for piece in pieces:
        if isinstance(piece, Mapping):
            rows = chain([piece], pieces)
            while some := list(islice(rows, BATCH_ROWS)):
                yield from _typed(some, schema, what).to_batches()
        else:
            yield from batches_of(piece, schema, what)


def _typed(rows: list[Any], schema: pa.Schema, what: str) -> pa.Table:
    """Not as `foreign` tells a ValueError: what a table gives is no fault of who asks for it."""
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except (*UNFIT, AttributeError) as error:
        raise FunctionError(
            f"{what} gave a row that is not as it declares: {unfit(error)}",
            hint="its author must give what the schema says",
        ) from error


class Fitting:
    """Batches of a reader as they were declared. `schema` are the columns wanted, in order."""

    def __init__(self, table: str, schema: pa.Schema) -> None:
        self._table = table
        self._schema = schema
        self._doubt = Doubt(table, tuple(schema))

    def batch(self, given: pa.RecordBatch) -> pa.RecordBatch:
        columns = [self._column(given, field.name, field.type) for field in self._schema]
        made = with_columns(columns, self._schema, given.num_rows)
        try:
            self._doubt.check(made)
        except InternalError as error:
            raise FunctionError(error.message) from error
        return made

    def _column(self, given: pa.RecordBatch, name: str, wanted: pa.DataType) -> Array:
        index = column_index(given.schema, name)
        if index is None:
            raise self._mistake(f"gave no column {quoted(name)}")
        values = given.column(index)
        if values.type.equals(wanted):
            return values
        plain = values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values
        if not _is_family(plain.type, wanted):
            raise self._mistake(
                f"gave column {quoted(name)} as {values.type}, and declares {wanted}"
            )
        try:
            return plain.cast(wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise self._mistake(f"gave column {quoted(name)} as {values.type}: {error}") from error

    def _mistake(self, what: str) -> FunctionError:
        return FunctionError(f"table {quoted(self._table)} {what}")


def _is_family(given: pa.DataType, wanted: pa.DataType) -> bool:
    if given.equals(wanted):
        return True
    return any(
        any(is_one(given) for is_one in family) and any(is_one(wanted) for is_one in family)
        for family in _FAMILIES
    )
