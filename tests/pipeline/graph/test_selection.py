"""Selectors: which models a person means."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.pipeline.graph import Graph
from tests.pipeline.projects import graph, name_of

TAGGED = "/* lakeport\ntags = ['nightly', 'big']\n*/"


@pytest.fixture
def shop(tmp_path: Path) -> Graph:
    """raw → stg → mid → (left, right) → end, and one aside."""
    return graph(
        tmp_path,
        {
            "models/staging/raw.sql": "SELECT 1 AS id",
            "models/staging/stg.sql": "SELECT * FROM staging.raw",
            "models/middle/mid.sql": "SELECT * FROM stg",
            "models/marts/left.sql": f"{TAGGED} SELECT * FROM middle.mid",
            "models/marts/right.sql": "SELECT * FROM middle.mid JOIN staging.aside USING (id)",
            "models/marts/deep/end.sql": f"{TAGGED} SELECT * FROM `left` JOIN `right` USING (id)",
            "models/staging/aside.sql": "SELECT 1 AS id",
        },
    )


ALL = "aside end left mid raw right stg"


@pytest.mark.parametrize(
    ("select", "exclude", "names"),
    [
        ([], [], ALL),
        (["mid"], [], "mid"),
        (["MIDDLE.mid"], [], "mid"),
        (["marts.*"], [], "end left right"),
        (["*i*"], [], "aside mid right"),
        (["+mid"], [], "mid raw stg"),
        (["1+mid"], [], "mid stg"),
        (["mid+"], [], "end left mid right"),
        (["mid+1"], [], "left mid right"),
        (["1+mid+1"], [], "left mid right stg"),
        (["@left"], [], ALL),
        (["tag:nightly"], [], "end left"),
        (["tag:night*"], [], "end left"),
        (["path:models/marts"], [], "end left right"),
        (["path:.,path:./models/marts/"], [], "end left right"),
        (["models/marts/deep"], [], "end"),
        (["models/marts/left.sql"], [], "left"),
        (["./models/staging/"], [], "aside raw stg"),
        (["models/*/r*.sql"], [], "raw right"),
        (["state:modified"], [], "mid"),
        (["state:modified+"], [], "end left mid right"),
        (["tag:big,+left"], [], "left"),
        (["raw", "aside"], [], "aside raw"),
        (["raw aside"], [], "aside raw"),
        (["marts.*"], ["end"], "left right"),
        ([], ["+mid"], "aside end left right"),
        (["tag:big,aside"], [], ""),
    ],
)
def test_selectors(shop: Graph, select: list[str], exclude: list[str], names: str) -> None:
    found = shop.select(select, exclude, lambda: {name_of("Middle.MID")})
    assert sorted(name.table for name in found) == names.split()
    assert list(found) == [name for name in shop.names if name in found]


@pytest.mark.parametrize(
    ("selector", "told"),
    [
        ("lef", "there is no model `lef` (did you mean `left`? models: aside, end, left"),
        ("marts.lefd", "there is no model `marts.lefd` (did you mean `marts.left`?"),
        ("marts", "there is no model `marts` (it is a namespace: `marts.*` is all of its models)"),
        ("nightly", "no model `nightly` (it is a tag: `tag:nightly` is all models that have it)"),
        ("zzz*", "no model is called like `zzz*`"),
        ("tag:nighly", "there is no tag `nighly` (did you mean `nightly`?"),
        ("path:models/mart", "there is no model in `models/mart` (did you mean `models/marts`?"),
        ("state:new", "there is no state `new`"),
    ],
)
def test_what_matches_nothing_is_told(shop: Graph, selector: str, told: str) -> None:
    for select, exclude in (([selector], []), ([], [selector])):
        with pytest.raises(NotFoundError) as caught:
            shop.select(select, exclude, lambda: ())
        assert told in str(caught.value)


@pytest.mark.parametrize(
    ("selector", "told"),
    [
        ("", "a selector is empty"),
        ("+", "`+` is no selector"),
        ("mid++", "`mid++` is no selector"),
        ("@mid+", "`@mid+` is no selector"),
        ("mid,", "`mid,` is no selector"),
        ("tags:x", "selects by `tags`, which there is not (did you mean `tag:x`?"),
        ("state:modified", "what was built last is not known here"),
    ],
)
def test_what_is_no_selector(shop: Graph, selector: str, told: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        shop.select([selector])
    assert told in str(caught.value)
