"""A table with a past: versions that somebody numbers and keeps, each with rows and columns of its own.

`AT (VERSION => n)` is the version of that number, `AT (TIMESTAMP => t)` the newest that was made by then.
A number means the same rows for good; what is expired is left out of the list.
"""

from __future__ import annotations

import datetime as dt
import uuid
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import pyarrow as pa

from lakeport.airport.library.rows import Fitting, arrow_table, batches_of
from lakeport.airport.library.table import takes_scan
from lakeport.catalog.definition import Definition
from lakeport.catalog.history import CLOCK_TOLERANCE_NS, no_snapshot, no_version
from lakeport.catalog.ports import ScanPlan, ScanRequest, SnapshotInfo, Split, TableState
from lakeport.catalog.requests import bind_request
from lakeport.catalog.scan import Scan
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import ConfigurationError, NotFoundError
from lakeport.core.foreign import each, foreign
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import NANOSECONDS, AtRef, AtSnapshot, AtTime, AtVersion, TimePoint

_FAMILY = uuid.UUID("0f5d3c1b-7a0e-5d52-9d8e-2f6f3d6a1c42")


@dataclass(frozen=True, slots=True)
class Version:
    """`rows` is anything that can be read again, or a function; then `schema` says its columns."""

    number: int
    made_at: dt.datetime
    rows: Any
    schema: pa.Schema | None = None

    @property
    def timestamp_ns(self) -> int:
        moment = self.made_at
        utc = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        since = utc - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        microseconds = since // dt.timedelta(microseconds=1)
        return microseconds * (NANOSECONDS // 1_000_000)

    @property
    def columns(self) -> pa.Schema:
        if self.schema is not None:
            return self.schema
        if callable(self.rows):
            raise ConfigurationError(
                f"version {self.number} is read by a function, and does not say its columns",
                hint="give `schema=`",
            )
        return arrow_table(self.rows, None, f"version {self.number}").schema


class VersionedTable:
    """`versions` is asked anew each time, oldest first."""

    def __init__(
        self,
        catalog: str,
        name: TableName,
        versions: Callable[[], Sequence[Version]],
        comment: str | None = None,
        *,
        now_ns: Callable[[], int],
    ) -> None:
        self._uuid = str(uuid.uuid5(_FAMILY, f"{catalog} {name}"))
        self._name = name
        self._versions = versions
        self._comment = comment
        self._now_ns = now_ns

    @property
    def name(self) -> TableName:
        return self._name

    @property
    def what(self) -> str:
        return f"table {quoted(str(self._name))}"

    def state(self) -> TableState:
        return self._state(self._known()[-1])

    def state_at(self, point: TimePoint) -> TableState:
        found = self._at(point)
        if found is None:  # before the first, or after now: columns, and no row
            known = self._known()
            return replace(self._state(known[0]), snapshot_id=None, version=0)
        return self._state(found)

    def history(self) -> Sequence[SnapshotInfo]:
        known = self._known()
        ids = [_snapshot(version) for version in known]
        return tuple(
            SnapshotInfo(
                _snapshot(version),
                version.number,
                version.timestamp_ns,
                "append",
                _schema_id(version.columns),
                {},
                parent,
            )
            for version, parent in zip(known, [None, *ids], strict=False)
        )

    def plan(self, request: ScanRequest) -> ScanPlan:
        state = self.state() if request.at is None else self.state_at(request.at)
        bound = bind_request(request, state.definition.schema)
        is_whole = request.predicate is None and request.expression is None
        nothing = state.snapshot_id is None or request.limit == 0
        splits = () if nothing else (Split(state.snapshot_id or 0, (0,)),)
        return ScanPlan(state, bound.schema, splits, exact=is_whole)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        version = self._by_snapshot(split.snapshot_id)
        bound = bind_request(request, version.columns)
        scan = Scan.of(
            request,
            tuple(version.columns.field(index).name for index in bound.needed),
            bound.predicate,
        )
        fitting = Fitting(str(self._name), bound.schema)
        with foreign(self.what):
            found = version.rows
            if callable(found):
                found = found(scan) if takes_scan(found) else found()
        batches = each(batches_of(found, version.columns, self.what), self.what)
        return BatchStream(bound.schema, (fitting.batch(batch) for batch in batches))

    def _known(self) -> Sequence[Version]:
        with foreign(self.what):
            known = sorted(self._versions(), key=lambda version: version.number)
        if not known:
            raise NotFoundError(f"{self.what} has no version yet")
        return known

    def _at(self, point: TimePoint) -> Version | None:
        known = self._known()
        match point:
            case AtVersion(0):
                return None
            case AtVersion(number):
                for version in known:
                    if version.number == number:
                        return version
                raise no_version(self._name, number, known[-1].number)
            case AtSnapshot(snapshot_id):
                return self._by_snapshot(snapshot_id)
            case AtTime(moment):
                if moment > self._now_ns() + CLOCK_TOLERANCE_NS:
                    return None
                by_then = [version for version in known if version.timestamp_ns <= moment]
                return by_then[-1] if by_then else None
            case AtRef(name):
                raise NotFoundError(f"{self.what} has no tag or branch {quoted(name)}")
            case _:
                assert_never(point)

    def _by_snapshot(self, snapshot_id: int) -> Version:
        for version in self._known():
            if _snapshot(version) == snapshot_id:
                return version
        raise no_snapshot(self._name, snapshot_id, self.history()[0])

    def _state(self, version: Version) -> TableState:
        definition = Definition(version.columns, comment=self._comment)
        snapshot, schema_id = _snapshot(version), _schema_id(version.columns)
        return TableState(self._uuid, self._name, definition, schema_id, snapshot, version.number)


def _schema_id(columns: pa.Schema) -> int:
    """The same for the same columns, whatever versions came before or have gone."""
    return zlib.crc32(columns.serialize()) & 0x7FFF_FFFF


def _snapshot(version: Version) -> int:
    return version.number
