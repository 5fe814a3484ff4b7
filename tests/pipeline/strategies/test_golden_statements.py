"""The whole text of every strategy's statement, to be read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from lakeport.lineage import analyze
from lakeport.pipeline.growth import Field, Schema
from lakeport.pipeline.strategies import Bound, TimeRange, statements
from tests.pipeline.growth.words import columns
from tests.pipeline.strategies.writes import write

APPEND = """\
INSERT INTO `lake`.`shop`.`customers` (`customer_id`, `name`, `region`, `seen`)
SELECT CAST(`Customer_ID` AS BIGINT) AS `customer_id`, `name`, CAST(NULL AS STRING) AS `region`, `seen`
FROM `staged`"""

FULL = """\
INSERT OVERWRITE `lake`.`shop`.`customers` (`customer_id`, `name`, `region`, `seen`)
SELECT CAST(`Customer_ID` AS BIGINT) AS `customer_id`, `name`, CAST(NULL AS STRING) AS `region`, `seen`
FROM `staged`"""

DELETE_INSERT = """\
MERGE INTO `lake`.`shop`.`customers` AS __lakeport_target
USING (
  SELECT __lakeport_key_1, CAST(NULL AS BIGINT) AS `customer_id`, CAST(NULL AS STRING) AS `name`, CAST(NULL AS STRING) AS `region`, CAST(NULL AS DATE) AS `seen`
  FROM (SELECT DISTINCT CAST(`Customer_ID` AS BIGINT) AS __lakeport_key_1 FROM `staged` WHERE CAST(`Customer_ID` AS BIGINT) IS NOT NULL)
  UNION ALL
  SELECT CAST(NULL AS BIGINT) AS __lakeport_key_1, CAST(`Customer_ID` AS BIGINT) AS `customer_id`, `name`, CAST(NULL AS STRING) AS `region`, `seen`
  FROM `staged`
) AS __lakeport_source
ON __lakeport_target.`customer_id` = __lakeport_source.__lakeport_key_1
  AND __lakeport_target.`customer_id` BETWEEN 7L AND 40L
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED AND __lakeport_source.__lakeport_key_1 IS NULL THEN
  INSERT (`customer_id`, `name`, `region`, `seen`)
  VALUES (__lakeport_source.`customer_id`, __lakeport_source.`name`, __lakeport_source.`region`, __lakeport_source.`seen`)"""

# Two keys, of which one may be NULL: a marker tells the two kinds of rows apart.
MATCHING_NULLS = """\
MERGE INTO `lake`.`shop`.`customers` AS __lakeport_target
USING (
  SELECT __lakeport_key_1, __lakeport_key_2, TRUE AS __lakeport_deletes, CAST(NULL AS BIGINT) AS `customer_id`, CAST(NULL AS STRING) AS `name`, CAST(NULL AS STRING) AS `region`, CAST(NULL AS DATE) AS `seen`
  FROM (SELECT DISTINCT `name` AS __lakeport_key_1, CAST(`Customer_ID` AS BIGINT) AS __lakeport_key_2 FROM `staged`)
  UNION ALL
  SELECT CAST(NULL AS STRING) AS __lakeport_key_1, CAST(NULL AS BIGINT) AS __lakeport_key_2, FALSE AS __lakeport_deletes, CAST(`Customer_ID` AS BIGINT) AS `customer_id`, `name`, CAST(NULL AS STRING) AS `region`, `seen`
  FROM `staged`
) AS __lakeport_source
ON __lakeport_source.__lakeport_deletes
  AND __lakeport_target.`name` <=> __lakeport_source.__lakeport_key_1
  AND __lakeport_target.`customer_id` <=> __lakeport_source.__lakeport_key_2
  AND (__lakeport_target.`name` BETWEEN 'Ann' AND 'O\\'Neil' OR __lakeport_target.`name` IS NULL)
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED AND NOT __lakeport_source.__lakeport_deletes THEN
  INSERT (`customer_id`, `name`, `region`, `seen`)
  VALUES (__lakeport_source.`customer_id`, __lakeport_source.`name`, __lakeport_source.`region`, __lakeport_source.`seen`)"""

# What left the model (`region`) is not updated, and NULL in rows that are new.
MERGE = """\
MERGE INTO `lake`.`shop`.`customers` AS __lakeport_target
USING (
  SELECT CAST(`Customer_ID` AS BIGINT) AS `customer_id`, `name`, CAST(NULL AS STRING) AS `region`, `seen`
  FROM `staged`
) AS __lakeport_source
ON __lakeport_target.`customer_id` = __lakeport_source.`customer_id`
  AND __lakeport_target.`customer_id` BETWEEN 7L AND 40L
WHEN MATCHED THEN UPDATE SET `name` = __lakeport_source.`name`, `seen` = __lakeport_source.`seen`
WHEN NOT MATCHED THEN INSERT (`customer_id`, `name`, `region`, `seen`)
  VALUES (__lakeport_source.`customer_id`, __lakeport_source.`name`, __lakeport_source.`region`, __lakeport_source.`seen`)"""

ALIGNED = """\
INSERT INTO `lake`.`shop`.`customers` REPLACE WHERE `at` >= TIMESTAMP_LTZ '2026-01-01 00:00:00.000000+00:00' AND `at` < TIMESTAMP_LTZ '2026-01-02 00:00:00.000000+00:00'
SELECT `at`, `v`
FROM `staged`
WHERE `at` >= TIMESTAMP_LTZ '2026-01-01 00:00:00.000000+00:00' AND `at` < TIMESTAMP_LTZ '2026-01-02 00:00:00.000000+00:00'"""

CUTTING = (
    "ALTER TABLE `lake`.`shop`.`customers` CREATE OR REPLACE BRANCH `run-7`",
    "DELETE FROM `lake`.`shop`.`customers`.`branch_run-7` WHERE `at` >= TIMESTAMP_LTZ '2026-01-01 00:00:00.000000+00:00' AND `at` < TIMESTAMP_LTZ '2026-01-02 00:00:00.000000+00:00'",
    "INSERT INTO `lake`.`shop`.`customers`.`branch_run-7` (`at`, `v`)\n"
    + ALIGNED.partition("\n")[2],
    "CALL `lake`.system.fast_forward(table => '`shop`.`customers`', branch => 'main', to => 'run-7')",
    "ALTER TABLE `lake`.`shop`.`customers` DROP BRANCH IF EXISTS `run-7`",
)

MEANING = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
}
MODE = "spark.sql.sources.partitionOverwriteMode"
KEYED: dict[str, Any] = {"unique_key": ("CUSTOMER_ID",), "bounds": (Bound("customer_id", 7, 40),)}
EVENTS: Schema = columns(at="timestamp", v="int")
DAY = TimeRange("at", datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC))


def test_append() -> None:
    (statement,) = statements("append", write())
    assert statement.sql == APPEND
    assert statement.settings == MEANING


def test_full() -> None:
    (statement,) = statements("full", write())
    assert statement.sql == FULL
    assert statement.settings == MEANING | {MODE: "static"}


def test_overwrite_partitions() -> None:
    (statement,) = statements("overwrite_partitions", write(partitioned_by=("month(seen)",)))
    assert statement.sql == FULL
    assert statement.settings == MEANING | {MODE: "dynamic"}


@pytest.mark.parametrize("null_keys", ["append", "fail"])
def test_delete_insert(null_keys: str) -> None:
    (statement,) = statements("delete_insert", write(**KEYED, null_keys=null_keys))
    assert statement.sql == DELETE_INSERT


def test_delete_insert_that_matches_nulls() -> None:
    bounds = (Bound("name", "Ann", "O'Neil"),)
    asked = write(unique_key=("name", "customer_id"), bounds=bounds, null_keys="match")
    (statement,) = statements("delete_insert", asked)
    assert statement.sql == MATCHING_NULLS


def test_merge() -> None:
    (statement,) = statements("merge", write(**KEYED))
    assert statement.sql == MERGE


def test_merge_of_keys_alone_updates_nothing() -> None:
    only = columns(id="int")
    (statement,) = statements("merge", write(only, only, unique_key=("id",)))
    assert "WHEN MATCHED" not in statement.sql
    assert "WHEN NOT MATCHED THEN INSERT (`id`)" in statement.sql


@pytest.mark.parametrize("strategy", ["append", "full", "delete_insert", "merge"])
def test_a_name_is_left_as_it_is_whatever_another_engine_put_into_it(strategy: str) -> None:
    odd = (Field("a\nb``\u2028c", columns(c="int")[0].type),)
    (statement,) = statements(strategy, write(odd, odd, unique_key=("a\nb``\u2028c",)))
    assert "`a\nb````\u2028c`" in statement.sql
    assert statement.sql.count("a\nb````\u2028c") == statement.sql.count("\u2028")


def test_a_time_range_of_whole_partitions() -> None:
    asked = write(EVENTS, EVENTS, time_range=DAY, partitioned_by=("v", "day(at)"))
    (statement,) = statements("time_range", asked)
    assert statement.sql == ALIGNED


def test_a_time_range_that_cuts_partitions() -> None:
    asked = write(EVENTS, EVENTS, time_range=DAY, partitioned_by=("month(at)",), branch="run-7")
    assert tuple(one.sql for one in statements("time_range", asked)) == CUTTING


@pytest.mark.parametrize(
    "sql", [APPEND, FULL, DELETE_INSERT, MATCHING_NULLS, MERGE, ALIGNED, *CUTTING]
)
def test_our_own_parser_reads_it(sql: str) -> None:
    issues = analyze({"sql": sql, "dialect": "spark"}).issues
    assert not [issue for issue in issues if issue.severity == "error"]
