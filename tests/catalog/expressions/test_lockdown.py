"""Nothing outside its own row can be reached from an expression, whatever is written in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.expressions import (
    column_names,
    default_array,
    engine,
    evaluate,
    keep,
    parse_expression,
)
from lakeport.core.errors import (
    DeadlineError,
    InvalidRequestError,
    LakeportError,
    LimitError,
)

_COLUMNS: dict[str, pa.DataType] = {
    "id": pa.int64(),
    "name": pa.string(),
    "tags": pa.list_(pa.string()),
    "doc": pa.json_(),
    "Größe": pa.int32(),
    'a "b"': pa.int32(),
}
_SCHEMA = pa.schema(_COLUMNS)
python_variable = pa.table({"secret": [1]})

_REFUSED = {
    "files": ("read_text('/etc/passwd')", "glob('/*')", "read_blob('x')", "read_csv('x')"),
    "network": ("read_text('http://127.0.0.1/')", "read_parquet('s3://b/k')"),
    "environment": (
        "getenv('HOME')",
        "current_setting('threads')",
        "version()",
        "getvariable('x')",
    ),
    "settings": ("current_schema()", "current_database()", "current_user", "session_user", "user"),
    "tables": ("(SELECT 1)", "EXISTS (SELECT 1)", "id IN (SELECT 1)", "id = ANY (SELECT 2)"),
    "list subqueries": ("id = ANY ([1, 2])", "ARRAY (SELECT 1)"),
    "catalog": (
        "(FROM duckdb_settings())",
        "(SELECT secret FROM python_variable)",
        "python_variable",
    ),
    "clock": (
        "now()",
        "current_date",
        "current_timestamp",
        "get_current_time()",
        "today()",
        "localtime",
    ),
    "hidden clock": (
        "age(TIMESTAMP '2020-01-01')",
        "TIMETZ '12:00:00+00' AT TIME ZONE 'Europe/London'",
    ),
    "chance": ("random()", "uuid()", "gen_random_uuid()", "uuidv7()", "setseed(0.5)"),
    "sequences": ("nextval('s')", "currval('s')"),
    "logs and sleep": ("write_log('x')", "sleep_ms(10)", "error('x')", "pg_sleep(1)"),
    "sql in sql": (
        "json_serialize_sql('SELECT 1')",
        "json_deserialize_sql('{}')",
        "query('SELECT 1')",
    ),
    "aggregates": ("sum(id)", "count(*)", "max(id)", "list(id)", "string_agg(name, ',')"),
    "windows": ("row_number() OVER ()", "sum(id) OVER (PARTITION BY name)", "lag(id) OVER ()"),
    "aggregate dress": ("abs(DISTINCT id)", "abs(id ORDER BY id)", "abs(id) FILTER (WHERE true)"),
    "table functions": (
        "unnest(tags)",
        "range(10)",
        "generate_series(1, 10)",
        "generate_subscripts(tags, 1)",
    ),
    "lambdas": (
        "list_transform(tags, x -> x || x)",
        "[x || x for x in tags]",
        "list_reduce(tags, lambda x, y: x)",
    ),
    "growth": (
        "repeat(name, 1000)",
        "lpad(name, 1000000, 'x')",
        "list_resize(tags, 1000000)",
        "printf('%9d', id)",
    ),
    "more growth": (
        "bitstring('1', 1000000)",
        "array_to_string(tags, name)",
        "bar(1, 0, 1, 1e9)",
        "format('{:9}', id)",
    ),
    "aggregates by name": (
        "list_aggregate(tags, 'histogram')",
        "array_aggr([1], 'sum')",
        "aggregate(tags, 'list')",
    ),
    "parameters": ("?", "$1", "$name", ":name"),
    "stars": ("*", "COLUMNS(*)", "*COLUMNS('i.*')", "#1", "DEFAULT"),
    "statements": (
        "1; DROP TABLE x",
        "PRAGMA threads=4",
        "SET threads = 4",
        "COPY x TO 'y'",
        "ATTACH 'x'",
    ),
    "more statements": (
        "LOAD httpfs",
        "INSTALL httpfs",
        "EXECUTE x",
        "CREATE TABLE x(i int)",
        "EXPORT DATABASE 'x'",
    ),
    "brackets": (
        "1) FROM x --",
        "1), (2",
        "1) AS a, (2",
        "1) WHERE (true",
        "1) UNION SELECT (2",
        "1) LIMIT (1",
    ),
    "comments": ("1) FROM range(3) /*", "/* 1", "-- 1", "1 /* */ ; /* */ SELECT 2"),
    "names": (
        "system.main.abs(id)",
        "pg_catalog.abs(id)",
        "x.fn.add_one(id)",
        "name.lower()",
    ),
    "types": (
        "id::my_type",
        "id::main.my_type",
        "id::VARIANT",
        "NULL::INT[1000000]",
    ),
    "collations": ("name COLLATE de", "name COLLATE nfc", "name COLLATE icu_noaccent"),
    "macros": (
        "ago(INTERVAL 1 DAY)",
        "current_role",
        "pg_typeof(id)",
        "has_table_privilege('x', 'y')",
    ),
    "arguments": (
        "lower(x := name)",
        "name LIKE name",
        "regexp_matches(name, name)",
        "doc -> '$.*'",
        "doc ->> '$..a'",
    ),
    "nothing": ("", " ", "()", ";"),
}


@pytest.mark.parametrize("kind", _REFUSED)
def test_refuses(kind: str) -> None:
    for text in _REFUSED[kind]:
        with pytest.raises(LakeportError) as refused:
            parse_expression(text, _SCHEMA)
        assert isinstance(refused.value, InvalidRequestError | LimitError), text
        assert "__lakeport" not in str(refused.value), text
        assert "\n" not in refused.value.message, text


@pytest.mark.parametrize("kind", ["clock", "hidden clock", "chance", "tables", "settings"])
def test_defaults_are_refused_for_the_same_reasons(kind: str) -> None:
    for text in (*_REFUSED[kind], "id", "1 + id"):
        with pytest.raises(InvalidRequestError):
            default_array(text, pa.string(), 1)


def test_says_why_a_volatile_function_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="`now` gives another answer each time"):
        parse_expression("now() > TIMESTAMP '2020-01-01'", _SCHEMA)


def test_a_column_may_be_called_like_a_volatile_function() -> None:
    schema = pa.schema([("current_date", pa.int64()), ("random", pa.int64())])
    expression = parse_expression("current_date + random", schema)
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], schema=schema)
    assert evaluate(expression, batch).tolist() == [3]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('"größe" + GRÖSSE', {"Größe"}),
        ('"A ""B"""', {'a "b"'}),
        ("NAME || 'it''s -- no comment; \"quoted\"'", {"name"}),
        ("id /* a comment */ + 1 -- another", {"id"}),
        ("$$dollar 'quoted'$$ || name", {"name"}),
        ("E'line\\n' || name", {"name"}),
    ],
)
def test_reads_odd_spellings_as_duckdb_does(text: str, columns: set[str]) -> None:
    assert parse_expression(text, _SCHEMA).columns == columns


