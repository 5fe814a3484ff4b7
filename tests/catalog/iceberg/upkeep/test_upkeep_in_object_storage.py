"""The same upkeep where files are objects in a store, through Arrow and through fsspec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.fs import FileSelector, FileType, S3FileSystem

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows
from lakeport.catalog.upkeep import DAY
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.upkeep.readers import EVERYTHING
from tests.s3 import s3_server

BUCKET = "lake"
SCHEMA = schema_of(k=pa.int64(), g=pa.string())


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with s3_server() as address:
        yield address


def store(endpoint: str) -> S3FileSystem:
    return S3FileSystem(
        endpoint_override=endpoint,
        access_key="access",
        secret_key="secret",  # noqa: S106 the server takes any
        region="us-east-1",
        allow_bucket_creation=True,
    )


def objects(found: S3FileSystem, folder: str) -> set[str]:
    listed = found.get_file_info(FileSelector(folder, recursive=True))
    return {each.base_name for each in listed if each.type == FileType.File}


def test_upkeep_of_a_table_in_a_bucket(endpoint: str, tmp_path: Path) -> None:
    found = store(endpoint)
    found.create_dir(BUCKET)
    properties = {
        "s3.endpoint": endpoint,
        "s3.region": "us-east-1",
        "s3.access-key-id": "access",
        "s3.secret-access-key": "secret",
    }
    profile = Profile(
        "lake", "sql", f"sqlite:///{tmp_path / 'c.db'}", f"s3://{BUCKET}/wh", properties
    )
    with IcebergCatalog(profile) as catalog:
        catalog.create_namespace(NamespaceInfo("s"))
        definition = Definition(SCHEMA, partitioned_by=("g",))
        table = catalog.namespace("s").create_table("t", definition)
        for k in range(3):
            rows = [{"k": 10 * k + n, "g": "ab"[n % 2]} for n in range(4)]
            insert_rows(table, pa.Table.from_pylist(rows, SCHEMA))
        delete_where(table, "k = 11")
        folder = table.storage().location.removeprefix("s3://")
        with found.open_output_stream(f"{folder}/data/g=a/stray.parquet") as stream:
            stream.write(b"left over")
        assert not list(table.orphans(grace=DAY))
        (stray,) = table.orphans(grace=0)
        assert (stray.path, stray.bytes) == (f"s3://{folder}/data/g=a/stray.parquet", 9)
        assert table.remove_orphans(grace=0).files == 1
        assert table.compact(EVERYTHING).written == 2
        assert table.rewrite_manifests(EVERYTHING).after == 1
        assert table.forget(EVERYTHING).left == 0
        assert not list(table.orphans(grace=0))
        left = objects(found, folder)
        assert sum(name.endswith(".parquet") for name in left) == 2
        with read(table, ScanRequest(columns=("k",))) as rows_left:
            kept = [row["k"] for row in rows_left.read_all().to_pylist()]
        assert sorted(kept) == [0, 1, 2, 3, 10, 12, 13, 20, 21, 22, 23]


def test_files_are_listed_through_fsspec_too(tmp_path: Path) -> None:
    properties = {"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO"}
    uri, warehouse = f"sqlite:///{tmp_path / 'c.db'}", f"file://{tmp_path / 'wh'}"
    with IcebergCatalog(Profile("lake", "sql", uri, warehouse, properties)) as catalog:
        catalog.create_namespace(NamespaceInfo("s"))
        table = catalog.namespace("s").create_table("t", Definition(SCHEMA))
        insert_rows(table, pa.Table.from_pylist([{"k": 1, "g": "a"}], SCHEMA))
        assert not list(table.orphans(grace=0))
        folder = Path(table.storage().location.removeprefix("file://"))
        stray = folder / "data" / "stray.parquet"
        stray.write_bytes(b"x")
        assert [orphan.path for orphan in table.orphans(grace=0)] == [f"file://{stray}"]
        assert not list(table.orphans())
        assert table.remove_orphans(grace=0).files == 1
        assert not stray.exists()
