"""Rows in any form that people have them in, as record batches of the declared columns.

    a record batch, a table, a reader, whatever speaks Arrow's C interface (polars, DuckDB), a pandas frame
    a list of rows, or a generator of rows: dicts, named tuples, dataclasses, or tuples in the columns' order
    a dict of columns
    an iterator or a generator of any of these

Columns are found by name, in any spelling and order; a row that lacks one has NULL there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array
from lakeport.core.errors import FunctionError
from lakeport.core.names import NameMap, nearest, quoted
from lakeport.functions.values.fit import fit, one_array
from lakeport.functions.values.plain import array_of_values

_ROWS = 8_192  # of single rows that are gathered into one batch
_MOST_ROWS = 65_536  # of a batch, whatever a function gives at once
_FORMS = (
    "its author must return an Arrow table or batches, a pandas or polars frame, a list of dicts, or yield"
    " any of these"
)


def batches_of(result: object, schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch]:
    """`schema` are the columns that are wanted of it, in order."""
    for batch in _whole_batches(result, schema, what):
        for start in range(0, batch.num_rows, _MOST_ROWS):
            yield batch.slice(start, _MOST_ROWS)


def _whole_batches(result: object, schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch]:
    known = _known(result, schema, what)
    if known is not None:
        yield from known
        return
    if isinstance(result, Iterable) and not isinstance(result, str | bytes):
        yield from _each(iter(result), schema, what)
    else:
        raise _no_rows(result, what)


def _each(items: Iterator[Any], schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch]:
    """Rows are gathered, and what is more than a row goes on at once."""
    rows: list[Any] = []
    for item in items:
        if _is_row(item):
            rows.append(item)
            if len(rows) < _ROWS:
                continue
            yield _of_rows(rows, schema, what)
            rows = []
            continue
        known = _known(item, schema, what)
        if known is None:
            raise _no_rows(item, what)
        if rows:
            yield _of_rows(rows, schema, what)
            rows = []
        yield from known
    if rows:
        yield _of_rows(rows, schema, what)


def _known(result: Any, schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch] | None:
    """Of what holds many rows in columns; None for anything else."""
    if isinstance(result, pa.RecordBatch):
        return iter((shaped(result, schema, what),))
    if isinstance(result, Mapping):
        return iter((_of_columns(result, schema, what),))
    module, name = type(result).__module__.partition(".")[0], type(result).__name__
    if (module, name) == ("pandas", "DataFrame"):
        result = pa.Table.from_pandas(result, preserve_index=False)
    elif (module, name) == ("polars", "LazyFrame"):
        result = result.collect()
    if isinstance(result, pa.RecordBatchReader):
        return (shaped(batch, schema, what) for batch in result)
    if hasattr(result, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(result)
        return (shaped(batch, schema, what) for batch in reader)
    if hasattr(result, "__arrow_c_array__"):
        return iter((shaped(pa.record_batch(result), schema, what),))
    return None


def shaped(batch: pa.RecordBatch, schema: pa.Schema, what: str) -> pa.RecordBatch:
    """The wanted columns, each of its declared type. More columns than these are let go."""
    given = NameMap(zip(batch.schema.names, range(batch.num_columns), strict=True))
    columns: list[Array] = []
    for field in schema:
        if field.name not in given:
            close = nearest(field.name, given)
            raise FunctionError(
                f"{what} declares the column {quoted(field.name)} and gave"
                f" {', '.join(map(quoted, batch.schema.names)) or 'none'}",
                hint=f"its author wrote {quoted(close)} instead" if close else _FORMS,
            )
        place = f"column {quoted(field.name)} of {what}"
        column = fit(one_array(batch.column(given[field.name])), field.type, place)
        if not field.nullable and pc.is_null(column).true_count:
            raise FunctionError(f"{place} is declared NOT NULL and has a NULL")
        columns.append(column)
    return with_columns(columns, schema, batch.num_rows)


def _is_row(item: object) -> bool:
    """A dict of lists would be columns: only the caller's own rows look like this."""
    if isinstance(item, Mapping):
        return not any(isinstance(value, pa.Array | pa.ChunkedArray) for value in item.values())
    return isinstance(item, tuple) or (
        dataclasses.is_dataclass(item) and not isinstance(item, type)
    )


def _of_rows(rows: Sequence[Any], schema: pa.Schema, what: str) -> pa.RecordBatch:
    plain = [_plain(row, schema, what) for row in rows]
    known = NameMap((name, name) for name in schema.names)
    seen: dict[str, None] = {}
    for row in plain:
        seen.update(dict.fromkeys(row))
    spelled = NameMap((name, name) for name in seen)
    if len(spelled) < len(seen):  # rows that spell one name in several ways
        plain = [{spelled[name]: value for name, value in row.items()} for row in plain]
    for name in seen:
        close = None if name in known else nearest(name, schema.names)
        if close is not None and close not in spelled:
            raise FunctionError(
                f"{what} gave rows with {quoted(name)}, and declares {quoted(close)}",
                hint="its author must use one name",
            )
    keys = [spelled.get(name) for name in schema.names]
    columns = {
        name: [None if key is None else row.get(key) for row in plain]
        for name, key in zip(schema.names, keys, strict=True)
    }
    return _of_columns(columns, schema, what, len(plain))


def _plain(row: Any, schema: pa.Schema, what: str) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    if dataclasses.is_dataclass(row):
        return {each.name: getattr(row, each.name) for each in dataclasses.fields(row)}
    if hasattr(row, "_asdict"):
        named: Mapping[str, Any] = row._asdict()
        return named
    if len(row) != len(schema):
        raise FunctionError(
            f"{what} gave a row of {len(row)} values for {len(schema)} columns",
            hint="its author can give rows as dicts, which say which value is which",
        )
    return dict(zip(schema.names, row, strict=True))


def _of_columns(
    columns: Mapping[str, Any], schema: pa.Schema, what: str, rows: int | None = None
) -> pa.RecordBatch:
    given = NameMap(columns.items())
    arrays: list[Array] = []
    fields = []
    for field in schema:
        if field.name in given:
            values = given[field.name]
            place = f"column {quoted(field.name)} of {what}"
            arrays.append(
                one_array(values)
                if isinstance(values, pa.Array | pa.ChunkedArray)
                else array_of_values(list(values), field.type, place)
            )
            fields.append(pa.field(field.name, arrays[-1].type))
    if len({len(each) for each in arrays}) > 1:
        raise FunctionError(f"{what} gave columns of different lengths")
    count = rows if rows is not None else (len(arrays[0]) if arrays else 0)
    return shaped(with_columns(arrays, pa.schema(fields), count), schema, what)


def _no_rows(result: object, what: str) -> FunctionError:
    shown = "nothing" if result is None else f"a value of type {type(result).__name__}"
    return FunctionError(f"{what} gave {shown} instead of rows", hint=_FORMS)
