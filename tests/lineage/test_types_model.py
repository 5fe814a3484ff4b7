"""Reading, writing, widening and comparing types; and that inference holds on any tree."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lakeport.lineage.types import (
    SqlType,
    canonical_family,
    common_type,
    field_type,
    infer,
    mismatch,
    mismatches,
    read_type,
    star_fields,
    type_text,
)

NUMBERS = ["tinyint", "smallint", "int", "bigint", "double"]
TIMES = ["date", "timestamp", "timestamp_ntz", "interval"]
OTHERS = ["boolean", "float", "string", "binary", "decimal(10,2)", "decimal(38,18)", "variant"]


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map("array<{}>".format),
        st.tuples(inner, inner).map(lambda pair: f"map<{pair[0]},{pair[1]}>"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda types: f"struct<{','.join(f'f{n}:{type_}' for n, type_ in enumerate(types))}>"
        ),
    )


TYPES = st.recursive(st.sampled_from([*NUMBERS, *TIMES, *OTHERS]), nested, max_leaves=6)


@given(TYPES)
@settings(derandomize=True, max_examples=150)
def test_what_is_written_reads_back(text: str) -> None:
    type_ = read_type(text, "spark")
    assert type_text(type_, "spark") == text


@given(TYPES, TYPES)
@settings(derandomize=True, max_examples=200)
def test_the_common_type_does_not_depend_on_the_order(left: str, right: str) -> None:
    one, other = read_type(left, "spark"), read_type(right, "spark")
    there, back = common_type(one, other, "spark"), common_type(other, one, "spark")
    assert there == back


@given(TYPES)
@settings(derandomize=True, max_examples=100)
def test_a_type_shared_with_itself_or_null_is_itself(text: str) -> None:
    type_ = read_type(text, "spark")
    assert common_type(type_, type_, "spark") == type_
    assert common_type(type_, read_type("void", "spark"), "spark") == type_
    assert common_type(type_, None, "spark") is None


@given(st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), st.sampled_from(NUMBERS))
@settings(derandomize=True, max_examples=125)
def test_widening_numbers_is_associative(first: str, second: str, third: str) -> None:
    a, b, c = (read_type(text, "spark") for text in (first, second, third))
    left = common_type(common_type(a, b, "spark"), c, "spark")
    assert left == common_type(a, common_type(b, c, "spark"), "spark")


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("INTEGER", "spark", "int"),
        ("LONG", "spark", "bigint"),
        ("DECIMAL", "spark", "decimal(10,0)"),
        ("dec(5)", "spark", "decimal(5,0)"),
        ("struct<City:string,`a b`:int>", "spark", "struct<City:string,a b:int>"),
        ("interval day to second", "spark", "interval day to second"),
        ("void", "spark", "void"),
        ("int[]", "duckdb", "int[]"),
        ("struct(a int, b varchar)", "duckdb", "struct(a int, b text)"),
        ("array(row(x double))", "trino", "array(row(x double))"),
        ("array<struct<x int64>>", "bigquery", "array<struct<x int64>>"),
        ("timestamptz", "postgres", "timestamptz"),
        ("numeric(5,2)", "postgres", "decimal(5,2)"),
        ("Int64", "clickhouse", "Int64"),
    ],
)
def test_declarations_come_back_in_the_dialects_spelling(
    text: str, dialect: str, expected: str
) -> None:
    assert type_text(read_type(text, dialect), dialect) == expected


@pytest.mark.parametrize("text", ["", "no such type", "geo.point", "💥"])
def test_what_is_no_type_is_unknown(text: str) -> None:
    assert read_type(text, "spark") is None


def test_fields_are_found_by_path_whatever_the_case() -> None:
    type_ = read_type("struct<Geo:struct<Lat:double>,tags:array<struct<k:string>>>", "spark")
    assert type_text(field_type(type_, ["geo", "LAT"]), "spark") == "double"
    assert type_text(field_type(type_, ["tags", "k"]), "spark") == "array<string>"
    assert field_type(type_, ["nothing"]) is None
    assert [field.name for field in star_fields(type_)] == ["Geo", "tags"]
    assert star_fields(read_type("int", "spark")) == ()


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("INTEGER", "int", True),
        ("varchar(10)", "string", True),
        ("decimal(10,2)", "numeric(10, 2)", True),
        ("decimal(10,2)", "decimal(12,2)", False),
        ("array<int>", "ARRAY<INTEGER>", True),
        ("struct<A:int>", "struct<a:integer>", True),
        ("my_type", "MY_TYPE", True),
        ("int", "bigint", False),
    ],
)
def test_families_ignore_spelling_but_not_precision(left: str, right: str, *, same: bool) -> None:
    assert (canonical_family(left, "spark") == canonical_family(right, "spark")) is same


@pytest.mark.parametrize(
    ("left", "operator", "right", "wrong"),
    [
        ("int", "=", "bigint", False),
        ("int", "=", "string", False),
        ("date", "<", "timestamp", False),
        ("date", "=", "string", False),
        ("int", "=", "date", True),
        ("int", "=", "boolean", True),
        ("int", "=", "array<int>", True),
        ("string", "=", "struct<a:int>", True),
        ("array<int>", "=", "array<bigint>", False),
        ("array<int>", "=", "array<date>", True),
        ("date", "+", "int", False),
        ("date", "+", "date", True),
        ("date", "-", "date", False),
        ("interval day", "*", "int", False),
        ("int", "+", "boolean", True),
        ("int", "+", "string", False),
        ("map<string,int>", "+", "int", True),
        ("variant", "=", "int", False),
    ],
)
def test_mismatches_are_what_no_engine_can_do(
    left: str, operator: str, right: str, *, wrong: bool
) -> None:
    message = mismatch(read_type(left, "spark"), read_type(right, "spark"), operator)
    assert (message is not None) is wrong


def test_truth_is_a_number_where_the_engine_says_so() -> None:
    truth, number = read_type("boolean", "mysql"), read_type("int", "mysql")
    assert mismatch(truth, number, "=", "mysql") is None


def test_offending_nodes_are_named_one_by_one() -> None:
    where = sqlglot.parse_one(
        "n = 1 AND n = 'abc' AND n = '12' AND day = n AND (SELECT max(x) FROM u) = 1",
        dialect="spark",
    )
    types = {"n": read_type("int", "spark"), "day": read_type("date", "spark")}
    found = list(mismatches(where, lambda column: types.get(column.name), "spark"))
    assert [(node.sql("spark"), message) for node, message in found] == [
        ("n = 'abc'", "'abc' beside int at `=` is no number"),
        ("day = n", "date cannot be compared with int by `=`"),
    ]


@pytest.mark.parametrize("operator", ["+", "OR", "||", "AND"])
def test_ten_thousand_terms_need_no_recursion(operator: str) -> None:
    chain = f" {operator} ".join(["x"] * 10_000)
    expression = sqlglot.parse_one(chain, dialect="spark")
    kind = {"+": "int", "||": "string"}.get(operator, "boolean")
    declared = read_type(kind, "spark")
    assert infer(expression, lambda _: declared, "spark") == declared


def test_each_node_is_typed_once() -> None:
    asked: list[str] = []

    def column_type(column: exp.Column) -> SqlType | None:
        asked.append(column.name)
        return read_type("int", "spark")

    expression = sqlglot.parse_one("(a + b) * (a + b)", dialect="spark")
    memo: dict[int, SqlType | None] = {}
    infer(expression, column_type, "spark", memo)
    infer(expression, column_type, "spark", memo)
    assert sorted(asked) == ["a", "a", "b", "b"]


def test_count_does_not_look_at_its_argument() -> None:
    def refuse(column: exp.Column) -> SqlType | None:
        raise AssertionError(column)

    assert infer(sqlglot.parse_one("count(a)", dialect="spark"), refuse, "spark") is not None


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("1 / 2", "postgres", "int"),
        ("1 / 2", "bigquery", "float64"),
        ("count(*)", "snowflake", "bigint"),
        ("sum(i)", "duckdb", "int128"),
        ("sum(i)", "postgres", "bigint"),
        ("i > 1", "oracle", None),
        ("upper('x')", "postgres", "varchar"),
        ("coalesce(i, 1)", "trino", "integer"),
        ("coalesce(i, 'x')", "trino", None),
        ("my_function(i)", "postgres", None),
        ("parse_json('1'):a.b", "databricks", "variant"),
    ],
)
def test_other_dialects_answer_what_is_certain(
    text: str, dialect: str, expected: str | None
) -> None:
    expression = sqlglot.parse_one(f"SELECT {text}", dialect=dialect).expressions[0]
    found = infer(expression, lambda _: read_type("int", "generic"), dialect)
    if text == "i > 1":
        assert found is not None
        assert found.kind == "boolean"
    else:
        assert type_text(found, dialect) == expected


@pytest.mark.parametrize("opening", ["array(", "map('a', ", "coalesce(", "("])
@pytest.mark.parametrize("depth", [60, 300])
def test_deep_nesting_is_at_worst_unknown(opening: str, depth: int) -> None:
    text = f"SELECT {opening * depth}1{')' * depth}"
    expression = sqlglot.parse_one(text, dialect="spark").expressions[0]
    type_ = infer(expression, lambda _: None, "spark")
    known = depth == 60 or opening in {"coalesce(", "("}
    assert (type_text(type_, "spark") is not None) is known
    assert common_type(type_, type_, "spark") == type_


def test_a_declaration_nested_too_deeply_is_unknown() -> None:
    assert type_text(read_type("array<" * 300 + "int" + ">" * 300, "spark"), "spark") is None


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "-" + "9" * 5000,
        "1." + "9" * 5000,
        "round(1.5, " + "9" * 5000 + ")",
        "CAST(x AS DECIMAL(" + "9" * 5000 + "))",
        "sum(CAST(x AS DECIMAL(1, 2, 3)))",
        "date_part()",
        "json_tuple()",
        "pmod(1)",
        "arrays_zip()",
        "window()",
        "transform(array(1))",
        "zip_with(array(1))",
        "map_zip_with()",
        "variant_get()",
        "bround()",
        "get()",
        "interval 'x'",
    ],
)
def test_odd_calls_and_numbers_do_not_raise(text: str) -> None:
    expression = sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]
    infer(expression, lambda _: None, "spark")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("void", "void"),
        ("struct<w:void,x:int>", "struct<w:void,x:int>"),
        ("map<string, VOID>", "map<string,void>"),
        ("struct<void:int>", "struct<void:int>"),
        ("struct<a:nobody_knows,b:int>", None),
        ("string collate utf8_lcase", "string collate UTF8_LCASE"),
        ("struct<a:string collate SR_LATN_ai_rtrim>", "struct<a:string collate sr_Latn_AI_RTRIM>"),
    ],
)
def test_spark_types_that_the_parser_cannot_read_as_they_are(text: str, shown: str | None) -> None:
    assert type_text(read_type(text, "spark"), "spark") == shown
