"""Every type a column can have goes in and comes out exactly."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.expressions import cast_array, default_array, evaluate, parse_expression
from lakeport.core.errors import InvalidRequestError, LimitError
from tests.oracle import compact
from tests.seeds import few_of
from tests.strategies import random_batch, random_schema, seeded

_VALUES = {
    "BOOLEAN": "true",
    "TINYINT": "-128",
    "SMALLINT": "-32768",
    "INTEGER": "2147483647",
    "BIGINT": "-9223372036854775808",
    "HUGEINT": "-170141183460469231731687303715884105728",
    "UTINYINT": "255",
    "USMALLINT": "65535",
    "UINTEGER": "4294967295",
    "UBIGINT": "18446744073709551615",
    "UHUGEINT": "340282366920938463463374607431768211455",
    "FLOAT": "'-infinity'",
    "DOUBLE": "'infinity'",
    "DECIMAL(4,1)": "-999.9",
    "DECIMAL(38,10)": "1234567890123456789012345678.0123456789",
    "VARCHAR": "'é日🦆'",
    "BLOB": "'\\x00\\xFF'",
    "BIT": "'10101'",
    "BIGNUM": "repeat('9', 60)",
    "UUID": "'123e4567-e89b-12d3-a456-426614174000'",
    "JSON": "'{\"a\": [1, null]}'",
    "DATE": "'-infinity'",
    "TIME": "'23:59:59.999999'",
    "TIME_NS": "'01:02:03.000000005'",
    "TIMETZ": "'01:02:03+02:30'",
    "TIMESTAMP": "'infinity'",
    "TIMESTAMP_S": "'-infinity'",
    "TIMESTAMP_MS": "'1969-12-31 23:59:59.001'",
    "TIMESTAMP_NS": "'2020-02-29 00:00:00.000000005'",
    "TIMESTAMPTZ": "'infinity'",
    "INTERVAL": "'1 month -2 days 3 microseconds'",
    "GEOMETRY": "'POINT(1 2)'",
    "INTEGER[]": "[1, NULL]",
    "INTEGER[3]": "[1, NULL, 3]",
    "VARCHAR[][]": "[['a'], NULL, []]",
    "STRUCT(a HUGEINT, b UUID[])": "{'a': 1, 'b': [NULL]}",
    "MAP(VARCHAR, TIMETZ)": "MAP {'k': '01:02:03+02'}",
    "UNION(n INTEGER, s VARCHAR)": "'x'",
}


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1, "arrow_lossless_conversion": "true"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


@pytest.mark.parametrize("kind", _VALUES)
def test_a_value_comes_back_as_it_went_in(kind: str, plain: duckdb.DuckDBPyConnection) -> None:
    sql = f"SELECT ({_VALUES[kind]})::{kind} AS x UNION ALL SELECT NULL UNION ALL SELECT ({_VALUES[kind]})::{kind}"
    batch = plain.execute(sql).to_arrow_table().combine_chunks().to_batches()[0]
    column = parse_expression("x", batch.schema)
    equal = parse_expression("x = x", batch.schema)
    for rows in (batch, batch.slice(1)):
        values = evaluate(column, rows)
        assert cast_array(values, batch.schema.field(0)).equals(rows.column(0))
        assert kind == "BOOLEAN" or values.type == rows.column(0).type
        assert evaluate(equal, rows).tolist() == [True, None, True][3 - rows.num_rows :]


def test_nan_stays_and_equals_itself_as_in_duckdb() -> None:
    batch = pa.RecordBatch.from_pydict({"x": [float("nan"), None]})
    assert str(evaluate(parse_expression("x", batch.schema), batch).tolist()) == "[nan, None]"
    assert evaluate(parse_expression("x = x", batch.schema), batch).tolist() == [True, None]


@pytest.mark.parametrize("seed", few_of(range(60), 30))
def test_generated_columns_are_read_as_plain_duckdb_reads_them(
    seed: int, plain: duckdb.DuckDBPyConnection
) -> None:
    rng = seeded(seed)
    schema = random_schema(rng)
    batch = random_batch(rng, schema, 12)
    plain.register("given", compact(pa.Table.from_batches([batch])))
    for column in schema:
        quoted = '"' + column.name.replace('"', '""') + '"'
        expected = plain.execute(f"SELECT {quoted}::VARCHAR FROM given").fetchall()
        as_text = evaluate(parse_expression(f"{quoted}::VARCHAR", schema), batch)
        assert [(text,) for text in as_text.tolist()] == expected, column
        back = evaluate(parse_expression(quoted, schema), batch)
        plain.register(
            "back", pa.Table.from_arrays([back], schema=pa.schema([_like(column, back)]))
        )
        assert plain.execute("SELECT x::VARCHAR FROM back").fetchall() == expected, column


def _like(column: Field, values: Array) -> Field:
    return pa.field("x", values.type, metadata=column.metadata)


def test_slices_of_structs_in_structs_are_read_from_their_own_rows() -> None:
    # DuckDB alone reads the inner struct of a slice from the unsliced beginning.
    nested = pa.array([{"s": None if n % 3 == 0 else {"v": n}} for n in range(20)])
    batch = pa.RecordBatch.from_arrays([nested], ["x"]).slice(7)
    found = evaluate(parse_expression("x.s.v", batch.schema), batch)
    assert found.tolist() == [None if n % 3 == 0 else n for n in range(7, 20)]


def test_dictionaries_are_text_to_an_expression() -> None:
    words = pa.array(["b", "a", None, "b"]).dictionary_encode()
    batch = pa.RecordBatch.from_arrays([words, pa.array([[w] for w in "wxyz"])], ["e", "l"])
    assert evaluate(parse_expression("e > 'aa'", batch.schema), batch).tolist() == [
        True,
        False,
        None,
        True,
    ]
    assert evaluate(parse_expression("e || l[1]", batch.schema), batch).tolist() == [
        "bw",
        "ax",
        None,
        "bz",
    ]


def test_a_result_without_columns_or_rows_still_has_its_type() -> None:
    batch = pa.RecordBatch.from_pydict({"x": pa.array([], pa.int64())})
    assert evaluate(parse_expression("x::HUGEINT IS NULL", batch.schema), batch).type == pa.bool_()
    assert evaluate(parse_expression("[true]", batch.schema), batch).type == pa.list_(
        pa.field("l", pa.bool_())
    )


@pytest.mark.parametrize(
    ("array", "to", "expected"),
    [
        (pa.array(["12", None]), pa.int8(), [12, None]),
        (pa.array([1.5, 2.5, -1.5]), pa.int32(), [2, 2, -2]),
        (pa.array(["a", "b"]), pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
        (pa.array([True]), pa.bool8(), [True]),
        (pa.array([[1], None]), pa.large_list(pa.field("l", pa.int8())), [[1], None]),
        (
            pa.array([{"b": "x", "a": 1}]),
            pa.struct([("a", pa.int8()), ("b", pa.string())]),
            [{"a": 1, "b": "x"}],
        ),
        (pa.array([b"ab"]), pa.binary(2), [b"ab"]),
        (pa.array(["x"]), pa.string_view(), ["x"]),
        (pa.array([1_500_000], pa.timestamp("us")), pa.timestamp("s"), None),
        (pa.nulls(2), pa.uuid(), [None, None]),
        (pa.nulls(1), pa.sparse_union([pa.field("n", pa.int32())]), [None]),
    ],
)
def test_casts_give_exactly_the_type_asked_for(
    array: Array, to: pa.DataType, expected: list[object] | None
) -> None:
    found = cast_array(array, to)
    found.validate(full=True)
    assert found.type == to
    assert expected is None or found.tolist() == expected


@pytest.mark.parametrize(
    ("array", "to"),
    [
        (pa.array([300]), pa.int8()),
        (pa.array(["x"]), pa.int32()),
        (pa.array(["no uuid"]), pa.uuid()),
        (pa.array([b"abc"]), pa.binary(2)),
        (pa.array([1]), pa.list_(pa.int64())),
        (pa.array([[1, 2]]), pa.list_(pa.int64(), 3)),
    ],
)
def test_a_value_that_does_not_fit_is_refused(array: Array, to: pa.DataType) -> None:
    with pytest.raises(InvalidRequestError):
        cast_array(array, to)


def test_a_number_with_too_many_digits_is_refused_before_it_is_read() -> None:
    bignum = pa.opaque(pa.binary(), "bignum", "DuckDB")
    assert len(cast_array(pa.array(["9" * 1_000]), bignum)) == 1
    with pytest.raises(LimitError, match="100,000 digits"):
        cast_array(pa.array(["9" * 100_000]), bignum)


@pytest.mark.parametrize(
    ("text", "to", "value"),
    [
        ("7", pa.int8(), 7),
        ("'x' || 'y'", pa.string(), "xy"),
        ("NULL", pa.list_(pa.int64()), None),
        ("[1, 2]", pa.list_(pa.int16()), [1, 2]),
        ("DATE '2024-02-28' + 1", pa.string(), "2024-02-29"),
        ("'x'", pa.string_view(), "x"),
        ("true", pa.bool8(), True),
    ],
)
def test_a_default_has_its_value_in_every_row(text: str, to: pa.DataType, value: object) -> None:
    found = default_array(text, to, 3)
    assert found.type == to
    assert found.tolist() == [value] * 3
    assert len(default_array(text, to, 0)) == 0
