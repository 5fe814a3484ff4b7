"""A statement pushed to a server by DoExchange: it is open before a row goes, and its end is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pytest

from lakeport.core.errors import ConflictError, CorruptDataError, LakeportError
from lakeport.flight.call import Call
from lakeport.flight.client import FlightClient
from lakeport.flight.dial import Target
from lakeport.flight.exchange import Exchange
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.service import Chunk, FlightService, Incoming, Outgoing
from tests.flight.conftest import Serve

PATH = FlightDescriptor(path=("a", "b"))
ROWS = pa.record_batch({"id": pa.array(range(300_000), pa.int64())})
NOTHING = pa.schema([])


def one_total(incoming: Incoming) -> Iterator[Chunk]:
    rows = sum(batch.num_rows for batch, _ in incoming if batch is not None)
    yield Chunk(None, str(rows).encode())


@dataclass
class Exchanges(FlightService):
    answer: Callable[[Incoming], Iterator[Chunk]] = one_total
    error: LakeportError | None = None
    about: list[object] = field(default_factory=list)

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        self.about.append((incoming.descriptor.path, call.header("airport-operation")))
        if self.error is not None:
            raise self.error
        return Outgoing(NOTHING, self.answer(incoming))


def dialled(serve: Serve, service: Exchanges) -> FlightClient:
    return FlightClient(Target.parse(serve(service).address))


def test_a_statement_is_open_before_its_first_row(serve: Serve) -> None:
    service = Exchanges()
    with (
        dialled(serve, service) as client,
        client.exchange(PATH, ROWS.schema, ("airport-operation", "delete")) as statement,
    ):
        assert service.about == [(("a", "b"), "delete")]
        for _ in range(3):
            statement.add(ROWS)
        assert statement.finish() == b"900000"


def test_what_is_refused_is_refused_before_a_row_is_made(serve: Serve) -> None:
    service = Exchanges(error=ConflictError("no", hint="later"))
    with dialled(serve, service) as client, pytest.raises(ConflictError) as raised:
        client.exchange(PATH, ROWS.schema)
    assert (raised.value.message, raised.value.hint) == ("no", "later")


def test_a_refusal_in_the_middle_ends_the_sending(serve: Serve) -> None:
    def refuse(incoming: Incoming) -> Iterator[Chunk]:
        next(iter(incoming))
        raise ConflictError("no more")
        yield

    with (
        dialled(serve, Exchanges(refuse)) as client,
        client.exchange(PATH, ROWS.schema) as statement,
        pytest.raises(ConflictError, match="no more"),
    ):
        _push(statement)


def _push(statement: Exchange) -> None:
    while True:
        statement.add(ROWS)


def silent(incoming: Incoming) -> Iterator[Chunk]:
    list(incoming)
    yield from ()


def talkative(incoming: Incoming) -> Iterator[Chunk]:
    list(incoming)
    yield Chunk(None, b"1")
    yield Chunk(None, b"2")


@pytest.mark.parametrize("answer", [silent, talkative])
def test_an_end_that_says_nothing_plain_is_corrupt(
    serve: Serve, answer: Callable[[Incoming], Iterator[Chunk]]
) -> None:
    with (
        dialled(serve, Exchanges(answer)) as client,
        client.exchange(PATH, ROWS.schema) as statement,
        pytest.raises(CorruptDataError, match="did not say what a statement changed"),
    ):
        statement.finish()
