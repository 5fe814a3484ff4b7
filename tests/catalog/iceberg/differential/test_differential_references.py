"""Tables that others wrote, by reference: what DuckDB reads by our calls is what we read ourselves.

Generated tables go through `read_parquet` alone: DuckDB's Iceberg reader crashes on some of their deletes.
"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from lakeport.airport.scans.references import reference_endpoints
from lakeport.catalog.delegation import FunctionCall, Lending
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest, require
from lakeport.core.timepoint import AtSnapshot, AtVersion, TimePoint
from tests.airport.references.running import Database
from tests.catalog.iceberg.differential.readers import opened, our_rows
from tests.lakes.generated import random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.spark_tables import NAMES, unpack_spark_table
from tests.lakes.texts import sorted_rows
from tests.strategies import seeded


@pytest.fixture(scope="module")
def database() -> Database:
    return Database()


def check(
    table: IcebergTable, database: Database, at: TimePoint | None, functions: set[str]
) -> Counter[str]:
    """The whole table, and each column alone: one that cannot be lent hides no other."""
    found: Counter[str] = Counter()
    schema = our_rows(table, ScanRequest(at=at)).schema
    for columns in (tuple(schema.names), *((name,) for name in schema.names)):
        request = ScanRequest(columns=columns, at=at)
        lent = require(table, Lending, "it").lend(request)
        calls = (
            []
            if lent is None
            else [each for each in lent.references if isinstance(each, FunctionCall)]
        )
        used = {each.function for each in calls}
        found.update(used or {"nothing" if lent is None else "empty"})
        if lent is None or not used <= functions:
            continue
        own = our_rows(table, request)
        if not calls:
            assert own.num_rows == 0
            continue
        shown = pa.schema([schema.field(name) for name in columns])
        rows = database.table(list(reference_endpoints(lent.references)), shown)
        assert sorted_rows(rows) == sorted_rows(own)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_tables_that_spark_wrote(lake: Lake, database: Database, name: str) -> None:
    written = unpack_spark_table(lake, name)
    with opened(lake, f"spark.{name}") as table:
        for at in (None, *(AtSnapshot(ident) for ident in written.answers)):
            found = check(table, database, at, {"read_parquet", "iceberg_scan"})
            if name in {"imported", "avro", "orc", "vectors"}:  # nobody else reads them as we do
                assert not set(found) & {"read_parquet", "iceberg_scan"}


def _generated(lake: Lake, database: Database, seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        name = f"s.t{seed}"
        random_lake_table(seeded(seed), lake, name)
        with opened(lake, name) as table:
            found += check(table, database, None, {"read_parquet"})
    return found


def test_tables_of_every_writer_there_may_be(lake: Lake, database: Database) -> None:
    assert _generated(lake, database, range(14))["read_parquet"] > 10


@pytest.mark.long
@pytest.mark.parametrize("first", [1000, 1025, 1050])
def test_many_tables_of_every_writer_there_may_be(
    lake: Lake, database: Database, first: int
) -> None:
    assert _generated(lake, database, range(first, first + 25))["read_parquet"] > 5


@pytest.mark.parametrize("name", NAMES)
def test_changes_of_tables_that_spark_wrote(lake: Lake, name: str) -> None:
    """All that happened since the beginning makes the head."""
    unpack_spark_table(lake, name)
    with opened(lake, f"spark.{name}") as table:
        head = our_rows(table)
        rows: Counter[str] = Counter()
        for changed in table.changes(AtVersion(0)).read(head.column_names):
            texts = sorted_rows(pa.Table.from_batches([changed.rows]))
            (rows.update if changed.kind == "insert" else rows.subtract)(map(str, texts))
        assert min(rows.values(), default=0) >= 0
        assert +rows == Counter(map(str, sorted_rows(head)))
