"""One table at both doors: what Iceberg has no words for survives what Spark does to it.

Logical types, DEFAULTs and constraints are made over the wire of Airport; Spark renames, moves and adds
columns through REST; the clients of Airport see it at once and are held to the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time

import grpc
import pyarrow as pa
import pytest

from lakeport.airport.requested import Layout, path_of
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    default_of,
    with_default,
)
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import ROW_ID, Attached, attached
from tests.airport.exchange.talk import batch_of, descriptor_of
from tests.engines.apart import RefusedError
from tests.engines.spark import Spark

_COLUMNS: list[Field] = [
    pa.field("id", pa.int64(), nullable=False),
    pa.field("amount", pa.uint32()),
    pa.field("at", pa.time64("us")),
    with_default(pa.field("state", pa.string()), "'new'"),
    pa.field("tag", pa.dictionary(pa.int8(), pa.string())),
]
ORDERS = pa.schema(_COLUMNS)
RULES = (PrimaryKey(("id",)), Check("(amount < 100)", "small"))
ORDER = descriptor_of("shop", "orders")


@pytest.fixture
def airport(catalog: IcebergCatalog, spark: Spark) -> Iterator[Attached]:
    del spark  # it makes the namespace
    catalog.namespace("shop").create_table("orders", Definition(ORDERS, RULES))
    with attached(catalog) as connection:
        yield connection


def insert(
    airport: Attached, table: FlightDescriptor, schema: pa.Schema, row: tuple[object, ...]
) -> None:
    airport.insert(table, pa.Table.from_batches([batch_of(schema, row)]))


def told(catalog: IcebergCatalog, table: str) -> FlightDescriptor:
    """How the server lists a table with its columns of now: what DuckDB sends once it attached again."""
    state = catalog.namespace("shop").table(table).state()
    return FlightDescriptor(path=path_of(state.name, Layout.of(state)))


def definition(catalog: IcebergCatalog) -> Definition:
    return catalog.namespace("shop").table("orders").state().definition


def test_sparks_alters_keep_what_only_we_know(
    airport: Attached, catalog: IcebergCatalog, spark: Spark
) -> None:
    noon = time(12, 30)
    insert(airport, ORDER, ORDERS, (1, 7, noon, "new", "a"))
    before = catalog.version()
    spark.run(
        "ALTER TABLE orders RENAME COLUMN amount TO total",
        "ALTER TABLE orders RENAME COLUMN id TO number",
        "ALTER TABLE orders RENAME COLUMN state TO stage",
        "ALTER TABLE orders RENAME COLUMN tag TO label",
        "ALTER TABLE orders ALTER COLUMN total FIRST",
        "ALTER TABLE orders ADD COLUMN note STRING AFTER total",
        "ALTER TABLE orders SET TBLPROPERTIES ('mine' = '1')",
    )
    assert catalog.version() != before
    found = definition(catalog)
    assert [(field.name, field.type) for field in found.schema] == [
        ("total", pa.uint32()),
        ("note", pa.string()),
        ("number", pa.int64()),
        ("at", pa.time64("us")),
        ("stage", pa.string()),
        ("label", ORDERS.field("tag").type),
    ]
    assert default_of(found.schema.field("stage")) == "'new'"
    key, check = found.constraints
    assert (key, check) == (PrimaryKey(("number",)), Check("(total < 100)", "small"))
    (row,) = airport.read(told(catalog, "orders")).drop([ROW_ID]).to_pylist()
    assert row == {
        "total": 7,
        "note": None,
        "number": 1,
        "at": noon,
        "stage": "new",
        "label": "a",
    }


def test_rules_hold_for_airport_after_a_rename_by_spark(
    airport: Attached, catalog: IcebergCatalog, spark: Spark
) -> None:
    spark.run(
        "ALTER TABLE orders RENAME COLUMN amount TO total",
        "INSERT INTO orders (id, total) VALUES (5, 50)",
        "ALTER TABLE orders RENAME TO shop.sales",
    )
    sales = told(catalog, "sales")
    schema = catalog.namespace("shop").table("sales").state().definition.schema
    for values, reason in (((5, 1), "key"), ((6, 100), "small")):
        batch = batch_of(schema, (*values, None, "new", None))
        assert reason in airport.writer.refused("insert", sales, [batch]).text
    insert(airport, sales, schema, (6, 99, None, "new", None))
    assert spark.rows("sales", "id, total, state") == [(5, 50, None), (6, 99, "new")]
    (doomed,) = (row for row in airport.read(sales).to_pylist() if row["id"] == 5)
    airport.delete(sales, [doomed[ROW_ID]])
    assert spark.rows("sales", "id, total") == [(6, 99)]


def test_spark_reads_the_storage_of_logical_types(airport: Attached, spark: Spark) -> None:
    insert(airport, ORDER, ORDERS, (1, 4, time(0, 0, 1), "new", "a"))
    assert spark.sql("SELECT id, amount, at, tag FROM orders") == [(1, 4, 1_000_000, "a")]


def test_a_table_that_spark_drops_is_gone_at_the_other_door(
    airport: Attached, spark: Spark
) -> None:
    insert(airport, ORDER, ORDERS, (1, 4, None, "new", "a"))
    spark.run("DROP TABLE orders")
    late = airport.writer.refused("insert", ORDER, [batch_of(ORDERS, (2, 4, None, "new", "a"))])
    assert late.code is grpc.StatusCode.NOT_FOUND
    with pytest.raises(RefusedError):
        spark.run("SELECT * FROM orders")
