"""A project whose catalog is a REST service of somebody else's: Spark goes there past any door of ours.

A lake of ours behind a strict machine stands for it: no staged create, no drop without purge, as S3 Tables and
Glue have it. Whether it commits several tables at once is for it to say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

import pytest

from lakeport import UnsupportedError
from lakeport.app.lake.lake import Lake
from lakeport.app.project.rollback import Rollback
from lakeport.app.wiring import open_catalog, open_state
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.running.events import WrittenAgain
from tests.engines.plain import Row, in_order, rows_of
from tests.spark.network import Asked, Reply, Send, error, network
from tests.spark.running.folder import Folder, of, statuses
from tests.spark.strict import Strict

CATALOG = """
[catalog]
type = "rest"
uri = "{uri}"
warehouse = "lake"
token = "{token}"
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


class AllAtOnce(Strict):
    """It does, and now and then its answer gets lost."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[str]] = []
        self.loses = 0
        self.before: Callable[[], None] = lambda: None

    def __call__(self, asked: Asked, send: Send) -> Reply:
        if not asked.commits_together:
            return super().__call__(asked, send)
        self.before()
        reply = send()
        self.tables.append([each["identifier"]["name"] for each in asked.json["table-changes"]])
        if self.loses:
            self.loses -= 1
            return error(502, "BadGatewayException")
        return reply


S = TypeVar("S", bound=Strict)


@contextmanager
def service(behind: Lake, folder: Folder, judge: S, *, growth: bool = False) -> Iterator[S]:
    with network() as between, behind.rest(growth=growth) as door:
        between.judge = judge
        folder.toml(CATALOG.format(uri=between.to(door.uri), token=door.token))
        yield judge


@pytest.fixture
def strict(behind: Lake, folder: Folder) -> Iterator[OneByOne]:
    with service(behind, folder, OneByOne()) as judge:
        yield judge


@pytest.fixture
def together(behind: Lake, folder: Folder) -> Iterator[AllAtOnce]:
    """Another Lakeport, which is shown a token for runs: there tables lose nothing."""
    with service(behind, folder, AllAtOnce(), growth=True) as judge:
        yield judge


def rows_at(lake: Lake, table: str) -> list[Row]:
    with lake.table(table).scan() as found:
        return in_order(rows_of(found.read_all()))


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
    assert 'publish = "branch"' in (caught.value.hint or "")
    assert folder.events == []  # Spark was not even asked for
    assert behind.tables() == ["raw.orders"]
    assert strict.refused == []
    assert folder.run().status == "succeeded"


def test_all_at_once_where_the_service_can_do_it(
    folder: Folder, behind: Lake, together: AllAtOnce
) -> None:
    shop(folder)
    first = folder.run(publish="run-atomic")
    assert first.status == "succeeded", [model.error for model in first.models]
    assert together.tables == [["orders", "total"]]
    folder.load("raw.orders", [{"id": 3, "amount": 5}])
    seen: list[list[Row]] = []

    def look() -> None:
        """What readers have right before the one commit."""
        seen.append([*rows_at(behind, "staging.orders"), *rows_at(behind, "marts.total")])

    together.before = look
    together.loses = 1
    second = folder.run(publish="run-atomic")
    assert second.status == "succeeded", [model.error for model in second.models]
    # What came after a branch was read from it, and the answer that got lost was no reason to repeat.
    assert seen == [[(1, 10), (2, 20), (2, 30)]]
    assert folder.rows("staging.orders") == [(1, 10), (2, 20), (3, 5)]
    assert folder.rows("marts.total") == [(3, 35)]
    assert len(together.tables) == 2
    for name in ("staging.orders", "marts.total"):
        assert folder.refs(name) == {"main"}
        assert folder.runs(name) == [first.run_id, second.run_id]
    # Back by one commit, too.
    together.before = lambda: None
    settings = folder.settings()
    with open_catalog(settings) as catalog, open_state(settings) as store:
        report = Rollback(catalog, store).run(second.run_id)
    assert (report.together, len(together.tables)) == (True, 3)
    assert folder.rows("staging.orders") == [(1, 10), (2, 20)]
    assert folder.rows("marts.total") == [(2, 30)]
    assert together.refused == []


def test_who_was_overtaken_there_is_made_again(
    folder: Folder, behind: Lake, together: AllAtOnce
) -> None:
    shop(folder)
    assert folder.run(publish="run-atomic").status == "succeeded"

    def rival() -> None:
        together.before = lambda: None
        behind.table("staging.orders").append([{"id": 9, "amount": 100}])

    together.before = rival
    result = folder.run(publish="run-atomic")
    assert result.status == "succeeded", [model.error for model in result.models]
    assert folder.rows("staging.orders") == [(1, 10), (2, 20), (9, 100)]
    assert folder.rows("marts.total") == [(3, 130)]
    (again,) = [event for event in folder.events if isinstance(event, WrittenAgain)]
    assert [str(name) for name in again.models] == ["staging.orders", "marts.total"]


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
