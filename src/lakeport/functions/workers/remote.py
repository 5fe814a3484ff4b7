"""Functions that live in worker processes, as the catalog knows functions."""

from __future__ import annotations

import logging
import pickle
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import pyarrow as pa

from lakeport.catalog import functions as neutral
from lakeport.catalog.arrow import Array
from lakeport.catalog.functions import Returns, Signature, Stability
from lakeport.catalog.ports import ColumnStatistics, ScanRequest
from lakeport.catalog.streams import BatchStream
from lakeport.core import errors
from lakeport.core.errors import FunctionError, LakeportError
from lakeport.core.names import quoted
from lakeport.core.request import current_request
from lakeport.functions.limits import Limits
from lakeport.functions.workers.claims import statistics_of
from lakeport.functions.workers.messages import Ask, Done, Failed, Function, packed_request
from lakeport.functions.workers.pool import Pool
from lakeport.functions.workers.worker import Worker

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """Where a function is: its number in the workers of a pool, and what it may take."""

    pool: Pool
    number: int
    told: Function
    limits: Limits

    @cached_property
    def name(self) -> str:
        return f"{self.told.namespace}.{self.told.name}"

    @cached_property
    def what(self) -> str:
        return f"function {quoted(self.name)}"

    @cached_property
    def signature(self) -> Signature:
        return Signature(self.told.name, _schema(self.told.parameters), self.told.description)

    @cached_property
    def returns(self) -> pa.Schema | None:
        return None if self.told.returns is None else _schema(self.told.returns)

    def once(self, do: Any, rows: pa.RecordBatch | None, **more: Any) -> tuple[Done, Any]:
        with self.pool.borrowed() as worker:
            return self.ask(worker, do, rows, **more)

    def ask(
        self, worker: Worker, do: Any, rows: pa.RecordBatch | None = None, **more: Any
    ) -> tuple[Done, pa.RecordBatch | None]:
        asked = Ask(
            do,
            self.number,
            self.limits.memory,
            self.limits.output,
            packed_request(current_request()),
            **more,
        )
        worker.said.function = self.name
        with self._stopped_with_the_call(worker):
            answer, given = worker.ask(asked, rows, self.what, self.limits)
        if isinstance(answer, Failed):
            raise self._failure(answer)
        if not isinstance(answer, Done):
            worker.kill()
            raise FunctionError(f"{self.what} gave no answer that can be read")
        return answer, given

    def _stopped_with_the_call(self, worker: Worker) -> AbstractContextManager[None]:
        request = current_request()
        if request is None or request.ending is None:
            return nullcontext()
        return request.ending.stopping(worker.cancel)

    def _failure(self, failed: Failed) -> LakeportError:
        if failed.trace:
            _log.warning("function.raised", extra={"function": self.name, "trace": failed.trace})
        kind = _ERRORS.get(failed.code, FunctionError)
        return kind(failed.message, hint=failed.hint, details=failed.details)


class Lease:
    """A worker for as long as something is open in it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._worker: Worker | None = place.pool.lend()
        self._asking = threading.Lock()
        self._state = threading.Lock()

    def ask(
        self, do: Any, rows: pa.RecordBatch | None = None, **more: Any
    ) -> pa.RecordBatch | None:
        with self._asking:
            worker = self._worker
            if worker is None:
                return None
            return self._place.ask(worker, do, rows, **more)[1]

    def close(self) -> None:
        """Somebody may be waiting for an answer: then the work is stopped by ending its process."""
        with self._state:
            worker, self._worker = self._worker, None
        if worker is None:
            return
        if not self._asking.acquire(blocking=False):
            worker.cancel()
            self._asking.acquire()  # whoever waited has been told by now
        try:
            if worker.is_fit:
                self._dismiss(worker)
        finally:
            self._asking.release()
            self._place.pool.returned(worker)

    def _dismiss(self, worker: Worker) -> None:
        """What a generator does in its `finally` is its author's, too."""
        try:
            self._place.ask(worker, "close")
        except LakeportError as error:
            _log.warning(
                "function.close_failed",
                extra={"function": self._place.name, "reason": error.message},
            )
            worker.kill()


@dataclass(frozen=True)
class _Remote:
    place: Place

    @property
    def signature(self) -> Signature:
        return self.place.signature


