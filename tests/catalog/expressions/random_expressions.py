"""Random SQL over one table with a column of many types: seeded, so that every run asks the same."""

from __future__ import annotations

import random
from functools import partial

import duckdb
import pyarrow as pa

COLUMNS = {
    "i": "INTEGER",
    "j": "BIGINT",
    "h": "HUGEINT",
    "d": "DOUBLE",
    "m": "DECIMAL(12,3)",
    "s": "VARCHAR",
    "t": "VARCHAR",
    "b": "BOOLEAN",
    "dt": "DATE",
    "ts": "TIMESTAMP",
    "tz": "TIMESTAMPTZ",
    "iv": "INTERVAL",
    "u": "UUID",
    "l": "INTEGER[]",
    "ls": "VARCHAR[]",
    "st": "STRUCT(a INTEGER, b VARCHAR)",
    "mp": "MAP(VARCHAR, INTEGER)",
    "js": "JSON",
}

_POOLS = {
    "INTEGER": ["NULL", "0", "1", "-1", "2", "3", "7", "100", "-2147483648", "2147483647"],
    "BIGINT": ["NULL", "0", "1", "-5", "12", "9223372036854775807"],
    "HUGEINT": ["NULL", "0", "-1", "170141183460469231731687303715884105727"],
    "DOUBLE": ["NULL", "0", "-0.0", "1.5", "-2.25", "1e300", "'nan'", "'infinity'", "'-infinity'"],
    "DECIMAL(12,3)": ["NULL", "0", "1.125", "-99999.999", "12.5"],
    "VARCHAR": [
        "NULL",
        "''",
        "'a'",
        "'Abc'",
        "'aXbXc'",
        "'100%'",
        "'é日🦆'",
        "'2024-02-29'",
        "' x '",
        "'12'",
    ],
    "BOOLEAN": ["NULL", "true", "false"],
    "DATE": ["NULL", "'2024-02-29'", "'1970-01-01'", "'infinity'", "'0001-01-01'"],
    "TIMESTAMP": ["NULL", "'2024-02-29 12:34:56.789'", "'1969-12-31 23:59:59'", "'-infinity'"],
    "TIMESTAMPTZ": ["NULL", "'2024-06-30 23:30:00+02'", "'1999-12-31 23:59:59.999999+00'"],
    "INTERVAL": ["NULL", "'1 month 2 days'", "'-3 hours'", "'0 days'"],
    "UUID": [
        "NULL",
        "'123e4567-e89b-12d3-a456-426614174000'",
        "'00000000-0000-0000-0000-000000000000'",
    ],
    "INTEGER[]": ["NULL", "[]", "[1, 2, 3]", "[NULL, 5]", "[7, 7, -1]"],
    "VARCHAR[]": ["NULL", "[]", "['a', 'b']", "[NULL, 'é']"],
    "STRUCT(a INTEGER, b VARCHAR)": ["NULL", "{'a': 1, 'b': 'x'}", "{'a': NULL, 'b': 'Y'}"],
    "MAP(VARCHAR, INTEGER)": ["NULL", "MAP {}", "MAP {'k': 1, 'a': NULL}"],
    "JSON": ["NULL", '\'{"a": 1, "b": [true, null]}\'', "'[1, 2]'", "'\"x\"'"],
}


def table(rng: random.Random, rows: int) -> pa.RecordBatch:
    connection = duckdb.connect(config={"arrow_lossless_conversion": "true"})
    connection.execute("SET TimeZone = 'UTC'")
    line = [
        ", ".join(f"({rng.choice(_POOLS[kind])})::{kind}" for kind in COLUMNS.values())
        for _ in range(rows)
    ]
    values = ", ".join(f"({values})" for values in line)
    made = connection.execute(f"SELECT * FROM (VALUES {values}) AS made({', '.join(COLUMNS)})")
    return made.to_arrow_table().combine_chunks().to_batches()[0]


