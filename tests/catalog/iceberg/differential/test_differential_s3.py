"""The same tables in an object store: metadata, manifests, data and deletes all come from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow.fs import S3FileSystem

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import CorruptDataError, LakeportError
from lakeport.core.timepoint import AtSnapshot
from tests.catalog.iceberg.bad_input.damage import assert_presentable
from tests.catalog.iceberg.differential.readers import SMALL, our_rows
from tests.lakes.generated import random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.schemas import KEY
from tests.lakes.texts import differences
from tests.s3 import s3_server
from tests.strategies import seeded

BUCKET = "lake"
SECRET = "not-for-messages"  # noqa: S105 the server takes any


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def store(endpoint: str) -> S3FileSystem:
    found = S3FileSystem(
        endpoint_override=endpoint,
        access_key="access",
        secret_key=SECRET,
        region="us-east-1",
        allow_bucket_creation=True,
    )
    found.create_dir(BUCKET)
    return found


def upload(lake: Lake, store: S3FileSystem) -> None:
    for path in lake.warehouse.rglob("*"):
        if path.is_file():
            with store.open_output_stream(f"{BUCKET}{path}") as stream:
                stream.write(path.read_bytes())


def remote_profile(lake: Lake, endpoint: str) -> Profile:
    properties = {
        "s3.endpoint": endpoint,
        "s3.region": "us-east-1",
        "s3.access-key-id": "access",
        "s3.secret-access-key": SECRET,
    }
    warehouse = f"s3://{BUCKET}{lake.warehouse}"
    return Profile(lake.name, "sql", f"sqlite:///{lake.database}", warehouse, properties)


@pytest.mark.parametrize("seed", [1, 30])
def test_a_generated_table_in_an_object_store(
    tmp_path: Path, endpoint: str, store: S3FileSystem, seed: int
) -> None:
    lake = Lake(tmp_path, scheme=f"s3://{BUCKET}")
    made = random_lake_table(seeded(seed), lake, "g.t")
    upload(lake, store)
    with IcebergCatalog(remote_profile(lake, endpoint), options=SMALL) as catalog:
        table = catalog.namespace("g").table("t")
        assert differences(our_rows(table), made.rows(), KEY) == []
        for ident in made.snapshots:
            found = our_rows(table, ScanRequest(at=AtSnapshot(ident)))
            assert differences(found, made.rows(ident), KEY) == []


def test_an_object_that_is_gone_is_an_error(
    tmp_path: Path, endpoint: str, store: S3FileSystem
) -> None:
    lake = Lake(tmp_path, scheme=f"s3://{BUCKET}")
    made = random_lake_table(seeded(1), lake, "g.t")
    upload(lake, store)
    assert made.head is not None
    location = made.head.files[0].path
    store.delete_file(location.removeprefix("s3://"))
    with (
        IcebergCatalog(remote_profile(lake, endpoint)) as catalog,
        pytest.raises(LakeportError) as caught,
    ):
        our_rows(catalog.namespace("g").table("t"))
    assert isinstance(caught.value, CorruptDataError)
    assert "missing" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert_presentable(caught.value, lake)
