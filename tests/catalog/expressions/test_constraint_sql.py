from __future__ import annotations

import pytest

from lakeport.catalog.definition import Check, Constraint, PrimaryKey, Unique
from lakeport.catalog.expressions.constraint_sql import constraint_from_sql
from lakeport.core.errors import InvalidRequestError, LimitError, UnsupportedError


@pytest.mark.parametrize(
    ("text", "constraint"),
    [
        ("UNIQUE(a, c)", Unique(("a", "c"), "")),
        ("unique ( date , name )", Unique(("date", "name"), "")),
        ("PRIMARY KEY (a)", PrimaryKey(("a",))),
        ("primary  key (a, b)", PrimaryKey(("a", "b"))),
        ("CONSTRAINT pk PRIMARY KEY (a)", PrimaryKey(("a",), "pk")),
        ("CHECK (d > 0)", Check("d > 0", "")),
        ("CHECK((d > 0) OR (e = ')'))", Check("(d > 0) OR (e = ')')", "")),
        ('CONSTRAINT "my "" c" UNIQUE ("A b")', Unique(("A b",), 'my " c')),
        ("CONSTRAINT ok CHECK (a.b <> 'x')", Check("a.b <> 'x'", "ok")),
    ],
)
def test_the_frame_is_read_and_the_condition_kept(text: str, constraint: Constraint) -> None:
    assert constraint_from_sql(text) == constraint


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a > 0",
        "price",
        "CONSTRAINT",
        "CONSTRAINT c",
        "UNIQUE",
        "UNIQUE ()",
        "UNIQUE (a,)",
        "UNIQUE (a b)",
        "UNIQUE ('a')",
        "UNIQUE (a + 1)",
        "UNIQUE (a), b INT",
        "UNIQUE (a)); DROP TABLE t; --",
        "PRIMARY KEY (a DESC)",
        "CHECK ()",
        "CHECK (a) + (b)",
        "CHECK (a > 0) NOT ENFORCED",
        "CHECK ('abc",
        "a INT CHECK (a > 0)",
        '"unique" (a)',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="not a table constraint"):
        constraint_from_sql(text)


def test_foreign_keys_are_unsupported() -> None:
    with pytest.raises(UnsupportedError):
        constraint_from_sql("FOREIGN KEY (a) REFERENCES t (x)")


def test_a_huge_text_is_refused_before_it_is_read() -> None:
    with pytest.raises(LimitError):
        constraint_from_sql("CHECK (" + "a" * 70_000 + ")")
