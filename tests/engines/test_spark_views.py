"""Views that Spark makes through our door, and what is said of them at other doors."""

from __future__ import annotations

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.core.errors import UnsupportedError
from tests.engines.apart import RefusedError
from tests.engines.spark import Spark


def test_a_view_is_made_read_replaced_renamed_and_dropped(
    spark: Spark, catalog: IcebergCatalog
) -> None:
    spark.run(
        "CREATE TABLE t USING iceberg AS SELECT id AS k FROM range(3)",
        """CREATE VIEW few (n COMMENT 'a number') COMMENT 'not many' TBLPROPERTIES ('mine' = '1')
           AS SELECT k AS n FROM t WHERE k < 2""",
        "CREATE VIEW IF NOT EXISTS few AS SELECT 1",
    )
    assert spark.rows("few") == [(0,), (1,)]
    assert [row[1] for row in spark.sql("SHOW VIEWS IN lake.shop")] == ["few"]
    assert [row[1] for row in spark.sql("SHOW TABLES IN lake.shop")] == ["t"]
    spark.run("CREATE OR REPLACE VIEW few AS SELECT k + 10 AS n FROM t")
    assert spark.rows("few") == [(10,), (11,), (12,)]
    spark.run(
        "ALTER VIEW few SET TBLPROPERTIES ('mine' = '2')",
        "ALTER VIEW few UNSET TBLPROPERTIES ('mine')",
        "INSERT INTO t VALUES (3)",
        "ALTER VIEW few RENAME TO shop.more",
    )
    assert spark.rows("more") == [(10,), (11,), (12,), (13,)]
    with pytest.raises(UnsupportedError, match="view"):
        catalog.namespace("shop").table("more")
    spark.run("DROP VIEW more", "DROP VIEW IF EXISTS more")
    assert spark.sql("SHOW VIEWS IN lake.shop") == []


def test_a_view_and_a_table_never_share_a_name(spark: Spark) -> None:
    spark.run("CREATE TABLE t (k INT) USING iceberg", "CREATE VIEW v AS SELECT 1 AS k")
    for statement in (
        "CREATE VIEW t AS SELECT 1 AS k",
        "CREATE VIEW T AS SELECT 1 AS k",
        "CREATE TABLE v (k INT) USING iceberg",
        "CREATE TABLE V (k INT) USING iceberg",
        "ALTER TABLE t RENAME TO shop.v",
        "ALTER VIEW v RENAME TO shop.t",
    ):
        with pytest.raises(RefusedError, match=r"(?i)exists"):
            spark.run(statement)
