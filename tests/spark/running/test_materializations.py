"""Every materialization and strategy, through files on a disk."""

from __future__ import annotations

from datetime import UTC, datetime

from lakeport.app.project.volume import last_volume
from tests.spark.running.folder import Folder, of, statuses

ORDERS = [
    {"id": 1, "customer": "ann", "amount": 10, "at": datetime(2026, 1, 1, 10, tzinfo=UTC)},
    {"id": 2, "customer": "bob", "amount": 20, "at": datetime(2026, 1, 2, 10, tzinfo=UTC)},
    {"id": 3, "customer": "ann", "amount": 30, "at": datetime(2026, 1, 3, 10, tzinfo=UTC)},
]


def test_a_project_is_built_in_its_order(folder: Folder) -> None:
    folder.load("raw.orders", ORDERS)
    folder.model("staging.orders", "SELECT id, customer, amount FROM raw.orders", unique_key=["id"])
    folder.model("staging.big", "SELECT * FROM orders WHERE amount > 15", materialized="ephemeral")
    folder.model(
        "marts.customers",
        "SELECT customer, sum(amount) AS total FROM staging.big GROUP BY customer",
        materialized="table",
    )
    folder.model(
        "marts.rich", "SELECT * FROM marts.customers WHERE total > 25", materialized="view"
    )
    folder.model("marts.copy", "SELECT customer FROM marts.rich", strategy="full")
    folder.python(
        "marts.names",
        "def model(context):\n"
        "    context.table('staging.big')\n"
        "    return context.sql('SELECT DISTINCT customer FROM staging.orders WHERE amount >= :least',"
        " least=20)\n",
        depends_on=["staging.orders", "staging.big"],
        materialized="table",
    )
    result = folder.run()
    assert result.status == "succeeded", [model.error for model in result.models]
    assert statuses(result) == {
        "staging.orders": "succeeded",
        "staging.big": "skipped",
        "marts.customers": "succeeded",
        "marts.names": "succeeded",
        "marts.rich": "succeeded",
        "marts.copy": "succeeded",
    }
    assert folder.rows("marts.customers") == [("ann", 30), ("bob", 20)]
    assert folder.rows("marts.copy") == [("ann",)]
    assert folder.rows("marts.names") == [("ann",), ("bob",)]
    assert of(result, "staging.orders").rows == 3
    # A column leaves and one arrives: nothing is lost.
    folder.model(
        "staging.orders",
        "SELECT id, customer, at FROM raw.orders WHERE at >= :start",
        unique_key=["id"],
    )
    again = folder.run("staging.orders")
    assert again.status == "succeeded"
    assert folder.columns("staging.orders") == ["id", "customer", "amount", "at"]


def test_every_strategy_goes_on_where_the_last_run_ended(folder: Folder) -> None:
    folder.load("raw.orders", ORDERS)
    new = "SELECT * FROM raw.orders WHERE at >= :start AND at < :end"
    folder.model("t.appended", new)
    folder.model("t.merged", new, strategy="merge", unique_key=["id"])
    folder.model("t.keyed", new, unique_key=["id"], lookback="400d")
    folder.model(
        "t.parts", new, strategy="overwrite_partitions", partitioned_by=["customer"], lookback="1d"
    )
    folder.model(
        "t.ranged", new, strategy="time_range", time_column="at", partitioned_by=["day(at)"]
    )
    folder.model("t.replaced", "SELECT id, :run_id AS run FROM raw.orders", strategy="full")
    first = folder.run(end=datetime(2026, 1, 3, tzinfo=UTC))
    assert first.status == "succeeded", [model.error for model in first.models]
    for name in ("appended", "merged", "keyed", "parts", "ranged"):
        assert [row[0] for row in folder.rows(f"t.{name}")] == [1, 2], name
        interval = of(first, f"t.{name}").interval
        assert interval is not None
        assert interval.text == "1970-01-01T00:00:00+00:00/2026-01-03T00:00:00+00:00"
    second = folder.run(end=datetime(2026, 1, 4, tzinfo=UTC))
    assert second.status == "succeeded"
    for name in ("appended", "merged", "keyed", "parts", "ranged"):
        assert len(folder.rows(f"t.{name}")) == (2 if name == "parts" else 3), name
    starts = {str(each.model): each.interval.start for each in second.models if each.interval}
    assert starts["t.appended"] == datetime(2026, 1, 3, tzinfo=UTC)
    assert starts["t.parts"] == datetime(2026, 1, 2, tzinfo=UTC)
    assert {row[1] for row in folder.rows("t.replaced")} == {second.run_id}
    # Once more there is nothing new, and so there is no commit.
    third = folder.run("t.appended", "t.ranged")
    assert of(third, "t.appended").rows == 0
    assert folder.runs("t.appended") == [first.run_id, second.run_id]
    assert len(folder.rows("t.ranged")) == 3
    # All of it again: rows are replaced, and none is there twice.
    whole = folder.run("t.appended", "t.keyed", full_refresh=True)
    assert of(whole, "t.appended").strategy == "full"
    assert len(folder.rows("t.appended")) == 3
    back = folder.run(
        "t.ranged",
        start=datetime(2026, 1, 2, tzinfo=UTC),
        end=datetime(2026, 1, 3, tzinfo=UTC),
    )
    assert of(back, "t.ranged").rows == 1
    assert len(folder.rows("t.ranged")) == 3


def test_an_environment_is_a_lake_of_its_own(folder: Folder) -> None:
    folder.toml(
        "[pipeline.parameters]\nleast = 15\n"
        "[pipeline.environments.dev]\nprefix = 'dev_'\n"
        "[pipeline.environments.dev.parameters]\nleast = 25\n"
    )
    folder.load("raw.orders", ORDERS)
    folder.model("staging.orders", "SELECT id, amount FROM raw.orders WHERE amount > :least")
    folder.model("marts.total", "SELECT sum(o.amount) AS total FROM orders AS o", strategy="full")
    folder.model("marts.seen", "SELECT * FROM marts.total", materialized="view")
    assert folder.run(environment="dev").status == "succeeded"
    assert folder.rows("dev_marts.total") == [(30,)]
    with folder.lake() as lake:
        assert "staging.orders" not in lake.tables()
        (view,) = lake.catalog.namespace("dev_marts").views().names()  # type: ignore[attr-defined]
    assert view == "seen"
    assert folder.run().status == "succeeded"
    assert folder.rows("marts.total") == [(50,)]
    assert folder.rows("dev_marts.total") == [(30,)]


def test_the_next_run_knows_how_much_this_one_stored(folder: Folder) -> None:
    folder.model("marts.few", "SELECT id FROM range(3)", materialized="table")
    folder.run()
    (file,) = folder.root.rglob("*/data/*.parquet")
    assert last_volume(folder.settings()) == file.stat().st_size
    folder.model("marts.broken", "SELECT id / 0 AS id FROM range(3)", materialized="table")
    assert folder.run("marts.broken").status == "failed"
    assert last_volume(folder.settings()) == file.stat().st_size
