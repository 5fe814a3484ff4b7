"""Filters longer than a ticket may be: DuckDB's is a hint and stays behind, a caller's own is refused."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from lakeport.access import EVERYONE
from lakeport.airport.requested import Requested
from lakeport.airport.scans import Scans
from lakeport.airport.scans.tickets import decode_ticket
from lakeport.airport.visible import Visible
from lakeport.airport.wire.bodies import ScanParameters
from lakeport.catalog.catalogs import Catalogs
from lakeport.core.errors import LimitError
from lakeport.core.names import TableName
from lakeport.flight.call import Call, Method
from tests.behaviours.lake import Lake, Subject

ITEMS = Requested(TableName("shop", "items"))


@pytest.fixture(scope="module")
def long() -> str:
    """Random, so that it hardly shrinks."""
    noise = random.Random(1).randbytes(5_000_000).hex()  # noqa: S311  no secret
    return f'{{"filters": [], "noise": "{noise}"}}'


def test_a_pushed_filter_that_is_too_long_is_left_to_the_client(
    lake: Lake, items: Subject, long: str
) -> None:
    del items
    visible = Visible(Catalogs([lake.catalog]), EVERYONE)
    call = Call(Method.DO_ACTION)
    places = Scans().endpoints(call, visible, ITEMS, ScanParameters(json_filters=long))
    assert places
    assert {decode_ticket(each.ticket).filters for each in places} == {()}


def test_a_callers_own_filter_that_is_too_long_is_refused(
    lake: Lake, items: Subject, long: str
) -> None:
    del items
    visible = Visible(Catalogs([lake.catalog]), EVERYONE)
    scans, wanted = Scans(), replace(ITEMS, filter=long)
    with pytest.raises(LimitError, match="the ticket of this scan"):
        scans.whole(scans.reading(Call(Method.GET_FLIGHT_INFO), visible, wanted), wanted)
