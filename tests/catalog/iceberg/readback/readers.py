"""Tables of ours as other engines read them, compared with the rows that were written."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.table import Table as Native
from pyiceberg.types import IcebergType, ListType, MapType, StructType, UUIDType

from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.stored_texts import empty_unions, stored_column_texts
from tests.lakes.texts import NULL, column_texts

KEY = "k"
"""Every table here has it: tables have no order, so rows are told apart by it."""


def seen_by_pyiceberg(native: Native, snapshot_id: int | None = None) -> pa.Table:
    return native.scan(snapshot_id=snapshot_id).to_arrow()


def seen_by_duckdb(
    reader: DuckDBReader, native: Native, snapshot_id: int | None = None
) -> pa.Table:
    return reader.rows(native.metadata_location, snapshot_id=snapshot_id)


def misread(found: pa.Table, written: pa.Table, but: Sequence[str] = ()) -> list[str]:
    """What differs from the rows that were written, beyond the documented storage types."""
    if found.column_names != written.column_names:
        return [f"columns {found.column_names}, not {written.column_names}"]
    names = [name for name in written.column_names if name not in but]
    kinds = {name: written.schema.field(name).type for name in names}
    one = _rows({name: _same(column_texts(found.column(name)), kinds[name]) for name in names})
    other = _rows(
        {name: _same(stored_column_texts(written.column(name)), kinds[name]) for name in names}
    )
    told = [f"{key}: missing" for key in other.keys() - one.keys()]
    told += [f"{key}: too much" for key in one.keys() - other.keys()]
    if found.num_rows != written.num_rows:
        told.append(f"{found.num_rows} rows, not {written.num_rows}")
    for key in one.keys() & other.keys():
        told += [
            f"{key}, {name}: {mine} is not {right}"
            for name, mine, right in zip(names, one[key], other[key], strict=True)
            if mine != right
        ]
    return sorted(told)[:8]


def _same(texts: list[str], kind: pa.DataType) -> list[str]:
    """Rows older than a column of unions hold no struct, which is a union that holds nothing."""
    for empty in empty_unions(kind):
        texts = [text.replace(empty, NULL) for text in texts]
    return texts


def _rows(columns: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return dict(zip(columns[KEY], zip(*columns.values(), strict=True), strict=True))


# -- what the others cannot do -------------------------------------------------------------------


def lost_by_pyiceberg(schema: Schema) -> list[str]:
    """PyIceberg 0.12 gives [] for NULL lists and maps that have lists, maps or structs inside."""
    return [field.name for field in schema.fields if _loses_nulls(field.field_type)]


def empty_to_pyiceberg(schema: Schema) -> bool:
    """PyIceberg 0.12 cannot make a table without rows where a UUID is inside a list, map or struct."""
    return any(
        isinstance(kind, UUIDType) and "." in str(schema.find_column_name(ident))
        for ident, kind in ((one, schema.find_type(one)) for one in schema.field_ids)
    )


def _loses_nulls(kind: IcebergType) -> bool:
    match kind:
        case StructType():
            return any(_loses_nulls(field.field_type) for field in kind.fields)
        case ListType():
            return isinstance(kind.element_type, StructType | ListType | MapType)
        case MapType():
            return isinstance(kind.value_type, StructType | ListType | MapType)
    return False
