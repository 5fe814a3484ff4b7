"""Calls in a minute, for whom they are bounded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import flight

from lakeport.access import EVERYONE, Identity, Pace
from lakeport.access.grants import EVERY_GRANT
from lakeport.airport import Catalog, Server
from lakeport.core.errors import LimitError
from tests.access.clock import Clock

ANN = Identity("ann", EVERY_GRANT, pace=2)
BOB = Identity("bob", EVERY_GRANT, pace=2)


@contextmanager
def refused() -> Iterator[None]:
    with pytest.raises(LimitError, match="`ann` may make 2 calls a minute") as told:
        yield
    assert told.value.hint is not None
    assert "try again in 30 s" in told.value.hint


def test_who_has_made_all_calls_of_a_minute_waits_for_the_next() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.enter(ANN)
    pace.enter(ANN)
    with refused():
        pace.enter(ANN)
    clock.seconds += 30
    pace.enter(ANN)
    with refused():
        pace.enter(ANN)


def test_calls_that_were_not_made_are_not_saved_beyond_a_minute() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.enter(ANN)
    clock.seconds += 3600
    pace.enter(ANN)
    pace.enter(ANN)
    with refused():
        pace.enter(ANN)


def test_each_has_calls_of_their_own_and_most_have_no_bound() -> None:
    pace = Pace(Clock())
    for _ in range(2):
        pace.enter(ANN)
        pace.enter(BOB)
    for _ in range(100):
        pace.enter(EVERYONE)
    with refused():
        pace.enter(ANN)


def test_over_the_wire_a_call_too_many_is_refused_whatever_it_asks_for() -> None:
    catalog = Catalog("demo")
    catalog.schema("s").table("t", pa.table({"a": [1]}))
    with (
        Server(catalog, auth={"secret": ANN}) as server,
        flight.connect(server.location) as client,
    ):
        headers: Any = [(b"authorization", b"Bearer secret")]
        options = flight.FlightCallOptions(headers=headers)
        for _ in range(2):
            assert list(client.list_actions(options))
        with pytest.raises(pa.ArrowInvalid, match="2 calls a minute"):
            list(client.list_actions(options))
        with pytest.raises(pa.ArrowInvalid, match="2 calls a minute"):
            client.do_get(flight.Ticket(b"{}"), options).read_all()
