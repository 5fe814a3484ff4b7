"""Random conditions that are more than comparisons with constants, as DuckDB SQL over a fixed schema."""

from __future__ import annotations

import random

import pyarrow as pa

from tests.behaviours.lake import schema_of

SCHEMA = schema_of(
    i=pa.int32(),
    big=pa.int64(),
    d=pa.float64(),
    money=pa.decimal128(12, 2),
    s=pa.string(),
    t=pa.string(),
    day=pa.date32(),
    ts=pa.timestamp("us"),
    ok=pa.bool_(),
    tags=pa.list_(pa.string()),
    spec=pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())]),
)

_NUMBERS = ("i", "big", "d", "money", "spec.x", "length(s)", "len(tags)", "year(day)", "month(ts)")
_TEXTS = ("s", "t", "spec.y", "tags[1]", "lower(s)", "upper(t)", "trim(s)", "reverse(t)")
_PATTERNS = ("a%", "%b%", "_", "%", "", "A%", "%é%", "%1")
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")


def random_condition(rng: random.Random, depth: int = 2) -> str:
    if depth and rng.random() < 0.4:
        one, other = random_condition(rng, depth - 1), random_condition(rng, depth - 1)
        return rng.choice((f"({one} AND {other})", f"({one} OR {other})", f"(NOT {one})"))
    return rng.choice((_numeric, _textual, _temporal, _conditional, _nested))(rng)


def _number(rng: random.Random) -> str:
    column = rng.choice(_NUMBERS)
    constant = rng.randint(-5, 12)
    return rng.choice(
        (
            column,
            column,
            f"({column} + {constant})",
            f"({column} * {constant})",
            f"abs({column})",
            f"coalesce({column}, {constant})",
            f"nullif({column}, {constant})",
            f"round({column}::DOUBLE, 1)",
            f"({column} % {abs(constant) + 1})",
            f"greatest({column}, {constant})",
            f"sign({column})",
            f"CAST({column} AS DOUBLE)",
        )
    )


def _text(rng: random.Random) -> str:
    column = rng.choice(_TEXTS)
    start = rng.randint(1, 3)
    return rng.choice(
        (
            column,
            column,
            f"substring({column}, {start}, 2)",
            f"({column} || 'x')",
            f"coalesce({column}, 'none')",
            f"replace({column}, 'a', 'b')",
            f"left({column}, {start})",
        )
    )


def _numeric(rng: random.Random) -> str:
    one, other = _number(rng), rng.choice((_number(rng), str(rng.randint(-5, 12))))
    return rng.choice(
        (
            f"{one} {rng.choice(_COMPARISONS)} {other}",
            f"{one} {rng.choice(_COMPARISONS)} {other}",
            f"{one} BETWEEN {rng.randint(-5, 3)} AND {rng.randint(0, 12)}",
            f"{one} IN ({other}, {rng.randint(0, 9)}, NULL)",
            f"{one} IS NULL",
        )
    )


def _textual(rng: random.Random) -> str:
    one = _text(rng)
    return rng.choice(
        (
            f"{one} {rng.choice(_COMPARISONS)} {_text(rng)}",
            f"{one} LIKE '{rng.choice(_PATTERNS)}'",
            f"{one} NOT LIKE '{rng.choice(_PATTERNS)}'",
            f"{one} ILIKE '{rng.choice(_PATTERNS)}'",
            f"starts_with({one}, 'a')",
            f"contains({one}, 'b')",
            f"{one} IN ('a', 'ab', 'B')",
            f"length({one}) > {rng.randint(0, 4)}",
        )
    )


def _temporal(rng: random.Random) -> str:
    return rng.choice(
        (
            f"day > DATE '20{rng.randint(10, 30)}-0{rng.randint(1, 9)}-15'",
            f"ts::DATE {rng.choice(_COMPARISONS)} day",
            f"day + {rng.randint(1, 40)} > ts::DATE",
            f"year(ts) - year(day) {rng.choice(_COMPARISONS)} {rng.randint(-3, 3)}",
            f"dayofweek(day) IN ({rng.randint(0, 6)}, {rng.randint(0, 6)})",
            f"hour(ts) < {rng.randint(0, 23)}",
            f"date_trunc('month', ts) <= TIMESTAMP '2020-0{rng.randint(1, 9)}-01 00:00:00'",
        )
    )


def _conditional(rng: random.Random) -> str:
    return rng.choice(
        (
            f"CASE WHEN ok THEN {_number(rng)} > 1 ELSE {_number(rng)} < 5 END",
            f"CASE {_text(rng)} WHEN 'a' THEN TRUE WHEN 'b' THEN NULL ELSE ok END",
            f"coalesce(ok, {_number(rng)} > 0)",
            "ok",
            "NOT ok",
            f"if(ok, {_text(rng)}, 'z') < 'm'",
            f"ok = ({_number(rng)} > 2)",
        )
    )


def _nested(rng: random.Random) -> str:
    return rng.choice(
        (
            f"list_contains(tags, '{rng.choice('abc')}')",
            f"tags[{rng.randint(1, 3)}] = '{rng.choice('abc')}'",
            f"len(tags) = {rng.randint(0, 3)}",
            "spec IS NULL",
            f"spec.x > {rng.randint(-3, 8)}",
            f"spec.y || s LIKE '{rng.choice(_PATTERNS)}'",
            "tags IS NOT NULL AND spec.x IS NULL",
        )
    )


def random_rows(rng: random.Random, rows: int) -> pa.Table:
    """Few distinct values, so that conditions are TRUE, FALSE and NULL in turn."""
    words = ("a", "ab", "B", "", " b1", "é", "Abc", "xa")

    def maybe(value: object) -> object:
        return None if rng.random() < 0.15 else value

    return pa.Table.from_pylist(
        [
            {
                "i": maybe(rng.randint(-3, 9)),
                "big": maybe(rng.choice((0, 1, -1, 7, 2**40, -(2**40)))),
                "d": maybe(rng.choice((0.0, -0.0, 1.5, -2.25, 1e9, float("inf"), float("nan")))),
                "money": maybe(rng.choice(_MONEY)),
                "s": maybe(rng.choice(words)),
                "t": maybe(rng.choice(words)),
                "day": maybe(rng.randint(14_000, 20_000)),
                "ts": maybe(rng.randint(1_500_000_000, 1_700_000_000) * 1_000_000),
                "ok": maybe(rng.random() < 0.5),
                "tags": maybe([rng.choice("abc") for _ in range(rng.randint(0, 3))]),
                "spec": maybe({"x": maybe(rng.randint(-3, 9)), "y": maybe(rng.choice(words))}),
            }
            for _ in range(rows)
        ],
        SCHEMA,
    )


_MONEY = tuple(pa.array([0, 1, -2, 99], pa.decimal128(12, 2)).to_pylist())
