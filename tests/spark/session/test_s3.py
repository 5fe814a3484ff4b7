"""Tables in S3, written by Spark: through our door, and at a service of the kind of S3 Tables.

The S3 is moto's, on a port of its own. The jar that Spark needs for it (69 MB) is fetched once into our cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import boto3  # type: ignore[import-untyped]  # it has none
import pytest
from pyarrow.fs import FileSelector, FileType, S3FileSystem

from lakeport.pipeline.session import SparkOptions
from tests.engines.spark_process import NoSparkError, require_machine
from tests.s3 import s3_server
from tests.spark.session.alone import alone
from tests.spark.session.s3_lake import (
    BUCKET,
    EXPECTED,
    KEY,
    SECRET,
    properties,
    written_by_settings,
    written_to_a_service,
)

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@pytest.fixture
def endpoint() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def store(endpoint: str) -> S3FileSystem:
    found = S3FileSystem(
        endpoint_override=endpoint,
        access_key=KEY,
        secret_key=SECRET,
        region="us-east-1",
        allow_bucket_creation=True,
    )
    found.create_dir(BUCKET)
    return found


@pytest.fixture
def options_for_s3(options: SparkOptions) -> SparkOptions:
    wanted = replace(options, s3=True)
    try:
        require_machine(wanted)
    except NoSparkError as missing:
        if "spark" in os.environ.get("LAKEPORT_REQUIRE", ""):
            raise
        pytest.skip(str(missing))
    return wanted


def files(store: S3FileSystem, folder: str) -> list[str]:
    listed = store.get_file_info(FileSelector(f"{BUCKET}/{folder}", recursive=True))
    return [each.path for each in listed if each.type == FileType.File]


def encryption(endpoint: str, path: str) -> object:
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
    )
    try:
        bucket, _, key = path.partition("/")
        return client.head_object(Bucket=bucket, Key=key).get("ServerSideEncryption")
    finally:
        client.close()


def test_settings_alone_take_spark_to_s3(
    endpoint: str, store: S3FileSystem, options_for_s3: SparkOptions, tmp_path: Path
) -> None:
    found = "\n".join(f'"{key}" = "{value}"' for key, value in properties(endpoint).items())
    conf = "\n".join(f'"{key}" = "{value}"' for key, value in options_for_s3.conf.items())
    (tmp_path / "lakeport.toml").write_text(
        f'[catalog]\nuri = "sqlite:///{tmp_path / "c.db"}"\nwarehouse = "s3://{BUCKET}/wh"\n{found}\n'
        f'[pipeline]\narchive = false\n[pipeline.spark]\nmaster = "local[2]"\n'
        f"[pipeline.spark.conf]\n{conf}\n"
    )
    told = alone(written_by_settings, tmp_path, endpoint)
    assert told["created"] == [True, False, False, False]
    assert told["versions"] == [1, 3, 5, 6]  # a new column, and a wider one, have one of their own
    assert told["lakeport"] == told["spark"] == told["pyiceberg"] == EXPECTED
    assert told["other"] == [(6, "x")]
    assert told["tables"] == ["shop.other", "shop.t"]
    written = [path for path in files(store, "wh/shop") if path.endswith(".parquet")]
    assert {encryption(endpoint, path) for path in written} == {"aws:kms"}
    log = (tmp_path / ".lakeport" / "spark.log").read_text(errors="replace")
    assert SECRET not in log


def test_a_service_whose_requests_are_signed_is_written_by_the_same_path(
    endpoint: str, store: S3FileSystem, options_for_s3: SparkOptions, tmp_path: Path
) -> None:
    told = alone(written_to_a_service, tmp_path, endpoint, options_for_s3)
    assert told["lakeport"] == told["spark"] == told["behind"] == EXPECTED
    assert told["created"] == [True, False, False, False]
    assert told["refused"] == []
    assert told["signed"] == ["Spark", "PyIceberg"]
    assert any(path.endswith(".parquet") for path in files(store, "service"))
