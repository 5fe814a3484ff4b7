"""DoExchange for INSERT, UPDATE and DELETE: the frame of chapter 5.1.

Our schema goes first, because DuckDB waits for it before it sends a row. With `return-chunks` every batch
is answered by one batch, without it by none; the last message says how many rows changed. DuckDB
hears an error as what it is only while it reads: before an error is raised, what it still has to say is
taken in and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import Kind, is_returning, kind_of
from lakeport.airport.exchange.shown import Shown, as_sent, whole_rows
from lakeport.airport.exchange.statement import Statement, Statements
from lakeport.airport.requested import Requested, from_path, requested
from lakeport.core.errors import (
    CancelledError,
    DeadlineError,
    InvalidRequestError,
    LakeportError,
    PermissionDeniedError,
)
from lakeport.flight.call import Call
from lakeport.flight.service import Chunk, Incoming, Outgoing

_PATH = "airport-flight-path"
_HEARD_OUT = 256 << 20
"""Bytes of a refused statement that are taken in before it is told."""


def change(statements: Statements, caller: Caller, incoming: Incoming) -> Outgoing:
    kind, returning = kind_of(caller.call), is_returning(caller.call)
    try:
        wanted = _wanted(caller.call, incoming)
        statement = statements.open(caller, wanted, kind, returning=returning)
    except (PermissionDeniedError, InvalidRequestError) as error:
        # These have names of their own in DuckDB, which it reads only after a schema. That of a
        # DELETE … RETURNING would have to have the table's columns.
        if not caller.call.is_airport or (returning and kind is Kind.DELETE):
            raise
        schema = incoming.schema if returning else pa.schema([])
        return Outgoing(schema, _refused(incoming, error, returning=returning))
    shown = _shown(statement, incoming, returning=returning)
    chunks = _returned(statement, shown, incoming) if returning else _silent(statement, incoming)
    return Outgoing(shown.schema, chunks, in_turn=returning)


def _wanted(call: Call, incoming: Incoming) -> Requested:
    descriptor = incoming.descriptor
    path = call.header(_PATH)
    if descriptor.is_empty and path:
        return from_path(tuple(path.split("/")))
    return requested(descriptor)


def _shown(statement: Statement, incoming: Incoming, *, returning: bool) -> Shown:
    """Only UPDATE … RETURNING has to know what will be sent."""
    if returning and statement.target.kind is Kind.UPDATE:
        return as_sent(statement.target, incoming.schema)
    return whole_rows(statement.target)


def _returned(statement: Statement, shown: Shown, incoming: Incoming) -> Iterator[Chunk]:
    """The client reads after every batch that it sends, so it hears an error where it happens."""
    with statement.target.write:
        for batch in statement.received(incoming):
            stored = statement.add(batch, returning=True)
            yield Chunk(shown.batch(stored, batch.num_rows))
        written = statement.commit()
    yield Chunk(None, statement.told(written))


def _silent(statement: Statement, incoming: Incoming) -> Iterator[Chunk]:
    try:
        with statement.target.write:
            statement.take(incoming)
            written = statement.commit()
    except (CancelledError, DeadlineError):
        raise
    except LakeportError:
        if statement.caller.call.is_airport:
            incoming.skip(_HEARD_OUT)
        raise
    yield Chunk(None, statement.told(written))


def _refused(incoming: Incoming, error: LakeportError, *, returning: bool) -> Iterator[Chunk]:
    if returning:
        next(iter(incoming), None)
    else:
        incoming.skip(_HEARD_OUT)
    raise error
    yield  # an iterator, so that the schema goes first
