"""Every rule of the tables, on arguments of every kind: an answer or none, never an exception."""

from __future__ import annotations

from itertools import product

import pytest
from sqlglot import exp

from lakeport.lineage.types import SqlType, infer, read_type, type_text
from lakeport.lineage.types.functions import named_table, node_table

KINDS = (
    "int",
    "double",
    "decimal(10,2)",
    "string",
    "binary",
    "date",
    "timestamp",
    "interval day to second",
    "void",
    "variant",
    "array<int>",
    "map<string,int>",
    "struct<a:int>",
    "array<struct<a:int,b:string>>",
)
DIALECTS = ("spark", "postgres", "duckdb", "bigquery", "snowflake", "tsql", "clickhouse", "generic")


def column_type(column: exp.Column) -> SqlType | None:
    return read_type(column.name, "spark") if column.name else None


def columns(kinds: tuple[str, ...]) -> list[exp.Expr]:
    return [exp.column(kind, quoted=True) for kind in kinds]


def filled(cls: type[exp.Expr], kind: str) -> dict[str, object]:
    """A column of this kind in every place; the branches of a CASE have a form of their own."""
    return {
        name: columns((kind,)) if name == "expressions" else exp.column(kind, quoted=True)
        for name in cls.arg_types
        if name != "ifs"
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nodes_survive_missing_and_strange_arguments(dialect: str) -> None:
    for cls in list(node_table(dialect)):
        if cls in {exp.Literal, exp.Cast, exp.TryCast, exp.Window}:
            continue  # these are never built without what they hold
        for arguments in ({}, *(filled(cls, kind) for kind in KINDS)):
            type_ = infer(cls(**arguments), column_type, dialect)
            assert type_ is None or isinstance(type_text(type_, dialect), str | None)


def test_named_functions_survive_any_arguments() -> None:
    for name in named_table("spark"):
        for count in range(3):
            for kinds in product(KINDS, repeat=count):
                call = exp.Anonymous(this=name, expressions=columns(kinds))
                type_ = infer(call, column_type, "spark")
                assert type_ is None or isinstance(type_text(type_, "spark"), str | None)


def test_several_hundred_functions_are_known() -> None:
    assert len(node_table("spark")) + len(named_table("spark")) > 500
