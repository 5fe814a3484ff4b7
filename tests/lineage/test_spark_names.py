"""What Spark 4 calls an output column that has no alias, as tables to read and to add to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.lineage import analyze
from tests.lineage.outputs import outputs

TABLES = """
CREATE TABLE shop (id INT, big BIGINT, price DECIMAL(9,2), name STRING, day DATE, ts TIMESTAMP,
  raw BINARY, xs ARRAY<INT>, m MAP<STRING, INT>, info STRUCT<city: STRING, zips: ARRAY<INT>>, v VARIANT,
  gap INTERVAL DAY TO SECOND);
CREATE TABLE other (id INT, k INT);
"""


def names(sql: str, before: str = "") -> list[str]:
    """The output columns of the last statement, in order."""
    result = analyze({"sql": f"{TABLES}{before};\n{sql}", "dialect": "spark"})
    return [node.label for node in outputs(result)]


def name(item: str) -> str:
    (found,) = names(f"SELECT {item} FROM shop")
    return found


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("id + 1", "(id + 1)"),
        ("shop.id * 2 - big", "((id * 2) - big)"),
        ("a || b || c", "concat(concat(a, b), c)"),
        ("id DIV 2", "(id div 2)"),
        ("map('k', id).k", "map(k, id)[k]"),
        ("named_struct('k', id).k", "named_struct(k, id).k"),
        ("now(9) > now(3)", "(current_timestamp() > now())"),
        (
            "map('a' COLLATE UTF8_LCASE, 'b', 'c', 'd')",
            "map(collate(a, UTF8_LCASE), b, 'c' collate UTF8_LCASE, d)",
        ),
        ("-id", "(- id)"),
        ("+id", "(+ id)"),
        ("+ shop.id", "(+ id)"),
        ("+id + +big", "((+ id) + (+ big))"),
        ("- 3", "-3"),
        ("~id & 7 | 1", "((~id & 7) | 1)"),
        ("id <> 3", "(NOT (id = 3))"),
        ("id > 1.5", "(id > 1)"),
        ("id >= 1.5", "(id >= 2)"),
        ("big < -1.5", "(big < -1)"),
        ("2.5 <= id", "(3 <= id)"),
        ("1 > 0.00001", "(1 > 0)"),
        ("id = 1.5", "(id = 1.5)"),
        ("price > 1.5", "(price > 1.5)"),
        ("id > 1.5D", "(id > 1.5)"),
        (
            "NOT id > 3 AND big < 1 OR name IS NULL",
            "(((NOT (id > 3)) AND (big < 1)) OR (name IS NULL))",
        ),
        ("id BETWEEN 1 AND 2", "between(id, 1, 2)"),
        ("id NOT IN (1, 2)", "(NOT (id IN (1, 2)))"),
        ("name LIKE 'a%'", "name LIKE a%"),
        ("name LIKE 'a#%' ESCAPE '#'", "name LIKE a#% ESCAPE '#'"),
        ("name ILIKE 'a%'", "ilike(name, a%)"),
        ("name RLIKE 'a+'", "RLIKE(name, a+)"),
        ("id IS DISTINCT FROM 3", "(NOT (id <=> 3))"),
        ("id IS NOT TRUE", "(NOT (id <=> true))"),
        ("id >> 2", "(id >> 2)"),
        ("xs[0]", "xs[0]"),
        ("m['a']", "m[a]"),
        ("CASE id WHEN 1 THEN 'x' ELSE 'y' END", "CASE WHEN (id = 1) THEN x ELSE y END"),
        ("IF(id > 1, 'a', 'b')", "(IF((id > 1), a, b))"),
        ("(id, 2)", "named_struct(id, id, col2, 2)"),
    ],
)
def test_operators_print_their_tree(item: str, expected: str) -> None:
    assert name(item) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("0010", "10"),
        ("1.50", "1.50"),
        (".5", "0.5"),
        ("-0.0", "0.0"),
        ("-0.0D", "-0.0"),
        ("0.10F", "0.1"),
        ("1e3", "1000.0"),
        ("1e7", "1.0E7"),
        ("1.5E-4", "1.5E-4"),
        ("5e36BD", "5" + "0" * 36),
        ("0.000000012BD", "1.2E-8"),
        ("'it''s'", "it's"),
        ("'a' 'b'", "ab"),
        ("X'1c'", "X'1C'"),
        ("NULL", "NULL"),
        ("TRUE", "true"),
        ("DATE '2020-1-2'", "DATE '2020-01-02'"),
        ("DATE '12020-01-02'", "DATE '+12020-01-02'"),
        ("TIMESTAMP '2020-01-02'", "TIMESTAMP '2020-01-02 00:00:00'"),
        ("TIMESTAMP '2020-01-02 3:04:05.600'", "TIMESTAMP '2020-01-02 03:04:05.6'"),
        ("TIMESTAMP_LTZ '2020-01-02 03:04:05'", "TIMESTAMP '2020-01-02 03:04:05'"),
        ("TIME '1:2:3 PM'", "TIME '13:02:03'"),
        ("INTERVAL 3 HOURS", "INTERVAL '03' HOUR"),
        ("INTERVAL 2 WEEKS", "INTERVAL '14' DAY"),
        ("INTERVAL 1 DAY 130 MINUTES", "INTERVAL '1 02:10' DAY TO MINUTE"),
        ("INTERVAL '1 2:3:4.5' DAY TO SECOND", "INTERVAL '1 02:03:04.5' DAY TO SECOND"),
        ("INTERVAL '-1-3' YEAR TO MONTH", "INTERVAL '-1-3' YEAR TO MONTH"),
        ("INTERVAL '1 year 14 months'", "INTERVAL '2-2' YEAR TO MONTH"),
        ("INTERVAL -1 YEAR -2 MONTH", "INTERVAL '-1-2' YEAR TO MONTH"),
        ("INTERVAL 1 DAY - 2 HOURS", "INTERVAL '0 22' DAY TO HOUR"),
        ("INTERVAL - 1 DAY + 2 HOURS", "INTERVAL '-0 22' DAY TO HOUR"),
        ("INTERVAL -1.5 SECONDS -2 MINUTES", "INTERVAL '-02:01.5' MINUTE TO SECOND"),
        ("INTERVAL 1 WEEK -2 DAYS", "INTERVAL '5' DAY"),
        ("-INTERVAL 1 DAY", "(- INTERVAL '1' DAY)"),
        ("INTERVAL '-\\t 1' DAY", "INTERVAL '-1' DAY"),
    ],
)
def test_literals_take_their_normal_form(item: str, expected: str) -> None:
    assert name(item) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("day + 7", "date_add(day, 7)"),
        ("7 + day", "date_add(day, 7)"),
        ("day - 7", "date_sub(day, 7)"),
        ("day - DATE '2020-01-01'", "(day - DATE '2020-01-01')"),
        ("day + INTERVAL 2 DAYS", "date_add(day, extractansiintervaldays(INTERVAL '2' DAY))"),
        ("day - INTERVAL 2 MONTHS", "day - INTERVAL '2' MONTH"),
        ("INTERVAL 1 HOUR + ts", "ts + INTERVAL '01' HOUR"),
        ("ts - gap", "ts - gap"),
        ("gap + gap", "(gap + gap)"),
        ("gap * 2", "(gap * 2)"),
        ("ts + NULL", "ts + NULL"),
        ("ts - NULL", "(ts - NULL)"),
        ("day - NULL", "(day - NULL)"),
        ("NULL - INTERVAL '2' YEAR", "(NULL - INTERVAL '2' YEAR)"),
        ("NULL + INTERVAL '2' HOUR", "(NULL + INTERVAL '02' HOUR)"),
        ("TIME '12:30:41' - TIME '10:00'", "TIME '12:30:41' - TIME '10:00:00'"),
        ("'12:30' - TIME '10:00'", "12:30 - TIME '10:00:00'"),
        ("3 * gap", "(gap * 3)"),
        ("3 * (ts - day)", "((ts - day) * 3)"),
        ("'2' * INTERVAL 2 SECONDS", "(INTERVAL '02' SECOND * 2)"),
        ("NULL * INTERVAL '2' YEAR", "(INTERVAL '2' YEAR * NULL)"),
        ("gap * id", "(gap * id)"),
        ("id + big", "(id + big)"),
        ("to_char(day, 'yyyy')", "date_format(day, yyyy)"),
        ("to_char(price, '999')", "to_char(price, 999)"),
        ("lpad(raw, 3)", "lpad(raw, 3, X'00')"),
    ],
)
def test_types_decide_what_is_printed(item: str, expected: str) -> None:
    assert name(item) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("count(*)", "count(1)"),
        ("COUNT(DISTINCT id)", "count(DISTINCT id)"),
        ("sum(id) FILTER (WHERE id > 1)", "sum(id) FILTER (WHERE (id > 1))"),
        ("array_agg(id)", "collect_list(id)"),
        ("sqrt(id)", "SQRT(id)"),
        ("ceil(price)", "CEIL(price)"),
        ("ceil(price, 1)", "ceil(price, 1)"),
        ("log(id)", "LOG(E(), id)"),
        ("round(price)", "round(price, 0)"),
        ("substr(name, 2)", "substr(name, 2, 2147483647)"),
        ("substring(name FROM 2 FOR 3)", "substring(name, 2, 3)"),
        ("position('a' IN name)", "locate(a, name, 1)"),
        ("trim(LEADING 'x' FROM name)", "TRIM(LEADING x FROM name)"),
        ("overlay(name PLACING '_' FROM 6)", "overlay(name, _, 6, -1)"),
        ("extract(YEAR FROM day)", "extract(YEAR FROM day)"),
        ("extract('year', day)", "extract(year FROM day)"),
        ("aes_encrypt(name, 'k')", "aes_encrypt(name, k, GCM, DEFAULT, , )"),
        ("aes_decrypt(raw, 'k', 'CBC')", "aes_decrypt(raw, k, CBC, DEFAULT, )"),
        ("variant_set(v, '$.a', 2)", "variant_set(v, $.a, 2, true)"),
        ("variant_strip_nulls(v)", "variant_strip_nulls(v, true)"),
        ("rint(price)", "rint(price)"),
        ("hex(X 'f0')", "hex(X'F0')"),
        ("timestampadd(hour, 1, ts)", "timestampadd(HOUR, 1, ts)"),
        ("datediff(day, day)", "datediff(day, day)"),
        ("from_json(name, 'a INT')", "from_json(name)"),
        ("from_json(name, 'map<string,int>')", "entries"),
        ("to_json(info, map('a', 'b'))", "to_json(info)"),
        ("mask(name, lowerChar => 'q')", "mask(name, X, q, n, NULL)"),
        (
            "transform(xs, x -> x + id)",
            "transform(xs, lambdafunction((namedlambdavariable() + id), namedlambdavariable()))",
        ),
        (
            "exists(xs, x -> x > 1)",
            "exists(xs, lambdafunction((namedlambdavariable() > 1), namedlambdavariable()))",
        ),
        ("listagg(name)", "listagg(name, NULL)"),
        (
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY id DESC)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY id DESC)",
        ),
        ("current_date", "current_date()"),
        ("struct(id, name AS n)", "struct(id, name AS n)"),
        ("'a' COLLATE unicode_ci = 'A'", "(collate(a, unicode_ci) = 'A' collate UNICODE_CI)"),
    ],
)
def test_functions_print_their_registered_form(item: str, expected: str) -> None:
    assert name(item) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("CAST(id AS STRING)", "id"),
        ("shop.id::bigint", "id"),
        ("CAST(id + 1 AS DECIMAL)", "CAST((id + 1) AS DECIMAL(10,0))"),
        ("CAST(upper(name) AS integer)", "CAST(upper(name) AS INT)"),
        ("CAST(array(1) AS ARRAY<BIGINT>)", "array(1)"),
        ("CAST('a' AS STRING COLLATE utf8_lcase)", "CAST(a AS STRING COLLATE UTF8_LCASE)"),
        ("string(id + 1)", "(id + 1)"),
        ("info.city", "city"),
        ("upper(shop.info.city)", "upper(info.city)"),
        ("struct(1 AS a).a", "struct(1 AS a).a"),
        ("v:a.b[0].c::int", "c"),
    ],
)
def test_casts_and_paths(item: str, expected: str) -> None:
    assert name(item) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            "sum(id) OVER (PARTITION BY name ORDER BY big DESC)",
            "sum(id) OVER (PARTITION BY name ORDER BY big DESC NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
        ),
        (
            "rank() OVER w",
            "RANK() OVER (ORDER BY id ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
        ),
        (
            "lag(id, 2) OVER (w)",
            "lag(id, 2, NULL) OVER (ORDER BY id ASC NULLS FIRST ROWS BETWEEN -2 FOLLOWING AND -2 FOLLOWING)",
        ),
        (
            "max(id) OVER (ORDER BY big RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING)",
            "max(id) OVER (ORDER BY big ASC NULLS FIRST RANGE BETWEEN (- 2) FOLLOWING AND 3 FOLLOWING)",
        ),
    ],
)
def test_windows_are_printed_in_full(item: str, expected: str) -> None:
    assert names(f"SELECT {item} FROM shop WINDOW w AS (ORDER BY id)") == [expected]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("(SELECT max(k) FROM other)", "scalarsubquery()"),
        ("(SELECT max(k) FROM other WHERE other.id = shop.id)", "scalarsubquery(id)"),
        (
            "(SELECT big + max(k) FROM other WHERE other.id = shop.id GROUP BY ALL)",
            "scalarsubquery(big, id)",
        ),
        ("(SELECT 1 WHERE big > 1 UNION ALL SELECT shop.id)", "scalarsubquery(big, id)"),
        ("EXISTS (SELECT 1 FROM other WHERE k = big)", "exists(big)"),
        ("id IN (SELECT k FROM other)", "(id IN (listquery()))"),
    ],
)
def test_a_subquery_shows_the_outer_columns_it_mentions(item: str, expected: str) -> None:
    assert name(item) == expected


def test_a_subquery_shows_the_outer_columns_of_its_stars() -> None:
    row = "(SELECT 1 AS n, named_struct('a', 1) AS s) AS a"
    assert names(f"SELECT (SELECT a.s.* FROM other LIMIT 1) FROM {row}") == ["scalarsubquery(s)"]
    one = "(SELECT 1 AS n) AS a"
    assert names(f"SELECT (SELECT a.* FROM other LIMIT 1) FROM {one}") == ["scalarsubquery(n)"]
    assert names(f"SELECT (SELECT * FROM (SELECT a.* FROM other)) FROM {one}") == [
        "scalarsubquery(n)"
    ]


def test_a_star_inside_a_call_stands_for_its_columns() -> None:
    assert names("SELECT coalesce(*), concat_ws(',', o.* EXCEPT (k)) FROM other o") == [
        "coalesce(id, k)",
        "concat_ws(,, id)",
    ]


def test_a_created_function_is_called_by_its_full_name() -> None:
    before = (
        "CREATE FUNCTION tax(x INT) RETURNS INT RETURN x; CREATE TEMPORARY FUNCTION net AS 'a.B'"
    )
    assert names("SELECT tax(1), net(id) FROM shop", before) == [
        "spark_catalog.default.tax(1)",
        "net(id)",
    ]


def test_a_dropped_function_is_a_stranger_again() -> None:
    before = "CREATE FUNCTION tax(x INT) RETURNS INT RETURN x; DROP FUNCTION tax"
    assert names("SELECT tax(1)", before) == ["tax(1)"]


def test_a_function_that_returns_a_table_has_columns() -> None:
    before = "CREATE FUNCTION days(n INT) RETURNS TABLE (d DATE COMMENT 'x', week ARRAY<INT>) RETURN SELECT 1, 2"
    assert names("SELECT * FROM days(3)", before) == ["d", "week"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT IDENTIFIER('id') FROM IDENTIFIER('sh' || 'op')", ["id"]),
        ("SELECT * FROM IDENTIFIER('`other`')", ["id", "k"]),
        ("SELECT IDENTIFIER('o.k') + 1 FROM other o", ["(k + 1)"]),
        ("SELECT IDENTIFIER('ab' || 's')(k) FROM other", ["abs(k)"]),
        ("SELECT * FROM IDENTIFIER('oth' 'er')", ["id", "k"]),
        ("SELECT IDENTIFIER('info').city FROM shop WHERE IDENTIFIER('info').city > ''", ["city"]),
        ("SELECT * FROM IDENTIFIER(concat('ot', 'h' || 'er'))", ["id", "k"]),
        ("EXPLAIN SELECT IDENTIFIER('k') FROM other", ["k"]),
        (
            "EXECUTE IMMEDIATE 'SELECT IDENTIFIER(:c) FROM IDENTIFIER(:t ''er'')' USING 'k' AS c, 'oth' AS t",
            ["k"],
        ),
    ],
)
def test_a_constant_identifier_clause_is_the_name(sql: str, expected: list[str]) -> None:
    assert names(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM IDENTIFIER(tab)", ["id", "k"]),
        ("SELECT IDENTIFIER(agg)(IDENTIFIER(session.col)) FROM IDENTIFIER(tab)", ["max(k)"]),
        ("SELECT IDENTIFIER(tab || '.' || col) FROM other", ["k"]),
        ("SET VAR tab = 'shop'; SELECT raw FROM IDENTIFIER(tab)", ["raw"]),
        ("CREATE VIEW IDENTIFIER(tab || '_2') AS SELECT 1 AS one; SELECT * FROM other_2", ["one"]),
    ],
)
def test_an_identifier_clause_may_name_a_variable(sql: str, expected: list[str]) -> None:
    before = "DECLARE tab = 'other'; DECLARE col STRING DEFAULT 'k'; DECLARE VARIABLE agg = 'max'"
    assert names(sql, before) == expected


def test_what_a_query_puts_into_a_variable_names_nothing_that_is_known() -> None:
    sql = """DECLARE tab = 'orders'; SET VAR tab = (SELECT 'returns'); SELECT id FROM IDENTIFIER(tab)"""
    result = analyze({"sql": sql, "dialect": "spark"})
    assert result.statements[-1].reads == ["identifier(tab)"]
    assert "DYNAMIC_SQL" in {issue.code for issue in result.issues}


_ATOMS = st.sampled_from(
    ["id", "1", "big", "'x'", "DATE '2020-01-01'", "INTERVAL 1 DAY", "NULL", "xs[0]"]
)
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "=", "AND", "||", "<"]), inner).map(
            " ".join
        ),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"coalesce({text}, {text})"),
        inner.map(lambda text: f"NOT ({text})"),
    ),
    max_leaves=6,
)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(_EXPRESSIONS)
def test_parentheses_and_spaces_do_not_change_a_name(text: str) -> None:
    spaced = text.replace(" ", "  ").replace("(", "( ")
    assert name(f"concat({text})") == name(f"concat(({spaced}))")


def test_columns_of_a_returned_query_are_the_functions() -> None:
    before = "CREATE FUNCTION pair(n INT) RETURNS TABLE RETURN SELECT n AS a, n + 1 AS b"
    assert names("SELECT * FROM pair(3)", before) == ["a", "b"]
    assert names("SELECT * FROM other, LATERAL pair(k)", before) == ["id", "k", "a", "b"]


def test_a_natural_join_leaves_a_third_relations_column_beside_the_merged_one() -> None:
    sql = "SELECT * FROM other a JOIN other b ON a.id = b.id NATURAL JOIN other c"
    assert names(sql) == ["id", "k", "id", "k"]


@pytest.mark.parametrize(
    ("aggregates", "expected"),
    [
        ("sum(id)", ["x"]),
        ("sum(id) AS s, max(id)", ["x_s", "x_max(id)"]),
        ("CEIL(sum(id)), FLOOR(max(id))", ["x_CEIL(sum(id))", "x_FLOOR(max(id))"]),
        ("CEIL(sum(id), 1), CEILING(sum(id))", ["x_ceil(sum(id), 1)", "x_ceiling(sum(id))"]),
        ("sum(id) + 1, count(*)", ["x_(sum(id) + 1)", "x_count(1)"]),
        ("round(avg(id)), count(DISTINCT id)", ["x_round(avg(id), 0)", "x_count(DISTINCT id)"]),
    ],
)
def test_several_aggregates_of_a_pivot_are_printed_as_items_are(
    aggregates: str, expected: list[str]
) -> None:
    sql = f"SELECT * FROM (SELECT id, name FROM shop) PIVOT ({aggregates} FOR name IN ('x'))"
    assert names(sql) == expected


def test_pivoted_rows_and_arrays_name_their_columns() -> None:
    sql = """SELECT * FROM (SELECT id, name, xs, price FROM shop)
      PIVOT (sum(price) FOR (name, xs) IN (('a', array(1, 2)), ('b', array(3))))"""
    assert names(sql) == ["id", "{a, [1, 2]}", "{b, [3]}"]


def test_quoted_names_are_patterns_once_the_session_says_so() -> None:
    setting = "SET spark.sql.parser.quotedRegexColumnNames=true"
    assert names("SELECT `(id)?+.+` FROM other") == ["(id)?+.+"]
    assert names("SELECT `(id)?+.+` FROM other", setting) == ["k"]
    assert names("SELECT o.`i.*`, k FROM other o", setting) == ["id", "k"]


@pytest.mark.parametrize("function", ["substring", "trim", "position", "mask"])
def test_nested_calls_are_read_once(function: str) -> None:
    # Read twice on every level, this would not end.
    depth = 40
    printed = name(f"{f'{function}(' * depth}name{', 1)' * depth}")
    assert printed.upper().count(f"{function.upper()}(") == depth


def test_a_lateral_subquery_shows_where_an_outer_column_comes_from() -> None:
    assert names("SELECT * FROM other, LATERAL (SELECT other.k + 1)") == [
        "id",
        "k",
        "(outer(spark_catalog.default.other.k) + 1)",
    ]
    assert names("SELECT * FROM other o, LATERAL (SELECT o.k + id)")[2:] == [
        "(outer(o.k) + outer(o.id))"
    ]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("low = 'a'", "(low = 'a' collate UTF8_LCASE)"),
        ("concat(low, 'a', name)", "concat(low, 'a' collate UTF8_LCASE, name)"),
        ("replace(low, 'a' COLLATE utf8_binary, 'b')", "replace(low, collate(a, utf8_binary), b)"),
        ("concat_ws('-', low, bin)", "concat_ws('-' collate null, low, bin)"),
        ("instr(bin, 'a')", "instr(bin, a)"),
        ("trim('a', low)", "TRIM(BOTH 'a' collate UTF8_LCASE FROM low)"),
        ("rtrim('a', name)", "TRIM(TRAILING a FROM name)"),
        ("trim(LEADING 'a' FROM low)", "TRIM(LEADING 'a' collate UTF8_LCASE FROM low)"),
        ("btrim('a', low)", "btrim(a, low)"),
        ("split(low, ',')", "split(low, ,, -1)"),
        ("lower(low) || 'a'", "concat(lower(low), 'a' collate UTF8_LCASE)"),
        ("substr(low, 1, 2) = 'a'", "(substr(low, 1, 2) = 'a' collate UTF8_LCASE)"),
        ("max(low) = 'a'", "(max(low) = 'a' collate UTF8_LCASE)"),
        ("CAST(low AS STRING) = 'a'", "(CAST(low AS STRING) = a)"),
        (
            "concat(upper(low), 'b') = 'c'",
            "(concat(upper(low), 'b' collate UTF8_LCASE) = 'c' collate UTF8_LCASE)",
        ),
        (
            "trim(low) IN ('a', 'b')",
            "(trim(low) IN ('a' collate UTF8_LCASE, 'b' collate UTF8_LCASE))",
        ),
        (
            "CASE WHEN low = 'x' THEN 'y' ELSE low END",
            "CASE WHEN (low = 'x' collate UTF8_LCASE) THEN 'y' collate UTF8_LCASE ELSE low END",
        ),
    ],
)
def test_strings_take_the_collation_of_columns_beside_them(item: str, expected: str) -> None:
    table = "CREATE TABLE t (low STRING COLLATE utf8_lcase, bin STRING COLLATE UTF8_BINARY, name STRING)"
    assert names(f"SELECT {item} FROM t", table) == [expected]


@pytest.mark.parametrize(
    ("before", "item", "expected"),
    [
        ("DECLARE x INT DEFAULT 7", "x + 1", "(variablereference(system.session.x=7) + 1)"),
        (
            "DECLARE x INT; SET VAR x = -2",
            "abs(session.x)",
            "abs(variablereference(system.session.x=-2))",
        ),
        ("DECLARE x BIGINT DEFAULT 7", "-x", "(- variablereference(system.session.x=7L))"),
        (
            "DECLARE x DOUBLE",
            "typeof(x)",
            "typeof(variablereference(system.session.x=CAST(NULL AS DOUBLE)))",
        ),
        ("DECLARE x = 'it'", "upper(x)", "upper(variablereference(system.session.x='it'))"),
        (
            "DECLARE x BOOLEAN DEFAULT true",
            "NOT x",
            "(NOT variablereference(system.session.x=true))",
        ),
        ("DECLARE x INT DEFAULT 7; SET VAR x = 1 + 1", "x + 1", "(x + 1)"),
        ("DECLARE x INT DEFAULT 7", "x", "x"),
        ("DECLARE id INT DEFAULT 7", "id + 1", "(id + 1)"),
    ],
)
def test_variables_show_the_value_they_are_known_to_hold(
    before: str, item: str, expected: str
) -> None:
    assert names(f"SELECT {item} FROM shop", before) == [expected]


def test_aliases_of_the_same_list_are_marked() -> None:
    assert names("SELECT id AS a, a + 1, a, sum(id) + id FROM shop") == [
        "a",
        "(lateralAliasReference(a) + 1)",
        "a",
        "(sum(id) + id)",
    ]
    assert names("SELECT explode(xs) AS x, x + 1 FROM shop") == ["x", "(x + 1)"]


def test_quoted_patterns_stand_for_columns_inside_of_calls() -> None:
    before = "SET spark.sql.parser.quotedRegexColumnNames = true"
    assert names("SELECT sum(`(id)?+.+`) FROM other", before) == ["sum(k)"]
    assert names("SELECT greatest(`id|k`) FROM other", before) == ["greatest(id, k)"]
    assert names(
        "SELECT `(ID)?+.+` FROM other", f"{before}; SET spark.sql.caseSensitive = true"
    ) == [
        "id",
        "k",
    ]


def test_all_before_a_comma_is_a_column() -> None:
    assert names("SELECT all, id FROM (SELECT id AS all, id FROM other)") == ["all", "id"]
    assert names("SELECT ALL id FROM other") == ["id"]


def test_a_field_of_a_parenthesised_column_is_called_by_its_name() -> None:
    assert name("(info).city") == "city"


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("TIMESTAMP '2024-07-01 12:00:00Z'", "TIMESTAMP '2024-07-01 21:00:00'"),
        ("TIMESTAMP '2024-07-01 12:00:00.250 UTC'", "TIMESTAMP '2024-07-01 21:00:00.25'"),
        ("TIMESTAMP '2024-07-01 20:0:0+02:00'", "TIMESTAMP '2024-07-02 03:00:00'"),
        ("TIMESTAMP '2024-07-01 08:00:00 Europe/Paris'", "TIMESTAMP '2024-07-01 15:00:00'"),
        (
            "TIMESTAMP_LTZ '2024-07-01 12:00:00.123456789 GMT-1'",
            "TIMESTAMP_LTZ '2024-07-01 22:00:00.123456789'",
        ),
        ("TIMESTAMP '2024-07-01 12:00:00'", "TIMESTAMP '2024-07-01 12:00:00'"),
        ("TIMESTAMP '2024-07-01 12:00:00 Nowhere'", "TIMESTAMP '2024-07-01 12:00:00 Nowhere'"),
        ("TIMESTAMP '9999-12-31 23:00:00Z'", "TIMESTAMP '9999-12-31 23:00:00Z'"),
        ("TIMESTAMP_NTZ '2024-07-01 12:00:00'", "TIMESTAMP_NTZ '2024-07-01 12:00:00'"),
    ],
)
@pytest.mark.parametrize(
    "setting",
    [
        "SET TIME ZONE 'Asia/Tokyo'",
        'SET TIME ZONE "Asia/Tokyo"',
        "SET spark.sql.session.timeZone = Asia/Tokyo",
    ],
)
def test_moments_are_shown_in_the_zone_of_the_session(
    setting: str, literal: str, expected: str
) -> None:
    assert names(f"SELECT year({literal})", before=setting) == [f"year({expected})"]


@pytest.mark.parametrize("setting", ["SELECT 1", "SET TIME ZONE 'UTC'; SET TIME ZONE LOCAL"])
def test_without_a_zone_of_the_session_moments_stay_as_written(setting: str) -> None:
    assert names("SELECT year(TIMESTAMP '2024-07-01 12:00:00Z')", before=setting) == [
        "year(TIMESTAMP '2024-07-01 12:00:00Z')"
    ]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("TIMESTAMP '2024-07-01'", "TIMESTAMP_NTZ '2024-07-01 00:00:00'"),
        ("TIMESTAMP '2024-07-01 12:00:00Z'", "TIMESTAMP '2024-07-01 12:00:00Z'"),
        ("TIMESTAMP_LTZ '2024-07-01'", "TIMESTAMP '2024-07-01 00:00:00'"),
        ("CAST('x' AS TIMESTAMP)", "CAST(x AS TIMESTAMP_NTZ)"),
        ("CAST('x' AS TIMESTAMP WITH LOCAL TIME ZONE)", "CAST(x AS TIMESTAMP)"),
    ],
)
def test_a_timestamp_is_of_the_kind_that_the_session_says(item: str, expected: str) -> None:
    setting = "SET spark.sql.timestampType = TIMESTAMP_NTZ"
    assert names(f"SELECT {item}", before=setting) == [expected]


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("INTERVAL '100' SECOND", "1 minutes 40 seconds"),
        ("INTERVAL '30' MONTH", "2 years 6 months"),
        ("INTERVAL '-1-2' YEAR TO MONTH", "-1 years -2 months"),
        ("INTERVAL '1 2:03:04.5' DAY TO SECOND", "1 days 2 hours 3 minutes 4.5 seconds"),
        ("INTERVAL 1 MONTH 2 WEEKS -1 HOUR", "1 months 14 days -1 hours"),
        ("INTERVAL '1 month 10 seconds'", "1 months 10 seconds"),
        ("INTERVAL 0 DAYS", "0 seconds"),
    ],
)
def test_calendar_intervals_are_printed_unit_by_unit(literal: str, expected: str) -> None:
    setting = "SET spark.sql.legacy.interval.enabled = true"
    assert names(f"SELECT {literal}", before=setting) == [f"INTERVAL '{expected}'"]
