"""The client's side of Flight: actions and streams of rows both ways, with exact errors.

On gRPC itself and the codec of our own server: pyarrow's client shows half of the status codes as one,
and nothing of the trailers. What arrives is checked as a server checks it, for this side trusts nobody
either. A stream is read as it is taken; closing it cancels the call, and the server stops reading.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, TypeAlias

import grpc
import pyarrow as pa

from lakeport.catalog.streams import BatchStream
from lakeport.core.closing import Closing
from lakeport.core.errors import CorruptDataError, UnauthenticatedError
from lakeport.flight.answers import LIMITS, Answers
from lakeport.flight.begin import begun
from lakeport.flight.call import Call, Method
from lakeport.flight.dial import Proof, Target, open_channel
from lakeport.flight.exchange import Exchange
from lakeport.flight.handlers import SERVICE
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.messages import Action, FlightDescriptor, FlightInfo, Ticket, decode_result
from lakeport.flight.rounds import Rounds
from lakeport.flight.status import CLIENT_HEADER
from lakeport.flight.told import told
from lakeport.flight.upload import Upload

Header: TypeAlias = tuple[str, str]

_log = logging.getLogger(__name__)


class FlightClient(Closing):
    """Dials when the first call is made. Any number of threads may call."""

    def __init__(
        self,
        target: Target,
        *,
        token: str | None = None,
        proof: Proof | None = None,
        headers: tuple[Header, ...] = (),
    ) -> None:
        """`headers` go with every call."""
        self.target = target
        self._headers = ((CLIENT_HEADER, "1"), *_authorization(token), *headers)
        if token is not None and not target.is_encrypted and not target.is_loopback:
            _log.warning("client.token_not_encrypted", extra={"server": str(target)})
        self._channel = open_channel(target, proof or Proof())

    def __repr__(self) -> str:
        return f"<flight client of {self.target}>"

    def act(self, name: str, body: bytes) -> bytes:
        """The one Result of an action."""
        results = self._results(name, body)
        if len(results) != 1:
            raise CorruptDataError(f"{self.target} sent {len(results)} results, not one")
        return decode_result(results[0])

    def tell(self, name: str, body: bytes) -> None:
        """An action whose answer is that it was done."""
        results = self._results(name, body)
        if results:
            raise CorruptDataError(f"{self.target} sent {len(results)} results, not none")

    def actions(self) -> frozenset[str]:
        """What the server says that it can be asked to do."""
        listed = self._answers(self._start(Method.LIST_ACTIONS, b""))
        return frozenset(Action.decode(each).type for each in listed)

    def flights(self, *headers: Header) -> tuple[FlightInfo, ...]:
        listed = self._answers(self._start(Method.LIST_FLIGHTS, b"", headers))
        return tuple(FlightInfo.decode(each) for each in listed)

    def get(self, ticket: bytes) -> BatchStream:
        """Returns when the columns are known: what is refused is refused here, before any row."""
        call = self._start(Method.DO_GET, Ticket(ticket).encode())
        answers = Answers(call, self.target)
        incoming = IncomingStream(Call(Method.DO_GET), answers, LIMITS)
        try:
            with answers.believed():
                schema = incoming.schema
        except BaseException:
            call.cancel()
            raise
        return BatchStream(schema, _batches(incoming, answers), call.cancel)

    def put(self, descriptor: FlightDescriptor, schema: pa.Schema, *headers: Header) -> Upload:
        """Rows of these columns, to be added to what this returns."""
        return Upload(self._both_ways(Method.DO_PUT, headers), self.target, descriptor, schema)

    def exchange(
        self, descriptor: FlightDescriptor, schema: pa.Schema, *headers: Header
    ) -> Exchange:
        """The same for rows that mean a change. Returns when the server is ready for them."""
        start = self._both_ways(Method.DO_EXCHANGE, headers)
        return Exchange(start, self.target, descriptor, schema)

    def rounds(self, descriptor: FlightDescriptor, schema: pa.Schema, *headers: Header) -> Rounds:
        """The same for rows that are answered by rows."""
        start = self._both_ways(Method.DO_EXCHANGE, headers)
        return Rounds(start, self.target, descriptor, schema)

    def close(self) -> None:
        self._channel.close()

    def _results(self, action: str, body: bytes) -> list[bytes]:
        return self._answers(self._start(Method.DO_ACTION, Action(action, body).encode()))

    def _answers(self, call: Any) -> list[bytes]:
        try:
            return list(call)
        except grpc.RpcError as failure:
            raise told(failure, self.target) from None

    def _both_ways(self, method: Method, headers: tuple[Header, ...]) -> Callable[..., Any]:
        stub: Any = self._channel.stream_stream(f"/{SERVICE}/{method}")
        return partial(stub, metadata=(*self._headers, *headers))

    def _start(self, method: Method, request: bytes, headers: tuple[Header, ...] = ()) -> Any:
        stub: Any = self._channel.unary_stream(f"/{SERVICE}/{method}")
        return begun(lambda: stub(request, metadata=(*self._headers, *headers)))


def _batches(incoming: IncomingStream, answers: Answers) -> Generator[pa.RecordBatch, None, None]:
    with answers.believed():
        for chunk in incoming:
            if chunk.batch is not None:
                yield chunk.batch


def _authorization(token: str | None) -> tuple[tuple[str, str], ...]:
    if token is None:
        return ()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise UnauthenticatedError("the token has characters that no token has")
    return (("authorization", f"Bearer {token}"),)
