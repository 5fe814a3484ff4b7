from __future__ import annotations

import math
import uuid

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.predicates import (
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
    describe,
)
from lakeport.catalog.predicates.constants import scalar_of
from lakeport.catalog.predicates.literals import literal

ONE = pa.scalar(1)


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Compare("price", Op.GE, ONE), "\"price\" >= '1'::BIGINT"),
        (Compare('a "b"', Op.DISTINCT, ONE), '"a ""b""" IS DISTINCT FROM \'1\'::BIGINT'),
        (IsIn("s", pa.array(["a", None])), "\"s\" IN ('a', NULL)"),
        (IsIn("s", pa.array([], pa.string())), "FALSE"),
        (Between("x", ONE, ONE), "\"x\" BETWEEN '1'::BIGINT AND '1'::BIGINT"),
        (
            Between("x", ONE, ONE, high_inclusive=False),
            "(\"x\" >= '1'::BIGINT AND \"x\" < '1'::BIGINT)",
        ),
        (StartsWith("s", "it's"), "starts_with(\"s\", 'it''s')"),
        (Not(IsNull("x")), '"x" IS NOT NULL'),
        (Not(Always(None)), "(NOT NULL::BOOLEAN)"),
        (
            Or((And((IsNull("x"), Always(value=True))), IsNull("y"))),
            '(("x" IS NULL AND TRUE) OR "y" IS NULL)',
        ),
        (And(()), "TRUE"),
        (Or(()), "FALSE"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_predicate_reads_as_sql(predicate: Predicate, text: str) -> None:
    assert describe(predicate) == text


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (pa.scalar(value=True), "TRUE"),
        (pa.scalar(-1.5), "'-1.5'::DOUBLE"),
        (pa.scalar(math.nan), "'nan'::DOUBLE"),
        (pa.scalar("a\0b"), "('a' || chr(0) || 'b')"),
        (pa.scalar(b"\xffA"), r"'\xFF\x41'::BLOB"),
        (scalar_of(uuid.UUID(int=5).bytes, pa.uuid()), f"'{uuid.UUID(int=5)}'::UUID"),
        (scalar_of(-5, pa.decimal128(4, 2)), "'-0.05'::DECIMAL(4,2)"),
        (scalar_of(-1, pa.date32()), "'1969-12-31'::DATE"),
        (scalar_of(-719_529, pa.date32()), "'0002-12-31 (BC)'::DATE"),
        (scalar_of(2_932_897, pa.date32()), "'10000-01-01'::DATE"),
        (scalar_of(2**31 - 1, pa.date32()), "'infinity'::DATE"),
        (scalar_of(1 - 2**63, pa.timestamp("s")), "'-infinity'::TIMESTAMP_S"),
        (scalar_of(1, pa.timestamp("ns")), "'1970-01-01 00:00:00.000000001'::TIMESTAMP_NS"),
        (scalar_of(0, pa.timestamp("us", "Asia/Tokyo")), "'1970-01-01 00:00:00+00'::TIMESTAMPTZ"),
        (scalar_of(86_399_000, pa.time32("ms")), "'23:59:59'::TIME"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_literal_names_its_type(constant: Scalar, text: str) -> None:
    assert literal(constant) == text
