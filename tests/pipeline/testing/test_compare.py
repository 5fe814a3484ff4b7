"""Expected rows beside those that came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.pipeline.growth.model import Field
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.testing.compare import UnknownColumnError, compare
from lakeport.pipeline.testing.model import Changed

SCHEMA = tuple(
    Field(name, type_from_text(type_))
    for name, type_ in (("id", "bigint"), ("name", "string"), ("price", "double"))
)


def row(id_: int, name: str | None = None, price: float | None = None) -> dict[str, object]:
    return {"id": id_, "name": name, "price": price}


def test_order_and_columns_that_are_not_named_mean_nothing() -> None:
    assert not compare([{"ID": 2}, {"ID": 1}], SCHEMA, [row(1, "a"), row(2)], ordered=False)


def test_rows_count_as_often_as_they_are_there() -> None:
    found = compare([{"id": 1}], SCHEMA, [row(1), row(1)], ordered=False)
    assert found.unexpected == (("1",),)
    found = compare([{"id": 1}, {"id": 1}], SCHEMA, [row(1)], ordered=False)
    assert found.missing == (("1",),)


def test_a_column_that_is_left_out_of_a_row_is_null_there() -> None:
    expected: list[dict[str, object]] = [{"id": 1, "name": "a"}, {"id": 2}]
    assert not compare(expected, SCHEMA, [row(1, "a"), row(2)], ordered=False)
    found = compare(expected, SCHEMA, [row(1, "a"), row(2, "b")], ordered=False)
    assert found.changed == (Changed(("2", "NULL"), ("2", '"b"'), ("name",)),)


def test_rows_that_are_alike_are_shown_together_and_others_apart() -> None:
    expected = [row(1, "a", 1.0), row(2, "b", 2.0), row(3, "c", 3.0)]
    got = [row(1, "a", 1.5), row(2, "b", 2.0), row(9, "z", 9.0)]
    found = compare(expected, SCHEMA, got, ordered=False)
    assert found.changed == (Changed(("1", '"a"', "1.0"), ("1", '"a"', "1.5"), ("price",)),)
    assert found.missing == (("3", '"c"', "3.0"),)
    assert found.unexpected == (("9", '"z"', "9.0"),)


def test_no_row_expected_shows_whole_rows() -> None:
    found = compare([], SCHEMA, [row(1, "a")], ordered=False)
    assert (found.columns, found.unexpected) == (("id", "name", "price"), (("1", '"a"', "NULL"),))
    assert not compare([], SCHEMA, [], ordered=False)


def test_another_order_is_told_where_it_matters() -> None:
    found = compare([{"id": 1}, {"id": 2}], SCHEMA, [row(2), row(1)], ordered=True)
    assert found.misplaced
    assert found.unexpected == (("2",), ("1",))
    found = compare([{"id": 1}, {"id": 2}], SCHEMA, [row(1), row(3)], ordered=True)
    assert found.changed == (Changed(("2",), ("3",), ("id",)),)
    assert not compare([{"id": 1}, {"id": 2}], SCHEMA, [row(1), row(2)], ordered=True)


def test_real_numbers_that_are_close_are_equal() -> None:
    assert not compare([{"price": 0.3}], SCHEMA, [row(1, price=0.1 + 0.2)], ordered=False)


def test_a_value_that_the_column_can_never_hold_says_why() -> None:
    found = compare([{"id": "x", "name": "a"}], SCHEMA, [row(1, "a")], ordered=False)
    (changed,) = found.changed
    assert changed.expected == ('"x" ("x" is no bigint)', '"a"')


def test_a_column_that_is_not_there_names_the_nearest() -> None:
    with pytest.raises(UnknownColumnError, match="no column `pirce`") as refused:
        compare([{"pirce": 1}], SCHEMA, [], ordered=False)
    assert refused.value.hint == "did you mean `price`? it has: id, name, price"


_ROWS = st.lists(
    st.builds(row, st.integers(0, 3), st.sampled_from(["a", "b", None]), st.none()), max_size=6
)


@given(rows=_ROWS, seed=st.randoms(use_true_random=False))
def test_rows_in_any_order_are_as_expected(
    rows: list[dict[str, object]], seed: st.DataObject
) -> None:
    mixed = list(rows)
    seed.shuffle(mixed)  # type: ignore[attr-defined]  # it is a `random.Random`
    assert not compare(rows, SCHEMA, mixed, ordered=False)


@given(expected=_ROWS, got=_ROWS)
def test_every_row_that_differs_is_told_once(
    expected: list[dict[str, object]], got: list[dict[str, object]]
) -> None:
    found = compare(expected, SCHEMA, got, ordered=False)
    same = len(expected) - len(found.missing) - len(found.changed)
    assert same == len(got) - len(found.unexpected) - len(found.changed)
    assert bool(found) == (sorted(map(repr, expected)) != sorted(map(repr, got)))
