from __future__ import annotations

import pytest

from lakeport.airport.pushdown import parse_filters
from tests.airport.pushdown.recorded import Recorded, answer, judge, kept, recordings, rows_for

NOT_DUCKDBS = "x.fn.add_one(id) = 3"
VOLATILE = ("random()", "uuid()", "age(ts)")
# No value of the column makes them true, whatever the rows are.
NEVER_TRUE = {
    *("i32 = 5.5", "i32 not in (1, NULL)", "cast(i32 as decimal(9,2)) = 5.25", "i8 = 1000"),
    *("f < '-infinity'::float", "f = 1e-45", "dc18 > 999999999999999.999", "dc9 = 1.005", "s < ''"),
    *("md5(s) = 'x'", "list_contains([NULL], i32)", "hash(i32) = 1"),
}

pushed = [recorded for recorded in recordings() if recorded.was_pushed]
deterministic = [
    recorded
    for recorded in pushed
    if recorded.condition != NOT_DUCKDBS and not any(v in recorded.condition for v in VOLATILE)
]


@pytest.mark.parametrize("recorded", deterministic, ids=lambda recorded: recorded.condition)
def test_a_recorded_filter_keeps_the_rows_of_its_condition(recorded: Recorded) -> None:
    verdict = judge(recorded.text, recorded.condition, rows_for(recorded))
    assert verdict.wanted <= verdict.kept
    if verdict.pushed.exact:
        # Where DuckDB raises an error the row goes to the client, which raises it.
        assert verdict.kept == verdict.wanted | verdict.failing
    if recorded.condition not in NEVER_TRUE:
        assert 0 < len(verdict.wanted) < verdict.total


@pytest.mark.parametrize(
    "recorded",
    [r for r in pushed if any(v in r.condition for v in VOLATILE)],
    ids=lambda recorded: recorded.condition,
)
def test_volatile_functions_are_never_evaluated(recorded: Recorded) -> None:
    table = rows_for(recorded)
    found = parse_filters(recorded.text, table.schema)
    assert not found.exact
    rest = [
        part for part in recorded.condition.split(" and ") if not any(v in part for v in VOLATILE)
    ]
    wanted, _ = answer(" and ".join(rest) or "true", table)
    assert kept(found, table) == wanted


def test_functions_of_the_attached_catalog_are_not_evaluated() -> None:
    (recorded,) = (r for r in pushed if r.condition == NOT_DUCKDBS)
    found = parse_filters(recorded.text, rows_for(recorded).schema)
    assert (found.predicate, found.expression, found.exact) == (None, None, False)
    assert found.dropped == ("the function `add_one`, which is not DuckDB's own",)


def test_at_least_440_of_the_recorded_filters_are_evaluated_exactly() -> None:
    exact = [r for r in pushed if parse_filters(r.text, rows_for(r).schema).exact]
    assert len(recordings()) == 477
    assert len(exact) >= 440
