"""What DuckDB believes and what the table holds agree, also if an answer is lost on its way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from tests.engines.duck import Duck
from tests.engines.plain import in_order, rows_of
from tests.engines.proxy import Fate, Proxy, proxy_to


@pytest.fixture
def proxy(door: str) -> Iterator[Proxy]:
    with proxy_to(door) as between:
        yield between


@pytest.fixture
def attached(duck: Duck, proxy: Proxy, catalog: IcebergCatalog) -> Duck:
    catalog.create_namespace(NamespaceInfo("shop"))
    duck = duck.attach(proxy.url)
    duck.sql("CREATE TABLE t (k INTEGER)")
    duck.sql("CREATE TABLE other (k INTEGER)")
    duck.sql("INSERT INTO t VALUES (1), (2)")
    return duck


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.HIDDEN])
@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("INSERT INTO t VALUES (3)", [(1,), (2,), (3,)]),
        ("UPDATE t SET k = 5 WHERE k = 2", [(1,), (5,)]),
        ("DELETE FROM t WHERE k = 1", [(2,)]),
        (
            "BEGIN; INSERT INTO t VALUES (4); INSERT INTO other VALUES (9); COMMIT",
            [(1,), (2,), (4,)],
        ),
    ],
)
def test_a_commit_whose_answer_was_lost_is_made_once(
    attached: Duck,
    proxy: Proxy,
    catalog: IcebergCatalog,
    statement: str,
    left: list[object],
    fate: Fate,
) -> None:
    """DuckDB sends it again by itself, and would remove its files if that were a conflict."""
    history = catalog.namespace("shop").table("t").history
    before = len(history())
    proxy.commits = 0
    proxy.decide = lambda: fate if proxy.commits == 1 else Fate.PASSED
    attached.sql(statement)
    assert proxy.commits == 2
    assert attached.rows("t") == left
    with read(catalog.namespace("shop").table("t"), ScanRequest()) as stream:
        assert in_order(rows_of(stream.read_all())) == left
    assert len(history()) == before + 1


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.HIDDEN])
def test_a_table_that_is_made_with_its_rows_is_whole(
    attached: Duck, proxy: Proxy, fate: Fate
) -> None:
    proxy.commits = 0
    proxy.decide = lambda: fate if proxy.commits == 1 else Fate.PASSED
    attached.sql("CREATE TABLE made AS SELECT 7 AS k")
    assert attached.rows("made") == [(7,)]
