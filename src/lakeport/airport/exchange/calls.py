"""DoExchange for functions: scalar ones, and those that take rows (chapters 6.2 and 6.4).

Our schema goes first, because DuckDB waits for it before it sends a row; then every batch is answered before
the next is asked for. A scalar function answers with one batch of as many rows, and without a last word. A
function that takes rows answers with any number of batches, and says by an empty one that a batch is done:
as the end of a batch with rows DuckDB would wait for ever after 2,048 of them (chapter 0, rule 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import pyarrow as pa

from lakeport.access import NO_LIMITS, StatementLimits
from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import is_silent
from lakeport.airport.exchange.statement import Statements
from lakeport.airport.functions.agreed import Passing
from lakeport.airport.functions.asked import FunctionCall, function_at, function_of
from lakeport.airport.functions.bound import start
from lakeport.airport.functions.choose import by_batch, by_schema, by_values
from lakeport.airport.functions.declared import Declared, Kind
from lakeport.airport.functions.find import find
from lakeport.airport.functions.promise import Promise
from lakeport.airport.functions.scalar import Scalar
from lakeport.airport.wire.arguments import decode_arguments
from lakeport.airport.wire.bodies import InOutBody
from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.vectors import Vectors
from lakeport.catalog.functions import InOutCall
from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.core.foreign import dismiss, each, foreign
from lakeport.core.timepoint import from_unit
from lakeport.flight.call import Call
from lakeport.flight.service import Chunk, Incoming, Outgoing

_PATH = "airport-flight-path"
_CONTINUES, _FINISHED = b"chunk_continues", b"chunk_finished"

# Of one message: a default gRPC client refuses more than 4 MB.
_PIECE_ROWS = 65_536
_PIECE_BYTES = 1_800_000


@dataclass(slots=True)
class _Received:
    """The rows that come, counted before they are touched: `LimitError` when they are too many."""

    statements: Statements
    caller: Caller
    incoming: Incoming
    rows: int = 0
    _limits: StatementLimits | None = field(init=False)

    def __post_init__(self) -> None:
        limits = self.caller.identity.limits.or_else(self.statements.limits)
        self._limits = None if limits == NO_LIMITS else limits

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch, _ in self.incoming:
            if batch is not None:
                self.count(batch.num_rows)
                yield batch

    def count(self, rows: int) -> None:
        self.rows += rows
        if self._limits is not None:
            received = self.caller.call.traffic.bytes_in
            self._limits.check(self.caller.identity.name, self.rows, received)


def call_scalar(statements: Statements, caller: Caller, incoming: Incoming) -> Outgoing:
    _require_answers(caller.call)
    found = find(caller.visible, _wanted(caller.call, incoming), (Kind.SCALAR,))
    scalar = Scalar.of(by_schema(found.overloads, incoming.schema))
    received = _Received(statements, caller, incoming)
    if scalar.takes_vectors(incoming.schema):
        return Outgoing(scalar.schema, _answers(scalar, received), in_turn=True)
    chunks = (Chunk(scalar.answer(batch)) for batch in received)
    return Outgoing(scalar.schema, chunks, in_turn=True)


def _answers(scalar: Scalar, received: _Received) -> Iterator[Chunk | Vectors]:
    for given in received.incoming.vectors():
        if isinstance(given, Vectors):
            received.count(given.rows)
            answer = scalar.answer_vectors(given)
            yield answer if isinstance(answer, Vectors) else Chunk(answer)
        elif given.batch is not None:
            received.count(given.batch.num_rows)
            yield Chunk(scalar.answer(given.batch))


def pass_rows(statements: Statements, caller: Caller, incoming: Incoming) -> Outgoing:
    _require_answers(caller.call)
    wanted = _wanted(caller.call, incoming)
    found = find(caller.visible, wanted, (Kind.IN_OUT,))
    declared, arguments = _arguments(found.overloads, wanted, incoming)
    call, promise = start(declared, arguments, incoming.schema)
    try:
        passing = Passing(declared, arguments, incoming.schema, promise)
        statements.agreed.require_rows(caller, passing)
    except LakeportError:
        dismiss(call.close, promise.what)
        raise
    received = _Received(statements, caller, incoming)
    # Closed from outside, too: that wakes a function that nobody waits for any more.
    return Outgoing(
        promise.wire, _passed(call, promise, received), lambda: dismiss(call.close, promise.what)
    )


def _passed(call: InOutCall, promise: Promise, received: _Received) -> Iterator[Chunk]:
    done = Chunk(glue_rows([], promise.wire), _FINISHED)
    for batch in received:
        yield from _tagged(partial(call.process, batch), promise)
        yield done
    trailing = False
    for chunk in _tagged(call.finish, promise):
        trailing = True
        yield chunk
    if trailing:
        yield done


def _tagged(give: Callable[[], Iterable[pa.RecordBatch]], promise: Promise) -> Iterator[Chunk]:
    with foreign(promise.what):
        batches = iter(give())
    for batch in each(batches, promise.what):
        for piece in _pieces(promise.batch(batch)):
            yield Chunk(piece, _CONTINUES)


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """None for a batch without rows, which would say nothing."""
    count = max(-(-batch.num_rows // _PIECE_ROWS), -(-batch.nbytes // _PIECE_BYTES))
    step = max(1, -(-batch.num_rows // max(1, count)))
    for first in range(0, batch.num_rows, step):
        yield batch.slice(first, step)


def _arguments(
    overloads: tuple[Declared, ...], wanted: FunctionCall, incoming: Incoming
) -> tuple[Declared, pa.RecordBatch]:
    """DuckDB's come as a message before the first row, those of standard clients with the descriptor."""
    what = overloads[0].what
    opening = incoming.opening
    if opening is None:
        return by_values(overloads, wanted.parameters)
    said = InOutBody.decode(opening, what)
    from_unit(said.at_unit, said.at_value)
    if not said.parameters:
        return by_values(overloads, wanted.parameters)
    return by_batch(overloads, decode_arguments(said.parameters, what))


def _wanted(call: Call, incoming: Incoming) -> FunctionCall:
    descriptor, path = incoming.descriptor, call.header(_PATH)
    if descriptor.is_empty and path:
        return function_at(tuple(path.split("/")))
    return function_of(descriptor)


def _require_answers(call: Call) -> None:
    if is_silent(call):
        raise InvalidRequestError(
            "a function gives rows back, and `return-chunks` is 0",
            hint="send `return-chunks: 1`, or leave it out",
        )
