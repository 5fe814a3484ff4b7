"""What a table was given, as something to read: data, a function, or an object with methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from lakeport.airport.library.rows import arrow_table, is_rows
from lakeport.airport.library.table import Made, takes_scan
from lakeport.catalog.definition import Definition, check_columns
from lakeport.catalog.scan import Scan
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName, quoted


def source_of(
    catalog: str,
    name: TableName,
    source: Any,
    schema: pa.Schema | None,
    comment: str | None,
    row_id: str | None,
) -> Made:
    what = f"table {quoted(str(name))}"
    if isinstance(source, pa.RecordBatchReader):
        raise InvalidRequestError(
            f"{what}: a RecordBatchReader can be read once only",
            hint="give a table, or a function that opens a reader for each read",
        )
    if isinstance(source, ds.Dataset):
        return Made(catalog, name, _fixed(schema or source.schema, comment), _dataset(source))
    if is_rows(source):
        data = arrow_table(source, schema, what)
        read = _in_memory(data)
        return Made(
            catalog, name, _fixed(data.schema, comment), read, rows_known=lambda: data.num_rows
        )
    if callable(getattr(source, "scan", None)):
        return _object(catalog, name, source, schema, comment, row_id)
    if callable(source):
        if schema is None:
            raise InvalidRequestError(
                f"{what} is read by a function, and nobody says its columns",
                hint="give `schema=pa.schema([…])`",
            )
        definition = _fixed(schema, comment)
        return Made(catalog, name, definition, source, row_id, takes_scan=takes_scan(source))
    raise InvalidRequestError(
        f"{what} cannot be made of {type(source).__name__}",
        hint="give Arrow data, a frame, a list of mappings, a function, or an object with `schema` and `scan`",
    )


def _fixed(schema: pa.Schema, comment: str | None) -> Callable[[], Definition]:
    check_columns(schema)
    definition = Definition(schema.remove_metadata(), comment=comment)
    return lambda: definition


def _in_memory(data: pa.Table) -> Callable[[Scan], pa.Table]:
    return lambda scan: data.select(list(scan.columns)) if scan.columns else data


def _dataset(source: ds.Dataset) -> Callable[[Scan], ds.Scanner]:
    """Only what is asked for is read from the files."""
    return lambda scan: source.scanner(columns=list(scan.columns) or None)


def _object(
    catalog: str,
    name: TableName,
    source: Any,
    schema: pa.Schema | None,
    comment: str | None,
    row_id: str | None,
) -> Made:
    """Its `schema` is an attribute or a method, and asked anew for every statement."""
    if schema is None and not hasattr(source, "schema"):
        raise InvalidRequestError(
            f"table {quoted(str(name))}: the object has no `schema`",
            hint="add an attribute `schema`, a pyarrow schema",
        )

    def definition() -> Definition:
        columns = schema or source.schema
        columns = columns() if callable(columns) else columns
        said = comment or getattr(source, "comment", None)
        constraints = tuple(getattr(source, "constraints", ()))
        return Definition(columns.remove_metadata(), constraints, said)

    key = row_id or getattr(source, "row_id", None)
    told = takes_scan(source.scan)
    return Made(catalog, name, definition, source.scan, key, takes_scan=told, target=source)
