"""`lakeport.lineage`: what feeds a table and what it feeds, through all the steps that may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.access import EVERYONE, Ability, Grant, Identity
from lakeport.app.serve.view import Audit, CallersView, Models
from lakeport.catalog.functions import TableFunction
from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import NotFoundError, PermissionDeniedError
from lakeport.core.names import TableName
from lakeport.state import Store, StoredEdge
from lakeport.system import SystemCatalog
from lakeport.system.overlay import SystemNamespace
from tests.airport.airport_server import shop


def edge(source: str, target: str) -> StoredEdge:
    """`NAMESPACE.TABLE.COLUMN` each."""
    (a, b, c), (d, e, f) = source.split("."), target.split(".")
    return StoredEdge(TableName(a, b), c, TableName(d, e), f)


EDGES = [
    edge("raw.a.x", "shop.orders.id"),
    edge("raw.a.y", "shop.orders.v"),
    edge("shop.orders.id", "mart.daily.n"),
    edge("mart.daily.n", "mart.yearly.n"),
    edge("mart.yearly.n", "shop.orders.id"),  # in a circle
    edge("raw.b.z", "mart.daily.z"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/state.db") as opened:
        opened.lineage.put("lake", None, EDGES, [])
        yield opened


def lineage(store: Store, *arguments: str, who: Identity = EVERYONE) -> list[str]:
    catalog = shop()
    models = Models(store.runs, store.lineage)
    view = CallersView(catalog, who, Audit(store.audit), models)
    namespace = SystemCatalog(catalog, view).namespace("lakeport")
    assert isinstance(namespace, SystemNamespace)
    (function,) = (
        each
        for each in namespace.functions()
        if each.signature.name == "lineage" and len(each.signature.parameters) == len(arguments)
    )
    assert isinstance(function, TableFunction)
    given = pa.RecordBatch.from_arrays(
        [pa.array([each]) for each in arguments], names=function.signature.parameters.names
    )
    found = function.bind(given).open(ScanRequest()).read_all()
    assert found.schema == function.returns
    return [
        f"{row['direction']} {row['depth']} {row['source_table']}.{row['source_column']}"
        f" > {row['target_table']}.{row['target_column']}"
        for row in found.to_pylist()
    ]


def test_all_that_feeds_a_table_and_all_that_it_feeds(store: Store) -> None:
    found = lineage(store, "shop.orders")
    assert found[:3] == [
        "upstream 1 a.x > orders.id",
        "upstream 1 a.y > orders.v",
        "upstream 1 yearly.n > orders.id",
    ]
    assert "downstream 2 daily.n > yearly.n" in found
    assert not any("b.z" in each for each in found)


def test_one_column_alone(store: Store) -> None:
    assert lineage(store, "SHOP.Orders", "V") == ["upstream 1 a.y > orders.v"]


def test_a_source_that_is_no_table_is_known_by_what_it_feeds(store: Store) -> None:
    assert lineage(store, "raw.b") == ["downstream 1 b.z > daily.z"]


def test_what_nobody_knows_is_not_found(store: Store) -> None:
    with pytest.raises(NotFoundError):
        lineage(store, "raw.c")
    with pytest.raises(NotFoundError, match="nothing"):
        lineage(store, "shop.orders", "nothing")
    assert lineage(store, "shop.customers") == []


def test_nothing_leads_through_tables_that_may_not_be_read(store: Store) -> None:
    ann = Identity("ann", frozenset({Grant(Ability.READ, "shop.*"), Grant(Ability.READ, "raw.*")}))
    assert lineage(store, "shop.orders", who=ann) == [
        "upstream 1 a.x > orders.id",
        "upstream 1 a.y > orders.v",
    ]
    with pytest.raises(PermissionDeniedError):
        lineage(store, "mart.daily", who=ann)
