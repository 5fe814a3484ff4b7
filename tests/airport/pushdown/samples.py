"""Rows for the columns of the recorded filters: values on, beside and far from every constant.

`rows(columns)` combines the values of the columns a condition reads: each value of each column meets
several of every other column's, NULL included.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import duckdb
import pyarrow as pa

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.expressions.arrow import plain_type, shaped

_WHOLE = "-1000 -300 -128 -6 -5 -4 -3 -1 0 1 2 3 4 5 6 7 8 9 10 15 100 127 200 255 300 1000"
_WORDS = (
    *(
        "",
        " x ",
        "$",
        "'",
        "a",
        "A",
        "aa",
        "aaa",
        "ab",
        "Ab",
        "AB",
        "abc",
        "ABC",
        "abx",
        "acb",
        "axb",
    ),
    *(
        "aXc",
        "abd",
        "x",
        "X",
        "xx",
        "xxl",
        "xab",
        "b",
        "B",
        "c",
        "d",
        "m",
        "n",
        "q",
        "z",
        "az",
        "y",
    ),
    *(
        "5",
        "15",
        "a5b",
        "6",
        "7",
        "-5",
        "10",
        "3",
        "001",
        "1",
        "100%",
        "100x",
        "2024",
        "2024-01-01",
    ),
    *("cba", "a,b", "a-b", "b-a", 'é"\\', "ä", "日本語 🦆", "it's", "line1\nline2", "tab\ttab"),
    *("\0x", "str", "sur", "sir", "Str", "Monday", "nope", "11111111-2222-3333-4444-555555555555"),
)
_DOUBLES = (
    *("nan", "infinity", "-infinity", "0.0", "-0.0", "5e-324", "1e-45", "1.7976931348623157e308"),
    *(
        "1e300",
        "-1e300",
        "0.1",
        "0.10000000149011612",
        "0.5",
        "0.75",
        "1",
        "1.245",
        "1.25",
        "1.254",
    ),
    *("1.5", "1.6", "2", "2.5", "3", "4", "4.5", "5", "5.4", "9", "-1", "-1.5", "-2.5", "1e20"),
)
_DAYS = (
    *("1970-01-01", "1969-12-30", "1969-12-31", "0001-01-01", "0044-03-15 (BC)", "infinity"),
    *(
        "-infinity",
        "2020-01-01",
        "2020-01-02",
        "2020-01-31",
        "2020-02-01",
        "2020-02-03",
        "2019-12-31",
    ),
    *(
        "2023-12-25",
        "2023-12-29",
        "2023-12-31",
        "2024-01-01",
        "2024-01-02",
        "2024-01-15",
        "2024-01-31",
    ),
    *("2024-02-29", "2024-07-07", "2024-12-31", "2025-01-01", "2031-05-06", "5000000-01-01"),
)
_CLOCK = (
    *(
        "2020-02-03 01:02:03.5",
        "2020-02-03 01:02:03",
        "2020-02-03 01:02:03.004",
        "1960-01-01 00:00:01",
    ),
    *(
        "1969-12-31 23:59:58.999",
        "1969-12-31 23:59:59",
        "1959-12-31 12:00:01",
        "2019-12-31 23:59:59",
    ),
    *("2023-12-31 21:59:59", "2023-12-31 22:00:00", "2023-12-31 23:00:01", "2024-01-01 01:00:00.1"),
    *("2024-01-01 13:30:00", "2024-01-01 22:00:01", "2024-06-30 12:00:00", "2026-11-16 05:00:00"),
)
_MOMENTS = (*(day for day in _DAYS if not day.startswith("5000000")), *_CLOCK)
_DECIMALS = (
    *("0", "0.5", "1", "1.01", "1.1", "1.25", "1.5", "2", "2.5", "3", "5", "5.25", "12.3", "12.5"),
    *("12.25", "-12.5", "-1.5", "-2.5", "-1.125", "12.345", "99", "100", "100.1"),
)

_BY_TYPE: dict[str, Sequence[str]] = {
    "BOOLEAN": ("true", "false"),
    "BLOB": (
        *("", "a", "abc", "abd", r"\x00\xFF", r"\xFF", r"\x80", r"\x81", r"\x7F", r"\xAA\xBB"),
        *(r"a\x5Cb\x22c", r"it\x27s", r"tab\x09nl\x0A~"),
    ),
    "DATE": _DAYS,
    "TIME": (
        *("00:00:00", "01:00:00", "01:02:03.5", "01:02:03.500001", "02:00:00", "02:00:01"),
        *("12:00:00", "23:59:59.999999", "24:00:00"),
    ),
    "TIME_NS": ("00:00:00", "01:02:03.5", "01:02:03.500000001", "02:00:00", "24:00:00"),
    "TIME WITH TIME ZONE": (
        *("01:02:03+02", "01:02:03-05", "01:02:03+00", "23:02:03+00", "02:00:00+00", "01:00:00+00"),
        *("01:30:00+00", "02:30:00+01", "06:02:03+00", "00:00:00+15:59:59", "24:00:00-15:59:59"),
    ),
    "TIMESTAMP": _MOMENTS,
    "TIMESTAMP_S": _MOMENTS,
    "TIMESTAMP_MS": _MOMENTS,
    "TIMESTAMP_NS": (
        *(
            "2020-02-03 01:02:03.000000005",
            "2020-02-03 01:02:03.000000006",
            "2262-01-01",
            "infinity",
        ),
        *("2262-01-01 00:00:00.000000001", "1969-12-31 23:59:59.999999999", "2024-01-01"),
    ),
    "TIMESTAMP WITH TIME ZONE": tuple(
        moment if "infinity" in moment else f"{moment}{'' if ':' in moment else ' 00:00:00'}+00"
        for moment in _MOMENTS
    ),
    "INTERVAL": (
        *("0 days", "1 day", "24 hours", "25 hours", "-1 day", "2 days", "1 day 1 microsecond"),
        *(
            "1 month",
            "30 days",
            "31 days",
            "-1 month",
            "-30 days",
            "-31 days",
            "1 year",
            "12 months",
        ),
        *("1 month 2 days 3 seconds", "32 days 3 seconds", "1 year 2 days 03:04:05.678", "-1 hour"),
    ),
    "UUID": (
        *("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001"),
        *("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001"),
        *("80000000-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000001"),
        *("ffffffff-ffff-ffff-ffff-ffffffffffff", "11111111-2222-3333-4444-555555555555"),
    ),
    "BIT": ("1", "0", "01", "10", "10101", "010101", "1010101011", "1010101010"),
    "BIGNUM": (
        *(
            "0",
            "1",
            "-1",
            "2",
            "5",
            "-5",
            "6",
            "255",
            "256",
            "-256",
            "1" + "0" * 60,
            "-1" + "0" * 60,
        ),
        "12345678901234567890123456789012345678901234567890",
        # What the client's constant was: it had passed through a DOUBLE.
        "12345678901234567000000000000000000000000000000000",
        str(int.from_bytes(bytes.fromhex("08727f6369aaf8" + "00" * 14), "big")),
    ),
    "JSON": ('{"a":1}', '{"a": 1}', '{"a":{"b":"x"}}', '{"a":"1"}', '{"a":2}', "null", "[]", '"x"'),
    "INTEGER[]": (
        *(
            "[]",
            "[1]",
            "[1,2]",
            "[2,1]",
            "[1,NULL]",
            "[NULL]",
            "[2]",
            "[2,3]",
            "[3]",
            "[5,3]",
            "[3,1,2]",
        ),
        *("[1,2,3]", "[1,5]", "[0,1]"),
    ),
    "INTEGER[3]": ("[1,2,3]", "[1,NULL,3]", "[2,2,2]", "[2,5,6]", "[1,5,6]", "[NULL,NULL,NULL]"),
    "VARCHAR[][]": ("[]", "[['a'],['b',NULL]]", "[['a'],['b']]", "[['b'],['a']]", "[[]]", "[NULL]"),
    "STRUCT(a INTEGER, b VARCHAR)": (
        *(
            "{'a':1,'b':'x'}",
            "{'a':1,'b':NULL}",
            "{'a':2,'b':'y'}",
            "{'a':1,'b':'y'}",
            "{'a':5,'b':'ax'}",
        ),
        *("{'a':NULL,'b':NULL}", "{'a':0,'b':'xx'}", "{'a':6,'b':''}"),
    ),
    "STRUCT(l INTEGER[], i STRUCT(x DOUBLE))": (
        *("{'l':[1,2],'i':{'x':1.5}}", "{'l':[1,2],'i':{'x':0.5}}", "{'l':[1],'i':NULL}"),
        *(
            "{'l':NULL,'i':{'x':'nan'::DOUBLE}}",
            "{'l':[],'i':{'x':NULL}}",
            "{'l':[2],'i':{'x':-1}}",
        ),
    ),
    "MAP(VARCHAR, INTEGER)": (
        *("MAP{}", "MAP{'k':1}", "MAP{'k':2}", "MAP{'k':NULL}", "MAP{'j':1}", "MAP{'k':1,'j':2}"),
        *("MAP{'a':1,'b':NULL}", "MAP{'b':NULL,'a':1}", "MAP{'a':1,'b':2}"),
    ),
    "UNION(n INTEGER, s VARCHAR)": (
        *("union_value(n := 1)", "union_value(n := 2)", "union_value(s := 'a')"),
        *("union_value(s := '1')", "union_value(s := 'b')", "union_value(n := NULL::INTEGER)"),
    ),
    "GEOMETRY": ("POINT(1 2)", "POINT(1 3)", "LINESTRING(0 0, 1 1)"),
}
_EXTREMES = {
    "BIGINT": ("-9223372036854775808", "9223372036854775807", "1704067200", "1704067201"),
    "UBIGINT": ("18446744073709551615", "9223372036854775808", "9223372036854775809"),
    "UINTEGER": ("4294967295", "4294967294"),
    "USMALLINT": ("65535", "65534"),
    "INTEGER": ("-2147483648", "2147483647"),
    "HUGEINT": (
        *("170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"),
        *("18446744073709551616", "18446744073709551617"),
    ),
    "UHUGEINT": ("340282366920938463463374607431768211455", "18446744073709551616"),
    "DECIMAL(18,3)": ("999999999999999.999",),
    "DECIMAL(38,10)": (
        *("123456789012345678901234567.5", "-123456789012345678901234567.5"),
        "123456789012345678901234567.4999999999",
    ),
}
_LITERALS = ("STRUCT", "MAP", "UNION", "INTEGER[", "VARCHAR[")


def values(data_type: str) -> list[str]:
    """SQL for values of a type, NULL among them; those that do not fit it are left out."""
    if data_type in _BY_TYPE:
        given: Sequence[str] = _BY_TYPE[data_type]
    elif data_type == "VARCHAR":
        given = _WORDS
    elif data_type in {"FLOAT", "DOUBLE"}:
        given = _DOUBLES
    elif data_type.startswith("DECIMAL"):
        given = (*_DECIMALS, *_EXTREMES.get(data_type, ()))
    else:
        given = (*_WHOLE.split(), *_EXTREMES.get(data_type, ()))
    if data_type.startswith(_LITERALS):
        return ["NULL", *(f"({value})" for value in given)]
    return ["NULL", *(_quoted(value) for value in given)]


def _quoted(text: str) -> str:
    """DuckDB's parser takes no NUL."""
    return "('" + text.replace("'", "''").replace("\0", "' || chr(0) || '") + "')"