@dataclass(frozen=True)
class RemoteScalar(_Remote):
    @property
    def returns(self) -> Returns:
        declared = self.place.returns
        assert declared is not None  # noqa: S101  a scalar function has a result
        return declared.field(0)

    @property
    def stability(self) -> Stability:
        return Stability(self.place.told.stability)

    @property
    def takes_nulls(self) -> bool:
        return self.place.told.takes_nulls

    def call(self, arguments: pa.RecordBatch) -> Array:
        _, given = self.place.once("scalar", arguments)
        found: Array = given.column(0)
        return found


@dataclass(frozen=True)
class RemoteTable(_Remote):
    @property
    def returns(self) -> pa.Schema | None:
        return self.place.returns

    def bind(self, arguments: pa.RecordBatch) -> RemoteBound:
        done, _ = self.place.once("bind", arguments)
        return RemoteBound(self.place, arguments, _schema(done.schema), done.count)


@dataclass(frozen=True)
class MeasuredRemoteTable(RemoteTable):
    def statistics(self, column: str) -> ColumnStatistics:
        return statistics_of(*self.place.once("statistics", None, column=column))


@dataclass(frozen=True)
class RemoteBound:
    place: Place
    arguments: pa.RecordBatch
    schema: pa.Schema
    rows: int | None = None

    def open(self, request: ScanRequest) -> BatchStream:
        is_free = request.predicate is None and request.expression is None
        asked = replace(request, expression=None, limit=request.limit if is_free else None)
        names = self.schema.names if request.columns is None else request.columns
        fields = [self.schema.field(name) for name in names]
        lease = Lease(self.place)

        def batches() -> Iterator[pa.RecordBatch]:
            batch = lease.ask("open", self.arguments, scan=pickle.dumps(asked))
            while batch is not None:
                yield batch
                batch = lease.ask("next")

        schema = pa.schema(fields).with_metadata(self.schema.metadata)
        return BatchStream(schema, batches(), lease.close)


@dataclass(frozen=True)
class RemoteInOut(_Remote):
    @property
    def returns(self) -> pa.Schema | None:
        return self.place.returns

    def start(self, arguments: pa.RecordBatch, rows: pa.Schema) -> RemoteInOutCall:
        columns = rows.serialize().to_pybytes()
        done, _ = self.place.once("shape", arguments, shape=columns)
        return RemoteInOutCall(self.place, arguments, columns, _schema(done.schema))


@dataclass
class RemoteInOutCall:
    """A worker is taken with the first rows: a client that only asks for the schema needs none."""

    place: Place
    arguments: pa.RecordBatch
    columns: bytes
    schema: pa.Schema
    _lease: Lease | None = field(init=False, default=None)
    _is_closed: bool = field(init=False, default=False)
    _state: threading.Lock = field(init=False, default_factory=threading.Lock)

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        return self._each("process", batch)

    def finish(self) -> Iterator[pa.RecordBatch]:
        return self._each("finish", None)

    def close(self) -> None:
        """Also from another thread, to wake whoever waits for rows."""
        with self._state:
            self._is_closed = True
            lease = self._lease
        if lease is not None:
            lease.close()

    def _each(
        self, do: Literal["process", "finish"], rows: pa.RecordBatch | None
    ) -> Iterator[pa.RecordBatch]:
        lease = self._lease or self._begun()
        batch = lease.ask(do, rows)
        while batch is not None:
            yield batch
            batch = lease.ask("next")

    def _begun(self) -> Lease:
        lease = Lease(self.place)
        with self._state:
            self._lease = lease
            is_closed = self._is_closed
        if is_closed:
            lease.close()
        lease.ask("start", self.arguments, shape=self.columns)
        return lease


def remote(place: Place) -> neutral.Function:
    if place.told.kind == "scalar":
        return RemoteScalar(place)
    if place.told.kind == "in_out":
        return RemoteInOut(place)
    return MeasuredRemoteTable(place) if place.told.is_measured else RemoteTable(place)


def _schema(data: bytes) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(data))


def _kinds() -> dict[str, type[LakeportError]]:
    found = (each for each in vars(errors).values() if isinstance(each, type))
    return {each.code: each for each in found if issubclass(each, LakeportError)}


_ERRORS = _kinds()
