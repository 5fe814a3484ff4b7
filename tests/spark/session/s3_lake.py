"""A lake in S3, written by a Spark of its own: programs for `test_s3.py`, each in a process of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

import lakeport
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.pipeline.session import SparkOptions, start_spark
from tests.engines.plain import Row, in_order, rows_of
from tests.spark.network import Asked, Network, Reply, Send, network
from tests.spark.strict import Strict

BUCKET = "lake"
KEY, SECRET = "access", "not-for-messages"

PARTITIONED = {"partitioned_by": ["bucket(4, k)"]}
WRITES: tuple[tuple[object, dict[str, Any]], ...] = (
    ("SELECT CAST(id AS INT) AS k, concat('n', id) AS v FROM range(4)", PARTITIONED),
    ("SELECT 1 AS k, DATE '2026-01-01' AS day", {"unique_key": "k"}),
    ("SELECT 2L AS k, 'm' AS v UNION ALL SELECT 9L, 'm'", {"unique_key": "k", "strategy": "merge"}),
    (pa.table({"k": [7]}), {"strategy": "append"}),
)
AGENTS = {"Spark": "Apache-HttpClient", "PyIceberg": "PyIceberg"}
EXPECTED = [
    (0, "n0", None),
    (1, None, date(2026, 1, 1)),
    (2, "m", None),
    (3, "n3", None),
    (7, None, None),
    (9, "m", None),
]


def properties(endpoint: str) -> dict[str, str]:
    return {
        "s3.endpoint": endpoint,
        "s3.access-key-id": KEY,
        "s3.secret-access-key": SECRET,
        "s3.server-side-encryption": "aws:kms",
    }


def written_by_settings(folder: Path, endpoint: str) -> dict[str, object]:
    """Everything from `lakeport.toml`, as a user has it."""
    _forget_amazon()
    with lakeport.open(folder) as lake:
        told = _written(lake)
        found = properties(endpoint) | {"s3.region": "us-east-1"}
        uri = f"sqlite:///{folder / 'c.db'}"
        with SqlCatalog("lake", uri=uri, warehouse=f"s3://{BUCKET}/wh", **found) as other:
            read = other.load_table(("shop", "t")).scan().to_arrow()
        told["pyiceberg"] = _rows(read)
        return told


def written_to_a_service(folder: Path, endpoint: str, options: SparkOptions) -> dict[str, object]:
    """Of the kind of S3 Tables: requests are signed, nothing is staged, and how files are reached is lent
    with each table.
    """
    _forget_amazon()
    uri, warehouse = f"sqlite:///{folder / 'behind.db'}", f"s3://{BUCKET}/service"
    found = properties(endpoint) | {"s3.region": "us-east-1"}
    inside = Profile("lake", "sql", uri, warehouse, found)
    with IcebergCatalog(inside) as catalog, Lake(catalog) as behind, behind.rest() as service:
        with network() as between:
            lent = {**found, "client.region": "us-east-1", "s3.path-style-access": "true"}
            between.judge = judge = Signed(between, service.token, lent)
            signing = {
                "rest.sigv4-enabled": "true",
                "rest.signing-name": "s3tables",
                "rest.signing-region": "eu-central-1",
                "client.region": "us-east-1",
                "client.access-key-id": KEY,
                "client.secret-access-key": SECRET,
            }
            profile = Profile("lake", "rest", between.to(service.uri), "lake", signing)
            with _opened(profile, options) as lake:
                told = _written(lake)
        told["behind"] = _rows(behind.table("shop.t").scan().read_all())
        told["refused"] = judge.strict.refused
        told["signed"] = [name for name, agent in AGENTS.items() if agent in judge.agents]
        return told


@contextmanager
def _opened(profile: Profile, options: SparkOptions) -> Iterator[Lake]:
    with IcebergCatalog(profile, max_staleness=0.0) as catalog:

        def pipeline() -> Pipeline:
            attached = Attachment.to_service(profile)
            return Pipeline(catalog, lambda: start_spark(options), options.log, attached=attached)

        with Lake(catalog, pipeline=pipeline) as lake:
            yield lake


class Signed:
    """Lets signed requests through, as strict as the other, and remembers whose they were."""

    def __init__(self, between: Network, token: str, lent: dict[str, str]) -> None:
        self.strict = Strict()
        self.agents: set[str] = set()
        self._between = between
        self._token = token
        self._lent = lent

    def __call__(self, asked: Asked, _: Send) -> Reply:
        given = {key.lower(): value for key, value in asked.headers.items()}
        proof = given["authorization"]
        assert proof.startswith(f"AWS4-HMAC-SHA256 Credential={KEY}/"), asked
        assert "/eu-central-1/s3tables/aws4_request" in proof
        self.agents.add(given["user-agent"].partition("/")[0])
        headers = {k: v for k, v in asked.headers.items() if k.lower() != "authorization"}
        known = replace(asked, headers={**headers, "authorization": f"Bearer {self._token}"})
        return self._with_loan(self.strict(known, lambda: self._between.forward(known)))

    def _with_loan(self, reply: Reply) -> Reply:
        if b'"config":{}' not in reply.body or b'"metadata"' not in reply.body:
            return reply
        told = {**json.loads(reply.body), "config": self._lent}
        return replace(reply, body=json.dumps(told).encode())


def _written(lake: Lake) -> dict[str, object]:
    lake.create_namespace("shop")
    made = [lake.write(query, into="shop.t", **settings) for query, settings in WRITES]
    full = lake.write("SELECT 5 AS k", into="shop.other")
    lake.write("SELECT 6 AS k, 'x' AS new", into="shop.other", strategy="full")
    assert full.created
    return {
        "created": [each.created for each in made],
        "versions": [each.version for each in made],
        "lakeport": _rows(lake.table("shop.t").scan().read_all()),
        "spark": _rows(lake.spark().sql("TABLE shop.t").toArrow()),
        "other": _rows(lake.table("shop.other").scan().read_all()),
        "tables": lake.tables(),
    }


def _rows(table: pa.Table) -> list[Row]:
    return in_order(rows_of(table))


def _forget_amazon() -> None:
    """What a machine knows of Amazon's would do instead of settings."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
