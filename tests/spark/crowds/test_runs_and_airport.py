"""Runs on a table that a client of Airport changes at the same time, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.airport.attached import ROW_ID, Attached, attached
from tests.airport.exchange.talk import descriptor_of
from tests.engines.plain import in_order, rows_of
from tests.rest.doors import profile_in
from tests.spark.crowds.client import Client
from tests.spark.crowds.serial import Planned, explained, replayed, together
from tests.spark.ground import Ground

TABLE = descriptor_of("shop", "t")
FIRST = Planned("first", ("k", "v"), ((1, 0), (2, 0), (3, 0)), "append")


@pytest.fixture
def airport(ground: Ground, tmp_path: Path) -> Iterator[Attached]:
    """A server that knows nothing of the one that runs go through."""
    del ground  # it makes the namespace
    with IcebergCatalog(profile_in(tmp_path)) as catalog, attached(catalog) as opened:
        yield opened


@pytest.mark.parametrize(
    "rounds", [pytest.param(6, id="short"), pytest.param(30, id="long", marks=pytest.mark.long)]
)
def test_nothing_is_lost_or_doubled(ground: Ground, airport: Attached, rounds: int) -> None:
    ground.write(FIRST.query, run_id=FIRST.name)
    runs = [
        Planned("r1", ("k", "v"), ((1, 100), (11, 1))),
        Planned("r2", ("k", "v"), ((2, 200), (12, 1)), "merge"),
        Planned("r3", ("k", "v"), ((13, 1), (14, 1)), "append"),
        Planned("r4", ("k", "v"), ((3, 300), (1, 300))),
    ]
    client = Client(airport)
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(client.work, rounds)
        together(ground, runs)
        working.result()
    explained(ground, replayed(ground, [FIRST, *runs], client.done))
    assert in_order(rows_of(airport.read(TABLE).drop_columns([ROW_ID]))) == ground.rows()


def test_a_row_that_a_run_replaces_is_not_changed_by_its_old_id(
    ground: Ground, airport: Attached
) -> None:
    """The client looked before the run and writes after it."""
    ground.write(FIRST.query, run_id=FIRST.name)
    client = Client(airport)
    found = client.find(1)
    assert found is not None
    run = Planned("r1", ("k", "v"), ((1, 100),))
    ground.write(run.query, run_id=run.name, **run.settings)
    rows = pa.table({"v": pa.array([1], pa.int32()), ROW_ID: pa.array([found[1]])})
    assert not client.is_done("update", rows)
    explained(ground, replayed(ground, [FIRST, run]))
