"""What a protocol on top of Flight implements: decoded requests in, values or a `LakeportError` out.

Nothing here knows gRPC, so a service is tested by calling its methods. A method that is not
overridden is UNIMPLEMENTED. Answers that are iterators are consumed in the thread of the call: rows as the
client takes them, listings some kilobytes ahead. An exception other than `LakeportError` is a bug and shown
as an internal error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, NoReturn, Protocol, TypeAlias

import pyarrow as pa

from lakeport.catalog.arrays.vectors import Vectors
from lakeport.core.errors import UnsupportedError
from lakeport.flight.call import Call
from lakeport.flight.messages import (
    Action,
    ActionType,
    FlightDescriptor,
    FlightInfo,
    Handshake,
    PollInfo,
)

Compression: TypeAlias = Literal["zstd", "lz4"]


class Chunk(NamedTuple):
    """One message of a stream: rows, the application's bytes, or both."""

    batch: pa.RecordBatch | None
    metadata: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Rows for the client. The schema is sent at once, before the first chunk is asked for.

    `close` frees what the chunks come from. It is called exactly once, from any thread, as soon as the
    client has everything, cancels or dies; it should wake a `chunks` that blocks.

    Numbers without a NULL may be given as vectors of the schema's types, which saves most of the work where
    they are as many each time.

    `in_turn` is a promise of an exchange: after each chunk its next message is asked for, before anything else
    is done. The chunk goes with that.
    """

    schema: pa.Schema
    chunks: Iterable[Chunk | Vectors]
    close: Callable[[], None] | None = None
    in_turn: bool = False


class Incoming(Protocol):
    """Rows from the client, each batch fully validated. Iterating ends where the client half-closes.

    A client that dies or sends nonsense raises: what was received so far must not be committed.
    """

    @property
    def descriptor(self) -> FlightDescriptor: ...

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def opening(self) -> bytes | None:
        """The metadata that came before the schema, or with it. Not iterated over again."""
        ...

    def __iter__(self) -> Iterator[Chunk]: ...

    def vectors(self) -> Iterator[Chunk | Vectors]:
        """The same, for who takes numbers without a NULL as numpy has them: batches of such come like that
        once they repeat, which saves most of the work. Nobody can write into them.
        """
        ...

    def skip(self, most_bytes: int) -> None:
        """Take in what is still to come, as far as that, and look at none of it."""
        ...


class FlightService:
    """The ten methods, and the question that comes before each of them."""

    def authenticate(self, call: Call) -> None:
        """Who calls, asked before a byte of the request is decoded. Raising refuses the call."""

    def handshake(self, call: Call, requests: Iterator[Handshake]) -> Iterable[Handshake]:
        del requests
        unsupported(call)

    def list_flights(self, call: Call, criteria: bytes) -> Iterable[FlightInfo]:
        del criteria
        unsupported(call)

    def get_flight_info(self, call: Call, descriptor: FlightDescriptor) -> FlightInfo:
        del descriptor
        unsupported(call)

    def poll_flight_info(self, call: Call, descriptor: FlightDescriptor) -> PollInfo:
        del descriptor
        unsupported(call)

    def get_schema(self, call: Call, descriptor: FlightDescriptor) -> pa.Schema:
        del descriptor
        unsupported(call)

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        del ticket
        unsupported(call)

    def do_put(self, call: Call, incoming: Incoming) -> Iterable[bytes]:
        """The application's bytes of each PutResult."""
        del incoming
        unsupported(call)

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        del incoming
        unsupported(call)

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        """The body of each Result."""
        del action
        unsupported(call)

    def list_actions(self, call: Call) -> Iterable[ActionType]:
        unsupported(call)


def unsupported(call: Call) -> NoReturn:
    raise UnsupportedError(f"{call.method} is not supported by this server")
