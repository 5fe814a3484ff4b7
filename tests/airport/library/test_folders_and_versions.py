"""Ready-made sources: a folder of Parquet files, and a table with a past."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.flight as fl
import pyarrow.parquet as pq
import pytest

from lakeport.airport import Catalog, ParquetFolder, Version
from lakeport.core.errors import ConfigurationError, NotFoundError
from tests.airport.attached import Attached, attached
from tests.airport.scans.duck import Duck, path

FIRST = pa.table({"id": [1, 2]})
SECOND = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})
DAY = dt.datetime(2024, 5, 1)  # noqa: DTZ001  without a zone it is UTC


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    (root / "shop" / "parts").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / ".hidden").mkdir()
    pq.write_table(SECOND, root / "shop" / "orders.parquet")
    for number in range(2):
        pq.write_table(FIRST, root / "shop" / "parts" / f"{number}.parquet")
    (root / "shop" / "notes.txt").write_text("no table")
    pq.write_table(FIRST, tmp_path / "outside.parquet")
    (root / "shop" / "stolen.parquet").symlink_to(tmp_path / "outside.parquet")
    (root / "out").symlink_to(tmp_path)
    return root


@pytest.fixture
def client(folder: Path) -> Iterator[Attached]:
    with attached(ParquetFolder(folder, name="lake")) as made:
        yield made


def test_folders_are_namespaces_and_files_are_tables(folder: Path, client: Attached) -> None:
    catalog = ParquetFolder(folder)
    assert catalog.name == "data"
    assert [info.name for info in catalog.namespaces()] == ["empty", "shop"]
    assert sorted(catalog.namespace("SHOP").tables()) == ["orders", "parts"]
    assert client.duck.scan(path("shop", "orders")) == SECOND
    assert client.duck.scan(path("shop", "parts")).num_rows == 4


def test_files_that_come_and_go_are_noticed(folder: Path, client: Attached) -> None:
    catalog = ParquetFolder(folder)
    before = catalog.version()
    assert catalog.version() == before
    pq.write_table(FIRST, folder / "shop" / "late.parquet")
    assert catalog.version().number > before.number
    assert client.duck.scan(path("shop", "late")).num_rows == 2
    (folder / "shop" / "late.parquet").unlink()
    with pytest.raises(pa.ArrowKeyError, match="no table"):
        client.duck.scan(path("shop", "late"))


@pytest.mark.parametrize("name", ["stolen", "..", "../outside", "/etc/passwd", "notes", "parts/0"])
def test_nothing_outside_of_the_folder_is_a_table(folder: Path, name: str) -> None:
    with pytest.raises(NotFoundError):
        ParquetFolder(folder).namespace("shop").table(name)
    with pytest.raises(NotFoundError):
        ParquetFolder(folder).namespace("out")


def test_a_broken_file_fails_its_own_table_alone(folder: Path, client: Attached) -> None:
    (folder / "shop" / "bad.parquet").write_bytes(b"PAR1 no PAR1")
    with pytest.raises((fl.FlightError, pa.ArrowException)) as told:
        client.duck.scan(path("shop", "bad"))
    assert "table `shop.bad` cannot be read" in str(told.value)
    assert os.fspath(folder) not in str(told.value)
    assert client.duck.scan(path("shop", "orders")) == SECOND


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no folder"):
        ParquetFolder(tmp_path / "nothing")


def test_versions_are_read_by_number_and_by_moment() -> None:
    lake = Catalog("lake")
    versions = [
        Version(1, DAY, FIRST),
        Version(2, DAY + dt.timedelta(days=1), lambda: SECOND, schema=SECOND.schema),
    ]
    lake.schema("s").versions("t", lambda: versions)
    table = path("s", "t")
    with attached(lake) as client:
        duck = Duck(client.flight)

        def at(unit: str, value: str) -> pa.Table:
            return duck.scan(table, at_unit=unit, at_value=value)

        assert duck.scan(table) == SECOND
        assert at("VERSION", "1") == FIRST
        assert at("TIMESTAMP", "2024-05-01 12:00:00") == FIRST
        assert at("TIMESTAMP", "2024-05-02 00:00:00") == SECOND
        assert at("TIMESTAMP", "2020-01-01").num_rows == 0
        assert duck.flight_info(table, "VERSION", "1").schema == FIRST.schema
        with pytest.raises(pa.ArrowKeyError, match="no version 9"):
            at("VERSION", "9")
        transaction = Duck(client.flight, transaction=str(uuid4()))
        assert transaction.scan(table) == SECOND
        versions.append(Version(3, DAY + dt.timedelta(days=2), SECOND.slice(0, 1)))
        assert transaction.scan(table) == SECOND  # it goes on with what it read first
        assert duck.scan(table).num_rows == 1
