"""`sources.toml` says what a loaded table's columns are; what a file alone would be guessed to have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

DECLARED = """
[raw.items.columns]
k = "int"
price = "decimal(8,2)"
seen = "timestamp_ntz"
"""


@pytest.fixture
def project(lakeport: Run) -> Run:
    assert lakeport("init").code == 0
    Path("sources.toml").write_text(DECLARED)
    Path("items.csv").write_text("K,name,price\n1,pen,1.20\n2,ink,7\n")
    return lakeport


def columns(project: Run, table: str) -> list[Any]:
    shown = json.loads(project("show", table, "--json").out)
    return [(column["name"], column["type"]) for column in shown["columns"]]


def test_a_new_table_has_the_declared_columns_and_then_the_others(project: Run) -> None:
    assert project("load", "raw.items", "items.csv").code == 0
    assert columns(project, "RAW.Items") == [
        ("k", "INTEGER"),
        ("price", "DECIMAL(8,2)"),
        ("seen", "TIMESTAMP"),
        ("name", "VARCHAR"),
    ]
    rows = json.loads(project("read", "raw.items", "--format", "json").out)
    assert rows[0] == {"k": 1, "price": 1.2, "seen": None, "name": "pen"}


def test_a_value_of_another_type_makes_no_table(project: Run) -> None:
    Path("items.csv").write_text("k,price\n1,cheap\n")
    failed = project("load", "raw.items", "items.csv")
    assert failed.code != 0
    assert "items.csv:2: column `price`" in failed.err
    assert json.loads(project("tables", "--json").out) == []


def test_a_table_that_nobody_declared_is_guessed(project: Run) -> None:
    assert project("load", "raw.others", "items.csv").code == 0
    assert columns(project, "raw.others")[0] == ("K", "BIGINT")


def test_a_broken_declaration_is_told_before_anything_is_loaded(project: Run) -> None:
    Path("sources.toml").write_text('[raw.items.columns]\nk = "intt"\n')
    failed = project("load", "raw.items", "items.csv")
    assert failed.code == 2
    assert "sources.toml:2" in failed.err
    assert "did you mean `int`?" in failed.err
