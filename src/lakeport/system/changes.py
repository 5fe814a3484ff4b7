"""`table_changes(table, from[, to])`: rows inserted and deleted after one point, up to and with another.

The columns are the table's at the later point, then what happened (`_change_type`, 'insert' or 'delete'),
and by which commit. An UPDATE is a delete and an insert of the same version; upkeep changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array
from lakeport.catalog.changelog import ChangedRows, Changelog, Logging
from lakeport.catalog.functions import Signature
from lakeport.catalog.parameters import any_parameter, parameter
from lakeport.catalog.ports import require
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted
from lakeport.system.builtin import Arguments, Builtin, Rows, point_of, table_of
from lakeport.system.form import MOMENT, moment
from lakeport.system.view import View

NAME = "table_changes"

_OWN: tuple[tuple[str, pa.DataType], ...] = (
    ("_change_type", pa.string()),
    ("_version", pa.int64()),
    ("_snapshot_id", pa.int64()),
    ("_timestamp", MOMENT),
)
_ABOUT = "Rows of a table that were inserted and deleted after one point, up to and with another."


def table_changes(view: View) -> tuple[Builtin, ...]:
    first = (parameter("table", pa.string()), any_parameter("from"))
    return tuple(
        Builtin(Signature(NAME, pa.schema(parameters), _ABOUT), partial(_bind, view))
        for parameters in (first, (*first, any_parameter("to")))
    )


def _bind(view: View, arguments: Arguments) -> Rows:
    name = table_of(arguments, NAME)
    since = point_of(arguments, "from")
    if since is None:
        raise InvalidRequestError(
            f"`from` of {quoted(NAME)} must not be NULL", hint="0 is before the first version"
        )
    table = require(view.table(name), Logging, f"table {quoted(str(name))}")
    log = table.changes(since, point_of(arguments, "to"))
    columns = log.state.definition.schema
    own = [pa.field(_free(called, columns.names), kind) for called, kind in _OWN]
    plain = [pa.field(each.name, each.type, metadata=_kept(each.metadata)) for each in columns]
    schema = pa.schema([*plain, *own])
    return Rows(schema, partial(_batches, log, schema, len(columns)))


def _batches(
    log: Changelog, schema: pa.Schema, count: int, names: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    places = [schema.get_field_index(name) for name in names]
    wanted = [schema.field(place).name for place in places if place < count]
    shown = pa.schema([schema.field(place) for place in places])
    for changed in log.read(wanted):
        rows = changed.rows
        at = {place: index for index, place in enumerate(p for p in places if p < count)}
        columns = [
            rows.column(at[place]) if place < count else _told(changed, place - count)
            for place in places
        ]
        yield with_columns(columns, shown, rows.num_rows)


def _told(changed: ChangedRows, place: int) -> Array:
    snapshot, kind, rows = changed.snapshot, _OWN[place][1], changed.rows.num_rows
    value = (
        changed.kind,
        snapshot.version,
        snapshot.snapshot_id,
        moment(snapshot.timestamp_ns),
    )[place]
    # One value and as many times its index: no overload of the stubs' `repeat` takes any scalar.
    one: Array = pa.array([value], kind)
    return one.take(np.zeros(rows, np.int32))


def _free(name: str, taken: Sequence[str]) -> str:
    """A table may have a column of that name itself."""
    folded = {fold(each) for each in taken}
    while fold(name) in folded:
        name = f"_{name}"
    return name


def _kept(metadata: dict[bytes, bytes] | None) -> dict[bytes | str, bytes | str] | None:
    """What a type is known by; defaults and comments are the table's."""
    kept: dict[bytes | str, bytes | str] = {
        key: value for key, value in (metadata or {}).items() if key.startswith(b"ARROW:extension")
    }
    return kept or None
