"""Equality deletes: rows of a data file that equal some row of a delete file in all its fields.

Found by reading just those fields of the data file, so that a scan sees positions only and the answer
can be kept. A file that lacks a field, because it is older, has the field's default or NULL there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyiceberg.schema import Schema

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.deletes.delete_file import as_data_file, delete_footer, delete_name
from lakeport.catalog.iceberg.deletes.fields import compared_fields
from lakeport.catalog.iceberg.deletes.lookup import RowSet
from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk, DataFile, DeleteFile, Source
from lakeport.catalog.iceberg.storage import open_file
from lakeport.catalog.iceberg.types import stored_type
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import CorruptDataError, UnsupportedError
from lakeport.core.names import quoted

# More rows to delete than this are looked for in several passes over the data file.
_ROWS_AT_ONCE = 4_000_000
# A lookup first indexes the rows to delete, so it is worth asking for many rows at once.
_STRETCH_BYTES = 16 * MEBIBYTE
_ENTRY_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """The rows of an equality delete file, in the types their fields have now."""

    columns: tuple[Array, ...]

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self.columns) + _ENTRY_BYTES


def positions_equal(
    source: Source, file: DataFile, deletes: Sequence[DeleteFile]
) -> Iterator[Numbers]:
    """Positions of rows that any of the deletes takes, some perhaps more than once."""
    by_fields: dict[tuple[int, ...], list[DeleteFile]] = {}
    for delete in deletes:
        by_fields.setdefault(tuple(sorted(set(delete.equality_ids))), []).append(delete)
    for field_ids, alike in by_fields.items():
        wanted = _wanted(source, alike[0], field_ids)
        for some in _portions(alike):
            rows = [_delete_rows(source, delete, wanted).columns for delete in some]
            sought = RowSet([pa.concat_arrays(column) for column in zip(*rows, strict=True)])
            yield from _found(read_file(source, file, wanted), sought)


def _wanted(source: Source, delete: DeleteFile, field_ids: tuple[int, ...]) -> Wanted:
    name = delete_name(source, delete)
    found = compared_fields(source, field_ids) if field_ids else None
    if found is None:
        raise CorruptDataError(
            f"{name} compares fields that the table does not have",
            hint="read an older snapshot that does not need it",
        )
    schema, fields = found
    for field in fields:
        if not field.field_type.is_primitive:
            raise UnsupportedError(
                f"{name} compares the field `{field.name}`, which is no plain value",
                hint="compact the table with the engine that wrote it",
            )
    return Wanted(schema, fields, batch_rows=source.options.batch_rows)


def _portions(deletes: Sequence[DeleteFile]) -> Iterator[list[DeleteFile]]:
    some: list[DeleteFile] = []
    for delete in deletes:
        if some and sum(one.rows for one in some) + delete.rows > _ROWS_AT_ONCE:
            yield some
            some = []
        some.append(delete)
    yield some


# -- the delete file -----------------------------------------------------------------------------


def _delete_rows(source: Source, delete: DeleteFile, wanted: Wanted) -> DeleteRows:
    types = tuple((field.field_id, str(field.field_type)) for field in wanted.fields)
    key = (delete.path, types)
    return source.caches.delete_rows.get(key, lambda: _read_rows(source, delete, wanted))


def _read_rows(source: Source, delete: DeleteFile, wanted: Wanted) -> DeleteRows:
    with reading(delete_name(source, delete)):
        if delete.format.lower() == "parquet":
            wanted = _as_written(source, delete, wanted)
        chunks = read_file(source, as_data_file(delete), wanted)
        batches = [chunk.rows for chunk in chunks]
        return DeleteRows(
            tuple(
                pa.concat_arrays([nothing, *(batch.column(index) for batch in batches)])
                for index, nothing in enumerate(_empty(wanted))
            )
        )


def _as_written(source: Source, delete: DeleteFile, wanted: Wanted) -> Wanted:
    """The same fields where this file has them: some writers put fields of structs beside columns.

    A field that the file lacks would be read as NULL and take rows that nobody deleted.
    """
    with open_file(source.io, delete.path) as opened:
        nodes = delete_footer(source, delete, opened).nodes
    held = {node.field_id for top in nodes for node in top.walk()} - {None}
    lacking = [field.name for field in wanted.fields if field.field_id not in held]
    if held and lacking:
        raise ValueError(f"it lacks the field {quoted(lacking[0])}")
    if {field.field_id for field in wanted.fields} <= {node.field_id for node in nodes}:
        return replace(wanted, schema=Schema(*wanted.fields))
    return wanted


def _empty(wanted: Wanted) -> list[Array]:
    return [nulls(0, stored_type(field.field_type)) for field in wanted.fields]


# -- the data file -------------------------------------------------------------------------------


def _found(chunks: Iterable[Chunk], sought: RowSet) -> Iterator[Numbers]:
    for stretch in _stretches(chunks, sought.size):
        columns = [
            pa.concat_arrays([chunk.rows.column(index) for chunk in stretch])
            for index in range(stretch[0].rows.num_columns)
        ]
        yield np.flatnonzero(sought.holds(columns)) + stretch[0].start


def _stretches(chunks: Iterable[Chunk], rows: int) -> Iterator[list[Chunk]]:
    """Chunks that follow each other, at least as many rows as this unless they are too large."""
    stretch: list[Chunk] = []
    count = held = 0
    for chunk in chunks:
        stretch.append(chunk)
        count += chunk.rows.num_rows
        held += chunk.rows.get_total_buffer_size()
        if count >= rows or held >= _STRETCH_BYTES:
            yield stretch
            stretch, count, held = [], 0, 0
    if stretch:
        yield stretch
