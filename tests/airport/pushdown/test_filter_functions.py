"""Functions mean the same here as in the client: every overload of every name that is evaluated."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from lakeport.airport.pushdown import parse_filters
from tests.airport.pushdown.bound import pushed_text
from tests.airport.pushdown.calls import Signature, call_of, signatures
from tests.airport.pushdown.recorded import answer, kept

SOME = {"~~", "array_slice", "list_sort", "md5", "regexp_replace", "round", "strftime", "xor"}


def _same_answers(signature: Signature) -> int:
    """How many of both questions were evaluated."""
    call = call_of(signature)
    evaluated = 0
    for operator in ("IS NOT DISTINCT FROM", "IS DISTINCT FROM") if call is not None else ():
        assert call is not None
        condition = f"{call.sql} {operator} r"
        text = pushed_text(condition, call.rows.schema)
        found = parse_filters(text, call.rows.schema)
        if not json.loads(text)["filters"] or not found.exact:
            continue
        wanted, failing = answer(condition, call.rows)
        assert kept(found, call.rows) == wanted | failing, condition
        evaluated += 1
    return evaluated


@pytest.mark.parametrize(
    "signature",
    [s for s in signatures() if s.name in SOME],
    ids=lambda s: f"{s.name}{s.parameters}",
)
def test_some_functions_answer_as_duckdb_does(signature: Signature) -> None:
    _same_answers(signature)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", range(8))
def test_all_functions_answer_as_duckdb_does(share: int) -> None:
    evaluated = sum(_same_answers(signature) for signature in list(signatures())[share::8])
    assert evaluated > 150


TIMES = pa.table(
    {
        "tz": pa.array([0, 10**15, None], pa.timestamp("us", "UTC")),
        "s": ["1970-01-01", "x", None],
        "d": [0.0, 2.0, None],
    }
)


@pytest.mark.parametrize(
    "condition",
    [
        *("year(tz) = 1970", "tz::DATE = DATE '1970-01-01'", "tz::VARCHAR = s", "tz::TIMESTAMP < TIMESTAMP '1971-01-01'"),
        *("s::TIMESTAMPTZ = tz", "tz + INTERVAL 1 MONTH > tz", "strftime(tz, '%H') = '00'"),
        *("date_trunc('day', tz) = tz", "date_diff('day', tz, tz) = 0", "[tz]::VARCHAR = s"),
    ],
)  # fmt: skip
def test_what_depends_on_the_sessions_time_zone_is_left_to_the_client(condition: str) -> None:
    found = parse_filters(pushed_text(condition, TIMES.schema), TIMES.schema)
    assert (found.predicate, found.expression, found.exact) == (None, None, False)


@pytest.mark.parametrize(
    "condition",
    [
        "epoch(tz) > 5",
        "greatest(tz, tz) = tz",
        "timezone('Asia/Tokyo', tz) > TIMESTAMP '1971-01-01'",
    ],
)
def test_instants_as_numbers_are_evaluated(condition: str) -> None:
    found = parse_filters(pushed_text(condition, TIMES.schema), TIMES.schema)
    assert found.exact
    assert kept(found, TIMES) == answer(condition, TIMES)[0]


def test_a_division_by_what_may_be_zero_depends_on_the_session() -> None:
    assert not parse_filters(pushed_text("(1 / d) IS NULL", TIMES.schema), TIMES.schema).exact
    assert parse_filters(pushed_text("(d / 4) > 0.25", TIMES.schema), TIMES.schema).exact
