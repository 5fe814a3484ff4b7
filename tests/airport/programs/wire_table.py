"""A table at the other end of a wire, with the abilities that the writers of random programs ask for.

Every statement is one transaction as DuckDB makes it: `endpoints`, DoGet with row ids, and DoExchange with
the rows. ALTERs are actions. What the protocol has no words for (TRUNCATE as one statement, overwriting,
expiry) is done beside the server, as another process would do it.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, NoReturn, Self

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.airport.requested import Layout, path_of
from lakeport.airport.scans.tickets import decode_ticket
from lakeport.catalog.changes import AddColumn, Change, DropColumn, RenameColumn
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.history import ACTOR
from lakeport.catalog.ports import (
    ScanPlan,
    ScanRequest,
    Split,
    TableState,
    Write,
    WriteContext,
    Written,
)
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import (
    ConflictError,
    ExpiredError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.names import ROW_ID, TableName
from lakeport.core.timepoint import AtSnapshot
from lakeport.flight.call import Call, Method
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.ipc import Kind
from lakeport.flight.limits import Limits
from lakeport.flight.messages import (
    Action,
    FlightDescriptor,
    FlightEndpoint,
    Ticket,
    decode_result,
)
from tests.airport.exchange.talk import ATTACHED, Talk
from tests.airport.exchange.talk import Writer as Sender
from tests.behaviours.lake import Subject
from tests.behaviours.programs import WRITERS
from tests.flight.raw import Headers, RawClient, failure_of

_HEARD: Mapping[grpc.StatusCode, type[LakeportError]] = {
    grpc.StatusCode.ABORTED: ConflictError,
    grpc.StatusCode.ALREADY_EXISTS: KeyViolationError,
    grpc.StatusCode.FAILED_PRECONDITION: ExpiredError,
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
}
"""What a statement that came too late may be told. Any other code is a failure of the test."""


PATIENCE = 300.0
"""Seconds that a call may take: nothing here is about time."""


def heard(error: grpc.RpcError) -> NoReturn:
    failure = failure_of(error)
    if failure.code not in _HEARD:
        raise error
    raise _HEARD[failure.code](failure.text) from error


class Quiet:
    """Expiry forgets which statement made a version, so none runs between a commit and that question."""

    def __init__(self) -> None:
        self._places = threading.Semaphore(WRITERS)
        self._emptying = threading.Lock()

    @contextmanager
    def asking(self) -> Iterator[None]:
        with self._places:
            yield

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        with self._emptying, ExitStack() as taken:
            for _ in range(WRITERS):
                taken.enter_context(self._places)
            yield


@dataclass
class WireTable:
    """One client's. `returning` is whether its statements ask for rows back."""

    real: Subject
    raw: RawClient
    client: str
    quiet: Quiet = field(default_factory=Quiet)
    returning: bool = False
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _transaction: str | None = None
    _held: Layout | None = None
    _tickets: dict[Split, bytes] = field(default_factory=dict)

    @property
    def name(self) -> TableName:
        return self.real.table.name

    @property
    def descriptor(self) -> FlightDescriptor:
        return FlightDescriptor(path=path_of(self.name, self._held))

    def _attach(self) -> None:
        """What ATTACH tells: the columns of now, which the client holds from then on."""
        self._held = Layout.of(self.real.state)

    def state(self) -> TableState:
        return self.real.state

    # -- reading ---------------------------------------------------------------------------------

    def plan(self, request: ScanRequest) -> ScanPlan:
        """In a new transaction, in which the statement goes on, and in the columns of what it reads.

        Another client's ALTER may come between the columns and the scan. Then the server refuses columns
        that are gone, and this client attaches again, as it is told to.
        """
        while True:
            self._transaction = self._begun()
            self._attach()
            try:
                plan = self._planned(request)
            except ExpiredError:
                if Layout.of(self.real.state) == self._held:
                    raise  # nobody changed anything: the server refuses what it has
                continue
            if not plan.splits or Layout.of(plan.state) == self._held:
                return plan

    def _planned(self, request: ScanRequest) -> ScanPlan:
        wanted = {"column_ids": [], "json_filters": "", "at_unit": "", "at_value": ""}
        body = {"descriptor": self.descriptor.encode(), "parameters": wanted}
        packed = msgpack.unpackb(self._act("endpoints", msgpack.packb(body)))
        tickets = [FlightEndpoint.decode(each).ticket for each in packed]
        snapshots = {decode_ticket(ticket).snapshot for ticket in tickets}
        # A scan without endpoints does not tell what it saw; version 0 was empty, too.
        state = replace(self.real.state, version=0)
        if snapshots:
            (snapshot,) = snapshots
            state = self.real.travelable.state_at(AtSnapshot(snapshot or 0))
        self._tickets = {Split(0, (place,)): ticket for place, ticket in enumerate(tickets)}
        return ScanPlan(state, self._schema(request, state), tuple(self._tickets))

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        message = Ticket(self._tickets[split]).encode()
        stream = IncomingStream(Call(Method.DO_GET), self._heard("DoGet", message), Limits())
        wanted = [name for name in stream.schema.names if request.row_ids or name != ROW_ID]
        batches = (chunk.batch.select(wanted) for chunk in stream if chunk.batch is not None)
        return BatchStream(pa.schema([stream.schema.field(name) for name in wanted]), batches)

    @staticmethod
    def _schema(request: ScanRequest, state: TableState) -> pa.Schema:
        schema = state.definition.schema
        return schema.append(ROW_ID_FIELD) if request.row_ids else schema

    # -- statements ------------------------------------------------------------------------------

    def insert(self, context: WriteContext | None = None) -> Write:
        del context
        self._transaction = self._begun()
        self._attach()
        return self._exchange("insert")

    def update(self, context: WriteContext | None = None) -> Write:
        del context
        return self._exchange("update")

    def delete(self, context: WriteContext | None = None) -> Write:
        del context
        return self._exchange("delete")

    def alter(self, changes: Sequence[Change], context: WriteContext | None = None) -> TableState:
        del context
        (change,) = changes
        action, asked = _alteration(change)
        where = {"catalog": "lake", "schema": self.name.namespace, "name": self.name.table}
        actor = self._actor()
        with self.quiet.asking():
            self._act(action, msgpack.packb({**where, **asked}), actor)
            return replace(self.real.state, version=self.version_of(actor))

    def _begun(self) -> str:
        packed = self._act("create_transaction", msgpack.packb({"catalog_name": "lake"}))
        return str(msgpack.unpackb(packed)["identifier"])

    def _exchange(self, operation: str) -> Write:
        actor = self._actor()
        return _WireWrite(self, actor, operation, self._headers(actor))

    # -- what the protocol has no words for ------------------------------------------------------

    def truncate(self, context: WriteContext | None = None) -> Written:
        return self.real.truncatable.truncate(context)

    def overwrite(self, context: WriteContext | None = None) -> Write:
        return self.real.overwritable.overwrite(context)

    def expire(self, *, keep: int) -> object:
        with self.quiet.forgetting():
            return self.real.expirable.expire(keep=keep)

    # -- calls -----------------------------------------------------------------------------------

    def version_of(self, actor: str) -> int:
        """Of a statement that was acknowledged: actors of one commit are told together."""
        body = json.dumps({"table": str(self.name)}).encode()
        for commit in reversed(json.loads(self._act("TableHistory", body))):
            if actor in commit["summary"].get(ACTOR, "").split(", "):
                return int(commit["version"])
        raise AssertionError(f"no version was made by {actor}")

    def _actor(self) -> str:
        return f"{self.client}-{next(self._numbers)}"

    def _act(self, name: str, body: bytes, actor: str | None = None) -> bytes:
        (result,) = self._heard("DoAction", Action(name, body).encode(), actor)
        return bytes(decode_result(result))

    def _heard(self, method: str, message: bytes, actor: str | None = None) -> Iterator[bytes]:
        try:
            headers = self._headers(actor or self.client)
            yield from self.raw.start(method, message, headers, PATIENCE)
        except grpc.RpcError as error:
            heard(error)

    def _headers(self, actor: str) -> Headers:
        named = (*ATTACHED, ("authorization", f"Bearer {actor}"))
        return (*named, ("airport-transaction-id", self._transaction or ""))


