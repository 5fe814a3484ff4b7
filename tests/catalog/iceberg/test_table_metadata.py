"""Metadata files: read once, kept within bounds, in every form that writers give them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.core.errors import CorruptDataError, UnavailableError, UnsupportedError
from tests.lakes.lake import Lake

SCHEMA = Schema(NestedField(1, "k", LongType()))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


@pytest.fixture
def catalog(lake: Lake) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(lake.profile) as opened:
        yield opened


@pytest.mark.parametrize("ending", [".gz.metadata.json", ".metadata.json.gz", ".metadata.json"])
def test_compressed_metadata_is_read_whatever_it_is_called(
    lake: Lake, catalog: IcebergCatalog, ending: str
) -> None:
    lake.create("shop.items", SCHEMA)
    plain = Path(lake.load("shop.items").metadata_location.removeprefix("file://"))
    packed = plain.parent / f"00007-packed{ending}"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    lake.publish("shop.items", f"file://{packed}")
    assert catalog.namespace("shop").table("items").state().schema_id == 0


def test_locations_without_a_scheme_are_local_paths(tmp_path: Path) -> None:
    lake = Lake(tmp_path, scheme="")
    lake.create("shop.items", SCHEMA)
    with IcebergCatalog(lake.profile) as catalog:
        assert catalog.namespace("shop").table("items").state().version == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"format-version": 2}',
        b'{"format-version": true}',
        b"\xff\xfe",
        b"\x1f\x8b\x00",
        b"{",
    ],
)
def test_a_damaged_metadata_file_is_named(
    lake: Lake, catalog: IcebergCatalog, content: bytes
) -> None:
    lake.create("shop.items", SCHEMA)
    table = catalog.namespace("shop").table("items")
    broken = lake.warehouse / "broken.metadata.json"
    broken.write_bytes(content)
    lake.publish("shop.items", f"file://{broken}")
    with pytest.raises(CorruptDataError, match=r"`broken\.metadata\.json` of table `shop\.items`"):
        table.state()
    assert list(catalog.namespace("shop").tables()) == ["items"]


def edit(lake: Lake, **changes: object) -> None:
    """Publish the table's metadata with some members changed."""
    location = Path(lake.load("shop.items").metadata_location.removeprefix("file://"))
    changed = json.loads(location.read_text()) | {
        key.replace("_", "-"): value for key, value in changes.items()
    }
    edited = location.parent / "00009-edited.metadata.json"
    edited.write_text(json.dumps(changed))
    lake.publish("shop.items", f"file://{edited}")


def test_a_table_whose_current_snapshot_is_not_listed_is_not_empty(
    lake: Lake, catalog: IcebergCatalog
) -> None:
    lake.create("shop.items", SCHEMA)
    edit(lake, current_snapshot_id=4711)
    with pytest.raises(CorruptDataError, match="does not list its current snapshot"):
        catalog.namespace("shop").table("items").state()


def test_a_format_newer_than_us_is_unsupported(lake: Lake, catalog: IcebergCatalog) -> None:
    lake.create("shop.items", SCHEMA)
    edit(lake, format_version=4)
    with pytest.raises(UnsupportedError, match="Iceberg format 4"):
        catalog.namespace("shop").table("items").state()


def test_a_type_newer_than_us_is_unsupported(lake: Lake, catalog: IcebergCatalog) -> None:
    lake.create("shop.items", SCHEMA, version=3)
    fields = [{"id": 1, "name": "k", "type": "variant", "required": False}]
    edit(lake, schemas=[{"type": "struct", "schema-id": 0, "fields": fields}])
    with pytest.raises(UnsupportedError, match="a type that cannot be read yet: `variant`"):
        catalog.namespace("shop").table("items").state()


def test_a_table_cannot_say_how_its_files_are_reached(lake: Lake, catalog: IcebergCatalog) -> None:
    """Whoever may alter a table could send our credentials elsewhere, or load a class."""
    evil = {"s3.endpoint": "http://evil.example.com", "py-io-impl": "nowhere.FileIO"}
    lake.create("shop.items", SCHEMA, properties=evil)
    source = catalog.namespace("shop").table("items").source()
    assert not evil.keys() & source.io.properties.keys()
    assert not evil.keys() & catalog.pyiceberg.load_table("shop.items").io.properties.keys()


def test_a_failed_load_is_not_remembered(lake: Lake, catalog: IcebergCatalog) -> None:
    lake.create("shop.items", SCHEMA)
    table = catalog.namespace("shop").table("items")
    good = Path(lake.load("shop.items").metadata_location.removeprefix("file://"))
    content = good.read_bytes()
    good.unlink()
    with pytest.raises(CorruptDataError, match="is missing"):
        table.state()
    good.write_bytes(content)
    assert table.state().version == 0


def test_a_warehouse_that_cannot_be_entered_is_told(lake: Lake, catalog: IcebergCatalog) -> None:
    lake.create("shop.items", SCHEMA)
    table = catalog.namespace("shop").table("items")
    # Root may enter every folder, but nobody can enter a file, nor a link to itself.
    (lake.folder / "loop").symlink_to(lake.folder / "loop")
    lake.publish("shop.items", f"file://{lake.folder}/loop/x.metadata.json")
    with pytest.raises(UnavailableError) as caught:
        table.state()
    assert str(lake.folder) not in str(caught.value)
    lake.publish("shop.items", f"file://{lake.database}/x.metadata.json")
    with pytest.raises(CorruptDataError, match="is missing"):
        table.state()


def test_a_place_we_have_no_way_to_is_unsupported(lake: Lake, catalog: IcebergCatalog) -> None:
    lake.create("shop.items", SCHEMA)
    table = catalog.namespace("shop").table("items")
    lake.publish("shop.items", "moon://crater/x.metadata.json")
    with pytest.raises(UnsupportedError, match="moon"):
        table.state()


def test_what_is_remembered_of_many_tables_stays_within_bounds(lake: Lake) -> None:
    for number in range(30):
        lake.create(f"shop.t{number}", SCHEMA)
    with IcebergCatalog(lake.profile, cache_bytes=1_000_000) as catalog:
        sources = [catalog.namespace("shop").table(f"t{number}").source() for number in range(30)]
        assert 0 < len(sources[0].caches.metadata) < 30
        assert len({source.metadata.table_uuid for source in sources}) == 30
        assert len({id(source.io) for source in sources}) == 1
