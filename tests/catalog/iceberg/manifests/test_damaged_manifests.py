"""Manifests and manifest lists that were cut or changed: an error that names the file, never fewer rows.

PyIceberg's decoder reads past the end of what it is given; these tests would end the process if it
were trusted.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.create import create_table
from lakeport.catalog.iceberg.manifests.container import DamagedError, open_container
from lakeport.catalog.iceberg.manifests.entries import decode_manifest
from lakeport.catalog.iceberg.manifests.listing import Listed, decode_listing
from lakeport.catalog.ports import NamespaceInfo, Scannable, ScanRequest, require
from lakeport.core.errors import CorruptDataError
from lakeport.core.names import TableName
from tests.catalog.iceberg.manifests.test_manifest_decoding import BY_NAME, SCHEMA, rows
from tests.catalog.iceberg.planning.planned import inventory, plan, source_of
from tests.lakes.lake import Lake
from tests.lakes.table import LakeTable
from tests.strategies import seeded

# What decoding may raise; `load` makes one error of them.
TROUBLE = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    OverflowError,
    AttributeError,
    MemoryError,
    OSError,
)


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> LakeTable:
    codec = getattr(request, "param", "null")
    made = Lake(tmp_path).create("s.t", SCHEMA, spec=BY_NAME, codec=codec)
    made.commit(add=[file for name in ("a", "b") for file in made.data_files(rows(1, name=name))])
    return made


def manifest_file(table: LakeTable) -> Path:
    (listed,) = inventory(source_of(table)).listing.data
    return table.disk_path(listed.path)


def listing_file(table: LakeTable) -> Path:
    assert table.head is not None
    return table.disk_path(table.head.manifest_list)


def test_a_manifest_cut_anywhere_is_an_error(table: LakeTable) -> None:
    path = manifest_file(table)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(CorruptDataError, match="manifest"):
            inventory(source_of(table)).manifest(0)


def test_a_manifest_list_cut_inside_a_block_is_an_error(table: LakeTable) -> None:
    path = listing_file(table)
    whole = path.read_bytes()
    # Cut right after the header it is a list of no manifests, which a table may well have.
    header = whole.index(whole[-16:]) + 16
    for length in set(range(0, len(whole), 7)) - {header}:
        path.write_bytes(whole[:length])
        with pytest.raises(CorruptDataError, match="manifest list"):
            inventory(source_of(table))


def test_a_list_of_nothing_is_an_error_where_the_snapshot_counts_files(tmp_path: Path) -> None:
    profile = Lake(tmp_path).profile
    columns = pa.schema({"k": pa.int64()})
    with IcebergCatalog.open(profile) as catalog:
        catalog.create_namespace(NamespaceInfo("s"))
        create_table(catalog.pyiceberg, TableName("s", "t"), Definition(columns))
        table = catalog.namespace("s").table("t")
        with table.insert() as write:
            write.add(pa.record_batch([pa.array([1])], schema=columns))
            write.commit()
        snapshot = table.source().metadata.current_snapshot()
    assert snapshot is not None
    path = Path(snapshot.manifest_list.removeprefix("file://"))
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(whole[-16:]) + 16])
    with IcebergCatalog.open(profile) as catalog:
        cut = catalog.namespace("s").table("t")
        with pytest.raises(CorruptDataError, match="lists no files"):
            require(cut, Scannable, "it").plan(ScanRequest())


@pytest.mark.parametrize("table", ["null", "deflate"], indirect=True)
def test_changed_bytes_never_hurt_the_process(table: LakeTable) -> None:
    rng = seeded(3)
    manifest, listing = manifest_file(table).read_bytes(), listing_file(table).read_bytes()
    listed = Listed("m.avro", 0, 0, 1, None, None)
    for _ in range(400):
        for data, decode in (
            (manifest, lambda data: decode_manifest(data, listed)),
            (listing, decode_listing),
        ):
            damaged = bytearray(data)
            for _ in range(rng.randint(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF))
            try:
                decode(bytes(damaged))
            except TROUBLE:
                continue


def test_text_in_the_place_of_a_manifest_is_an_error(table: LakeTable) -> None:
    manifest_file(table).write_text("<html>gone</html>")
    with pytest.raises(CorruptDataError, match="is damaged"):
        plan(source_of(table))


def test_an_unknown_compression_is_named() -> None:
    header = b"Obj\x01" + b"\x04"
    for key, value in ((b"avro.schema", b"{}"), (b"avro.codec", b"lzw")):
        header += bytes([2 * len(key)]) + key + bytes([2 * len(value)]) + value
    with pytest.raises(DamagedError, match="lzw"):
        open_container(header + b"\x00" + bytes(16))


def test_a_missing_manifest_is_named_without_its_folder(table: LakeTable) -> None:
    path = manifest_file(table)
    path.unlink()
    with pytest.raises(CorruptDataError, match=path.name) as raised:
        plan(source_of(table))
    assert str(table.folder) not in str(raised.value)
    assert raised.value.hint


def test_a_failed_read_is_tried_again(table: LakeTable) -> None:
    path, source = manifest_file(table), source_of(table)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(CorruptDataError):
        plan(source)
    path.write_bytes(whole)
    assert plan(source).rows == 2
