"""Our own server passes all of it, whatever its catalog, and is left as it was."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeport import airport as library
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.conformance.examine import Request, examine
from lakeport.conformance.report import Outcome, Report, Result
from lakeport.core.errors import InvalidRequestError, UnavailableError
from lakeport.core.names import TableName
from lakeport.flight.dial import Target
from lakeport.functions import table_function, table_in_out
from tests.airport.airport_server import shop
from tests.airport.wrapped import WrappedCatalog
from tests.conformance import relay
from tests.rest.doors import profile_in


def wrong(report: Report) -> list[tuple[str, str | None]]:
    unwanted = (Outcome.FAILED, Outcome.ADVICE)
    return [(one.check, one.seen) for one in report.results if one.outcome in unwanted]


def test_a_server_in_memory_passes() -> None:
    catalog = relay.stocked()
    report = relay.examined(relay.good(catalog), read_rows=10)
    assert wrong(report) == []
    skipped = {one.check for one in report.of(Outcome.SKIPPED)}
    assert skipped == {"errors.no-token", "errors.wrong-token", "errors.guarded-streams"}
    passed = {one.check for one in report.of(Outcome.PASSED)}
    assert {"functions.fn.echo(table)", "functions.fn.row_number0()"} <= passed
    assert [info.name for info in catalog.namespaces()] == ["fn", "shop"]


def test_a_server_that_asks_for_a_token_passes() -> None:
    service = relay.good(shop(), guarded=True)
    report = relay.examined(service, token=relay.TOKEN, only=("discovery", "scans", "errors"))
    assert wrong(report) == []
    assert "errors.guarded-streams" in {one.check for one in report.of(Outcome.PASSED)}


def test_a_server_of_iceberg_tables_passes(tmp_path: Path) -> None:
    with IcebergCatalog(profile_in(tmp_path)) as catalog:
        report = relay.examined(relay.good(catalog), catalog=catalog.name)
        assert wrong(report) == []
        assert list(catalog.namespaces()) == []


def test_an_unnamed_catalog_passes() -> None:
    report = relay.examined(relay.good(shop()), catalog="", only=("discovery", "scans"))
    assert wrong(report) == []


def test_what_todays_client_does_not_mind_is_advice() -> None:
    report = relay.examined(relay.OtherWays(relay.good(shop())), only=("discovery", "scans"))
    assert not report.of(Outcome.FAILED)
    told = {one.check: one.client for one in report.of(Outcome.ADVICE)}
    assert set(told) == {"discovery.list-flights", "scans.flight-info", "scans.unknown-table"}
    assert all(told.values())


def test_a_listing_without_contents_needs_list_flights() -> None:
    bare = relay.Relisted(relay.good(relay.stocked()), schemas=relay.without_contents)
    assert wrong(relay.examined(bare, only=("discovery.list-flights",))) == []
    report = relay.examined(relay.OtherWays(bare), only=("discovery.list-flights",))
    assert report.broken_rules == {"2.7"}


def test_what_cannot_be_changed_is_skipped_with_its_reason() -> None:
    fixed = WrappedCatalog(shop(), lambda table: table)
    report = relay.examined(relay.good(fixed), read_rows=2)
    assert wrong(report) == []
    assert report.namespace is None
    reasons = {one.check: one.reason for one in report.of(Outcome.SKIPPED)}
    assert "no schema can be created" in (reasons["changes.insert"] or "")
    passed = {one.check for one in report.of(Outcome.PASSED)}
    assert {"discovery.objects", "existing.shop.orders"} <= passed


def test_functions_are_given_texts_that_mean_something() -> None:
    catalog = library.Catalog("lake", ddl=True)

    @table_in_out(returns=pa.schema([("n", pa.int64())]))
    def total(rows: pa.RecordBatch, column: str) -> list[dict[str, int]]:
        return [{"n": len(rows.column(column))}]

    @table_function(returns=pa.schema([("n", pa.int64())]))
    def counted(table: str, column: str) -> list[dict[str, int]]:
        place = TableName.parse(table)
        if place is None or column not in table_columns(catalog, place):
            raise ValueError(f"{table}.{column} is not there")
        return [{"n": 1}]

    catalog.schema("fn").function(total, counted)
    report = relay.examined(relay.good(catalog), only=("functions",))
    assert wrong(report) == []
    passed = {one.check for one in report.of(Outcome.PASSED)}
    assert {"functions.fn.total(table,string)", "functions.fn.counted(string,string)"} <= passed


def table_columns(catalog: library.Catalog, name: TableName) -> list[str]:
    return catalog.namespace(name.namespace).table(name.table).state().definition.schema.names


def test_tables_that_were_there_are_read_only_when_asked() -> None:
    report = relay.examined(relay.good(shop()), only=("existing",))
    assert report.results == ()


def test_ctrl_c_leaves_nothing_behind() -> None:
    catalog = shop()

    def interrupt(result: Result) -> None:
        if result.check == "scans.rows":
            assert len(catalog.namespaces()) == 2
            raise KeyboardInterrupt

    with relay.serving(relay.good(catalog)) as target, pytest.raises(KeyboardInterrupt):
        examine(Request(target, "lake"), interrupt)
    assert [info.name for info in catalog.namespaces()] == ["shop"]


def test_a_schema_that_is_there_is_not_touched() -> None:
    catalog = shop()
    with pytest.raises(InvalidRequestError, match="is there already"):
        relay.examined(relay.good(catalog), namespace="shop", only=("scans",))
    assert list(catalog.namespace("shop").tables()) == ["customers", "orders"]


def test_a_schema_that_is_there_is_not_touched_even_if_the_server_makes_it_again() -> None:
    catalog = shop()
    with pytest.raises(InvalidRequestError, match="the schema `SHOP` is there already"):
        relay.examined(relay.Forgetful(relay.good(catalog)), namespace="SHOP")
    assert [info.name for info in catalog.namespaces()] == ["shop"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"namespace": "Main"}, "no schema called `main`"),
        ({"catalog": "ümlaut"}, "no catalog can be called 'ümlaut'"),
    ],
)
def test_names_that_no_client_could_use_are_wrong_use(asked: dict[str, str], told: str) -> None:
    with pytest.raises(InvalidRequestError, match=told):
        relay.examined(relay.good(shop()), **asked)


@pytest.mark.parametrize("asked", [{}, {"token": "wrong"}], ids=["none", "wrong"])
def test_a_token_that_is_missing_is_wrong_use(asked: dict[str, str]) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        relay.examined(relay.good(shop(), guarded=True), **asked)
    assert "--token" in (raised.value.hint or "")


def test_a_catalog_that_is_not_there_is_wrong_use() -> None:
    with pytest.raises(InvalidRequestError) as raised:
        relay.examined(relay.good(shop()), catalog="river")
    assert "--catalog" in (raised.value.hint or "")


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with relay.serving(relay.good(shop())) as target:
        gone = Target(target.host, target.port)
    with pytest.raises(UnavailableError, match="cannot be reached"):
        examine(Request(gone, "lake"))
