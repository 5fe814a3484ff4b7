"""Fixtures of the behaviour suite: each test runs once per implementation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from tests.behaviours.implementations import IMPLEMENTATIONS, Clock, Implementation
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.behaviours.through_door import THROUGH_DOOR

REST = "rest"
ALL = IMPLEMENTATIONS | {REST: THROUGH_DOOR}

# What a door can change: names, definitions, whose commit is first. All of the suite passes it in the
# long lane, but for what is long by itself, and for more generated rows and conditions than these: the door
# does not touch them.
_GENERATED = 10
_AT_THE_DOOR = {
    "test_reading_discovery",
    "test_reading_travel",
    "test_writing_conflicts",
    "test_writing_tables",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in list(items):
        call = getattr(item, "callspec", None)
        if call is None or call.params.get("implementation") != REST:
            continue
        number = call.params.get("seed", 0) % 100
        if item.get_closest_marker("long") is not None or number >= _GENERATED:
            items.remove(item)
        elif item.path.stem not in _AT_THE_DOOR:
            item.add_marker(pytest.mark.long)


@pytest.fixture(params=sorted(ALL))
def implementation(request: pytest.FixtureRequest) -> Implementation:
    return ALL[str(request.param)]


@pytest.fixture
def lake(implementation: Implementation, tmp_path: Path) -> Iterator[Lake]:
    clock = Clock()
    catalog = implementation.make(clock, tmp_path)
    yield Lake(implementation, catalog, clock)
    implementation.close(catalog)


@pytest.fixture
def items_schema() -> pa.Schema:
    return schema_of(k=pa.int64(), name=pa.string(), price=pa.float64())


@pytest.fixture
def items(lake: Lake, items_schema: pa.Schema) -> Subject:
    """Three rows in two commits: versions 1 and 2."""
    first = pa.table({"k": [1, 2], "name": ["apple", "pear"], "price": [1.0, 2.0]}, items_schema)
    second = pa.table({"k": [3], "name": [None], "price": [3.5]}, items_schema)
    return lake.seed(items_schema, first, second, name="items")
