"""The question about keys, and the branch that its answer is good for."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.definition import PrimaryKey, Unique
from lakeport.core.errors import PreconditionError
from lakeport.pipeline.strategies import statements, taken_keys
from tests.pipeline.strategies.writes import write

KEY = PrimaryKey(("customer_id",), "pk")
COLUMNS: dict[str, pa.DataType] = {
    "customer_id": pa.int64(),
    "name": pa.string(),
    "region": pa.string(),
}
TABLE = pa.schema(COLUMNS)


def test_appended_rows_are_asked_about_with_all_that_are_there() -> None:
    assert taken_keys("append", write(), KEY, TABLE) == (
        "SELECT __lakeport_unique_1\nFROM (\n"
        "  SELECT CAST(`Customer_ID` AS BIGINT) AS __lakeport_unique_1, TRUE AS __lakeport_new"
        " FROM `staged`\n"
        "  UNION ALL SELECT __lakeport_target.`customer_id` AS __lakeport_unique_1,"
        " FALSE AS __lakeport_new FROM `lake`.`shop`.`customers` AS __lakeport_target\n"
        ")\nWHERE __lakeport_unique_1 IS NOT NULL\nGROUP BY __lakeport_unique_1\n"
        "HAVING count(*) > 1 AND max(__lakeport_new)\nORDER BY __lakeport_unique_1\nLIMIT 5"
    )


def test_a_table_without_rows_is_not_asked() -> None:
    for strategy, table in (("append", None), ("full", TABLE)):
        asked = taken_keys(strategy, write(), KEY, table)
        assert "UNION ALL" not in asked
        assert "customers" not in asked


def test_rows_that_are_replaced_do_not_count() -> None:
    asked = taken_keys("delete_insert", write(unique_key=("name",)), KEY, TABLE)
    assert "LEFT ANTI JOIN" in asked
    assert "ON __lakeport_target.`name` = __lakeport_source.`name`" in asked
    matched = write(unique_key=("name",), null_keys="match")
    assert "__lakeport_target.`name` <=> __lakeport_source" in taken_keys(
        "delete_insert", matched, KEY, TABLE
    )


def test_partitions_are_compared_as_iceberg_cuts_them() -> None:
    cut = write(partitioned_by=("bucket(16, customer_id)", "region"))
    asked = taken_keys("overwrite_partitions", cut, KEY, TABLE)
    assert (
        "`lake`.system.bucket(16, __lakeport_target.`customer_id`)"
        " <=> `lake`.system.bucket(16, __lakeport_source.`customer_id`)"
        " AND __lakeport_target.`region` <=> __lakeport_source.`region`"
    ) in asked


def test_a_key_that_nobody_can_check_admits_nothing() -> None:
    with pytest.raises(PreconditionError, match="cannot be checked any more: column `gone`"):
        taken_keys("append", write(), Unique(("gone",), "old"), TABLE)


def test_a_branch_starts_from_the_snapshot_that_was_looked_at() -> None:
    first, insert, forward, drop = statements("append", write(branch="b", base=7), aside=True)
    assert first.sql == (
        "ALTER TABLE `lake`.`shop`.`customers` CREATE OR REPLACE BRANCH `b` AS OF VERSION 7"
    )
    assert insert.sql.startswith("INSERT INTO `lake`.`shop`.`customers`.`branch_b` (")
    assert "fast_forward" in forward.sql
    assert "DROP BRANCH IF EXISTS `b`" in drop.sql
