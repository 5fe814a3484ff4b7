"""PRIMARY KEY and UNIQUE: whether new rows repeat a key, among themselves or of a row that stays.

Rows with a NULL in a key never collide (a PRIMARY KEY's columns are NOT NULL anyway). Keys are equal
as DuckDB's indexes see them: every NaN is one value, and so are 0.0 and −0.0. All rows are compared by
fingerprint and only those that share one by key. A guard holds the keys of a whole statement in memory,
and eight bytes more for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import is_nested
from lakeport.catalog.arrays.samples import MANY, shown_rows
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.definition import Key, PrimaryKey, require_column
from lakeport.catalog.rows.fingerprints import Fingerprints, fingerprints
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import (
    InvalidRequestError,
    KeyViolationError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import fold, quoted

_CHUNK_ROWS = 1 << 18
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
        self.names = _spelled(key, schema)
        self.schema = pa.schema([schema.field(name) for name in self.names])
        self._batches: list[pa.RecordBatch] = []
        self._sorted: Fingerprints | None = None

    @property
    def rows(self) -> int:
        return sum(batch.num_rows for batch in self._batches)

    @property
    def keys(self) -> pa.Table:
        """The keys of the rows added so far, NULLs and repeats included."""
        return pa.Table.from_batches(self._batches, self.schema)

    def add(self, batch: pa.RecordBatch) -> None:
        """More new rows. Columns beside the key's are ignored."""
        self._batches.append(_owned(batch.select(self.names)))
        self._sorted = None

    def check_repeats(self) -> None:
        """`KeyViolationError` when two of the added rows have one key."""
        known = self._known()
        shared = known[1:][known[1:] == known[:-1]]
        if not len(shared):
            return
        rows = _suspects(self._batches, shared)
        groups = rows.group_by(_ordinals(self.names), use_threads=False).aggregate(
            [([], "count_all"), (_ROW, "min")]
        )
        repeated = groups.filter(_compute.greater(groups["count_all"], 1))
        if repeated.num_rows:
            places = np.sort(repeated[f"{_ROW}_min"].to_numpy())
            raise self.violation("are given twice", self._batches, places)

    def check_against(self, batches: Iterable[pa.RecordBatch]) -> None:
        """`KeyViolationError` when a row that stays has the key of an added one."""
        for chunk in _chunks(batch.select(self.names) for batch in batches):
            found = self.hits(chunk)
            if len(found):
                raise self.exists_already(chunk, found)

    def hits(self, batches: Sequence[pa.RecordBatch]) -> Numbers:
        """Which rows, counted through these batches of the key's columns, have an added row's key."""
        shared = _shared(self._known(), _prints(batches))
        if not len(shared):
            return np.zeros(0, np.int64)
        rows, known = _suspects(batches, shared), _suspects(self._batches, shared)
        names = _ordinals(self.names)
        # Column by column first: what is left to join is next to nothing.
        for name in names:
            rows = rows.filter(_compute.is_in(rows[name], value_set=known[name]))
        if len(names) > 1:
            rows = rows.join(
                known.drop_columns([_ROW]), names, join_type="left semi", use_threads=False
            )
        places: Numbers = np.sort(rows[_ROW].to_numpy())
        return places

    def exists_already(
        self, batches: Sequence[pa.RecordBatch], places: Numbers
    ) -> KeyViolationError:
        return self.violation("exist already", batches, places)

    def violation(
        self, fault: str, batches: Sequence[pa.RecordBatch], places: Numbers
    ) -> KeyViolationError:
        everything = pa.Table.from_batches(batches, self.schema)
        first = [int(place) for place in places[:MANY]]
        picked = pa.concat_tables([everything.slice(place, 1) for place in first]).combine_chunks()
        (batch,) = picked.to_batches()
        sample = shown_rows(batch, self.names, range(len(first)))
        called = f"{_called(self.key)} ({', '.join(self.names)})"
        return KeyViolationError(
            f"{called}: these keys {fault}: {sample}",
            details={"constraint": self.key.name, "sample": sample},
            unseen=f"{called}: keys {fault}",
        )

    def _known(self) -> Fingerprints:
        if self._sorted is None:
            self._sorted = np.sort(_prints(self._batches))
        return self._sorted


def _called(key: Key) -> str:
    """By its name, unless that is the one of every primary key without a name."""
    kind = "PRIMARY KEY" if isinstance(key, PrimaryKey) else "UNIQUE"
    return kind if fold(key.name) in {"", fold(kind)} else f"{kind} {quoted(key.name)}"


def _spelled(key: Key, schema: pa.Schema) -> list[str]:
    try:
        return [schema.field(require_column(schema, name)).name for name in key.columns]
    except NotFoundError as error:
        # Another engine dropped or renamed the column: a key nobody can check admits nothing.
        raise PreconditionError(
            f"the key {quoted(key.name)} cannot be checked any more: {error.message}",
            hint="drop the constraint, or bring its columns back",
        ) from error


def _owned(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A copy: columns of a message share its memory, and one would keep all of it."""
    middle = batch.num_rows // 2
    if not middle:
        return batch
    columns = [pa.concat_arrays([a.slice(0, middle), a.slice(middle)]) for a in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


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


# -- comparing -----------------------------------------------------------------------------------


def _ordinals(names: Sequence[str]) -> list[str]:
    # Columns are called by position here: a user's column may be called like our row number.
    return [str(index) for index in range(len(names))]


def _prints(batches: Sequence[pa.RecordBatch]) -> Fingerprints:
    """Of the rows without a NULL, in order."""
    found = [fingerprints(_comparable(batch)[0]) for batch in batches if batch.num_rows]
    return np.concatenate([np.zeros(0, np.uint64), *found])


def _shared(known: Fingerprints, prints: Fingerprints) -> Fingerprints:
    """What of `known`, which ascends, is among the others."""
    if not len(known):
        return known
    ascending = np.sort(prints)  # otherwise the search would miss the cache at every step
    places = np.searchsorted(known, ascending)
    places[places == len(known)] = 0
    return np.unique(ascending[known[places] == ascending])


def _suspects(batches: Sequence[pa.RecordBatch], shared: Fingerprints) -> pa.Table:
    """Rows with one of these fingerprints, as they compare, and the row's number."""
    found, start = [], 0
    for batch in batches:
        columns, places = _comparable(batch)
        if batch.num_rows:
            chosen = np.flatnonzero(np.isin(fingerprints(columns), shared))
            arrays = [column.take(chosen) for column in columns]
            numbers = chosen if places is None else places[chosen]
            names = [*_ordinals(batch.schema.names), _ROW]
            found.append(pa.table([*arrays, pa.array(numbers + start)], names))
        start += batch.num_rows
    return pa.concat_tables(found)


def _comparable(batch: pa.RecordBatch) -> tuple[list[Array], Numbers | None]:
    """Columns whose bytes are equal when the keys are, without the rows that have a NULL.

    The places are those of the rows left, None if that is all of them.
    """
    columns = [_plain(column) for column in batch.columns]
    if not any(column.null_count for column in columns):
        return columns, None
    valid = np.ones(batch.num_rows, np.bool_)
    for column in columns:
        valid &= column.is_valid().to_numpy(zero_copy_only=False)
    mask = pa.array(valid)
    return [column.filter(mask) for column in columns], np.flatnonzero(valid)


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
