"""Batches of a server as Spark takes them, and batches of Spark as a table takes them.

Columns are matched by name in any spelling. Values are the same on both sides or refused, with one
exception: Spark counts microseconds, so the nanoseconds of what it reads are cut off.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import ConflictError, CorruptDataError
from lakeport.core.names import fold, quoted

_compute: Any = pc


def for_spark(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    """Exactly these columns; what else came is left."""
    places = _places(batch.schema)
    columns = [_read(batch, places, field) for field in wanted]
    return pa.RecordBatch.from_arrays(columns, schema=wanted)


def for_table(batch: pa.RecordBatch, sent: pa.Schema) -> pa.RecordBatch:
    """Exactly these columns; those that did not come are NULL."""
    places = _places(batch.schema)
    columns = [
        convert(batch.column(places[fold(field.name)]), field.type, field.name)
        if fold(field.name) in places
        else nulls(batch.num_rows, field.type)
        for field in sent
    ]
    return pa.RecordBatch.from_arrays(columns, schema=sent)


def _places(schema: pa.Schema) -> dict[str, int]:
    return {fold(name): place for place, name in enumerate(schema.names)}


def _read(batch: pa.RecordBatch, places: dict[str, int], field: Field) -> Array:
    place = places.get(fold(field.name))
    if place is None:
        raise ConflictError(
            f"column {quoted(field.name)} is no more in what the server sends",
            hint="the table was altered: load it again",
        )
    array = convert(_cut(batch.column(place), field.type), field.type, field.name)
    if array.null_count and not field.nullable:
        raise CorruptDataError(
            f"column {quoted(field.name)} is NOT NULL by the server's word, and has NULLs"
        )
    return array


def _cut(array: Array, to: pa.DataType) -> Array:
    """What Spark counts more coarsely than the server does."""
    kind: Any = array.type
    if getattr(kind, "unit", None) != "ns" or getattr(to, "unit", None) != "us":
        return array
    if pa.types.is_timestamp(kind):
        floored: Any = _compute.floor_temporal(array, unit="microsecond")
        return floored  # type: ignore[no-any-return]  # compute functions are untyped here
    return array.cast(pa.duration("us"), safe=False) if pa.types.is_duration(kind) else array
