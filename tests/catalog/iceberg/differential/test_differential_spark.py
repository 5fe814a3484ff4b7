"""Tables that Spark wrote, read as Spark reads them: at the head and at every snapshot."""

from __future__ import annotations

import pytest

from lakeport.catalog.ports import ScanRequest
from lakeport.core.timepoint import AtRef, AtSnapshot
from tests.behaviours.lake import values
from tests.catalog.iceberg.differential.readers import (
    opened,
    our_rows,
    pyiceberg_loses_nulls,
    pyiceberg_rows,
)
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake
from tests.lakes.spark_tables import NAMES, unpack_spark_table
from tests.lakes.texts import sorted_rows


def test_there_are_spark_tables() -> None:
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_the_head_is_what_spark_reads(lake: Lake, name: str) -> None:
    written = unpack_spark_table(lake, name)
    with opened(lake, f"spark.{name}") as table:
        found = our_rows(table)
    assert found.column_names == written.head.column_names
    assert sorted_rows(found) == sorted_rows(written.head)


@pytest.mark.parametrize("name", NAMES)
def test_every_snapshot_is_what_spark_reads(lake: Lake, name: str) -> None:
    written = unpack_spark_table(lake, name)
    with opened(lake, f"spark.{name}") as table:
        for ident, expected in written.answers.items():
            found = our_rows(table, ScanRequest(at=AtSnapshot(ident)))
            assert found.column_names == expected.column_names
            assert sorted_rows(found) == sorted_rows(expected)


ELSEWHERE_UNREADABLE = {"orc", "orc_evolved", "avro"}


@pytest.mark.parametrize("name", sorted(set(NAMES) - ELSEWHERE_UNREADABLE))
def test_the_other_readers_read_the_same(
    lake: Lake, duckdb_reader: DuckDBReader, name: str
) -> None:
    """They agree with Spark, so the rewriting of paths is right."""
    written = unpack_spark_table(lake, name)
    expected = sorted_rows(written.head)
    if not pyiceberg_loses_nulls(lake.load(f"spark.{name}").schema()):
        assert sorted_rows(pyiceberg_rows(lake, f"spark.{name}")) == expected
    assert sorted_rows(duckdb_reader.rows(written.metadata_location)) == expected


def test_tags_branches_and_the_past_of_another_format_are_found(lake: Lake) -> None:
    written = unpack_spark_table(lake, "history")
    with opened(lake, "spark.history") as table:
        kinds = {ref.name: ref.kind for ref in table.refs()}
        assert kinds == {"main": "branch", "side": "branch", "first": "tag"}
        first = our_rows(table, ScanRequest(at=AtRef("first")))
        assert values(first, "id") == [1]
        side = our_rows(table, ScanRequest(at=AtRef("side")))
        assert sorted(values(side, "id")) == [1, 2, 3, 4]
        versions = [info.version for info in table.history()]
    assert versions[:2] == [None, None]  # written as format 1
    assert len(versions) == len(written.answers)
