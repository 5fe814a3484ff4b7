"""New rows of a statement: checked, their keys kept, written to files while more arrive.

They fit one state of the table: its columns, constraints and layout. When that has changed by the time
they are committed, they are read back from their own files and go through all of it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyiceberg.manifest import DataFile

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.definition import Key
from lakeport.catalog.iceberg import parts
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.parts import MEBIBYTE, Source
from lakeport.catalog.iceberg.types import Column, from_logical, to_logical
from lakeport.catalog.iceberg.write.files import DataFiles, WriteOptions
from lakeport.catalog.rows.constraints import check_conditions, check_not_null
from lakeport.catalog.rows.keys import KeyGuard

# DuckDB's client sends 2,048 rows at a time, and asking an engine whether a CHECK holds has a price
# that does not depend on how many rows it is asked about.
_MANY_ROWS = 65_536
_MANY_BYTES = 16 * MEBIBYTE


class NewRows:
    """Belongs to one thread. `keys` are those to answer for, all of the table's unless said."""

    def __init__(
        self,
        source: Source,
        keys: Sequence[Key] | None = None,
        options: WriteOptions | None = None,
    ) -> None:
        schema = source.metadata.schema()
        self.source = source
        self.definition = definition_of(source, schema)
        self.columns = columns_of(source, schema)
        wanted = self.definition.keys if keys is None else keys
        self.guards = tuple(KeyGuard(key, self.definition.schema) for key in wanted)
        self.count = 0
        self._files = DataFiles(source.io, source.metadata, self.columns, options)
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0

    @property
    def files(self) -> tuple[DataFile, ...]:
        """What to commit, once finished."""
        return tuple(self._files.done)

    def add(self, rows: pa.RecordBatch, *, at_once: bool = False) -> None:
        """Rows with exactly the definition's schema.

        CHECKs may wait for more rows, unless the batch is the first (a short statement fails where
        it went wrong) or has to be checked at once, because somebody will be shown it.
        """
        check_not_null(rows, self.definition)
        at_once = at_once or not self.count
        self.count += rows.num_rows
        self._waiting.append(rows)
        self._waiting_rows += rows.num_rows
        self._waiting_bytes += rows.nbytes
        if at_once or self._waiting_rows >= _MANY_ROWS or self._waiting_bytes >= _MANY_BYTES:
            self._write()

    def finish(self) -> None:
        """All rows are written and every file is closed."""
        self._write()
        for guard in self.guards:
            guard.check_repeats()
        self._files.finish()

    def discard(self) -> None:
        self._files.discard()

    def forget(self) -> None:
        """The files are somebody else's now, or gone."""
        self._waiting = []
        self.guards = ()
        self._files.forget()

    def read(self) -> Iterator[pa.RecordBatch]:
        """All of the rows, from the finished files."""
        schema = self.source.metadata.schema()
        wanted = Wanted(schema, tuple(column.field for column in self.columns))
        for file in self._files.done:
            for chunk in read_file(self.source, _as_read(file), wanted):
                arrays = [
                    to_logical(array, column)
                    for array, column in zip(chunk.rows.columns, self.columns, strict=True)
                ]
                yield with_columns(arrays, self.definition.schema, chunk.rows.num_rows)

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._waiting_rows = self._waiting_bytes = 0
        for rows in self._glued(waiting):
            check_conditions(rows, self.definition)
            for guard in self.guards:
                guard.add(rows)
            self._files.add(stored_rows(rows, self.columns))

    def _glued(self, waiting: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        if len(waiting) <= 1:
            return waiting
        try:
            return [glue_rows(waiting, self.definition.schema)]
        except pa.ArrowException:
            return waiting  # more different values than the indices of a dictionary can count


def stored_rows(rows: pa.RecordBatch, columns: Sequence[Column]) -> pa.RecordBatch:
    stored = [
        from_logical(array, column) for array, column in zip(rows.columns, columns, strict=True)
    ]
    fields = [pa.field(column.field.name, column.stored) for column in columns]
    return with_columns(stored, pa.schema(fields), rows.num_rows)


def _as_read(file: DataFile) -> parts.DataFile:
    """A file that no snapshot has yet, as those of snapshots are read."""
    return parts.DataFile(
        ordinal=0,
        path=file.file_path,
        format=str(file.file_format.value),
        rows=file.record_count,
        bytes=file.file_size_in_bytes,
        sequence=0,
        spec_id=file.spec_id,
        partition=file.partition,
    )
