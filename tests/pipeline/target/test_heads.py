"""A table as its metadata says, on real Iceberg tables; runs are found on main and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition, PrimaryKey
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Expirable, Truncatable, WriteContext, require
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import TableName
from lakeport.pipeline.growth import arrow_schema, changes, evolve_schema, plan_growth
from lakeport.pipeline.target import Run, Tables
from tests.pipeline.growth.words import columns
from tests.rest.doors import open_door, profile_in

ORDERS = TableName("shop.eu", "orders")


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    with IcebergCatalog(profile_in(tmp_path)) as catalog:
        yield Tables(catalog, "tester")


def made(tables: Tables) -> None:
    definition = Definition(
        arrow_schema(columns(a="int", b="string")),
        (PrimaryKey(("a",), "pk"),),
        partitioned_by=("b",),
        properties={"write.merge.mode": "copy-on-write"},
    )
    tables.create(ORDERS, definition)


def write(tables: Tables, run: Run, number: int) -> None:
    context = WriteContext(summary=run.summary("model", None))
    insert_rows(tables.table(ORDERS), [{"a": number}], context)


def test_a_table_that_is_not_there_is_none(tables: Tables) -> None:
    assert tables.head(ORDERS) is None
    with pytest.raises(NotFoundError, match=r"shop\.eu\.orders"):
        tables.columns(ORDERS)


def test_a_new_table_has_all_that_was_said_and_no_commit(tables: Tables) -> None:
    made(tables)
    head = tables.head(TableName("SHOP.EU", "Orders"))
    assert head is not None
    assert head.name == ORDERS
    # The columns of a PRIMARY KEY are NOT NULL.
    assert head.columns == columns(a="int!", b="string")
    assert head.definition.partitioned_by == ("b",)
    assert head.properties["write.merge.mode"] == "copy-on-write"
    assert (head.snapshot_id, head.version, head.commits) == (None, 0, ())
    assert tables.path(ORDERS) == ("shop", "eu", "orders")
    with pytest.raises(AlreadyExistsError):
        made(tables)


def test_a_run_is_found_by_id_and_model_on_main_alone(tables: Tables) -> None:
    made(tables)
    first, second = Run("first"), Run("second")
    write(tables, first, 1)
    write(tables, second, 2)
    head = tables.head(ORDERS)
    assert head is not None
    found = head.commit_of("first", "model")
    assert found is not None
    assert found.version == 1
    assert head.commit_of("first", "another") is None
    assert head.commit_of("third", "model") is None
    assert head.descends_from(found.snapshot_id)
    assert head.descends_from(None)
    assert not head.descends_from(12345)
    assert (head.snapshot_id, head.version) == (head.commits[0].snapshot_id, 2)


def test_the_snapshot_of_growth_belongs_to_no_run(tables: Tables) -> None:
    made(tables)
    write(tables, Run("first"), 1)
    before = tables.columns(ORDERS)
    plan = plan_growth(before, columns(a="bigint", c="date"))
    tables.grow(ORDERS, changes(plan))
    head = tables.head(ORDERS)
    assert head is not None
    assert head.columns == plan.after
    assert [sorted(commit.summary)[:1] for commit in head.commits if "first" in str(commit)]
    assert "lakeport.run-id" not in head.commits[0].summary
    assert head.commits[0].summary["lakeport.actor"] == "tester"
    assert head.commit_of("first", "model") == head.commits[1]


def test_the_contracts_evolver_works_on_real_tables(tables: Tables) -> None:
    made(tables)
    added = [{"name": "c", "type": "bigint"}, {"name": "A", "type": "int"}]
    assert evolve_schema(ORDERS, added, through=tables) is True
    assert [column.name for column in tables.columns(ORDERS)] == ["a", "b", "c"]
    with pytest.raises(UnsupportedError, match="never dropped"):
        evolve_schema(ORDERS, drop_columns=["b"], through=tables)


def test_a_format_that_cannot_be_written_is_told(tables: Tables) -> None:
    catalog = tables.catalog
    assert isinstance(catalog, IcebergCatalog)
    made(tables)
    schema = pa.schema({"a": pa.int32()})
    catalog.pyiceberg.create_table("shop.old", schema, properties={"format-version": "1"})
    with pytest.raises(UnsupportedError, match="of format 1"):
        tables.head(TableName("shop", "old"))


def test_a_catalog_that_engines_cannot_write_is_told() -> None:
    with pytest.raises(UnsupportedError, match="cannot be written by Spark"):
        Tables(MemoryCatalog("m"))


def test_a_namespace_goes_again_with_the_table_that_could_not_be_made(tables: Tables) -> None:
    wrong = Definition(arrow_schema(columns(a="int")), partitioned_by=("day(a)",))
    with pytest.raises(InvalidRequestError, match=r"day\(a\)"):
        tables.create(ORDERS, wrong)
    assert tables.catalog.namespaces() == []


def test_a_history_that_was_cut_is_not_whole_and_a_table_without_rows_is_empty(
    tables: Tables,
) -> None:
    made(tables)
    empty = tables.head(ORDERS)
    assert empty is not None
    assert (empty.is_empty, empty.is_whole) == (True, True)
    for number in range(3):
        write(tables, Run(f"run-{number}"), number)
    head = tables.head(ORDERS)
    assert head is not None
    assert (head.is_empty, head.is_whole) == (False, True)
    require(tables.table(ORDERS), Expirable, "it").expire(keep=2)
    cut = tables.head(ORDERS)
    assert cut is not None
    assert not cut.is_whole
    require(tables.table(ORDERS), Truncatable, "it").truncate()
    emptied = tables.head(ORDERS)
    assert emptied is not None
    assert emptied.is_empty


def test_what_spark_wrote_to_a_service_past_us_is_seen_at_once(tmp_path: Path) -> None:
    """However long answers of the service are good enough for others."""
    with IcebergCatalog(profile_in(tmp_path)) as lake, open_door(lake) as uri:
        behind = Profile("lake", "rest", uri, "lake")
        with IcebergCatalog(behind, max_staleness=3600.0) as catalog:
            tables, past = Tables(catalog, "tester"), Tables(lake)
            made(tables)
            before = tables.head(ORDERS)
            write(past, Run("r1"), 1)
            after = tables.head(ORDERS)
            write(past, Run("r2"), 2)
            loud = tables.head(TableName("SHOP.EU", "Orders"))
    assert before is not None
    assert after is not None
    assert loud is not None
    assert (before.version, after.version, loud.version) == (0, 1, 2)
    assert after.commit_of("r1", "model") is not None
