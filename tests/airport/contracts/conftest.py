"""One server per test, with the contracts' tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.airport.airport_server import Client
from tests.airport.contracts.contract_lake import ContractLake, contract_server


@pytest.fixture
def served() -> Iterator[tuple[ContractLake, Client]]:
    with contract_server() as made:
        yield made


@pytest.fixture
def lake(served: tuple[ContractLake, Client]) -> ContractLake:
    return served[0]


@pytest.fixture
def client(served: tuple[ContractLake, Client]) -> Client:
    return served[1]
