"""Tables that Spark wrote, after every task: the rows that Spark read, for everybody."""

from __future__ import annotations

import pytest

from lakeport.core.errors import UnsupportedError
from tests.catalog.iceberg.upkeep.readers import (
    EVERYTHING,
    assert_others_agree,
    every_snapshot,
    opened,
    rows,
)
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake
from tests.lakes.spark_tables import NAMES, unpack_spark_table
from tests.lakes.texts import sorted_rows

READ_ONLY = {"vectors", "upgraded_to_vectors"}  # format 3


@pytest.mark.parametrize("name", sorted(set(NAMES) - READ_ONLY))
def test_upkeep_keeps_the_rows_of_a_spark_table(
    lake: Lake, duckdb_reader: DuckDBReader, name: str
) -> None:
    written = unpack_spark_table(lake, name)
    expected = sorted_rows(written.head)
    with opened(lake, f"spark.{name}") as table:
        past = every_snapshot(table)
        table.compact(EVERYTHING)
        assert rows(table) == expected
        table.rewrite_manifests(EVERYTHING)
        table.remove_orphans(grace=0)
        now = every_snapshot(table)
        assert {ident: now[ident] for ident in past} == past
        table.forget(EVERYTHING)
        table.remove_orphans(grace=0)
        left = every_snapshot(table)
        assert left == {ident: now[ident] for ident in left}
        assert rows(table) == expected
        assert not any(due.is_due for due in table.due(EVERYTHING))
    assert_others_agree(lake, f"spark.{name}", duckdb_reader, expected)


@pytest.mark.parametrize("name", sorted(READ_ONLY))
def test_a_table_of_another_format_is_refused(lake: Lake, name: str) -> None:
    unpack_spark_table(lake, name)
    with opened(lake, f"spark.{name}") as table:
        for task in (table.due, table.forget, table.compact, table.rewrite_manifests):
            with pytest.raises(UnsupportedError, match="read-only"):
                task()
        with pytest.raises(UnsupportedError, match="read-only"):
            table.remove_orphans()
