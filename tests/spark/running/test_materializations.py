"""Every materialization and strategy, through files on a disk."""

from __future__ import annotations

from datetime import UTC, datetime

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
