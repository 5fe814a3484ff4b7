"""`make demo`: one table's life, told in nine steps on the embedded default.

Every step is a real call through the same protocols that the servers use; nothing here is printed
that was not just computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import AddColumn, RenameColumn
from lakeport.catalog.definition import Check, Definition, PrimaryKey, default_of, with_default
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Alterable,
    NamespaceInfo,
    ScanRequest,
    Table,
    Travelable,
    WriteContext,
    require,
)
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.core.errors import LakeportError
from lakeport.core.timepoint import AtVersion, TimePoint

ME = WriteContext(actor="you")


def main() -> None:
    print("Lakeport: one table's life, through the protocols every door uses")
    orders = create()
    insert(orders)
    refuse(orders)
    evolve(orders)
    update(orders)
    delete(orders)
    ask(orders)
    travel(orders)
    history(orders)
    print("\nNothing was lost: every version above can still be read.")


def create() -> Table:
    say("create", "a table with a key and a rule")
    shop = MemoryCatalog("lake").create_namespace(NamespaceInfo("shop", "everything we sell"))
    columns: list[Field] = [
        pa.field("order_id", pa.int64(), nullable=False),
        pa.field("customer", pa.string()),
        pa.field("amount", pa.decimal128(9, 2)),
    ]
    rules = (PrimaryKey(("order_id",)), Check("amount > 0", "amount_is_positive"))
    orders = shop.create_table("orders", Definition(pa.schema(columns), rules))
    show_columns(orders)
    return orders


def insert(orders: Table) -> None:
    say("insert", "four orders, one commit")
    rows: list[dict[str, object]] = [
        {"order_id": 1, "customer": "Ada", "amount": Decimal("19.90")},
        {"order_id": 2, "customer": "Grace", "amount": Decimal("240.00")},
        {"order_id": 3, "customer": "Edsger", "amount": Decimal("5.25")},
        {"order_id": 4, "customer": None, "amount": Decimal("77.00")},
    ]
    done = insert_rows(orders, rows, ME)
    note(f"{done.rows} rows, now version {done.version}")


def refuse(orders: Table) -> None:
    say("refuse", "what breaks a rule, whole statement at a time")
    for rows in (
        [
            {"order_id": 5, "customer": "Alan", "amount": Decimal("10.00")},
            {"order_id": 6, "customer": "Barbara", "amount": Decimal("-3.00")},
        ],
        [{"order_id": 2, "customer": "Grace again", "amount": Decimal("1.00")}],
    ):
        try:
            insert_rows(orders, rows, ME)
        except LakeportError as error:
            note(f"refused: {error.message}")
    note(f"still {count(orders)} rows, still version {orders.state().version}")


def evolve(orders: Table) -> None:
    say("evolve", "add a column with a default, rename another")
    channel = with_default(pa.field("channel", pa.string()), "'web'")
    require(orders, Alterable, "orders").alter(
        [AddColumn(channel), RenameColumn("customer", "buyer")], ME
    )
    show_columns(orders)


def update(orders: Table) -> None:
    say("update", "10 % off for everything over 50")
    done = update_where(orders, {"amount": "amount * 0.9"}, "amount > 50", ME)
    note(f"{done.rows} rows, now version {done.version}")


def delete(orders: Table) -> None:
    say("delete", "orders nobody placed")
    done = delete_where(orders, "buyer IS NULL", ME)
    note(f"{done.rows} row, now version {done.version}")
    show_rows(orders)


def ask(orders: Table) -> None:
    say("ask", "any SQL condition, evaluated by DuckDB inside")
    show_rows(orders, where="upper(buyer) LIKE '%G%' AND amount < 100")


def travel(orders: Table) -> None:
    say("travel", "the table as it was after the first insert")
    show_rows(orders, at=AtVersion(1))


def history(orders: Table) -> None:
    say("history", "who did what")
    table(
        ["version", "operation", "by", "added", "deleted", "rows then"],
        [
            [
                str(snapshot.version),
                snapshot.operation,
                snapshot.summary["actor"],
                snapshot.summary.get("added-records", "0"),
                snapshot.summary.get("deleted-records", "0"),
                snapshot.summary["total-records"],
            ]
            for snapshot in require(orders, Travelable, "orders").history()
        ],
    )


_STEPS = iter(range(1, 100))


def say(word: str, sentence: str) -> None:
    print(f"\n{next(_STEPS)}  {word:<9}{sentence}")


def note(text: str) -> None:
    print(f"   {text}")


def count(orders: Table) -> int:
    with read(orders, ScanRequest(columns=())) as stream:
        return sum(batch.num_rows for batch in stream)


def show_columns(orders: Table) -> None:
    rows: list[list[str]] = []
    for column in orders.state().definition.schema:
        default = default_of(column)
        rule = f"default {default}" if default else "" if column.nullable else "not null"
        rows.append([column.name, str(column.type), rule])
    table(["column", "type", "rule"], rows)


def show_rows(orders: Table, *, where: str | None = None, at: TimePoint | None = None) -> None:
    schema = orders.state().definition.schema
    condition = None if where is None else parse_expression(where, schema)
    if where is not None:
        note(f"where {where}")
    with read(orders, ScanRequest(expression=condition, at=at)) as stream:
        rows = stream.read_all().sort_by("order_id")
    table(
        rows.column_names,
        [["NULL" if v is None else str(v) for v in row.values()] for row in rows.to_pylist()],
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Text to the left, numbers to the right."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell.replace(".", "").isdigit() for cell in column[1:]) for column in columns]
    for row in (header, *rows):
        cells = zip(row, widths, right, strict=True)
        shown = (
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells
        )
        print("   " + "  ".join(shown).rstrip())


if __name__ == "__main__":
    main()
