"""A table that is somebody's files: read-only, without a past, as they are at each read.

Its columns are declared, or those of the first file by name. Parquet files that DuckDB would read alike can
be lent.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from lakeport.catalog.definition import Definition
from lakeport.catalog.delegation import FunctionCall, Lent
from lakeport.catalog.files.formats import FileFormat, Reading
from lakeport.catalog.files.roots import FoundFile, Roots
from lakeport.catalog.ports import ScanPlan, ScanRequest, Split, TableState
from lakeport.catalog.produced import apply_request
from lakeport.catalog.requests import BoundRequest, bind_request
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import (
    CorruptDataError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnsupportedError,
)
from lakeport.core.names import TableName, quoted

_SNAPSHOT = 1
_WHOLE = Split(_SNAPSHOT, (0,))
# A ticket of one replica is good on another: they have the same settings.
_FAMILY = uuid.UUID("0b0f6f3e-3c43-5d0c-8a3b-1f8d3f5b7a52")
_MOST_LENT = 1_000
_PLAIN = frozenset(
    kind.id
    for kind in (
        *(pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.decimal128(1), pa.date32()),
        *(pa.string(), pa.large_string(), pa.binary(), pa.large_binary()),
    )
)


@dataclass(slots=True)
class _Seen:
    """The columns of the first file, as long as it is the same one."""

    stamp: tuple[object, ...] | None = None
    schema: pa.Schema | None = None
    changes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class FilesTable:
    name: TableName
    roots: Roots
    pattern: str
    reading: Reading
    declared: pa.Schema | None = None
    comment: str | None = None
    _seen: _Seen = field(default_factory=_Seen, repr=False, compare=False)

    @property
    def changes(self) -> int:
        """How often its columns turned out to be others than before."""
        return self._seen.changes

    def state(self) -> TableState:
        schema = self.declared
        if schema is None:
            schema = self._read_schema()
        layout = schema.serialize().to_pybytes().hex()
        return TableState(
            str(uuid.uuid5(_FAMILY, f"{self.name} {layout}")),
            self.name,
            Definition(schema, comment=self.comment),
            schema_id=0,
            snapshot_id=_SNAPSHOT,
            version=1,
        )

    def plan(self, request: ScanRequest) -> ScanPlan:
        state = self.state()
        splits = () if request.limit == 0 else (_WHOLE,)
        return ScanPlan(state, self._bind(request, state).schema, splits)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        if split != _WHOLE:
            raise InvalidRequestError("the split names a part that its snapshot does not have")
        bound = self._bind(request, self.state())
        return BatchStream(bound.schema, apply_request(bound, self._batches(bound)))

    def lend(self, request: ScanRequest) -> Lent | None:
        """Types are told by each file: all must have those that are announced, and DuckDB the same."""
        if self.reading.format is not FileFormat.PARQUET:
            return None
        state = self.state()
        schema = state.definition.schema
        files = self._files()
        wanted = schema.names if request.columns is None else list(request.columns)
        if len(files) > _MOST_LENT or not all(_lends(file, schema, wanted) for file in files):
            return None
        paths = pa.scalar([file.path for file in files], pa.list_(pa.string()))
        hive = {"hive_partitioning": pa.scalar(value=False)}
        return Lent(state, (FunctionCall("read_parquet", (paths,), hive),))

    def _bind(self, request: ScanRequest, state: TableState) -> BoundRequest:
        if request.at is not None or request.row_ids:
            missing = "be read as of an earlier point" if request.at else "give row ids"
            raise UnsupportedError(f"table {quoted(str(self.name))} cannot {missing}")
        return bind_request(request, state.definition.schema)

    def _batches(self, bound: BoundRequest) -> Iterator[pa.RecordBatch]:
        schema = self.state().definition.schema
        names = [schema.field(index).name for index in bound.needed]
        others = self.declared is not None
        for file in self._files():
            yield from self.reading.batches(file, schema, names, others=others)

    def _files(self) -> Sequence[FoundFile]:
        try:
            return self.roots.find(self.pattern)
        except NotFoundError as error:
            raise NotFoundError(
                f"table {quoted(str(self.name))} has no file: nothing matches {quoted(self.pattern)}",
                hint="its `path` in lakeport.toml says where files are",
            ) from error
        except PermissionDeniedError as error:  # whoever asks may read the table, and that is all
            raise UnsupportedError(
                f"table {quoted(str(self.name))} cannot be read: {error.message}", hint=error.hint
            ) from error

    def _read_schema(self) -> pa.Schema:
        try:
            first = self._files()[0]
            with first.open() as handle:
                found = os.fstat(handle.fileno())
            stamp = (first.path, found.st_ino, found.st_size, found.st_mtime_ns)
            with self._seen.lock:
                if self._seen.schema is not None and self._seen.stamp == stamp:
                    return self._seen.schema
            schema = self.reading.schema_of(first)
        except (InvalidRequestError, PreconditionError) as error:
            raise CorruptDataError(
                f"table {quoted(str(self.name))} cannot be read: {error.message}", hint=error.hint
            ) from error
        with self._seen.lock:
            if self._seen.schema is not None and self._seen.schema != schema:
                self._seen.changes += 1
            self._seen.stamp, self._seen.schema = stamp, schema
        return schema


def _lends(file: FoundFile, schema: pa.Schema, wanted: Sequence[str]) -> bool:
    with file.open() as handle:
        try:
            found: pa.Schema = pq.read_schema(handle)
        except (pa.ArrowException, OSError):
            return False  # whoever reads it tells what is wrong with it
    names = Counter(found.names)
    return all(
        names[name] == 1 and _same(found.field(name).type, schema.field(name).type)
        for name in wanted
    )


def _same(found: pa.DataType, shown: pa.DataType) -> bool:
    is_plain = found.id in _PLAIN or (
        isinstance(found, pa.TimestampType) and found.unit in {"us", "ns"}
    )
    return is_plain and found.equals(shown)
