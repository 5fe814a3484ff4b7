"""A column of every type that DuckDB sends: stored, declared as something the client takes, and given back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.conformance.attached import RefusedError
from lakeport.conformance.check import Check, Family
from lakeport.conformance.ground import Ground
from lakeport.conformance.samples import array_from, values_of
from lakeport.conformance.verdicts import NotOfferedError, broken
from lakeport.core.status import GrpcCode

FAMILY = Family("types", "columns of every type")

# DuckDB's name, and what the client sends for it.
_SENT: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "utinyint": pa.uint8(),
    "usmallint": pa.uint16(),
    "uinteger": pa.uint32(),
    "ubigint": pa.uint64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal": pa.decimal128(18, 3),
    "hugeint": pa.decimal128(38, 0),
    "varchar": pa.string(),
    "blob": pa.binary(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamp_s": pa.timestamp("s"),
    "timestamp_ms": pa.timestamp("ms"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz": pa.timestamp("us", "Etc/UTC"),
    "interval": pa.month_day_nano_interval(),
    "uuid": pa.uuid(),
    "list": pa.list_(pa.field("l", pa.int64())),
    "array": pa.list_(pa.int64(), 2),
    "struct": pa.struct([("a", pa.int64()), ("b", pa.string())]),
    "map": pa.map_(pa.string(), pa.int64()),
    "enum": pa.dictionary(pa.uint8(), pa.string()),
}
_REFUSALS = (GrpcCode.INVALID_ARGUMENT, GrpcCode.UNIMPLEMENTED)


def _check(name: str, kind: pa.DataType) -> Check:
    def ask(ground: Ground) -> None:
        ground.workshop.ready()
        try:
            entry = ground.workshop.create(pa.schema([("k", pa.int64()), ("c", kind)]))
        except RefusedError as refusal:
            if refusal.code in _REFUSALS:
                said = f"{name.upper()} cannot be stored: {refusal.failure.text}"
                raise NotOfferedError(said) from None
            raise
        values = [*(values_of(kind) or ()), None]
        sent = pa.table({"k": pa.array([1, 2, 3], pa.int64()), "c": array_from(values, kind)})
        ground.workshop.fill(entry, sent)
        found = ground.rows(entry).sort_by("k").column("c")
        _look_at_values(found, sent.column("c"), name)

    title = f"{name.upper()} comes back as it was inserted"
    return Check(FAMILY.named(name), "10", title, ask, "values are wrong, without an error")


def _look_at_values(found: pa.ChunkedArray[Any], sent: pa.ChunkedArray[Any], name: str) -> None:
    """In the server's own type for it, which may be another one."""
    got, wanted = _plain(found), _plain(sent)
    if got != wanted:
        raise broken("10", f"{name.upper()} {wanted} comes back as {got}")


def _plain(values: pa.ChunkedArray[Any]) -> list[Any]:
    return [_comparable(value) for value in values.to_pylist()]


def _comparable(value: Any) -> Any:
    """Moments as the same instant, UUIDs as their bytes, nested values likewise."""
    if isinstance(value, dict):
        return {name: _comparable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_comparable(each) for each in value]
    if hasattr(value, "bytes"):
        return value.bytes
    if hasattr(value, "utctimetuple"):
        return value.replace(tzinfo=None).isoformat()
    return value


FAMILY.checks.extend(_check(name, kind) for name, kind in _SENT.items())
