"""Patterns over NAMESPACE.TABLE."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.access import glob
from lakeport.core.errors import InvalidRequestError


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "sales.orders", True),
        ("sales.*", "sales.orders", True),
        ("sales.*", "Sales.ORDERS", True),
        ("SALES.*", "sales.orders", True),
        ("sales.*", "sales.eu.orders", True),
        ("sales.*", "salesman.orders", False),
        ("sales.orders", "sales.orders", True),
        ("sales.orders", "sales.orders_old", False),
        ("*.orders", "hr.orders", True),
        ("*.orders", "hr.people", False),
        ("s?les.o*", "sales.orders", True),
        ("[st]ales.*", "tales.x", True),
        ("[!s]ales.*", "sales.x", False),
        ("straße.*", "STRASSE.x", True),
        ("a+b.(c)", "a+b.(c)", True),
    ],
)
def test_a_pattern_matches_whole_names(pattern: str, name: str, *, expected: bool) -> None:
    assert glob.matches(pattern, name) is expected


@pytest.mark.parametrize(
    ("given_text", "stored"),
    [("sales", "sales.*"), (" sales.* ", "sales.*"), ("**", "*"), ("sa*", "sa*"), ("s?", "s?.*")],
)
def test_a_namespace_alone_means_all_its_tables(given_text: str, stored: str) -> None:
    assert glob.normal(given_text) == stored


@pytest.mark.parametrize("text", ["", "  ", ".orders", "sales.", "a\nb.c", "x" * 513])
def test_a_pattern_that_can_mean_nothing_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        glob.normal(text)


def test_a_catalog_has_no_parts() -> None:
    assert glob.normal_catalog("eu_*") == "eu_*"
    with pytest.raises(InvalidRequestError, match="no dots"):
        glob.normal_catalog("lake.sales")


@pytest.mark.parametrize(
    ("pattern", "namespace", "expected"),
    [
        ("*", "sales", True),
        ("sales.*", "sales", True),
        ("sales.*", "sales.eu", True),
        ("sales.o*", "sales", False),
        ("sales.orders", "sales", False),
        ("*.orders", "sales", False),
        ("s*", "sales", True),
        ("hr.*", "sales", False),
    ],
)
def test_a_namespace_is_covered_by_what_matches_every_table(
    pattern: str, namespace: str, *, expected: bool
) -> None:
    assert glob.covers(pattern, namespace) is expected


@pytest.mark.parametrize(
    ("pattern", "namespace", "expected"),
    [
        ("*", "sales", True),
        ("sales.orders", "SALES", True),
        ("sales.orders", "sale", False),
        ("*.orders", "sales", True),
        ("s*.o?", "sales", True),
        ("sales.eu.*", "sales.eu", True),
        ("sales.eu.*", "sales", False),
        ("[hs]*.x", "sales", True),
        ("hr.*", "sales", False),
    ],
)
def test_a_pattern_reaches_namespaces_that_may_hold_a_match(
    pattern: str, namespace: str, *, expected: bool
) -> None:
    assert glob.reaches(pattern, namespace) is expected


_parts = st.text("ab", min_size=1, max_size=3)
_globs = st.text("ab.*?", min_size=1, max_size=7)


@settings(derandomize=True, deadline=None)
@given(pattern=_globs, namespace=_parts, table=_parts)
def test_what_matches_is_reached_and_what_is_covered_matches(
    pattern: str, namespace: str, table: str
) -> None:
    if glob.matches(pattern, f"{namespace}.{table}"):
        assert glob.reaches(pattern, namespace)
    if glob.covers(pattern, namespace):
        assert glob.matches(pattern, f"{namespace}.{table}")
