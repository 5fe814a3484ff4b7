"""Time and memory are bounded before anything runs: texts, trees, patterns, rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.expressions import evaluate, parse_expression
from lakeport.catalog.expressions.slices import MEMORY
from lakeport.core.errors import DeadlineError, LimitError

_COLUMNS: dict[str, pa.DataType] = {"n": pa.int64(), "s": pa.string(), "l": pa.list_(pa.string())}
_SCHEMA = pa.schema(_COLUMNS)


def _nested(before: str, inside: str, after: str, times: int) -> str:
    return before * times + inside + after * times


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("s = '" + "x" * 70_000 + "'", id="long text"),
        pytest.param(_nested("NOT ", "n = 1", "", 3_000), id="long chain"),
        pytest.param(_nested("(", "n", ")", 12_000), id="brackets"),
        pytest.param(_nested("abs(", "n", ")", 500), id="deep calls"),
        pytest.param(_nested("[", "n", "]", 400), id="deep lists"),
        pytest.param("n" + " + n" * 300, id="deep sum"),
        pytest.param("l" + ".a" * 100, id="long path"),
        pytest.param(" OR ".join(["n = 1"] * 1_500), id="many parts"),
        pytest.param(
            _nested("CASE ", "n", " WHEN 1 THEN 1 WHEN 2 THEN 2 END", 30), id="case in case"
        ),
        pytest.param(
            _nested("CASE (", "n", ") WHEN 1 THEN 1 WHEN 2 THEN 2 END", 12), id="12 cases"
        ),
        pytest.param(_nested("nullif(", "n", ", 1)", 40), id="macros in macros"),
        pytest.param("s" + " || s" * 95 + "".join([" || s"] * 60), id="joined to itself"),
        pytest.param(_nested("replace(", "s", ", 'a', 'aaaaaaaaaaaaaaaa')", 5), id="replaced"),
        pytest.param(
            _nested("replace(", f"'{'a' * 999}'", f", 'a', '{'a' * 999}')", 3), id="constant"
        ),
        pytest.param(
            _nested("regexp_replace(", "s", ", '', '" + "\\0" * 400 + "', 'g')", 2),
            id="replaced by pattern",
        ),
        pytest.param("s LIKE '%a_%b'", id="like that backtracks"),
        pytest.param("s ILIKE '%a_%b%c'", id="ilike that backtracks"),
        pytest.param("s LIKE '%a%b' ESCAPE 'x'", id="like with escape"),
        pytest.param("s GLOB '*a*b'", id="glob that backtracks"),
        pytest.param("regexp_matches(s, '" + "a" * 2_000 + "')", id="long pattern"),
        pytest.param("regexp_matches(s, '((a{100}){100}){100}')", id="repetitions"),
        pytest.param("contains(s, '" + "a" * 2_000 + "')", id="long needle"),
        pytest.param("NULL::INT[40][40]", id="array of arrays"),
    ],
)
def test_refuses_before_running(text: str) -> None:
    with pytest.raises(LimitError) as refused:
        parse_expression(text, _SCHEMA)
    assert refused.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "s LIKE '%a%b%c%d%'",
        "s NOT ILIKE '%A%b%C%'",
        "s LIKE 'a_b%'",
        "s IN l AND s NOT IN ['a', s]",
        "s LIKE '%a_b%%%'",
        "s GLOB '*.csv'",
        "n IN (" + ", ".join(map(str, range(3_000))) + ")",
        " AND ".join(["n <> 1"] * 400),
        "CASE n " + " ".join(f"WHEN {k} THEN {k}" for k in range(200)) + " END",
        "replace(replace(replace(s, '-', ''), ' ', ''), '&', '&amp;')",
        "regexp_matches(s, '^[a-z]{3}-\\d{1,4}$')",
    ],
)
def test_accepts_what_people_write(text: str) -> None:
    parse_expression(text, _SCHEMA)


def test_a_pattern_over_a_long_text_takes_no_time() -> None:
    rows = pa.RecordBatch.from_arrays([pa.array(["a" * 1_000_000])], ["s"])
    expression = parse_expression("s ILIKE '%A%a%A%a%b%' OR s LIKE '%a%a%a%c'", _SCHEMA)
    assert evaluate(expression, rows).tolist() == [False]


def test_large_batches_are_cut_and_keep_their_order() -> None:
    texts = [str(number) * 30_000 for number in range(1_000)]
    rows = pa.RecordBatch.from_arrays([pa.array(texts)], ["s"])
    expression = parse_expression("left(s || s || s, 3)", _SCHEMA)
    assert expression.growth.work.factor * rows.nbytes > MEMORY
    assert evaluate(expression, rows).tolist() == [(text * 3)[:3] for text in texts]


def test_a_single_row_that_needs_too_much_is_refused_with_its_size() -> None:
    rows = pa.RecordBatch.from_arrays([pa.array(["x" * 20_000_000])], ["s"])
    expression = parse_expression("length(hex(s || s || s || s))", _SCHEMA)
    with pytest.raises(LimitError, match=r"a row of 20,000,0\d\d bytes"):
        evaluate(expression, rows)


@pytest.mark.parametrize(
    "text", ["s::BIGNUM > 0", "s = 5::BIGNUM", "length(('[' || s || ']')::BIGNUM[])"]
)
def test_numbers_of_many_digits_are_refused_before_they_are_read(text: str) -> None:
    expression = parse_expression(text, _SCHEMA)
    rows = pa.RecordBatch.from_arrays([pa.array(["9" * 200, "7" * 100_000])], ["s"])
    assert len(evaluate(expression, rows.slice(0, 1))) == 1
    with pytest.raises(LimitError, match="too large for this expression"):
        evaluate(expression, rows)


def test_a_time_limit_holds_inside_try() -> None:
    rows = pa.RecordBatch.from_arrays([pa.array(["ab" * 500] * 10_000)], ["s"])
    slow = " OR ".join(f"regexp_matches(s, '(a|b)*{n}(a|b){{20}}c')" for n in range(90))
    with pytest.raises(DeadlineError):
        evaluate(parse_expression(f"TRY({slow})", _SCHEMA), rows, seconds=0.05)


def test_shared_values_are_measured_unshared() -> None:
    words = pa.DictionaryArray.from_arrays(
        pa.array([0] * 3_000, pa.int8()), pa.array(["x" * 1_000_000])
    )
    schema = pa.schema([("s", words.type)])
    rows = pa.RecordBatch.from_arrays([words], schema=schema)
    expression = parse_expression("length(upper(s))", schema)
    assert evaluate(expression, rows.slice(0, 300)).unique().tolist() == [1_000_000]
