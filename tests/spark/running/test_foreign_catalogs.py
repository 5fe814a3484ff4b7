"""A project whose catalog is a REST service of somebody else's: Spark goes there past any door of ours.

A lake of ours behind a strict machine stands for it: no staged create, no drop without purge, one table
per commit, as S3 Tables and Glue have it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lakeport import UnsupportedError
from lakeport.app.lake.lake import Lake
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.spark.network import Asked, Reply, Send, error, network
from tests.spark.running.folder import Folder, of, statuses
from tests.spark.strict import Strict

CATALOG = """
[catalog]
type = "rest"
uri = "{uri}"
warehouse = "lake"
token = "{token}"
max_staleness = 0
"""
TOGETHER = "transactions/commit"


class OneByOne(Strict):
    """It does not offer to commit several tables at once, and does not do it."""

    def __call__(self, asked: Asked, send: Send) -> Reply:
        if asked.commits_together:
            return error(406, "UnsupportedOperationException", "one table at a time")
        reply = super().__call__(asked, send)
        if not asked.path.endswith("/v1/config"):
            return reply
        told = json.loads(reply.body)
        told["endpoints"] = [each for each in told["endpoints"] if TOGETHER not in each]
        return replace(reply, body=json.dumps(told).encode())


@pytest.fixture
def behind(catalog: IcebergCatalog) -> Iterator[Lake]:
    """The lake that the service serves, seen from its own side."""
    with Lake(catalog) as opened:
        yield opened


@pytest.fixture
def strict(behind: Lake, folder: Folder) -> Iterator[OneByOne]:
    judge = OneByOne()
    with network() as between, behind.rest() as service:
        between.judge = judge
        folder.toml(CATALOG.format(uri=between.to(service.uri), token=service.token))
        yield judge


def shop(folder: Folder) -> None:
    folder.load("raw.orders", [{"id": 1, "amount": 10}, {"id": 2, "amount": 20}])
    folder.model("staging.orders", "SELECT id, amount FROM raw.orders", unique_key=["id"])
    folder.model(
        "marts.total",
        "SELECT count(*) AS n, sum(amount) AS amount FROM staging.orders",
        materialized="table",
        audits=[{"not_null": ["n"]}],
    )


def test_a_project_is_built_grown_and_built_again_there(
    folder: Folder, behind: Lake, strict: OneByOne
) -> None:
    shop(folder)
    assert statuses(folder.run()) == {"staging.orders": "succeeded", "marts.total": "succeeded"}
    folder.load("raw.orders", [{"id": 3, "amount": 5}])
    folder.model("staging.orders", "SELECT id, 'x' AS note FROM raw.orders", unique_key=["id"])
    folder.model("marts.total", "SELECT count(*) AS n FROM staging.orders", materialized="table")
    for publish in ("direct", "branch"):
        result = folder.run(publish=publish)
        assert result.status == "succeeded", [model.error for model in result.models]
    assert folder.columns("staging.orders") == ["id", "amount", "note"]
    assert folder.rows("staging.orders") == [(1, None, "x"), (2, None, "x"), (3, None, "x")]
    assert folder.rows("marts.total") == [(3, None)]
    assert folder.refs("staging.orders") == {"main"}
    assert {each.name for each in behind.namespaces()} == {"raw", "staging", "marts"}
    assert strict.refused == []


def test_all_at_once_is_refused_before_anything_is_written(
    folder: Folder, behind: Lake, strict: OneByOne
) -> None:
    shop(folder)
    with pytest.raises(UnsupportedError, match="cannot change several tables as one") as caught:
        folder.run(publish="run-atomic")
    assert "publish" in (caught.value.hint or "")
    assert behind.tables() == ["raw.orders"]
    assert strict.refused == []
    assert folder.run().status == "succeeded"


@pytest.mark.parametrize("table", ["marts.total", "staging.orders"])
def test_a_model_in_python_that_drops_a_column_fails_by_its_name(
    folder: Folder, strict: OneByOne, table: str
) -> None:
    """Nobody at that door refuses it."""
    shop(folder)
    assert folder.run().status == "succeeded"
    (folder.root / "models/marts/total.sql").unlink()
    code = (
        "def model(context):\n"
        f"    context.spark.sql('ALTER TABLE {table} DROP COLUMN amount')\n"
        "    return context.sql('SELECT count(*) AS n FROM staging.orders')\n"
    )
    folder.python("marts.total", code, depends_on=["staging.orders"])
    result = folder.run("marts.total")
    assert result.status == "failed"
    failed = of(result, "marts.total")
    assert failed.error is not None
    assert f"column `amount` of table `{table}` was dropped" in str(failed.error)
    assert len(folder.runs("marts.total")) == 1  # and nothing was written
    assert strict.refused == []
