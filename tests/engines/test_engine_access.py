"""Tokens, grants and growth as Spark and DuckDB meet them: what is refused is refused in our words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.access import Ability
from tests.engines.apart import Apart, RefusedError
from tests.engines.duck import Duck
from tests.engines.spark import Spark, open_session
from tests.rest.guarded import Guarded, guarded

READ, WRITE, DDL = Ability.READ, Ability.WRITE, Ability.DDL


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Guarded]:
    """With `shop.orders`, which some may see, and others beside it."""
    with guarded(tmp_path) as opened:
        yield opened


def session(jvm: Apart, door: Guarded, token: str, **more: str) -> Spark:
    return open_session(jvm, door.uri, token=token, **more)


def test_spark_sees_and_does_what_its_token_may(jvm: Apart, door: Guarded) -> None:
    reader = session(jvm, door, door.token("ann", [READ], "shop.orders"))
    writer = session(jvm, door, door.token("bob", [READ, WRITE], "shop.orders"))
    writer.run("INSERT INTO orders VALUES (1, 2)")
    assert reader.rows("orders") == [(1, 2)]
    assert reader.sql("SHOW TABLES IN lake.shop") == [("shop", "orders", False)]
    with pytest.raises(RefusedError, match="TABLE_OR_VIEW_NOT_FOUND"):
        reader.run("SELECT * FROM bonuses")
    with pytest.raises(RefusedError, match="write"):
        reader.run("INSERT INTO orders VALUES (3, 4)")
    with pytest.raises(RefusedError, match="ddl"):
        writer.run("ALTER TABLE orders ADD COLUMN note STRING")
    with pytest.raises(RefusedError, match="ddl"):
        writer.run("DROP TABLE orders")
    assert reader.rows("orders") == [(1, 2)]


def test_spark_logs_in_with_a_credential(jvm: Apart, door: Guarded) -> None:
    token = door.token("ann", [READ, WRITE], "shop.orders")
    spark = open_session(
        jvm,
        door.uri,
        **{"credential": f"anybody:{token}", "oauth2-server-uri": f"{door.uri}/v1/oauth/tokens"},
    )
    spark.run("INSERT INTO orders VALUES (1, 2)")
    assert spark.rows("orders") == [(1, 2)]


def test_no_token_and_a_revoked_one_open_nothing(jvm: Apart, door: Guarded) -> None:
    for settings in ({}, {"token": door.revoked("eve")}):
        with pytest.raises(RefusedError, match=r"(?i)not ?authorized"):
            open_session(jvm, door.uri, **settings)


def test_duckdb_sees_and_does_what_its_token_may(duck: Duck, door: Guarded) -> None:
    duck.attach(door.uri, door.token("ann", [READ, WRITE], "shop.orders"))
    duck.sql("INSERT INTO orders VALUES (1, 2)")
    duck.sql("UPDATE orders SET n = 3")
    assert duck.rows("orders") == [(1, 3)]
    with pytest.raises(RefusedError, match="bonuses"):
        duck.sql("SELECT * FROM bonuses")
    with pytest.raises(RefusedError, match="ddl"):
        duck.sql("CREATE TABLE more (k INTEGER)")


def test_duckdb_without_a_token_is_refused(duck: Duck, door: Guarded) -> None:
    with pytest.raises(RefusedError, match=r"(?i)unauthorized|401"):
        duck.attach(door.uri)


def test_a_run_lets_tables_grow_and_takes_nothing_away(jvm: Apart, door: Guarded) -> None:
    spark = session(jvm, door, door.token("run", [READ, WRITE, DDL], growth=True))
    spark.run(
        "ALTER TABLE orders ADD COLUMN note STRING",
        "ALTER TABLE orders ALTER COLUMN n TYPE BIGINT",
        "INSERT INTO orders VALUES (1, 2, 'a')",
        """MERGE INTO orders t USING (SELECT 1L AS id, 5L AS n) s ON t.id = s.id
           WHEN MATCHED THEN UPDATE SET n = s.n""",
        "CREATE TABLE stage USING iceberg AS SELECT 1 AS k",
        "DROP TABLE stage",
    )
    for statement, named in (
        ("ALTER TABLE orders DROP COLUMN note", "note"),
        ("ALTER TABLE orders RENAME COLUMN n TO m", "n"),
        ("CREATE OR REPLACE TABLE orders USING iceberg AS SELECT 1L AS id", "n"),
        ("DROP TABLE orders", "orders"),
        ("ALTER TABLE orders RENAME TO shop.others", "orders"),
    ):
        with pytest.raises(RefusedError, match=rf"`\S*\b{named}`"):
            spark.run(statement)
    assert spark.rows("orders") == [(1, 5, "a")]
