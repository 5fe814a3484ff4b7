"""Contract 004 in its own words: its unit tests, its properties, its worked examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.catalog.changes import Growth
from lakeport.core.names import fold
from lakeport.pipeline.growth import (
    GrowingTables,
    ansi,
    diff,
    final_columns,
    plan_growth,
    projection,
)
from tests.pipeline.growth.generated import NAMES, random_meeting
from tests.pipeline.growth.words import columns, planned
from tests.strategies import seeded

COLUMN_LISTS = st.lists(NAMES, max_size=8, unique_by=fold)


# -- Unit Tests ----------------------------------------------------------------------------------


def test_column_detection_logic() -> None:
    found = diff(["a", "b", "c"], ["a", "b", "d"])
    assert (found.added, found.removed) == (("d",), ("c",))


def test_case_insensitive_comparison() -> None:
    found = diff(["CustomerID"], ["customerid"])
    assert (found.added, found.removed) == ((), ())


def test_refreshed_column_calculation() -> None:
    assert final_columns(["a", "b"], ["c"]) == ("a", "b", "c")


def test_null_padding_generation() -> None:
    assert ansi.select_columns(["a", "b", "c"], ["a", "c"]) == '"a", NULL AS "b", "c"'


# -- Data Models: the worked example -------------------------------------------------------------


def test_the_worked_example_holds_literally() -> None:
    target, source = ["customerid", "name", "placeholder5"], ["customerid", "name", "placeholder6"]
    found = diff(target, source)
    assert found.added == ("placeholder6",)
    assert found.removed == ("placeholder5",)
    final = final_columns(target, found.added)
    assert final == ("customerid", "name", "placeholder5", "placeholder6")
    assert (
        ansi.select_columns(final, source)
        == '"customerid", "name", NULL AS "placeholder5", "placeholder6"'
    )


def test_the_insert_statement_builder() -> None:
    sql = ansi.delete_insert("lake.t", "staged", "a", ["a", "b", "c"], ["a", "b", "d"])
    assert sql == (
        "DELETE FROM lake.t\n"
        "WHERE a IN (\n"
        "  SELECT DISTINCT a FROM staged\n"
        ");\n"
        "\n"
        'INSERT INTO lake.t ("a", "b", "c", "d")\n'
        'SELECT "a", "b", NULL AS "c", "d"\n'
        "FROM staged"
    )


def test_a_quote_in_a_name_does_not_end_it() -> None:
    assert ansi.select_columns(['a"b'], []) == 'NULL AS "a""b"'


# -- Property-Based Tests ------------------------------------------------------------------------


def check_properties(target: list[str], source: list[str]) -> None:
    found = diff(target, source)
    final = final_columns(target, found.added)
    folded = [fold(name) for name in final]
    padded = {fold(name) for name in found.removed}
    # 1: column preservation, and in the target's order
    assert final[: len(target)] == tuple(target)
    # 2: column addition completeness
    assert {fold(name) for name in source} <= set(folded)
    # 3: the refreshed list is the union
    assert set(folded) == {fold(name) for name in (*target, *source)}
    assert len(folded) == len(set(folded))
    # 4: NULL padding
    expressions = ansi.select_expressions(final, source)
    for name, written in zip(final, expressions, strict=True):
        assert written.startswith("NULL AS ") == (fold(name) in padded)
    # 5: INSERT and SELECT have equal arity
    assert len(expressions) == len(final) == len(projection(final, source))
    # Applying the same diff twice yields an empty second diff.
    assert diff(final, source).added == ()


@given(COLUMN_LISTS, COLUMN_LISTS)
def test_the_properties_hold_for_random_columns(target: list[str], source: list[str]) -> None:
    check_properties(target, source)


@given(COLUMN_LISTS, st.data())
def test_they_hold_where_columns_are_shared(target: list[str], data: st.DataObject) -> None:
    source = data.draw(st.lists(st.sampled_from(target), unique=True)) if target else []
    swapped = [name.swapcase() for name in source if fold(name.swapcase()) == fold(name)]
    check_properties(target, swapped)


@pytest.mark.long
def test_they_hold_thousands_of_times() -> None:
    for seed in range(5_000):
        target, source = random_meeting(seeded(seed))
        check_properties([f.name for f in target], [f.name for f in source])


def test_no_drop_operations_can_even_be_written_down() -> None:
    assert {change.__name__ for change in get_args(Growth)} == {
        "AddColumn",
        "AddField",
        "WidenColumn",
        "RelaxColumn",
    }
    assert {name for name in vars(GrowingTables) if not name.startswith("_")} == {"columns", "grow"}
    assert get_type_hints(GrowingTables.grow)["additions"] == Sequence[Growth]


# -- Integration Tests, as far as they need no engine ---------------------------------------------


def test_end_to_end_schema_evolution() -> None:
    plan = planned(columns(a="int", b="int", c="int"), columns(a="int", b="int", d="int"))
    assert [column.name for column in plan.after] == ["a", "b", "c", "d"]
    assert [column.name for column in plan.projection if column.source is None] == ["c"]


def test_multiple_evolution_cycles() -> None:
    table = plan_growth((), columns(a="int", b="int")).after
    for source in (columns(a="int", b="int"), columns(a="int", c="int"), columns(a="int", d="int")):
        table = plan_growth(table, source).after
    assert [column.name for column in table] == ["a", "b", "c", "d"]


def test_names_of_one_side_that_fold_to_one_are_named_both() -> None:
    found = diff(["A", "a"], ["straße", "STRASSE", "x"])
    assert [(one.side, one.first, one.second) for one in found.collisions] == [
        ("target", "A", "a"),
        ("source", "straße", "STRASSE"),
    ]


def test_the_same_name_twice_is_a_collision_too() -> None:
    assert [one.first for one in diff([], ["a", "a"]).collisions] == ["a"]
