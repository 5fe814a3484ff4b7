"""sources.toml: tables that others fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.pipeline.project.sources import read_sources
from tests.pipeline.projects import name_of, problems, project

TYPES = (
    "types: boolean, tinyint, smallint, int, bigint, float, double, decimal(10,2), string, binary, date, "
    "timestamp, timestamp_ntz, array<int>, map<string,int>, struct<a:int>"
)


def test_sources_may_have_columns_types_and_words(tmp_path: Path) -> None:
    text = """
[raw.orders]
description = "as the shop sends them"
[raw.orders.columns]
id = "bigint"
tags = "array<struct<a:int>>"

["sales.eu".plain]

[raw.names]
columns = ["a", "b"]
"""
    found = project(tmp_path, {"models/a/b.sql": "SELECT 1 AS id", "sources.toml": text})
    assert found.problems == ()
    orders = found.sources[name_of("RAW.orders")]
    assert orders.columns == (("id", "bigint"), ("tags", "array<struct<a:int>>"))
    assert (orders.description, orders.line) == ("as the shop sends them", 2)
    assert found.sources[name_of("sales.eu.plain")].columns is None
    assert found.sources[name_of("raw.names")].columns == (("a", None), ("b", None))


def test_every_mistake_has_its_line() -> None:
    text = """[raw.orders.columns]
id = "bigintt"
ID = "int"
[raw.x]
column = 1
[raw.y]
columns = 3
[raw.z]
description = 4
"""
    _, found = read_sources(text)
    assert [str(one) for one in sorted(found, key=lambda one: one.order)] == [
        f"sources.toml:2: `bigintt` is no type of a table\n  did you mean `bigint`? {TYPES}",
        "sources.toml:3: `id` and `ID` are one column\n  declare it once",
        (
            "sources.toml:5: a source has no `column`\n  did you mean `columns`? it has columns and "
            "description; a namespace with a dot is written in quotes"
        ),
        (
            "sources.toml:7: `columns` are no columns\n"
            '  write [raw.orders.columns] and below it order_id = "bigint"'
        ),
        "sources.toml:9: `description` is no text\n  write it in quotes",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[raw.orders\n", "sources.toml:1:12: Expected ']' at the end of a table declaration"),
        ("raw = 3\n", "sources.toml:1: `raw` is no namespace"),
        ("raw.orders = 3\n", "sources.toml:1: `raw.orders` is no table"),
        (
            "[raw.orders]\n[RAW.Orders]\n",
            "sources.toml:2: `raw.orders` and `RAW.Orders` are one table",
        ),
    ],
)
def test_what_is_no_table(text: str, told: str, tmp_path: Path) -> None:
    files = {"models/a/b.sql": "SELECT 1 AS id", "sources.toml": text}
    assert [one.split("\n")[0] for one in problems(tmp_path, files)] == [told]
