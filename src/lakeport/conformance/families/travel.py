"""AT (VERSION => …) and AT (TIMESTAMP => …): bound by `flight_info`, read by `endpoints` and DoGet."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from lakeport.conformance.attached import Attached, RefusedError
from lakeport.conformance.check import Family
from lakeport.conformance.families.scans import same_rows
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry, entry_of
from lakeport.conformance.packing import schema_bytes
from lakeport.conformance.scan import Asked, scan
from lakeport.conformance.verdicts import NotOfferedError, broken
from lakeport.conformance.workshop import NOT_OFFERED, PLAIN, ROWS
from lakeport.core.status import GrpcCode

FAMILY = Family("travel", "AT (…)")

_LATER = pa.table({"id": [4], "name": ["d"], "v": [4.5]}, schema=PLAIN)
_APART = (
    0.02  # seconds between two states, more than the coarsest clock of a catalog: a millisecond
)


def _bound(attached: Attached, entry: Entry, unit: str, value: str) -> Entry:
    """`flight_info` twice, as the client asks it: for the catalog, then for the scan."""
    body = {"descriptor": entry.descriptor.encode(), "at_unit": unit, "at_value": value}
    first = entry_of(attached.one("flight_info", body), "3.8", attached.catalog)
    again = body | {"descriptor": first.descriptor.encode()}
    second = entry_of(
        attached.one("flight_info", again, first.descriptor, scan=True), "3.8", attached.catalog
    )
    if second.descriptor != first.descriptor:
        raise broken("3.8", f"`flight_info` of {first.descriptor} answers with {second.descriptor}")
    if second.schema.names != first.schema.names:
        raise broken("3.8", "two `flight_info` of one point tell different columns")
    return first


def _at(ground: Ground, entry: Entry, unit: str, value: str) -> pa.Table:
    attached = ground.fresh()
    return scan(attached, _bound(attached, entry, unit, value), Asked(at=(unit, value)))


def _ids(table: pa.Table) -> list[Any]:
    found: list[Any] = table.column("id").to_pylist()
    return sorted(found)


def _now() -> str:
    """As DuckDB renders a TIMESTAMPTZ of a session in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00")


def _offered(ground: Ground, entry: Entry, unit: str, value: str) -> pa.Table:
    try:
        return _at(ground, entry, unit, value)
    except RefusedError as refusal:
        if refusal.code in {*NOT_OFFERED, GrpcCode.INVALID_ARGUMENT, GrpcCode.NOT_FOUND}:
            said = f"AT ({unit} => {value}): {refusal.failure}"
            raise NotOfferedError(said) from None
        raise


@FAMILY.check("3.8", "AT (TIMESTAMP => now()) is the table as it is")
def now(ground: Ground) -> None:
    entry = ground.shared
    time.sleep(_APART)
    found = _offered(ground, entry, "TIMESTAMP", _now())
    if ground.is_near:  # elsewhere the clocks may differ
        same_rows(found, ROWS, "AT (TIMESTAMP => now())", "3.8")


@FAMILY.check("3.8", "AT a moment between two changes is one state of the table")
def between(ground: Ground) -> None:
    entry = ground.workshop.plain()
    time.sleep(_APART)
    moment = _now()
    time.sleep(_APART)
    ground.workshop.fill(entry, _LATER)
    found = _offered(ground, entry, "TIMESTAMP", moment)
    ids = _ids(found)
    if ids not in ([], [1, 2, 3], [1, 2, 3, 4]):
        raise broken("3.8", f"AT a moment between two INSERTs shows the ids {ids}: no state ever")
    if ground.is_near and ids != [1, 2, 3]:
        raise broken("3.8", f"AT a moment between two INSERTs shows the ids {ids}, not [1, 2, 3]")


@FAMILY.check("3.8", "AT a moment before an ALTER has the columns of that moment")
def columns(ground: Ground) -> None:
    entry = ground.workshop.plain()
    time.sleep(_APART)
    moment = _now()
    time.sleep(_APART)
    added = pa.schema([("extra", pa.int64())])
    after = ground.workshop.alter(
        "add_column", entry, column_schema=schema_bytes(added), if_column_not_exists=False
    )
    ground.workshop.fill(after, pa.table({"id": [4], "name": ["d"], "v": [1.0], "extra": [7]}))
    found = _offered(ground, after, "TIMESTAMP", moment)
    if ground.is_near and "extra" in found.column_names:
        raise broken("3.8", "AT a moment before ADD COLUMN has the column that came later")


@FAMILY.check("3.8", "versions that are offered are states of the table")
def versions(ground: Ground) -> None:
    entry = ground.workshop.plain()
    ground.workshop.fill(entry, _LATER)
    seen = []
    for number in range(1, 5):
        try:
            seen.append(_ids(_at(ground, entry, "VERSION", str(number))))
        except RefusedError as refusal:
            codes = {*NOT_OFFERED, GrpcCode.INVALID_ARGUMENT, GrpcCode.NOT_FOUND}
            if refusal.code not in codes:
                raise
    if not seen:
        raise NotOfferedError("no version from 1 to 4 is there")
    for ids in seen:
        if ids not in ([], [1, 2, 3], [1, 2, 3, 4]):
            raise broken("3.8", f"a version shows the ids {ids}: no state ever")


@FAMILY.check("3.8", "a version that means nothing is refused")
def nonsense(ground: Ground) -> None:
    entry = ground.shared
    try:
        _at(ground, entry, "VERSION", "no-such-version")
    except RefusedError as refusal:
        codes = {*NOT_OFFERED, GrpcCode.INVALID_ARGUMENT, GrpcCode.NOT_FOUND}
        if refusal.code not in codes:
            raise broken("3.8", f"AT (VERSION => 'no-such-version') is {refusal}") from None
        return
    raise broken("3.8", "AT (VERSION => 'no-such-version') gives rows")