class _WireWrite:
    """One exchange. It is opened by its first batch, which brings the columns."""

    def __init__(self, table: WireTable, actor: str, operation: str, headers: Headers) -> None:
        self._table = table
        self._actor = actor
        self._operation = operation
        self._headers = headers
        self._talk: Talk | None = None

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        del returning
        talk = self._opened(batch.schema)
        talk.send(batch)
        if self._table.returning:
            with _told():
                talk.hear_batch()
        return None

    def commit(self) -> Written:
        assert self._talk is not None
        talk = self._talk
        talk.half_close()
        with self._table.quiet.asking(), _told():
            assert talk.hear() is None
            talk.hear_end()
            version = self._table.version_of(self._actor)
        return Written(talk.answer().changed, None, version)

    def abort(self) -> None:
        if self._talk is not None:
            self._talk.call.cancel()
            self._talk.half_close()

    def _opened(self, schema: pa.Schema) -> Talk:
        if self._talk is None:
            sender = Sender(self._table.raw, self._headers)
            returning = self._table.returning
            self._talk = sender.open(self._operation, returning=returning, timeout=PATIENCE)
            self._talk.name(self._table.descriptor)
            self._talk.declare(schema.remove_metadata())
            with _told():
                assert self._talk.hear() == Kind.SCHEMA
        return self._talk

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abort()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as error:
        heard(error)


def _alteration(change: Change) -> tuple[str, dict[str, Any]]:
    match change:
        case AddColumn():
            schema = pa.schema([change.column]).serialize().to_pybytes()
            return "add_column", {"column_schema": schema}
        case RenameColumn():
            return "rename_column", {"old_name": change.name, "new_name": change.to}
        case DropColumn():
            return "remove_column", {"removed_column": change.name}
        case _:
            raise AssertionError(f"no program asks for {change}")
