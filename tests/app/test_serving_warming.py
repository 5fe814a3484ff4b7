"""A fresh server reads its tables' metadata before anybody asks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport import open as opened
from lakeport.app import wiring
from lakeport.app.serve import running
from lakeport.app.serve.late import LateCatalog
from lakeport.app.serve.warming import warm, warming
from lakeport.app.settings import load
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import CatalogVersion
from lakeport.core.errors import UnavailableError
from lakeport.web.app import build

ANYWHERE = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}
TABLES = 4  # are read however long each takes: a busy machine looks like a catalog that is far away


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").write_text("")
    with opened(tmp_path) as lake:
        for number in range(TABLES):
            lake.create_table(f"shop.orders_{number}", pa.schema([("id", pa.int64())]))
    return tmp_path


@pytest.fixture
def catalog(project: Path) -> Iterator[IcebergCatalog]:
    with wiring.open_catalog(load(project=project, variables={})) as catalog:
        yield catalog


def _held(catalog: IcebergCatalog) -> int:
    return catalog.cache_figures()["metadata"].entries


def _unreachable() -> IcebergCatalog:
    raise UnavailableError("nobody answers")


def test_every_table_is_read_once(catalog: IcebergCatalog) -> None:
    with warming([catalog]) as thread:
        thread.join()
    assert _held(catalog) == TABLES


def test_a_server_reads_them_by_itself(project: Path) -> None:
    """It has stopped before the catalog is closed: nothing is raised, and nothing is left behind."""
    settings = load(project=project, flags=ANYWHERE, variables={})
    for _ in range(3):
        with running(settings, build):
            pass


def test_a_table_that_cannot_be_read_is_left_to_who_asks(
    project: Path, catalog: IcebergCatalog
) -> None:
    (damaged,) = project.glob("**/orders_3*/metadata/*.json")
    damaged.write_text("{")
    assert warm(catalog) == TABLES - 1


def test_a_catalog_that_is_down_keeps_nobody_from_the_next(catalog: IcebergCatalog) -> None:
    with warming([LateCatalog("gone", _unreachable), catalog]) as thread:
        thread.join()
    assert _held(catalog) == TABLES


def test_a_server_that_stops_reads_no_further(catalog: IcebergCatalog) -> None:
    answers = iter([False, False, True])
    assert warm(catalog, lambda: next(answers)) == 2


class Slow(MemoryCatalog):
    """Is asked something, and fails when it is told to go on."""

    def __init__(self) -> None:
        super().__init__("slow")
        self.asked, self.may_go_on = threading.Event(), threading.Event()

    def version(self) -> CatalogVersion:
        self.asked.set()
        self.may_go_on.wait()
        raise ValueError("it is closed")


@pytest.mark.parametrize("is_over", [False, True])
def test_what_fails_because_it_was_closed_is_not_told(
    caplog: pytest.LogCaptureFixture, *, is_over: bool
) -> None:
    slow = Slow()
    with warming([slow]) as thread:
        assert slow.asked.wait(60)
        if not is_over:
            slow.may_go_on.set()
            thread.join()
    slow.may_go_on.set()
    thread.join()
    told = [
        record.message for record in caplog.records if record.name == "lakeport.app.serve.warming"
    ]
    assert told == ([] if is_over else ["warming.failed"])


def test_a_catalog_that_is_far_away_is_left_alone(project: Path, catalog: IcebergCatalog) -> None:
    with opened(project) as lake:
        lake.create_table("shop.more", pa.schema([("id", pa.int64())]))
    seconds = count()
    assert warm(catalog, clock=lambda: float(next(seconds))) == TABLES
    assert warm(catalog, clock=lambda: 0.0) == TABLES + 1


def test_there_is_nothing_to_read_of_a_catalog_in_memory() -> None:
    assert warm(MemoryCatalog("lake")) == 0
