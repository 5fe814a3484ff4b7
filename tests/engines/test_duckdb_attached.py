"""DuckDB attaches our door as an Iceberg catalog: it reads, writes and makes tables."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from tests.engines.apart import RefusedError
from tests.engines.duck import Duck
from tests.engines.plain import Row, in_order, rows_of


@pytest.fixture
def attached(duck: Duck, door: str, catalog: IcebergCatalog) -> Duck:
    catalog.create_namespace(NamespaceInfo("shop"))
    return duck.attach(door)


def ours(catalog: IcebergCatalog, table: str) -> list[Row]:
    with read(catalog.namespace("shop").table(table), ScanRequest()) as stream:
        return in_order(rows_of(stream.read_all()))


def test_a_table_is_made_filled_and_changed(
    attached: Duck, catalog: IcebergCatalog, client: RestCatalog
) -> None:
    for statement, expected in (
        ("CREATE TABLE t (k INTEGER, word VARCHAR, moment TIMESTAMP)", []),
        (
            "INSERT INTO t (k, word) VALUES (1, 'a'), (2, 'b'), (3, NULL)",
            [(1, "a"), (2, "b"), (3, None)],
        ),
        ("UPDATE t SET word = 'z' WHERE k = 2", [(1, "a"), (2, "z"), (3, None)]),
        ("DELETE FROM t WHERE k = 1", [(2, "z"), (3, None)]),
        (
            "INSERT INTO t SELECT k + 10, word, NULL FROM t",
            [(2, "z"), (3, None), (12, "z"), (13, None)],
        ),
    ):
        attached.sql(statement)
        shown = [(*row, None) for row in expected]
        assert ours(catalog, "t") == in_order(shown), statement
        assert attached.rows("t") == in_order(shown), statement
        theirs = client.load_table("shop.t").scan().to_arrow()
        assert in_order(rows_of(theirs)) == in_order(shown), statement


def test_what_others_wrote_is_read_at_once(attached: Duck, client: RestCatalog) -> None:
    attached.sql("CREATE TABLE t (k BIGINT)")
    table = client.load_table("shop.t")
    for number in range(3):
        table.append(pa.table({"k": [number]}))
        assert attached.rows("t") == [(k,) for k in range(number + 1)]


def test_several_statements_are_one_commit_or_none(attached: Duck, catalog: IcebergCatalog) -> None:
    attached.sql("CREATE TABLE t (k BIGINT)")
    attached.sql("BEGIN; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); COMMIT")
    assert ours(catalog, "t") == [(1,), (2,)]
    attached.sql("BEGIN; INSERT INTO t VALUES (3); ROLLBACK")
    assert ours(catalog, "t") == [(1,), (2,)]
    attached.sql(
        "BEGIN; CREATE TABLE u (k BIGINT); INSERT INTO u VALUES (7); DELETE FROM t; COMMIT"
    )
    assert (ours(catalog, "t"), ours(catalog, "u")) == ([], [(7,)])


def test_rows_are_merged_and_columns_change(attached: Duck, catalog: IcebergCatalog) -> None:
    attached.sql("CREATE TABLE t (k INTEGER, day DATE) PARTITIONED BY (day)")
    attached.sql("INSERT INTO t VALUES (1, DATE '2024-01-01'), (2, DATE '2024-01-02')")
    attached.sql(
        """MERGE INTO t USING (SELECT unnest([1, 3]) AS k) s ON t.k = s.k
           WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)"""
    )
    attached.sql("ALTER TABLE t ADD COLUMN note VARCHAR")
    attached.sql("ALTER TABLE t ADD COLUMN gone VARCHAR")
    attached.sql("ALTER TABLE t RENAME COLUMN k TO number")
    attached.sql("UPDATE t SET note = 'x' WHERE day IS NULL")
    attached.sql("ALTER TABLE t DROP COLUMN gone")
    attached.sql("ALTER TABLE t RENAME TO u")
    expected = [(2, date(2024, 1, 2), None), (3, None, "x")]
    assert ours(catalog, "u") == attached.rows("u") == expected


def test_schemas_and_tables_come_and_go(attached: Duck, catalog: IcebergCatalog) -> None:
    attached.sql("CREATE SCHEMA lake.depot")
    attached.sql("CREATE TABLE lake.depot.t AS SELECT 1::BIGINT AS k")
    assert attached.rows("lake.depot.t") == [(1,)]
    shown = rows_of(attached.sql("SELECT schema, name FROM (SHOW ALL TABLES)"))
    assert ("depot", "t") in shown
    attached.sql("DROP TABLE lake.depot.t")
    attached.sql("DROP SCHEMA lake.depot")
    assert [info.name for info in catalog.namespaces()] == ["shop"]


def test_what_is_not_there_is_said_so(attached: Duck) -> None:
    with pytest.raises(RefusedError, match="does not exist"):
        attached.sql("SELECT * FROM nothing")