class Grammar:
    """One method per kind of value; each answers SQL of that kind."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def any(self, depth: int = 3) -> str:
        kinds = (self.boolean, self.boolean, self.number, self.text, self.date, self.list)
        return self._rng.choice(kinds)(depth)

    def _one(self, *forms: str) -> str:
        return self._rng.choice(forms)

    def boolean(self, depth: int) -> str:
        if depth <= 0:
            return self._one("b", "i > 1", "s IS NULL", "true", "NULL::BOOLEAN", "b IS NOT TRUE")
        p, q = partial(self.boolean, depth - 1), partial(self.number, depth - 1)
        x, y = partial(self.text, depth - 1), partial(self.date, depth - 1)
        z = partial(self.list, depth - 1)
        compare = self._one(
            "=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"
        )
        pattern = self._one("'a%'", "'%b%'", "'%X%c'", "'a_c'", "'%\\%'", "''", "'ABC'", "NULL")
        return self._rng.choice(
            (
                lambda: f"({p()} AND {p()})",
                lambda: f"({p()} OR {p()})",
                lambda: f"NOT {p()}",
                lambda: f"{q()} {compare} {q()}",
                lambda: f"{x()} {compare} {x()}",
                lambda: f"{y()} {compare} {y()}",
                lambda: f"{z()} {compare} {z()}",
                lambda: f"{q()} {self._one('', 'NOT ')}BETWEEN {q()} AND {q()}",
                lambda: f"{q()} {self._one('', 'NOT ')}IN ({q()}, {q()}, NULL)",
                lambda: f"{x()} IN ('a', {x()})",
                lambda: f"{x()} {self._one('', 'NOT ')}{self._one('LIKE', 'ILIKE')} {pattern}",
                lambda: f"{x()} SIMILAR TO '[a-c]+.*'",
                lambda: f"regexp_matches({x()}, '^[A-Z]', 'i')",
                lambda: f"starts_with({x()}, {x()})",
                lambda: f"contains({x()}, 'X')",
                lambda: f"list_contains({z()}, {q()})",
                lambda: f"list_has_any({z()}, {z()})",
                lambda: f"({q()}) IS NULL",
                lambda: f"isnan(d + {q()})",
                lambda: f"CASE WHEN {p()} THEN {p()} ELSE {p()} END",
                lambda: f"st {compare} {{'a': i, 'b': s}}",
                lambda: f"(i, s) {compare} ({q()}, {x()})",
                lambda: f"json_exists(js, '$.a') = {p()}",
                lambda: f"s COLLATE NOCASE {compare} {x()}",
            )
        )()

    def number(self, depth: int) -> str:
        if depth <= 0:
            return self._one(
                "i", "j", "d", "m", "1", "0", "-2.5", "1e10", "NULL::INT", "st.a", "mp['k']", "h"
            )
        n, x = partial(self.number, depth - 1), partial(self.text, depth - 1)
        y = partial(self.date, depth - 1)
        part = self._one("year", "month", "day", "dow", "epoch", "quarter", "isoyear")
        return self._rng.choice(
            (
                lambda: f"({n()} {self._one('+', '-', '*', '/', '//', '%')} {n()})",
                lambda: f"(-{n()})",
                lambda: f"{self._one('abs', 'floor', 'ceil', 'sign', 'round', 'trunc')}({n()})",
                lambda: f"{self._one('greatest', 'least', 'coalesce')}({n()}, {n()})",
                lambda: f"nullif({n()}, {n()})",
                lambda: f"{self._one('length', 'strlen', 'ascii', 'bit_length')}({x()})",
                lambda: f"strpos({x()}, 'b')",
                lambda: f"try_cast({x()} AS {self._one('INTEGER', 'DOUBLE', 'DECIMAL(9,2)')})",
                lambda: f"({n()})::{self._one('BIGINT', 'DOUBLE', 'DECIMAL(18,4)', 'SMALLINT')}",
                lambda: f"TRY(({n()})::INT & 7)",
                lambda: f"date_part('{part}', {y()})",
                lambda: f"date_diff('day', {y()}, {y()})",
                lambda: f"list_sum({self.list(depth - 1)})",
                lambda: f"len({self.list(depth - 1)})",
                lambda: f"{self.list(depth - 1)}[{self._one('1', '-1', '5')}]",
                lambda: f"CASE WHEN {self.boolean(depth - 1)} THEN {n()} END",
                lambda: "(js ->> '$.a')::INT",
                lambda: "cardinality(mp)",
            )
        )()

    def text(self, depth: int) -> str:
        if depth <= 0:
            return self._one(
                "s", "t", "'a'", "'Xé'", "''", "NULL::VARCHAR", "st.b", "u::VARCHAR", "ls[1]"
            )
        x, n = partial(self.text, depth - 1), partial(self.number, depth - 1)
        return self._rng.choice(
            (
                lambda: f"({x()} || {x()})",
                lambda: f"concat({x()}, {n()}, b)",
                lambda: f"{self._one('lower', 'upper', 'trim', 'reverse', 'md5', 'hex')}({x()})",
                lambda: f"substring({x()}, {self._one('1', '2', '-2')}, {self._one('1', '3')})",
                lambda: f"replace({x()}, 'X', {self._one(chr(39) + '--' + chr(39), chr(39) * 2)})",
                lambda: f"regexp_replace({x()}, '([a-z])', '<\\1>', 'g')",
                lambda: f"regexp_extract({x()}, '([A-Z]+)', 1)",
                lambda: f"string_split({x()}, 'X')[1]",
                lambda: f"({n()})::VARCHAR",
                lambda: f"strftime({self.date(depth - 1)}, '%Y-%m-%d %j')",
                lambda: f"coalesce({x()}, {x()})",
                lambda: f"CASE i WHEN 1 THEN {x()} WHEN 2 THEN 'two' ELSE {x()} END",
                lambda: "json_extract_string(js, '$.b[0]')",
                lambda: f"typeof({n()})",
            )
        )()

    def date(self, depth: int) -> str:
        if depth <= 0:
            return self._one(
                "dt", "ts", "DATE '2024-01-31'", "TIMESTAMP '2000-01-01 01:02:03'", "NULL::DATE"
            )
        y = partial(self.date, depth - 1)
        return self._rng.choice(
            (
                lambda: (
                    f"({y()} + INTERVAL {self._one('1', '-3')} {self._one('DAY', 'MONTH', 'HOUR')})"
                ),
                lambda: f"({y()} - iv)",
                lambda: f"date_trunc('{self._one('month', 'year', 'week', 'hour')}', {y()})",
                lambda: f"greatest({y()}, {y()})",
                lambda: f"coalesce({y()}, {y()})",
                lambda: f"try_cast({self.text(depth - 1)} AS DATE)",
                lambda: f"last_day({y()})",
                lambda: "tz AT TIME ZONE 'Europe/Berlin'",
                lambda: f"CASE WHEN {self.boolean(depth - 1)} THEN {y()} ELSE {y()} END",
            )
        )()

    def list(self, depth: int) -> str:
        if depth <= 0:
            return self._one("l", "[1, NULL, 3]", "[]::INT[]", "NULL::INT[]")
        z = partial(self.list, depth - 1)
        return self._rng.choice(
            (
                lambda: f"({z()} || {z()})",
                lambda: f"list_sort({z()})",
                lambda: f"list_distinct(list_sort({z()}))[1:1]",
                lambda: f"{z()}[{self._one('1:2', '2:', ':-2')}]",
                lambda: "[i, try_cast(j AS INT)]",
                lambda: f"list_append({z()}, i)",
                lambda: "map_values(mp)",
                lambda: f"coalesce({z()}, l)",
            )
        )()
