"""What Spark 4 (ANSI) says the type of an expression is, as tables to read and to add to."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from lakeport.lineage.types import SqlType, generated_types, infer, read_type, type_text

COLUMNS = {
    "flag": "boolean",
    "tiny": "tinyint",
    "small": "smallint",
    "i": "int",
    "big": "bigint",
    "f": "float",
    "d": "double",
    "money": "decimal(9,2)",
    "rate": "decimal(5,4)",
    "wide": "decimal(38,18)",
    "whole": "decimal(12,0)",
    "s": "string",
    "v": "varchar(10)",
    "bin": "binary",
    "day": "date",
    "ts": "timestamp",
    "ntz": "timestamp_ntz",
    "ym": "interval year to month",
    "dt": "interval day to second",
    "arr": "array<int>",
    "names": "array<string>",
    "deep": "array<array<bigint>>",
    "m": "map<string,double>",
    "info": "struct<city:string,geo:struct<lat:double,lon:double>>",
    "rows": "array<struct<id:int,label:string>>",
}


def column_type(column: exp.Column) -> SqlType | None:
    return read_type(COLUMNS[column.name], "spark") if column.name in COLUMNS else None


def typed(text: str) -> str | None:
    expression = sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]
    return type_text(infer(expression, column_type, "spark"), "spark")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "int"),
        ("2147483647", "int"),
        ("2147483648", "bigint"),
        ("-2147483648", "int"),
        ("-2147483649", "bigint"),
        ("9223372036854775808", "decimal(19,0)"),
        ("1L", "bigint"),
        ("1S", "smallint"),
        ("1Y", "tinyint"),
        ("1.5", "decimal(2,1)"),
        ("0.05", "decimal(2,2)"),
        ("100.00", "decimal(5,2)"),
        ("1.5D", "double"),
        ("1.5F", "float"),
        ("1e3", "double"),
        ("'x'", "string"),
        ("true", "boolean"),
        ("NULL", "void"),
        ("X'1F'", "binary"),
        ("DATE '2024-01-01'", "date"),
        ("TIMESTAMP '2024-01-01 00:00:00'", "timestamp"),
        ("TIMESTAMP_NTZ '2024-01-01 00:00:00'", "timestamp_ntz"),
        ("INTERVAL '1' DAY", "interval day"),
        ("INTERVAL 2 WEEKS", "interval day"),
        ("INTERVAL 1 DAY 2 HOURS", "interval day to hour"),
        ("INTERVAL '1-2' YEAR TO MONTH", "interval year to month"),
        ("INTERVAL '1 year 2 months'", "interval year to month"),
    ],
)
def test_literals(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i + i", "int"),
        ("tiny + small", "smallint"),
        ("i + big", "bigint"),
        ("i + f", "double"),
        ("f + f", "float"),
        ("i / i", "double"),
        ("i div big", "bigint"),
        ("i % big", "bigint"),
        ("money + rate", "decimal(12,4)"),
        ("money - rate", "decimal(12,4)"),
        ("money * rate", "decimal(15,6)"),
        ("money / rate", "decimal(19,8)"),
        ("money % rate", "decimal(5,4)"),
        ("money + i", "decimal(13,2)"),
        ("money + 1", "decimal(10,2)"),
        ("money * 10", "decimal(12,2)"),
        ("2 * money", "decimal(11,2)"),
        ("money * d", "double"),
        ("wide * wide", "decimal(38,6)"),
        ("wide + wide", "decimal(38,17)"),
        ("money + NULL", "decimal(10,2)"),
        ("s + 1", "bigint"),
        ("s + s", "double"),
        ("s * money", "double"),
        ("-money", "decimal(9,2)"),
        ("-s", "double"),
        ("i & big", "bigint"),
        ("~tiny", "tinyint"),
        ("tiny << 1", "int"),
        ("big >> 1", "bigint"),
        ("s || i", "string"),
        ("arr || arr", "array<int>"),
        ("bin || bin", "binary"),
        ("i > 1 AND NOT flag", "boolean"),
        ("s LIKE 'a%' ESCAPE '#'", "boolean"),
        ("i IN (1, 2)", "boolean"),
        ("i BETWEEN 1 AND 2", "boolean"),
        ("i <=> NULL", "boolean"),
    ],
)
def test_operators(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("day + 1", "date"),
        ("1 + day", "date"),
        ("day - 1", "date"),
        ("day - day", "interval day"),
        ("day - '2024-01-01'", "interval day"),
        ("ts - ts", "interval day to second"),
        ("ts - day", "interval day to second"),
        ("day + INTERVAL '1' DAY", "date"),
        ("day + INTERVAL '1' HOUR", "timestamp"),
        ("day + INTERVAL '1' MONTH", "date"),
        ("INTERVAL '1' DAY + ntz", "timestamp_ntz"),
        ("ts - ym", "timestamp"),
        ("ym * 2", "interval year to month"),
        ("INTERVAL '1' DAY * 2", "interval day to second"),
        ("INTERVAL '1' DAY + INTERVAL '1' MINUTE", "interval day to minute"),
        ("dt / 2", "interval day to second"),
        ("date_add(day, 1)", "date"),
        ("add_months(day, 1)", "date"),
        ("datediff(day, day)", "int"),
        ("datediff(HOUR, ts, ts)", "bigint"),
        ("timestampadd(DAY, 1, day)", "timestamp"),
        ("timestampadd(DAY, 1, ntz)", "timestamp_ntz"),
        ("date_trunc('month', day)", "timestamp"),
        ("trunc(day, 'month')", "date"),
        ("to_date(s)", "date"),
        ("to_timestamp(s, 'yyyy')", "timestamp"),
        ("year(day)", "int"),
        ("extract(SECOND FROM ts)", "decimal(8,6)"),
        ("extract(MONTH FROM ym)", "tinyint"),
        ("date_part('hour', ts)", "int"),
        ("unix_timestamp(s)", "bigint"),
        ("from_unixtime(big)", "string"),
        ("months_between(day, day)", "double"),
        ("current_date", "date"),
        ("now()", "timestamp"),
        ("make_dt_interval(1)", "interval day to second"),
        ("extract(SECOND FROM CAST(s AS TIME(3)))", "decimal(5,3)"),
        ("CAST(s AS TIME(4)) + INTERVAL '1' HOUR", "time(4)"),
        ("CAST(s AS TIME(4)) - INTERVAL '1' SECOND", "time(6)"),
        ("coalesce(CAST(s AS TIME(3)), CAST(s AS TIME(6)))", "time(6)"),
    ],
)
def test_dates_and_intervals(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CASE WHEN flag THEN i ELSE big END", "bigint"),
        ("CASE WHEN flag THEN 1 WHEN flag THEN 2.0 ELSE 1.2 END", "decimal(11,1)"),
        ("CASE WHEN flag THEN i END", "int"),
        ("IF(flag, money, rate)", "decimal(11,4)"),
        ("coalesce(NULL, i)", "int"),
        ("coalesce(day, ts)", "timestamp"),
        ("coalesce(i, '5')", "bigint"),
        ("coalesce(day, '2024-01-01')", "date"),
        ("coalesce(wide, big)", "decimal(38,18)"),
        ("nvl2(i, money, d)", "double"),
        ("nullif(i, big)", "int"),
        ("greatest(i, d)", "double"),
        ("decode(i, 1, 'a', 'b')", "string"),
        ("array(1, 2L)", "array<bigint>"),
        ("array()", "array<void>"),
        ("array(array(1), array(2.5))", "array<array<decimal(11,1)>>"),
        ("(SELECT big)", "bigint"),
        ("CAST(s AS DECIMAL(12,3))", "decimal(12,3)"),
        ("CAST(s AS VARCHAR(5))", "string"),
        ("s::array<int>", "array<int>"),
        ("v", "string"),
    ],
)
def test_choices_take_the_common_type(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum(i)", "bigint"),
        ("sum(money)", "decimal(19,2)"),
        ("sum(wide)", "decimal(38,18)"),
        ("sum(f)", "double"),
        ("sum(ym)", "interval year to month"),
        ("avg(i)", "double"),
        ("avg(money)", "decimal(13,6)"),
        ("avg(DISTINCT money)", "decimal(13,6)"),
        ("count(*)", "bigint"),
        ("count(DISTINCT i, s)", "bigint"),
        ("min(day)", "date"),
        ("max(DISTINCT s)", "string"),
        ("first(money) IGNORE NULLS", "decimal(9,2)"),
        ("max_by(s, i)", "string"),
        ("collect_list(money)", "array<decimal(9,2)>"),
        ("collect_set(s)", "array<string>"),
        ("array_agg(DISTINCT i)", "array<int>"),
        ("listagg(s, ',') WITHIN GROUP (ORDER BY i)", "string"),
        ("percentile(i, 0.5)", "double"),
        ("percentile(i, array(0.5, 0.9))", "array<double>"),
        ("approx_percentile(i, 0.5)", "int"),
        ("percentile_cont(0.5) WITHIN GROUP (ORDER BY i)", "double"),
        ("median(i)", "double"),
        ("mode(s)", "string"),
        ("stddev(money)", "double"),
        ("bool_and(flag)", "boolean"),
        ("approx_count_distinct(s)", "bigint"),
        ("sum(money) FILTER (WHERE flag) OVER (PARTITION BY s)", "decimal(19,2)"),
        ("row_number() OVER (ORDER BY i)", "int"),
        ("percent_rank() OVER (ORDER BY i)", "double"),
        ("lag(money, 1) OVER (ORDER BY i)", "decimal(9,2)"),
        ("ntile(4) OVER (ORDER BY i)", "int"),
        ("grouping(i)", "tinyint"),
        ("histogram_numeric(i, 3)", "array<struct<x:int,y:double>>"),
    ],
)
def test_aggregates_and_windows(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("round(money, 1)", "decimal(9,1)"),
        ("round(money)", "decimal(8,0)"),
        ("round(money, -2)", "decimal(8,0)"),
        ("round(d, 2)", "double"),
        ("round(i)", "int"),
        ("bround(money, 1)", "decimal(9,1)"),
        ("ceil(money)", "decimal(8,0)"),
        ("floor(whole)", "decimal(12,0)"),
        ("ceil(d)", "bigint"),
        ("abs(money)", "decimal(9,2)"),
        ("pmod(i, big)", "bigint"),
        ("sqrt(i)", "double"),
        ("power(i, 2)", "double"),
        ("sign(i)", "double"),
        ("to_number('454.50', '999.99')", "decimal(5,2)"),
        ("upper(s)", "string"),
        ("length(s)", "int"),
        ("concat(s, i)", "string"),
        ("concat(arr, array(1L))", "array<bigint>"),
        ("concat_ws(',', names)", "string"),
        ("substring(s, 1, 2)", "string"),
        ("substring(bin, 1, 2)", "binary"),
        ("split(s, ',')", "array<string>"),
        ("split(s, ',')[0]", "string"),
        ("regexp_extract(s, 'a', 0)", "string"),
        ("sha2(s, 256)", "string"),
        ("hash(s)", "int"),
        ("xxhash64(s)", "bigint"),
        ("instr(s, 'a')", "int"),
        ("isnull(s)", "boolean"),
        ("uuid()", "string"),
        ("elt(1, s, i)", "string"),
        ("st_geomfromwkb(bin, 3857)", "geometry(3857)"),
        ("nanvl(s, NULL)", "double"),
        ("get_json_object(s, '$.a')", "string"),
        ("parse_json(s)", "variant"),
        ("variant_get(parse_json(s), '$.a', 'int')", "int"),
    ],
)
def test_functions(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("arr[0]", "int"),
        ("m['k']", "double"),
        ("element_at(m, 'k')", "double"),
        ("rows[0].label", "string"),
        ("array(info).city", "array<string>"),
        ("struct(1 AS a, s)", "struct<a:int,s:string>"),
        ("struct(1, 'x')", "struct<col1:int,col2:string>"),
        ("named_struct('a', 1, 'b', money)", "struct<a:int,b:decimal(9,2)>"),
        ("named_struct('a', 1).a", "int"),
        ("map('a', 1, 'b', 2L)", "map<string,bigint>"),
        ("map_keys(m)", "array<string>"),
        ("map_values(m)", "array<double>"),
        ("map_entries(m)", "array<struct<key:string,value:double>>"),
        ("map_from_entries(array(struct('a', 1)))", "map<string,int>"),
        ("map_concat(m, map('a', 1))", "map<string,double>"),
        ("array_union(arr, array(1L))", "array<bigint>"),
        ("array_max(arr)", "int"),
        ("array_distinct(names)", "array<string>"),
        ("array_append(arr, 5L)", "array<bigint>"),
        ("sort_array(names)", "array<string>"),
        ("flatten(deep)", "array<bigint>"),
        ("arrays_zip(arr, names)", "array<struct<arr:int,names:string>>"),
        ("sequence(day, day, INTERVAL 1 MONTH)", "array<date>"),
        ("size(arr)", "int"),
        ("reverse(arr)", "array<int>"),
        ("reverse(s)", "string"),
        ("from_json(s, 'a INT, b ARRAY<STRING>')", "struct<a:int,b:array<string>>"),
        ("from_json(s, 'array<int>')", "array<int>"),
        ("from_csv(s, 'time TIMESTAMP').time", "timestamp"),
        ("window(ts, '1 day').start", "timestamp"),
        ("transform(arr, x -> x + 1)", "array<int>"),
        ("transform(arr, (x, n) -> x * 1.5)", "array<decimal(13,1)>"),
        ("transform(rows, r -> r.label)", "array<string>"),
        ("transform(deep, x -> transform(x, x -> CAST(x AS STRING)))", "array<array<string>>"),
        ("filter(names, n -> n > 'a')", "array<string>"),
        ("exists(arr, x -> x > 1)", "boolean"),
        ("aggregate(arr, 0L, (total, x) -> total + x)", "bigint"),
        ("aggregate(arr, 0, (total, x) -> total + x, total -> total * 1.5)", "decimal(13,1)"),
        ("transform_values(m, (k, v) -> k)", "map<string,string>"),
        (
            "map_zip_with(map(1, 'a'), map(1L, 2), (k, x, y) -> struct(k, x, y))",
            "map<bigint,struct<k:bigint,x:string,y:int>>",
        ),
        ("transform_keys(m, (k, v) -> length(k))", "map<int,double>"),
        ("map_filter(m, (k, v) -> v > 1)", "map<string,double>"),
        ("zip_with(arr, names, (x, y) -> struct(x, y))", "array<struct<x:int,y:string>>"),
        ("explode(arr)", "int"),
    ],
)
def test_nested_values(text: str, expected: str) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("explode(arr)", ["int"]),
        ("explode_outer(m)", ["string", "double"]),
        ("explode(collection => arr)", ["int"]),
        ("posexplode(names)", ["int", "string"]),
        ("posexplode_outer(m)", ["int", "string", "double"]),
        ("inline(rows)", ["int", "string"]),
        ("inline_outer(rows)", ["int", "string"]),
        ("stack(2, 1, 'a', 2L, 'b')", ["bigint", "string"]),
        ("stack(2, 1, 2, 3)", ["int", "int"]),
        ("json_tuple(s, 'a', 'b')", ["string", "string"]),
    ],
)
def test_generators_type_each_of_their_columns(text: str, expected: list[str]) -> None:
    generator = sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]
    types = generated_types(generator, column_type, "spark")
    assert types is not None
    assert [type_text(type_, "spark") for type_ in types] == expected


@pytest.mark.parametrize(
    "text",
    [
        "mystery",
        "mystery + 1",
        "coalesce(mystery, 1)",
        "my_function(1)",
        "array(mystery)",
        "struct(mystery)",
        "struct(info.*)",
        "sum(mystery)",
        "explode(mystery)",
        "from_json(s, s)",
        ":parameter",
    ],
)
def test_the_unknown_stays_unknown(text: str) -> None:
    assert typed(text) is None


def test_an_unknown_part_does_not_hide_the_known_ones() -> None:
    assert typed("struct(mystery, 1).col2") == "int"
    assert typed("count(mystery)") == "bigint"
    assert typed("mystery = 1") == "boolean"


def test_a_generator_of_unknown_columns_has_no_types() -> None:
    generator = sqlglot.parse_one("SELECT explode(mystery)", dialect="spark").expressions[0]
    assert generated_types(generator, column_type, "spark") is None
