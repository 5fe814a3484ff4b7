"""A server that breaks one rule fails by just that rule, and is told what DuckDB's client would do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from lakeport.catalog.memory import MemoryCatalog
from lakeport.conformance.report import Outcome
from lakeport.conformance.rules import RULES
from lakeport.flight.service import FlightService
from tests.airport.airport_server import shop
from tests.conformance import relay

Break = Callable[[FlightService], FlightService]

# What none of these rules is about, and what takes longest.
SLOW = ("types", "filters", "travel", "crowds.*", "errors.malformed-*", "alterations")

BROKEN: dict[str, tuple[str, Break]] = {
    "no Result of endpoints": ("0.1", partial(relay.Unanswered, action="endpoints")),
    "no transactions": ("0.2", relay.WithoutTransactions),
    "too few columns": ("0.3", partial(relay.Narrow, change=relay.without_last)),
    "a malformed table": ("0.4", partial(relay.Relisted, object_=relay.as_view)),
    "no locations": ("0.5", relay.Nowhere),
    "two batches for one": ("0.7", lambda good: relay.Rechunked(good, ("insert",), relay.halved)),
    "RETURNING in table order": (
        "0.8",
        lambda good: relay.Rechunked(good, ("update",), relay.in_table_order, relay.table_order),
    ),
    "wrong statistics": ("0.10", relay.Overcounted),
    "a schema called main": ("0.main", partial(relay.Relisted, schemas=relay.with_main)),
    "a path beyond ASCII": ("0.ascii", partial(relay.Relisted, object_=relay.beyond_ascii)),
}

ALSO: dict[str, tuple[str, Break, str]] = {
    "no Result of create_transaction": (
        "0.1",
        partial(relay.Unanswered, action="create_transaction"),
        "transactions",
    ),
    "no Result of catalog_version": (
        "0.1",
        partial(relay.Unanswered, action="catalog_version"),
        "transactions",
    ),
    "no Result of column_statistics": (
        "0.1",
        partial(relay.Unanswered, action="column_statistics"),
        "statistics",
    ),
    "columns in another order": (
        "0.3",
        partial(relay.Narrow, change=relay.in_other_order),
        "scans",
    ),
    "columns of other types": (
        "0.3",
        partial(relay.Narrow, change=relay.with_small_numbers),
        "scans",
    ),
    "no count": (
        "0.7",
        lambda good: relay.Rechunked(good, ("delete",), relay.uncounted),
        "changes.delete*",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_server_fails_by_the_rule_that_it_breaks(case: str) -> None:
    rule, break_ = BROKEN[case]
    catalog = shop()
    report = relay.examined(break_(relay.good(catalog)), skip=SLOW)
    assert report.broken_rules == {rule}
    for failure in report.of(Outcome.FAILED):
        assert failure.seen
        assert failure.client
        assert failure.says == RULES[rule].says
    assert namespaces(catalog) == ["shop"]


@pytest.mark.parametrize("case", ALSO)
def test_there_is_more_than_one_way_to_break_a_rule(case: str) -> None:
    rule, break_, only = ALSO[case]
    report = relay.examined(break_(relay.good(shop())), only=(only,))
    assert report.broken_rules == {rule}


def test_a_server_that_waits_for_rows_before_its_schema_is_not_waited_for_twice() -> None:
    catalog = shop()
    report = relay.examined(
        relay.Late(relay.good(catalog)), only=("0.6", "changes.insert"), patience=0.2
    )
    assert report.broken_rules == {"0.6"}
    assert "only after the input had ended" in (report.of(Outcome.FAILED)[0].seen or "")
    assert namespaces(catalog) == ["shop"]


def namespaces(catalog: MemoryCatalog) -> list[str]:
    return [info.name for info in catalog.namespaces()]