@pytest.fixture(scope="module")
def cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    parse_expression("1", _SCHEMA)
    with engine._engine.cursor().cursor() as own:
        yield own


def test_the_database_itself_is_locked_even_for_unchecked_sql(
    cursor: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a\n1\n", encoding="ascii")
    for sql in (
        f"SELECT * FROM read_csv('{file}')",
        f"SELECT * FROM '{file}'",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'other.db'}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 2",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET TimeZone = 'Europe/Berlin'",
        "PRAGMA memory_limit = '10GB'",
        "RESET threads",
        "SELECT * FROM python_variable",
        "SELECT getenv('HOME')",
    ):
        with pytest.raises(duckdb.Error):
            cursor.execute(sql)
    assert not (tmp_path / "out.csv").exists()


def test_the_database_has_one_thread_in_utc_and_holds_nothing(
    cursor: duckdb.DuckDBPyConnection,
) -> None:
    settings = dict(cursor.execute("SELECT name, value FROM duckdb_settings()").fetchall())
    assert settings["threads"] == "1"
    assert settings["TimeZone"] == "UTC"
    assert settings["autoload_known_extensions"] == "false"
    assert settings["arrow_lossless_conversion"] == "true"
    assert cursor.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (0,)


def test_a_run_away_expression_is_stopped_and_the_next_one_runs() -> None:
    text = " OR ".join(f"regexp_matches(name, '(a|b)*{n}(a|b){{20}}c')" for n in range(90))
    expression = parse_expression(text, _SCHEMA)
    names = pa.array(["ab" * 500] * 10_000)
    rows = pa.RecordBatch.from_arrays([names], ["name"])
    with pytest.raises(DeadlineError, match="took too long"):
        evaluate(expression, rows, seconds=0.05)
    again = parse_expression("length(name)", _SCHEMA)
    assert evaluate(again, rows.slice(0, 2)).tolist() == [1_000, 1_000]


def test_an_error_in_a_row_leaves_the_engine_working() -> None:
    expression = parse_expression("name::INT", _SCHEMA)
    bad = pa.RecordBatch.from_arrays([pa.array(["1", "x"])], ["name"])
    with pytest.raises(InvalidRequestError, match="Could not convert string 'x' to INT32"):
        evaluate(expression, bad)
    assert evaluate(expression, bad.slice(0, 1)).tolist() == [1]


def test_a_fault_inside_the_engine_starts_a_new_one() -> None:
    expression = parse_expression("id + 1", _SCHEMA)
    rows = pa.RecordBatch.from_arrays([pa.array([1])], ["id"])
    engine._engine.drop_database()  # what a fault does
    assert evaluate(expression, rows).tolist() == [2]


def test_threads_do_not_see_each_others_rows() -> None:
    expression = parse_expression("id * 2", _SCHEMA)
    wrong: list[int] = []

    def work(number: int) -> None:
        rows = pa.RecordBatch.from_arrays([pa.array([number] * 500)], ["id"])
        for _ in range(20):
            found = evaluate(expression, rows).unique().tolist()
            wrong.extend([number] if found != [number * 2] else [])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_only_conditions_keep_rows() -> None:
    rows = pa.RecordBatch.from_arrays([pa.array([1, 2])], ["id"])
    with pytest.raises(InvalidRequestError, match="is no condition"):
        keep(parse_expression("id + 1", _SCHEMA), rows)


def test_columns_of_a_text_are_known_without_a_schema() -> None:
    assert column_names("Price * 2 > s.f.g AND lower('x') = \"n n\"") == {"Price", "s", "n n"}
