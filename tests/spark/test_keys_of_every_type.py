"""Keys of every type that can be one: bounds are literals of SQL, and must not lose a match."""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest

from tests.spark.ground import Ground
from tests.spark.test_strategies_on_spark import values

KEYS = {
    "tinyint": ("-128Y", "0Y", "127Y"),
    "int": ("-2147483648", "0", "2147483647"),
    "bigint": ("CAST(-9223372036854775808 AS BIGINT)", "0L", "9223372036854775807L"),
    "float": ("CAST('NaN' AS FLOAT)", "CAST(-0.0 AS FLOAT)", "CAST('Infinity' AS FLOAT)"),
    "double": ("CAST('NaN' AS DOUBLE)", "-0.0D", "CAST('-Infinity' AS DOUBLE)"),
    "decimal": ("-99999999999999999999999999999999999.999BD", "0.000BD", "1.500BD"),
    "boolean": ("true", "false"),
    "string": ("''", r"'it\'s \\ \u0001 %'", "'ÄÖ😀'", "repeat('long', 100)"),
    "binary": ("X''", "X'00'", "X'FF'"),
    "date": ("DATE '0001-01-01'", "DATE '1970-01-01'", "DATE '9999-12-31'"),
    "timestamp": (
        "TIMESTAMP_LTZ '0001-01-01 00:00:00 UTC'",
        "TIMESTAMP_LTZ '1969-12-31 23:59:59.999999 UTC'",
        "TIMESTAMP_LTZ '9999-12-31 23:59:59.999999 UTC'",
    ),
    "timestamp_ntz": (
        "TIMESTAMP_NTZ '0001-01-01 00:00:00'",
        "TIMESTAMP_NTZ '2026-03-29 02:30:00'",
        "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'",
    ),
    "struct": ("named_struct('a', 1, 'b', 'x')", "named_struct('a', 2, 'b', 'y')"),
    "array": ("array(1, 2)", "array(3)"),
}


QUICK = ("string", "double", "timestamp_ntz")


def replace_rows(ground: Ground, kind: str) -> None:
    for version in (1, 2):
        rows = (f"({key}, {version})" for key in KEYS[kind])
        ground.write(values("k, v", *rows), unique_key="k")
    session = ground.session
    assert session.sql("SELECT count(*), min(v) FROM shop.t").collect()[0][:] == (
        len(KEYS[kind]),
        2,
    )
    for key in KEYS[kind]:
        ground.write(f"SELECT {key} AS k, 3 AS v", strategy="merge", unique_key="k")
    assert session.sql("SELECT count(*), min(v) FROM shop.t").collect()[0][:] == (
        len(KEYS[kind]),
        3,
    )


@pytest.mark.parametrize("kind", QUICK)
def test_a_row_is_replaced_by_its_key(ground: Ground, kind: str) -> None:
    replace_rows(ground, kind)


@pytest.mark.long
@pytest.mark.parametrize("kind", [kind for kind in KEYS if kind not in QUICK])
def test_a_row_is_replaced_by_a_key_of_any_other_type(ground: Ground, kind: str) -> None:
    replace_rows(ground, kind)


def test_a_uuid_is_text_to_spark_and_stays_a_uuid(ground: Ground) -> None:
    columns: dict[str, pa.DataType] = {"k": pa.uuid(), "v": pa.int32()}
    table = ground.lake.create_table("shop.t", columns)
    one, two = uuid.UUID(int=1), uuid.UUID(int=2**127)
    table.append(pa.table({"k": pa.array([one.bytes], pa.uuid()), "v": pa.array([1], pa.int32())}))
    ground.write(values("k, v", f"('{one}', 10)", f"('{two}', 20)"), unique_key="k")
    with table.scan() as found:
        rows = found.read_all().to_pylist()
    assert sorted((str(row["k"]), row["v"]) for row in rows) == [(str(one), 10), (str(two), 20)]
    assert str(table.schema.field("k").type) == "extension<arrow.uuid>"


def test_names_that_need_quotes_in_a_nested_namespace(ground: Ground) -> None:
    query = (
        "SELECT 1 AS `a``b`, 2 AS `select`, 3 AS `x'y\"z`, TIMESTAMP '2026-01-01 05:00:00' AS at"
    )
    into = "sales.e u.o`r-d"
    for _ in range(2):
        made = ground.lake.write(query, into=into, unique_key=["a`b", "x'y\"z"])
        assert made.rows == 1
    with ground.lake.table(into).scan() as found:
        assert found.read_all().num_rows == 1
    (row,) = ground.lake.spark().sql("SELECT `a``b` FROM sales.`e u`.`o``r-d`").collect()
    assert row[0] == 1
