"""One Iceberg table's life, told in ten steps from Python.

Every step is a real call on a new project's embedded lake; nothing here is printed that was not just
computed.
"""

from __future__ import annotations

import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

import lakeport
from examples.telling import note, say, table
from lakeport.app.initialize import initialize
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import default_of


def main() -> None:
    print("Lakeport: one Iceberg table's life, from Python")
    with tempfile.TemporaryDirectory() as folder:
        initialize(Path(folder))
        with lakeport.open(folder) as lake:
            orders = create(lake)
            insert(orders)
            refuse(orders)
            tag(orders)
            evolve(orders)
            update(orders)
            delete(orders)
            ask(orders)
            travel(orders)
            history(orders)
    print(
        "\nNothing was lost: every version above can still be read, by any engine that reads Iceberg."
    )


def create(lake: lakeport.Lake) -> lakeport.LakeTable:
    say("create", "a table with a key and a rule")
    columns: list[Field] = [
        pa.field("order_id", pa.int64(), nullable=False),
        pa.field("customer", pa.string()),
        pa.field("amount", pa.decimal128(9, 2)),
    ]
    rules = (
        lakeport.PrimaryKey(("order_id",)),
        lakeport.Check("amount > 0", "amount_is_positive"),
    )
    orders = lake.create_table("shop.orders", lakeport.Definition(pa.schema(columns), rules))
    show_columns(orders)
    return orders


def insert(orders: lakeport.LakeTable) -> None:
    say("insert", "four orders, one commit")
    done = orders.append(
        [
            {"order_id": 1, "customer": "Ada", "amount": Decimal("19.90")},
            {"order_id": 2, "customer": "Grace", "amount": Decimal("240.00")},
            {"order_id": 3, "customer": "Edsger", "amount": Decimal("5.25")},
            {"order_id": 4, "customer": None, "amount": Decimal("77.00")},
        ]
    )
    note(f"{done.rows} rows, now version {done.version}")


def refuse(orders: lakeport.LakeTable) -> None:
    say("refuse", "what breaks a rule, whole statement at a time")
    for rows in (
        [
            {"order_id": 5, "customer": "Alan", "amount": Decimal("10.00")},
            {"order_id": 6, "customer": "Barbara", "amount": Decimal("-3.00")},
        ],
        [{"order_id": 2, "customer": "Grace again", "amount": Decimal("1.00")}],
    ):
        try:
            orders.append(rows)
        except lakeport.LakeportError as error:
            note(f"refused: {error.message}")
    with orders.scan(columns=[]) as rows_there:
        count = rows_there.read_all().num_rows
    note(f"still {count} rows, still version {orders.history()[-1].version}")


def tag(orders: lakeport.LakeTable) -> None:
    say("tag", "a name for the table as it is now")
    note(f"tag {orders.tag('first-day').name}")


def evolve(orders: lakeport.LakeTable) -> None:
    say("evolve", "add a column with a default, rename another")
    channel = lakeport.with_default(pa.field("channel", pa.string()), "'web'")
    orders.alter(rename={"customer": "buyer"}, add=[channel])
    show_columns(orders)


def update(orders: lakeport.LakeTable) -> None:
    say("update", "10 % off for everything over 50")
    done = orders.update({"amount": "amount * 0.9"}, where="amount > 50")
    note(f"{done.rows} rows, now version {done.version}")


def delete(orders: lakeport.LakeTable) -> None:
    say("delete", "orders nobody placed")
    done = orders.delete(where="buyer IS NULL")
    note(f"{done.rows} row, now version {done.version}")
    show_rows(orders)


def ask(orders: lakeport.LakeTable) -> None:
    say("ask", "any SQL condition, evaluated by DuckDB inside")
    show_rows(orders, where="upper(buyer) LIKE '%G%' AND amount < 100")


def travel(orders: lakeport.LakeTable) -> None:
    say("travel", "the table as it was when it got its tag")
    show_rows(orders, at="tag:first-day")


def history(orders: lakeport.LakeTable) -> None:
    say("history", "what was done")
    table(
        ["version", "operation", "files added", "rows deleted"],
        [
            [
                str(snapshot.version),
                snapshot.operation,
                snapshot.summary.get("added-data-files", "0"),
                snapshot.summary.get("added-position-deletes", "0"),
            ]
            for snapshot in orders.history()
        ],
    )


def show_columns(orders: lakeport.LakeTable) -> None:
    rows: list[list[str]] = []
    for column in orders.schema:
        default = default_of(column)
        rule = f"default {default}" if default else "" if column.nullable else "not null"
        rows.append([column.name, str(column.type), rule])
    table(["column", "type", "rule"], rows)


def show_rows(
    orders: lakeport.LakeTable, *, where: str | None = None, at: str | None = None
) -> None:
    if where is not None:
        note(f"where {where}")
    with orders.scan(where=where, at=at) as found:
        rows = found.read_all().sort_by("order_id")
    table(
        rows.column_names,
        [["NULL" if v is None else str(v) for v in row.values()] for row in rows.to_pylist()],
    )


if __name__ == "__main__":
    main()
