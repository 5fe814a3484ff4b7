"""PRIMARY KEY and UNIQUE: whether new rows repeat a key, among themselves or of a row that stays.

Rows with a NULL in a key never collide (a PRIMARY KEY's columns are NOT NULL anyway). Keys are equal
as DuckDB's indexes see them: every NaN is one value, and so are 0.0 and −0.0. Work is done on whole
columns, in chunks large enough that a hash table built per chunk does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import is_nested
from lakeport.catalog.arrays.samples import MANY, shown_rows
from lakeport.catalog.arrays.selection import counting
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.definition import Key, PrimaryKey, require_column
from lakeport.core.errors import (
    InvalidRequestError,
    KeyViolationError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import quoted

_CHUNK_ROWS = 1 << 20
_ROW = "row"

_compute: Any = pc


def check_key_type(column: Field) -> None:
    """Refuse a key over values that have no plain equality."""
    kind: Any = column.type
    while pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    if is_nested(kind) or pa.types.is_interval(kind):
        raise InvalidRequestError(
            f"column {quoted(column.name)} of the type {column.type} cannot be part of a key",
            hint="use a number, text, date, time, boolean, UUID or bytes",
        )


class KeyGuard:
    """Collects a statement's new rows, then answers for one key. Belongs to one thread."""

    def __init__(self, key: Key, schema: pa.Schema) -> None:
        self.key = key
        self._names = _spelled(key, schema)
        self._schema = pa.schema([schema.field(name) for name in self._names])
        self._batches: list[pa.RecordBatch] = []
        self._lookup: pa.Table | None = None

    @property
    def keys(self) -> pa.Table:
        """The keys of the rows added so far, NULLs and repeats included."""
        return pa.Table.from_batches(self._batches, self._schema)

    def add(self, batch: pa.RecordBatch) -> None:
        """More new rows. Columns beside the key's are ignored."""
        self._batches.append(batch.select(self._names))
        self._lookup = None

    def check_repeats(self) -> None:
        """`KeyViolationError` when two of the added rows have one key."""
        rows = _comparable(self._batches, len(self._names))
        groups = rows.group_by(_ordinals(self._names), use_threads=False).aggregate(
            [([], "count_all"), (_ROW, "min")]
        )
        repeated = groups.filter(_compute.greater(groups["count_all"], 1))
        if repeated.num_rows:
            raise self._violation("are given twice", self._batches, repeated[f"{_ROW}_min"])

    def check_against(self, batches: Iterable[pa.RecordBatch]) -> None:
        """`KeyViolationError` when a row that stays has the key of an added one."""
        if not any(batch.num_rows for batch in self._batches):
            return
        for chunk in _chunks(batch.select(self._names) for batch in batches):
            found = self._hits(_comparable(chunk, len(self._names)))
            if found.num_rows:
                raise self._violation("exist already", chunk, found[_ROW])

    def _hits(self, rows: pa.Table) -> pa.Table:
        # Column by column first: for the usual few new keys nothing is left to join.
        known = self._known()
        for name in _ordinals(self._names):
            rows = rows.filter(_compute.is_in(rows[name], value_set=known[name]))
        if len(self._names) == 1 or not rows.num_rows:
            return rows
        names = _ordinals(self._names)
        return rows.join(known, names, join_type="left semi", use_threads=False).sort_by(_ROW)

    def _known(self) -> pa.Table:
        if self._lookup is None:
            self._lookup = _comparable(self._batches, len(self._names)).drop_columns([_ROW])
        return self._lookup

    def _violation(
        self, fault: str, batches: list[pa.RecordBatch], rows: pa.ChunkedArray[Any]
    ) -> KeyViolationError:
        everything = pa.Table.from_batches(batches, self._schema)
        first = sorted(row.as_py() for row in rows.slice(0, MANY))
        picked = pa.concat_tables([everything.slice(row, 1) for row in first]).combine_chunks()
        (batch,) = picked.to_batches()
        sample = shown_rows(batch, self._names, range(len(first)))
        kind = "PRIMARY KEY" if isinstance(self.key, PrimaryKey) else "UNIQUE"
        return KeyViolationError(
            f"{kind} ({', '.join(self._names)}): these keys {fault}: {sample}",
            details={"constraint": self.key.name, "sample": sample},
        )


def _spelled(key: Key, schema: pa.Schema) -> list[str]:
    try:
        return [schema.field(require_column(schema, name)).name for name in key.columns]
    except NotFoundError as error:
        # Another engine dropped or renamed the column: a key nobody can check admits nothing.
        raise PreconditionError(
            f"the key {quoted(key.name)} cannot be checked any more: {error.message}",
            hint="drop the constraint, or bring its columns back",
        ) from error


def _ordinals(names: list[str]) -> list[str]:
    # Columns are called by position here: a user's column may be called like our row number.
    return [str(index) for index in range(len(names))]


def _chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    chunk: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        chunk.append(batch)
        rows += batch.num_rows
        if rows >= _CHUNK_ROWS:
            yield chunk
            chunk, rows = [], 0
    if chunk:
        yield chunk


def _comparable(batches: list[pa.RecordBatch], width: int) -> pa.Table:
    """Key columns whose bytes are equal when the keys are, without NULLs, and the row's number."""
    columns: list[Any] = [
        pa.chunked_array([_plain(batch.column(index)) for batch in batches])
        if batches
        else pa.chunked_array([], pa.int8())
        for index in range(width)
    ]
    count = sum(batch.num_rows for batch in batches)
    columns.append(counting(0, count))
    names = [*(str(index) for index in range(width)), _ROW]
    return pa.table(columns, names=names).drop_null()


def _plain(array: Array) -> Array:
    kind: Any = array.type
    if isinstance(array, pa.ExtensionArray):
        storage: Array = array.storage
        return _plain(storage) if kind != pa.bool8() else storage.cast(pa.bool_())
    if pa.types.is_run_end_encoded(kind):
        return _plain(_compute.run_end_decode(array))
    if isinstance(array, pa.DictionaryArray):
        return _plain(array.dictionary_decode())
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return array.cast(pa.large_binary())
    if pa.types.is_floating(kind):
        # Adding 0.0 turns −0.0 into 0.0; one NaN stands for all of them.
        merged = _compute.if_else(
            _compute.is_nan(array),
            pa.scalar(float("nan"), kind),
            _compute.add(array, pa.scalar(0.0, kind)),
        )
        bits: Array = merged.view(pa.int64() if kind.bit_width == 64 else pa.int32())
        return bits
    if pa.types.is_null(kind):
        return array.cast(pa.int8())
    if pa.types.is_decimal(kind):
        return array.view(pa.binary(kind.byte_width))
    if pa.types.is_temporal(kind):
        return array.view(pa.int64() if kind.bit_width == 64 else pa.int32())
    return array
