from __future__ import annotations

import pytest

from lakeport.airport.addresses import Addresses
from lakeport.flight.call import Call, Method
from lakeport.flight.messages import REUSE_CONNECTION

CALL = Call(Method.GET_FLIGHT_INFO)
DIALLED = Call(Method.GET_FLIGHT_INFO, [(":authority", "lake.local:9000")])


def test_the_public_address_comes_first() -> None:
    addresses = Addresses("grpc+tls://lake.example.com:443", lambda: "grpc://127.0.0.1:8815")
    assert addresses.locations(DIALLED) == ("grpc+tls://lake.example.com:443", REUSE_CONNECTION)


def test_else_the_address_that_was_dialled_with_our_own_scheme() -> None:
    addresses = Addresses(bound=lambda: "grpc+tls://10.0.0.5:8815")
    assert addresses.locations(DIALLED) == ("grpc+tls://lake.local:9000", REUSE_CONNECTION)


def test_else_the_address_we_are_bound_to() -> None:
    addresses = Addresses(bound=lambda: "grpc://127.0.0.1:8815")
    assert addresses.locations(CALL) == ("grpc://127.0.0.1:8815", REUSE_CONNECTION)


@pytest.mark.parametrize("bound", ["grpc://0.0.0.0:8815", "grpc+tls://[::]:8815"])
def test_an_address_that_nobody_can_dial_is_left_out(bound: str) -> None:
    assert Addresses(bound=lambda: bound).locations(CALL) == (REUSE_CONNECTION,)
