from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.core.names import (
    NameMap,
    TableName,
    fold,
    nearest,
    twins,
    why_unsafe_column,
    why_unsafe_namespace,
    why_unsafe_table,
)


@given(st.text())
def test_folding_is_idempotent_and_blind_to_case(name: str) -> None:
    assert fold(fold(name)) == fold(name)
    assert fold(name.swapcase().casefold()) == fold(name.swapcase())


def test_spellings_of_one_name_match() -> None:
    assert fold("STRASSE") == fold("straße")
    assert fold("e\u0301té") == fold("ÉTÉ")


def test_a_name_map_finds_any_spelling_and_keeps_the_first() -> None:
    names = NameMap([("CustomerID", 1), ("täble", 2)])
    assert names["customerid"] == 1
    assert "TÄBLE" in names
    assert names.spelling("CUSTOMERID") == "CustomerID"
    assert list(names) == ["CustomerID", "täble"]


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "rowid", "ROWID", "_file", "__lakeport_key", "a.b", "a\nb", "x" * 256]
)
def test_unsafe_columns_are_explained(name: str) -> None:
    assert why_unsafe_column(name)


@pytest.mark.parametrize("name", ["a", "täble", "select", "order by", "@x", "%", "日本", "_pos2"])
def test_odd_but_safe_columns_pass(name: str) -> None:
    assert why_unsafe_column(name) is None


@pytest.mark.parametrize("name", ["", "a\\b", "..", "a.b", "a\x00"])
def test_unsafe_tables_are_explained(name: str) -> None:
    assert why_unsafe_table(name)


def test_nested_namespaces_are_checked_part_by_part() -> None:
    assert why_unsafe_namespace("sales.eu") is None
    assert why_unsafe_namespace("sales..eu")
    assert why_unsafe_namespace("sales.")


def test_a_slash_is_for_tables_alone() -> None:
    assert why_unsafe_table("größen/ä%b") is None
    assert why_unsafe_namespace("a/b")


def test_table_names_split_at_the_last_dot() -> None:
    assert TableName.parse("sales.eu.orders") == TableName("sales.eu", "orders")
    assert TableName.parse("orders") is None
    assert TableName("A", "B").folded == ("a", "b")
    assert str(TableName("s", "t")) == "s.t"


def test_the_nearest_name_is_suggested() -> None:
    assert nearest("cutomer_id", ["amount", "customer_id"]) == "customer_id"
    assert nearest("zzz", ["amount"]) is None


def test_twins_are_found_even_when_equal() -> None:
    assert twins(["a", "b", "A"]) == ("a", "A")
    assert twins(["a", "a"]) == ("a", "a")
    assert twins(["a", "b"]) is None
