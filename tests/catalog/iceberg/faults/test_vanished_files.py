"""A snapshot is expired by somebody else while it is read: that is no damage, and is not told as such."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.upkeep import Policy
from lakeport.core.errors import CorruptDataError, ExpiredError
from tests.catalog.iceberg.faults.leftovers import path_of
from tests.catalog.iceberg.faults.small_disk import open_lake
from tests.catalog.iceberg.faults.statements import make_table


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    with open_lake(tmp_path) as opened:
        yield opened


@pytest.fixture
def elsewhere(catalog: IcebergCatalog, tmp_path: Path) -> Iterator[IcebergTable]:
    """The same table as another process sees it."""
    make_table(catalog, "orders")
    with open_lake(tmp_path) as other:
        yield other.namespace("shop").table("orders")


def test_a_scan_of_what_has_expired_says_so(
    catalog: IcebergCatalog, elsewhere: IcebergTable
) -> None:
    table = catalog.namespace("shop").table("orders")
    splits = table.plan(ScanRequest()).splits
    with table.open(ScanRequest(), splits[0]) as stream:
        elsewhere.compact(Policy(force=True))
        elsewhere.expire(keep=1)
        with pytest.raises(ExpiredError, match="expired meanwhile") as caught:
            stream.read_all()
    assert caught.value.hint


def test_a_missing_file_of_a_snapshot_that_is_there_is_damage(
    catalog: IcebergCatalog, elsewhere: IcebergTable
) -> None:
    place = path_of(catalog.pyiceberg.load_table(("shop", "orders")).location())
    splits = elsewhere.plan(ScanRequest()).splits
    for file in (place / "data").rglob("*.parquet"):
        file.unlink()
    with elsewhere.open(ScanRequest(), splits[0]) as stream, pytest.raises(CorruptDataError):
        stream.read_all()
