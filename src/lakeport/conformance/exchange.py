"""DoExchange as the client drives it: it waits for the server's schema, then for an answer to each batch.

What does not come in time is a broken rule by itself, and is remembered: no second check waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

import pyarrow as pa

from lakeport.conformance.attached import Attached
from lakeport.conformance.packing import map_of, uint_of, unpack
from lakeport.conformance.verdicts import BrokenRuleError, broken
from lakeport.core.errors import InvalidRequestError
from lakeport.flight.answers import LIMITS
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import FrameEncoder, metadata_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.probe import CallFailedError
from lakeport.flight.protobuf import put_message
from lakeport.flight.service import Chunk

Operation: TypeAlias = Literal[
    "insert", "update", "delete", "scalar_function", "table_function_in_out"
]

CHUNK = 2048
"""Rows of a batch at most, as DuckDB sends them."""


class Exchange:
    """One of them. Its schema has been answered when it is made."""

    def __init__(
        self,
        attached: Attached,
        operation: Operation,
        descriptor: FlightDescriptor,
        schema: pa.Schema,
        *,
        returning: bool = False,
        first: bytes | None = None,
    ) -> None:
        """`first` is metadata that goes before the schema."""
        if operation in attached.hung:
            raise attached.hung[operation]
        headers = attached.headers(
            descriptor,
            scan=True,
            airport_operation=operation,
            return_chunks=str(int(returning)),
        )
        self._attached = attached
        self._operation = operation
        self._call = attached.probe.exchange(headers)
        self._encoder = FrameEncoder(schema, most_bytes=2**31 - 1, cut=False)
        self._call.say(put_message(1, descriptor.encode()))
        if first is not None:
            self._call.say(metadata_frame(first))
        self._call.say(self._encoder.schema())
        self.schema = self._answered()
        self._chunks = iter(self._stream)

    def _answered(self) -> pa.Schema:
        try:
            first = self._call.hear(self._attached.patience)
            messages = chain(() if first is None else (first,), self._call)
            self._stream = IncomingStream(Call(Method.DO_EXCHANGE), messages, LIMITS)
            schema = self._stream.schema
        except CallFailedError as failure:
            if not failure.is_overdue:
                raise self._attached.refused(self._operation, failure) from None
            raise self._hangs(broken("0.6", self._what_came_late())) from None
        except InvalidRequestError as error:
            seen = f"`{self._operation}`: the answer does not begin with a schema: {error.message}"
            raise broken("0.6", seen) from None
        return schema

    def _what_came_late(self) -> str:
        """Whether it is the schema that comes once there is nothing more to wait for."""
        self._call.half_close()
        with suppress(CallFailedError):
            if self._call.hear() is not None:
                return f"`{self._operation}`: the schema came only after the input had ended"
        return f"`{self._operation}`: no schema came before the first rows were sent"

    def send(self, batch: pa.RecordBatch) -> None:
        for message in self._encoder.batch(batch):
            self._call.say(message)

    def half_close(self) -> None:
        self._call.half_close()

    def hear(self, rule: str, what: str) -> Chunk | None:
        """The next message; None at the end."""
        try:
            return next(self._chunks, None)
        except CallFailedError as failure:
            if not failure.is_overdue:
                raise self._attached.refused(self._operation, failure) from None
            seen = f"`{self._operation}`: {what} did not come"
            raise self._hangs(broken(rule, seen, "the statement hangs")) from None
        except InvalidRequestError as error:
            raise broken("5.1", f"`{self._operation}`: {error.message}") from None

    def rest(self, rule: str) -> Iterator[Chunk]:
        while (chunk := self.hear(rule, "the end")) is not None:
            yield chunk

    def cancel(self) -> None:
        self._call.cancel()

    def _hangs(self, rule: BrokenRuleError) -> BrokenRuleError:
        self._call.cancel()
        self._attached.hung[self._operation] = rule
        return rule


@dataclass(frozen=True, slots=True)
class Changed:
    schema: pa.Schema
    batches: tuple[pa.RecordBatch, ...]
    total: int


def change(
    attached: Attached,
    operation: Operation,
    descriptor: FlightDescriptor,
    batches: Sequence[pa.RecordBatch],
    *,
    schema: pa.Schema | None = None,
    returning: bool = False,
) -> Changed:
    """A whole INSERT, UPDATE or DELETE."""
    sent = batches[0].schema if schema is None else schema
    exchange = Exchange(attached, operation, descriptor, sent, returning=returning)
    try:
        answered = []
        for batch in batches:
            exchange.send(batch)
            if returning:
                answered.append(one_for_one(exchange, operation))
        return Changed(exchange.schema, tuple(answered), total_of(exchange, operation))
    finally:
        exchange.cancel()


def one_for_one(exchange: Exchange, operation: str) -> pa.RecordBatch:
    chunk = exchange.hear("0.7", "a batch for a batch")
    if chunk is None or chunk.batch is None:
        raise broken("0.7", f"`{operation}` with return-chunks 1 answered a batch by no batch")
    if len(chunk.batch) > CHUNK:
        raise broken("0.7", f"`{operation}` answered by a batch of {len(chunk.batch)} rows")
    return chunk.batch


def total_of(exchange: Exchange, operation: str) -> int:
    """What the last message says, after the half-close."""
    exchange.half_close()
    rest = list(exchange.rest("0.7"))
    if any(chunk.batch is not None for chunk in rest):
        seen = (
            f"`{operation}` sent {sum(chunk.batch is not None for chunk in rest)} batches too many"
        )
        raise broken("0.7", seen)
    if not rest:
        seen = f"`{operation}` ended without its metadata-only message"
        raise broken("0.7", seen, "the number of changed rows is reported as 0")
    if len(rest) > 1:
        raise broken("5.1", f"`{operation}` ended by {len(rest)} metadata-only messages")
    what = f"the last message of `{operation}`"
    told = map_of(unpack(rest[0].metadata or b"", "5.1", what), "5.1", what)
    return uint_of(told.get("total_changed"), "5.1", "`total_changed`")