def rows(columns: Sequence[tuple[str, str]], condition: str = "") -> pa.Table:
    """Every combination of the columns' values; of three and more columns, those that the condition
    mentions and some others.
    """
    found = [_column(name, data_type) for name, data_type in columns]
    picks = [list(range(len(array))) for _, array in found]
    if len(columns) > 2:
        picks = [_mentioned(data_type, condition) for _, data_type in columns]
    combined = list(product(*picks))
    taken = [
        array.take(pa.array([row[at] for row in combined])) for at, (_, array) in enumerate(found)
    ]
    return pa.Table.from_arrays(taken, schema=pa.schema([field for field, _ in found]))


def _mentioned(data_type: str, condition: str) -> list[int]:
    texts = [value.strip("(')") for value in values(data_type)]
    named = [at for at, text in enumerate(texts) if text and text in condition]
    return sorted({0, *named, *range(1, len(texts), max(1, len(texts) // 4))})


@cache
def _oracle() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"arrow_lossless_conversion": "true", "threads": "1"})
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@cache
def _column(name: str, data_type: str) -> tuple[Field, Array]:
    texts = ", ".join(f"(TRY_CAST({value} AS {data_type}))" for value in values(data_type))
    table = _oracle().execute(f"SELECT v FROM (VALUES {texts}) AS t(v)").to_arrow_table()
    array: Array = pa.concat_arrays(table.column(0).chunks)
    array = shaped(array, plain_type(array.type))
    return table.schema.field(0).with_name(name).with_type(array.type), array
