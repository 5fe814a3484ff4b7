"""Plans and the contract's evolver on real Iceberg tables, through the catalog's own ALTER."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.changes import Growth
from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.growing import losses
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import InvalidRequestError, PreconditionError, UnsupportedError
from lakeport.core.names import TableName
from lakeport.pipeline.growth import (
    Schema,
    arrow_schema,
    changes,
    evolve_schema,
    plan_growth,
    schema_from_iceberg,
)
from lakeport.pipeline.growth.policy import Policy
from tests.catalog.iceberg.alter.ground import profile_in
from tests.pipeline.growth.words import columns

ORDERS = TableName("shop", "orders")


@dataclass(frozen=True)
class IcebergTables:
    """The port of the evolver over our Iceberg catalog."""

    catalog: IcebergCatalog

    def schema_json(self, table: TableName) -> dict[str, object]:
        native = self.catalog.pyiceberg.load_table((table.namespace, table.table))
        found: dict[str, object] = native.schema().model_dump(mode="json", by_alias=True)
        return found

    def columns(self, table: TableName) -> Schema:
        return schema_from_iceberg(self.schema_json(table))

    def grow(self, table: TableName, additions: Sequence[Growth]) -> None:
        self.catalog.namespace(table.namespace).table(table.table).alter(additions)

    def snapshots(self, table: TableName) -> int:
        native = self.catalog.pyiceberg.load_table((table.namespace, table.table))
        return len(native.metadata.snapshots)


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[IcebergTables]:
    catalog = IcebergCatalog(profile_in(tmp_path))
    catalog.create_namespace(NamespaceInfo("shop"))
    yield IcebergTables(catalog)
    catalog.close()


def created(tables: IcebergTables, schema: Schema) -> IcebergTables:
    tables.catalog.namespace("shop").create_table("orders", Definition(arrow_schema(schema)))
    return tables


def test_additions_go_in_and_true_comes_out(tables: IcebergTables) -> None:
    created(tables, columns(a="int", b="int", c="int"))
    added = [{"name": "d", "type": "bigint"}, {"name": "e", "type": "struct<x: date>"}]
    assert evolve_schema(ORDERS, add_columns=added, through=tables) is True
    assert tables.columns(ORDERS) == columns(
        a="int", b="int", c="int", d="bigint", e="struct<x: date>"
    )
    assert tables.snapshots(ORDERS) == 1


@pytest.mark.parametrize("nothing", [None, []])
def test_nothing_to_add_is_success(
    tables: IcebergTables, nothing: list[dict[str, str]] | None
) -> None:
    assert evolve_schema(ORDERS, nothing, drop_columns=[], through=tables) is True


def test_a_drop_is_refused_and_the_error_says_why(tables: IcebergTables) -> None:
    created(tables, columns(a="int", b="int"))
    with pytest.raises(UnsupportedError) as caught:
        evolve_schema(ORDERS, [{"name": "c", "type": "int"}], drop_columns=["b"], through=tables)
    assert "`shop.orders` are never dropped by a run: `b`" in caught.value.message
    assert "new rows get NULL there" in str(caught.value.hint)
    assert tables.columns(ORDERS) == columns(a="int", b="int")


def test_a_column_that_is_there_in_another_case_is_not_added_again(tables: IcebergTables) -> None:
    created(tables, columns(Name="string!", gone="int!"))
    assert evolve_schema(ORDERS, [{"name": "NAME", "type": "string"}], through=tables)
    assert tables.columns(ORDERS) == columns(Name="string!", gone="int!")
    assert tables.snapshots(ORDERS) == 0


def test_a_column_that_cannot_hold_the_type_is_refused(tables: IcebergTables) -> None:
    created(tables, columns(n="int"))
    with pytest.raises(PreconditionError, match="column `n` is int, the model gives bigint"):
        evolve_schema(ORDERS, [{"name": "n", "type": "bigint"}], through=tables)


def test_type_mapping_failure_logs_a_warning_and_defaults_to_string(
    tables: IcebergTables, caplog: pytest.LogCaptureFixture
) -> None:
    created(tables, columns(a="int"))
    with caplog.at_level(logging.WARNING):
        evolve_schema(ORDERS, [{"name": "b", "type": "HUGEINT"}], through=tables)
    assert tables.columns(ORDERS) == columns(a="int", b="string")
    (record,) = caplog.records
    assert record.message == "growth.stored_as_string"
    assert (record.__dict__["column"], record.__dict__["type"]) == ("b", "hugeint")


def test_an_addition_without_a_type_is_refused(tables: IcebergTables) -> None:
    with pytest.raises(InvalidRequestError, match="lacks its type"):
        evolve_schema(ORDERS, [{"name": "b"}], through=tables)


def test_two_additions_of_one_name_are_refused(tables: IcebergTables) -> None:
    created(tables, columns(a="int"))
    added = [{"name": "x", "type": "int"}, {"name": "X", "type": "int"}]
    with pytest.raises(PreconditionError, match="`x` and `X`"):
        evolve_schema(ORDERS, added, through=tables)


def test_a_whole_plan_is_one_commit_that_the_growth_door_lets_through(
    tables: IcebergTables,
) -> None:
    created(
        tables,
        columns(
            id="int!",
            n="int",
            s="struct<a: int, b: decimal(9,2)>",
            l="array<struct<x: float>>",
            m="map<string, struct<v: int>>",
            u="binary",
        ),
    )
    source = columns(
        n="bigint",
        s="struct<b: decimal(12,2), c: timestamp>",
        l="array<struct<x: double, y: string>>",
        m="map<string, struct<w: timestamp_ntz>>",
        new="map<int, array<date>>",
    )
    before = tables.schema_json(ORDERS)
    plan = plan_growth(tables.columns(ORDERS), source, Policy(on_removed_required="relax"))
    tables.grow(ORDERS, changes(plan))
    assert tables.columns(ORDERS) == plan.after
    assert tables.snapshots(ORDERS) == 1
    assert not list(losses(before, tables.schema_json(ORDERS)))
    assert not plan_growth(tables.columns(ORDERS), source, Policy("fail", "fail")).changes_schema


def test_every_stored_type_of_iceberg_is_read_back(tables: IcebergTables) -> None:
    schema = pa.schema([pa.field("u", pa.uuid()), pa.field("h", pa.binary(16))])
    tables.catalog.namespace("shop").create_table("orders", Definition(schema))
    plan = plan_growth(tables.columns(ORDERS), columns(u="string", h="binary"))
    assert not plan.findings
    assert arrow_schema(plan.after) == schema
