"""`lakeport.connect` calls functions of a server."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

import lakeport
from lakeport.airport.service import AirportService
from lakeport.core.errors import InvalidRequestError, LakeportError, NotFoundError
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People
from tests.airport.functions.made import RECORDED, hosting


@pytest.fixture(scope="module")
def lake() -> Iterator[lakeport.RemoteLake]:
    service = AirportService([hosting(*RECORDED)], People())
    with FlightServer(service) as server, lakeport.connect(server.address) as lake:
        yield lake


def test_a_table_function_gives_rows(lake: lakeport.RemoteLake) -> None:
    gen = lake.function("fn.gen")
    assert gen(3).to_pylist() == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert gen(count=2, step=5).to_pylist() == [{"n": 0}, {"n": 5}]
    with gen.stream(2) as rows:
        assert rows.schema.names == ["n"]


def test_a_scalar_function_gives_a_value_for_each_row(lake: lakeport.RemoteLake) -> None:
    plus = lake.function("fn.plus")
    many = pa.table({"b": range(40_000), "a": [1] * 40_000})
    assert plus.over(many).to_pylist() == list(range(1, 40_001))
    assert plus.over([{"a": 1, "b": 2}, {"a": None, "b": 2}]).to_pylist() == [3, None]
    assert lake.function("fn.twice").over(pa.table({"any": ["ab"]})).to_pylist() == ["abab"]


def test_refusals_are_those_of_the_server(lake: lakeport.RemoteLake) -> None:
    with pytest.raises(NotFoundError, match=r"did you mean `fn\.gen`"):
        lake.function("fn.gem")(1)
    with pytest.raises(InvalidRequestError, match="count must not be negative"):
        lake.function("fn.gen")(-1)
    with pytest.raises(InvalidRequestError, match="is int64, got string"):
        lake.function("fn.plus").over(pa.table({"a": ["x"], "b": [1]}))
    with pytest.raises(InvalidRequestError, match="in order and by name"):
        lake.function("fn.gen")(1, step=2)
    with pytest.raises(InvalidRequestError, match=r"NAMESPACE\.FUNCTION"):
        lake.function("gen")
    with pytest.raises(LakeportError):
        lake.function("fn.plus").over([])
