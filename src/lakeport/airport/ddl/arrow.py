"""Columns that a client describes by Arrow IPC schemas, as tables may have them.

Of a field's metadata only what means something to a column is kept: its comment, its DEFAULT and its
extension type. A marker such as `is_rowid` would hide the column from DuckDB's own user.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from lakeport.airport.wire.fields import Fields
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import COMMENT, DEFAULT
from lakeport.core.errors import InvalidRequestError

_EXTENSION = b"ARROW:extension:"
_EXTENSION_NAME = _EXTENSION + b"name"


def schema_in(fields: Fields, key: str) -> pa.Schema:
    """The schema, columns cleaned; its own metadata may hold the table's comment."""
    serialized = fields.required_binary(key)
    try:
        found = pa.ipc.read_schema(pa.py_buffer(serialized))
        return pa.schema([_column(each) for each in found], metadata=_comment_alone(found.metadata))
    except (pa.ArrowException, ValueError, OSError) as error:  # UnicodeDecodeError is a ValueError
        raise InvalidRequestError(
            f"{fields.what}: `{key}` is no Arrow schema",
            hint="send the IPC message of a schema, as `schema.serialize()` gives it",
        ) from error


def column_in(fields: Fields, key: str) -> Field:
    """The one column that the schema describes."""
    schema = schema_in(fields, key)
    if len(schema) != 1:
        raise InvalidRequestError(
            f"{fields.what}: `{key}` must describe exactly one column, got {len(schema)}"
        )
    column = schema.field(0)
    if not column.name:
        raise InvalidRequestError(f"{fields.what}: the column of `{key}` has no name")
    return column


def comment_in(schema: pa.Schema) -> str | None:
    text = (schema.metadata or {}).get(COMMENT)
    return text.decode() if text else None


def unknown_extension(column: Field) -> str | None:
    """The extension type that only the field's metadata tells of, such as `geoarrow.wkb`."""
    name = (column.metadata or {}).get(_EXTENSION_NAME)
    return None if name is None else name.decode("utf-8", "replace")


def _column(field: Field) -> Field:
    kept = {key: value for key, value in (field.metadata or {}).items() if _is_kept(key, value)}
    _require_text(field)
    return pa.field(field.name, field.type, nullable=field.nullable, metadata=kept or None)


def _require_text(field: Field) -> None:
    """Arrow takes any bytes for a name, a time zone or a comment; nobody else does."""
    field.name.encode()
    for key, value in (field.metadata or {}).items():
        if _is_kept(key, value):
            value.decode()
    kind = field.type
    if isinstance(kind, pa.TimestampType):
        (kind.tz or "").encode()
    if isinstance(kind, pa.DictionaryType):
        _require_text(pa.field("values", kind.value_type))
    for index in range(kind.num_fields):
        _require_text(kind.field(index))


def _comment_alone(metadata: Mapping[bytes, bytes] | None) -> dict[bytes | str, bytes | str]:
    text = (metadata or {}).get(COMMENT, b"")
    text.decode()
    return {COMMENT: text} if text else {}


def _is_kept(key: bytes, value: bytes) -> bool:
    return key.startswith(_EXTENSION) or (key in {COMMENT, DEFAULT} and bool(value))
