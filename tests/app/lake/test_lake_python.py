"""`lakeport.open` and what it gives, on both catalogs."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import lakeport
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.reader import closing_reader
from lakeport.app.lake.writing import create_table, ensure_namespace
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import Ref, Scannable, require
from lakeport.catalog.query import Query, point_of, request_of
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtRef, AtTime, AtVersion
from tests.behaviours.lake import schema_of

COLUMNS = schema_of(k=pa.int64(), name=pa.string(), price=pa.decimal128(9, 2))


@pytest.fixture
def shop(lake: Lake) -> Lake:
    """A lake with `shop.items`, two commits of two rows."""
    ensure_namespace(lake.catalog, "shop")
    create_table(lake.catalog, TableName("shop", "items"), Definition(COLUMNS))
    items = lake.table("shop.items")
    items.append([{"k": 1, "name": "pen", "price": "1.20"}, {"k": 2, "name": "ink", "price": "7"}])
    items.append(pa.table({"k": [3, 4], "name": ["nib", None]}))
    return lake


def keys(reader: pa.RecordBatchReader) -> list[int]:
    with reader:
        found = reader.read_all().column("k").to_pylist()
    return sorted(key for key in found if key is not None)


def test_tables_are_found_in_any_spelling(shop: Lake) -> None:
    assert shop.tables() == ["shop.items"]
    assert shop.tables("SHOP") == ["shop.items"]
    assert [info.name for info in shop.namespaces()] == ["shop"]
    items = shop.table("Shop.ITEMS")
    assert (items.name, items.schema.equals(COLUMNS)) == ("shop.items", True)


def test_an_unknown_table_names_the_nearest(shop: Lake) -> None:
    with pytest.raises(NotFoundError) as caught:
        shop.table("shop.itmes")
    assert caught.value.hint == "did you mean `shop.items`? tables: shop.items"
    with pytest.raises(NotFoundError, match=r"there is no table `shp\.items`"):
        shop.table("shp.items")
    with pytest.raises(InvalidRequestError) as bare:
        shop.table("items")
    assert bare.value.hint == "did you mean `shop.items`?"


def test_scans_choose_columns_rows_and_points(shop: Lake) -> None:
    items = shop.table("shop.items")
    assert keys(items.scan()) == [1, 2, 3, 4]
    assert keys(items.scan(where="price > 5 OR name IS NULL")) == [2, 4]
    assert keys(items.scan(["K"], "lower(name) LIKE '%n%'")) == [1, 2, 3]
    assert keys(items.scan(at=1)) == [1, 2]
    assert keys(items.scan(at="version:1", where="k = 1")) == [1]
    assert items.scan(limit=3).read_all().num_rows == 3
    assert items.scan(columns=["price", "k"]).schema.names == ["price", "k"]
    assert keys(items.scan(at="2000-01-01")) == []


def test_conditions_skip_files_that_cannot_match(lake: Lake) -> None:
    ensure_namespace(lake.catalog, "s")
    port = create_table(lake.catalog, TableName("s", "t"), Definition(COLUMNS))
    for start in (0, 100, 200):
        lake.table("s.t").append(pa.table({"k": range(start, start + 100)}))
    source = require(port, Scannable, "t")

    def parts(where: str) -> int:
        plan = source.plan(request_of(port, Query(where=where)))
        return sum(len(split.parts) for split in plan.splits)

    assert parts("k >= 0") == 3
    assert parts("k = 150") == 1
    assert parts("k BETWEEN 90 AND 110 AND lower(name) IS NULL") == 2
    assert keys(lake.table("s.t").scan(where="k = 150 OR k = 250")) == [150, 250]


def test_a_scan_is_refused_before_it_starts(shop: Lake) -> None:
    items = shop.table("shop.items")
    with pytest.raises(NotFoundError, match="no column `prize`"):
        items.scan(columns=["prize"])
    with pytest.raises(InvalidRequestError, match="there is no column `prize`"):
        items.scan(where="prize > 1")
    with pytest.raises(InvalidRequestError, match="not one text"):
        items.scan(columns="k")
    with pytest.raises(NotFoundError, match="version 9"):
        items.scan(at=9)
    with pytest.raises(InvalidRequestError, match="negative"):
        items.scan(limit=-1)


def test_other_libraries_read_a_scan(shop: Lake) -> None:
    with duckdb.connect() as database:
        database.register("items", shop.table("shop.items").scan())
        assert database.sql("SELECT sum(k), count(name) FROM items").fetchone() == (10, 3)


def test_history_and_refs(shop: Lake) -> None:
    items = shop.table("shop.items")
    first, second = items.history()
    assert [first.version, second.version] == [1, 2]
    assert items.tag("monday", at=1) == Ref("monday", "tag", first.snapshot_id)
    assert ("monday", "tag") in [(ref.name, ref.kind) for ref in items.refs()]
    assert keys(items.scan(at="monday")) == keys(items.scan(at="tag:monday")) == [1, 2]
    assert keys(items.scan(at=f"snapshot:{second.snapshot_id}")) == [1, 2, 3, 4]
    assert items.schema_at("monday").equals(COLUMNS)


# -- points and readers --------------------------------------------------------------------------


def test_points_are_written_in_many_ways() -> None:
    assert point_of(3) == AtVersion(3)
    assert point_of("v1") == AtRef("v1")
    noon = AtTime(1_705_320_000 * 10**9 + 5_000)
    assert point_of(datetime(2024, 1, 15, 12, microsecond=5)) == noon  # noqa: DTZ001  without a zone it is UTC
    assert point_of(datetime(2024, 1, 15, 12, 0, 0, 5, tzinfo=UTC)) == noon
    eastern = timezone(timedelta(hours=-5))
    assert point_of(datetime(2024, 1, 15, 7, 0, 0, 5, tzinfo=eastern)) == noon
    assert point_of(AtVersion(1)) == AtVersion(1)
    with pytest.raises(InvalidRequestError):
        point_of(True)  # noqa: FBT003  that is what is refused


def endless(closed: threading.Event) -> BatchStream:
    batch = pa.RecordBatch.from_pydict({"a": [1]})
    return BatchStream(batch.schema, iter(lambda: batch, None), closed.set)


def test_closing_a_reader_frees_its_stream() -> None:
    closed = threading.Event()
    with closing_reader(endless(closed)) as reader:
        assert reader.read_next_batch().num_rows == 1
        assert not closed.is_set()
    assert closed.is_set()


def test_dropping_a_reader_frees_its_stream() -> None:
    closed = threading.Event()
    reader = closing_reader(endless(closed))
    assert reader.read_next_batch().num_rows == 1
    del reader
    assert closed.is_set()


def test_closing_a_scan_half_way_leaves_no_thread(lake: Lake) -> None:
    ensure_namespace(lake.catalog, "s")
    create_table(lake.catalog, TableName("s", "t"), Definition(COLUMNS))
    for start in range(3):
        lake.table("s.t").append(pa.table({"k": range(start, start + 50_000)}))
    before = set(threading.enumerate())
    with lake.table("s.t").scan() as rows:
        assert rows.read_next_batch().num_rows > 0
    assert set(threading.enumerate()) <= before


def test_readers_keep_extension_types() -> None:
    schema = pa.schema([("u", pa.uuid()), ("j", pa.json_(pa.string())), ("b", pa.bool8())])
    empty = BatchStream(schema, iter(()))
    assert closing_reader(empty).schema.equals(schema)


# -- opening -------------------------------------------------------------------------------------


def test_opening_needs_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LakeportError, match=r"there is no lakeport\.toml"):
        lakeport.open()
    with pytest.raises(LakeportError, match=r"there is no lakeport\.toml"):
        lakeport.open(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_lake_can_be_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lakeport.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    for is_new in (True, False):
        with lakeport.open() as lake:
            assert ensure_namespace(lake.catalog, "shop") is is_new
            assert repr(lake) == "<lakeport lake lake>"
