"""Real servers on free ports, and two kinds of clients for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pyarrow.flight as fl
import pytest

from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from lakeport.flight.service import FlightService
from tests.flight.raw import RawClient

Serve = Callable[..., FlightServer]


@pytest.fixture
def closing_all() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def serve(closing_all: ExitStack) -> Serve:
    def started(
        service: FlightService, options: Options | None = None, **more: object
    ) -> FlightServer:
        server = FlightServer(service, options, **more)  # type: ignore[arg-type]
        closing_all.callback(server.stop, 0.2)
        return server.start()

    return started


@pytest.fixture
def flight(closing_all: ExitStack) -> Callable[[FlightServer], Any]:
    return lambda server: closing_all.enter_context(fl.connect(server.address))


@pytest.fixture
def raw(closing_all: ExitStack) -> Callable[[FlightServer], RawClient]:
    return lambda server: closing_all.enter_context(RawClient(f"127.0.0.1:{server.port}"))
