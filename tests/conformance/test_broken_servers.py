"""A server that breaks one rule fails by just that rule, and is told what DuckDB's client would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pytest

from lakeport.catalog.memory import MemoryCatalog
from lakeport.conformance.report import Outcome
from lakeport.conformance.rules import RULES
from lakeport.flight.service import Chunk, FlightService
from tests.conformance import relay

Break = Callable[[FlightService], FlightService]


def rechunked(operation: str, change: Callable[[Iterable[Chunk]], Iterator[Chunk]]) -> Break:
    return lambda good: relay.Rechunked(good, (operation,), change)


# What none of these rules is about, and what takes longest.
SLOW = (
    "types",
    "filters",
    "travel",
    "crowds.*",
    "errors.malformed-*",
    "alterations",
    "definitions",
)

BROKEN: dict[str, tuple[str, Break]] = {
    "no Result of endpoints": ("0.1", partial(relay.Unanswered, action="endpoints")),
    "no transactions": ("0.2", relay.WithoutTransactions),
    "too few columns": ("0.3", partial(relay.Narrow, change=relay.without_last)),
    "a malformed table": ("0.4", partial(relay.Relisted, object_=relay.as_view)),
    "no locations": ("0.5", relay.Elsewhere),
    "two batches for one": ("0.7", rechunked("insert", relay.halved)),
    "RETURNING in table order": (
        "0.8",
        lambda good: relay.Rechunked(good, ("update",), relay.in_table_order, relay.table_order),
    ),
    "rows that close a chunk": ("0.9", rechunked("table_function_in_out", relay.joined)),
    "wrong statistics": ("0.10", relay.Overcounted),
    "a schema called main": ("0.main", partial(relay.Relisted, schemas=relay.with_main)),
    "a path beyond ASCII": ("0.ascii", partial(relay.Relisted, object_=relay.beyond_ascii)),
}

# The rule, the break, and the checks that are asked.
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
    "no Result of a bound function": (
        "0.1",
        partial(relay.Unanswered, action="table_function_flight_info"),
        "functions",
    ),
    "other order": ("0.3", partial(relay.Narrow, change=relay.in_other_order), "scans"),
    "other types": ("0.3", partial(relay.Narrow, change=relay.with_small_numbers), "scans"),
    "no parameters": (
        "0.4",
        partial(relay.Relisted, object_=relay.without_parameters),
        "discovery",
    ),
    "no count": ("0.7", rechunked("delete", relay.uncounted), "changes.delete*"),
    "no tags": ("0.9", rechunked("table_function_in_out", relay.untagged), "functions"),
    "strangers are denied": ("1.3", relay.Rude, "errors.no-token"),
    "a traceback": ("1.6", relay.Talkative, "definitions.drop-unknown-table errors.texts"),
    "a wrong hash": ("2.3", partial(relay.Relisted, schemas=relay.misnumbered), "discovery"),
    "a version that stands": ("2.6", relay.Standing, "definitions.version-grows"),
    "an unknown place": ("3.3", lambda good: relay.Elsewhere(good, "http://elsewhere"), "scans"),
    "one row id for all": (
        "3.4",
        partial(relay.Narrow, change=relay.with_one_row_id),
        "scans.row-ids",
    ),
    "metadata in a scan": ("3.5", relay.Mumbling, "scans.rows"),
    "no Result of ALTER": (
        "4",
        partial(relay.Unanswered, action="add_column"),
        "alterations.add-column",
    ),
    "a wrong count": ("5.5", rechunked("insert", relay.miscounted), "changes.insert"),
    "lost values": ("6.2", rechunked("scalar_function", relay.lost), "functions"),
    "lost rows": ("7", partial(relay.Narrow, change=lambda batch: batch.slice(1)), "filters.*"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_server_fails_by_the_rule_that_it_breaks(case: str) -> None:
    rule, break_ = BROKEN[case]
    catalog = relay.stocked()
    report = relay.examined(break_(relay.good(catalog)), skip=SLOW)
    assert report.broken_rules == {rule}
    for failure in report.of(Outcome.FAILED):
        assert failure.seen
        assert failure.client
        assert failure.says == RULES[rule].says
    assert namespaces(catalog) == ["fn", "shop"]


@pytest.mark.parametrize("case", ALSO)
def test_there_is_more_than_one_way_to_break_a_rule(case: str) -> None:
    rule, break_, only = ALSO[case]
    service = break_(relay.good(relay.stocked(), guarded=True))
    report = relay.examined(service, only=tuple(only.split()), token=relay.TOKEN)
    assert report.broken_rules == {rule}


def test_a_server_that_waits_for_rows_before_its_schema_is_not_waited_for_twice() -> None:
    catalog = relay.stocked()
    report = relay.examined(
        relay.Late(relay.good(catalog)), only=("0.6", "changes.insert"), patience=0.2
    )
    assert report.broken_rules == {"0.6"}
    assert "only after the input had ended" in (report.of(Outcome.FAILED)[0].seen or "")
    assert namespaces(catalog) == ["fn", "shop"]


def test_a_server_that_is_silent_fails_instead_of_hanging_the_suite() -> None:
    report = relay.examined(
        relay.Silent(relay.good(relay.stocked())),
        only=("transactions.catalog-version",),
        seconds=0.5,
    )
    (failure,) = report.of(Outcome.FAILED)
    assert failure.seen == "`catalog_version` was not answered"
    assert failure.client == "the statement hangs"


def test_a_refusal_is_told_in_one_line_and_not_as_a_crash() -> None:
    """A server on pyarrow.flight says its traceback with every refusal."""
    report = relay.examined(relay.Unreadable(relay.good(relay.stocked())), only=("scans.rows",))
    (failure,) = report.of(Outcome.FAILED)
    assert failure.seen is not None
    assert failure.seen.endswith("the disk is gone …")
    assert failure.client == "the statement fails by that text"


def test_one_result_too_many_is_not_told_as_a_crash() -> None:
    report = relay.examined(
        relay.Twice(relay.good(relay.stocked())), only=("scans.endpoints-result",)
    )
    (failure,) = report.of(Outcome.FAILED)
    assert failure.seen == "`endpoints` gave 2 Results, not one"
    assert failure.client == "it reads one of them: what the others say is lost"


def test_a_last_word_of_a_scalar_function_is_advice() -> None:
    report = relay.examined(
        relay.Rechunked(relay.good(relay.stocked()), ("scalar_function",), relay.with_last_word),
        only=("functions.fn.add_one*",),
    )
    assert {one.rule for one in report.of(Outcome.ADVICE)} == {"6.2"}
    assert not report.of(Outcome.FAILED)


def test_a_server_that_makes_no_sense_is_asked_to_the_end() -> None:
    catalog = relay.stocked()
    nothing = relay.Narrow(relay.good(catalog), lambda batch: batch.slice(len(batch)))
    report = relay.examined(nothing, only=("returning", "changes.update", "statistics"))
    assert {one.check for one in report.of(Outcome.FAILED)} >= {
        "changes.update",
        "returning.delete",
    }
    assert namespaces(catalog) == ["fn", "shop"]


def namespaces(catalog: MemoryCatalog) -> list[str]:
    return [info.name for info in catalog.namespaces()]
