"""What the optimiser is told of columns, held against the rows that are there: it believes all of it."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from lakeport.conformance import listing
from lakeport.conformance.check import Family
from lakeport.conformance.exchange import change
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import ROW_ID, Entry
from lakeport.conformance.packing import one_row
from lakeport.conformance.scan import Asked
from lakeport.conformance.verdicts import NotOfferedError, broken

FAMILY = Family("statistics", "what the optimiser believes")

_NEEDED = ("has_not_null", "has_null", "distinct_count", "min", "max")
_OPTIONAL = ("max_string_length", "contains_unicode")
_KINDS = {"has_not_null": pa.bool_(), "has_null": pa.bool_(), "distinct_count": pa.uint64()}

_LONG = "z" * 40 + "é"
_ROWS = pa.table(
    {
        "i": pa.array([-5, 0, 7, None], pa.int64()),
        "full": pa.array([1, 2, 3, 4], pa.int64()),
        "none": pa.array([None] * 4, pa.int64()),
        "s": pa.array(["b", _LONG, None, "a" * 30]),
        "f": pa.array([1.5, math.nan, -2.5, None], pa.float64()),
        "d": pa.array(
            [Decimal("1.25"), Decimal("-9.75"), None, Decimal("0.00")], pa.decimal128(9, 2)
        ),
        "day": pa.array([date(2020, 1, 1), date(1960, 5, 5), None, date(2030, 1, 1)]),
        "at": pa.array(
            [datetime(2020, 1, 1, 0, 0, 0, 1, UTC)] * 3 + [None], pa.timestamp("us", "UTC")
        ),
        "b": pa.array([True, False, None, True]),
    }
)
_DUCKDB = {
    "i": "BIGINT",
    "full": "BIGINT",
    "none": "BIGINT",
    "s": "VARCHAR",
    "f": "DOUBLE",
    "d": "DECIMAL(9,2)",
    "day": "DATE",
    "at": "TIMESTAMP WITH TIME ZONE",
    "b": "BOOLEAN",
}


def _told(ground: Ground, entry: Entry, column: str, type_: str) -> dict[str, Any]:
    body = {"flight_descriptor": entry.descriptor.encode(), "column_name": column, "type": type_}
    answer = ground.fresh().one("column_statistics", body, scan=True)
    row = one_row(answer, "3.9", f"column_statistics of `{column}`")
    _look_at_shape(row, entry.schema.field(column).type, column)
    return dict(row.to_pylist()[0])


def _look_at_shape(row: pa.RecordBatch, kind: pa.DataType, column: str) -> None:
    what = f"column_statistics of `{column}`"
    missing = [name for name in _NEEDED if name not in row.schema.names]
    if missing:
        raise broken("3.9", f"{what} lacks {', '.join(missing)}")
    for name, wanted in _KINDS.items():
        if row.schema.field(name).type != wanted:
            raise broken(
                "3.9", f"`{name}` in {what} is {row.schema.field(name).type}, not {wanted}"
            )
    for name in (*_KINDS, *_OPTIONAL):
        if name in row.schema.names and row.column(name).null_count:
            raise broken("3.9", f"`{name}` in {what} is null")
    for name in ("min", "max"):
        values = row.column(name)
        if not values.null_count and values.type != kind:
            raise broken("3.9", f"`{name}` in {what} is {values.type} where the column is {kind}")


def _listed(ground: Ground, entry: Entry) -> Entry:
    """As ATTACH finds it now: statistics may be announced once there are rows."""
    found = listing.find(ground.attached, entry.namespace, entry.name)
    if found is None:
        raise broken("4", f"the table `{entry}` is not listed")
    if not found.is_counted:
        raise NotOfferedError("no statistics are announced")
    return found


def _look_at_truth(told: dict[str, Any], values: list[Any], column: str) -> None:
    held = [value for value in values if value is not None]
    if len(held) < len(values) and not told["has_null"]:
        raise broken("0.10", f"`{column}` has nulls and has_null is false")
    if held and not told["has_not_null"]:
        raise broken("0.10", f"`{column}` has values and has_not_null is false")
    for value in held:
        low, high = told["min"], told["max"]
        if low is not None and _is_less(value, low):
            raise broken("0.10", f"`{column}` holds {value!r} below its min {low!r}")
        if high is not None and _is_less(high, value):
            raise broken("0.10", f"`{column}` holds {value!r} above its max {high!r}")
    texts = [value for value in held if isinstance(value, str)]
    if not texts:
        return
    longest = max(len(text.encode()) for text in texts)
    if told.get("max_string_length") is not None and told["max_string_length"] < longest:
        raise broken("0.10", f"`{column}` holds a text longer than {told['max_string_length']}")
    if told.get("contains_unicode") is False and not all(text.isascii() for text in texts):
        raise broken("0.10", f"`{column}` holds more than ASCII and contains_unicode is false")


def _is_less(left: Any, right: Any) -> bool:
    """As DuckDB orders: NaN is the greatest."""
    if isinstance(left, float) and math.isnan(left):
        return False
    if isinstance(right, float) and math.isnan(right):
        return True
    if isinstance(left, str):
        return bool(left.encode() < right.encode())
    return bool(left < right)


def _table(ground: Ground) -> Entry:
    made = ground.kept("statistics", lambda: ground.workshop.create(_ROWS.schema, rows=_ROWS))
    return _listed(ground, made)


def _look_at_all(ground: Ground, entry: Entry) -> None:
    rows = ground.rows(entry)
    for column, type_ in _DUCKDB.items():
        _look_at_truth(_told(ground, entry, column, type_), rows.column(column).to_pylist(), column)


@FAMILY.check("3.9", "column_statistics is one row of the right columns")
def shape(ground: Ground) -> None:
    entry = _table(ground)
    for column, type_ in _DUCKDB.items():
        _told(ground, entry, column, type_)


@FAMILY.check("0.10", "bounds and nulls are those of the rows")
def truth(ground: Ground) -> None:
    _look_at_all(ground, _table(ground))


@FAMILY.check("0.10", "they stay true after UPDATE and DELETE")
def truth_after_changes(ground: Ground) -> None:
    made = ground.workshop.create(_ROWS.schema, rows=_ROWS)
    entry = _listed(ground, made)
    if entry.row_id is None:
        raise NotOfferedError("tables have no row id: they cannot be updated")
    found = ground.rows(entry, Asked(ids=[*range(len(entry.columns)), ROW_ID]))
    ids = dict(
        zip(found.column("full").to_pylist(), found.column(entry.row_id).to_pylist(), strict=True)
    )
    kind = entry.schema.field(entry.row_id).type
    update = pa.record_batch(
        {"i": pa.array([10**12, None], pa.int64()), "rowid": pa.array([ids[2], ids[3]], kind)}
    )
    change(ground.fresh(), "update", entry.descriptor, [update])
    delete = pa.record_batch({"rowid": pa.array([ids[1]], kind)})
    change(ground.fresh(), "delete", entry.descriptor, [delete])
    _look_at_all(ground, _listed(ground, made))


@FAMILY.check("3.9", "a column that is not there is refused")
def unknown_column(ground: Ground) -> None:
    entry = _table(ground)
    body: dict[str, object] = {
        "flight_descriptor": entry.descriptor.encode(),
        "column_name": "no_such_column",
        "type": "BIGINT",
    }
    if ground.refusal("column_statistics", body) is None:
        raise broken("3.9", "column_statistics of a column that is not there is answered")
