"""What of a DataFrame goes where: its columns as the table's, decided before a row is computed."""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import TableName, fold, nearest, quoted, twins
from lakeport.spark.catalogue import Announced, has_default

_EXTENSION = b"ARROW:extension:"


def sent_columns(frame: pa.Schema, table: Announced, *, fills_defaults: bool) -> pa.Schema:
    """The columns of a statement's stream, in the table's order and types.

    `fills_defaults`: the server puts a column's DEFAULT, or NULL, where it is not sent. Others are sent
    every column, as DuckDB sends them.
    """
    _require_known(frame, table)
    given = {fold(field.name): field for field in frame}
    sent: list[Field] = []
    for column in table.columns:
        field = given.get(fold(column.name))
        if field is not None:
            convert(pa.array([], field.type), column.type, column.name)  # refuses another kind
        elif _is_left_out(column, table.name, fills_defaults=fills_defaults):
            continue
        sent.append(_plain(column))
    return pa.schema(sent)


def new_columns(frame: pa.Schema) -> pa.Schema:
    """The columns of a table that is made for a DataFrame: Spark calls almost everything nullable."""
    _require_different(frame)
    return frame


def _is_left_out(column: Field, name: TableName, *, fills_defaults: bool) -> bool:
    where = f"column {quoted(column.name)} of table {quoted(str(name))}"
    if has_default(column):
        if fills_defaults:
            return True
        raise UnsupportedError(
            f"{where} has a DEFAULT, which this server leaves to its clients",
            hint="add the column to the DataFrame",
        )
    if not column.nullable:
        raise InvalidRequestError(
            f"{where} is NOT NULL, and the DataFrame has no such column",
            hint="add the column to the DataFrame",
        )
    return fills_defaults


def _require_known(frame: pa.Schema, table: Announced) -> None:
    _require_different(frame)
    names = table.columns.names
    for name in frame.names:
        if table.column_id(name) is None:
            close = nearest(name, names)
            raise InvalidRequestError(
                f"table {quoted(str(table.name))} has no column {quoted(name)}",
                hint=f"did you mean {quoted(close)}?" if close else f"columns: {', '.join(names)}",
            )


def _require_different(frame: pa.Schema) -> None:
    pair = twins(frame.names)
    if pair is not None:
        raise InvalidRequestError(
            f"the DataFrame has two columns {quoted(pair[0])}",
            hint="names that differ only in case are one",
        )


def _plain(column: Field) -> Field:
    """As DuckDB sends it: no flag and no DEFAULT, but what makes its type."""
    kept = {
        key: value for key, value in (column.metadata or {}).items() if key.startswith(_EXTENSION)
    }
    return pa.field(column.name, column.type, metadata=kept or None)
