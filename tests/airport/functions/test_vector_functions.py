"""Functions over numpy arrays, called with one full vector after the other: what they are given and what they
give goes past Arrow from the third batch on. Nobody may notice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from lakeport.access import StatementLimits
from lakeport.catalog.arrays.vectors import Vectors
from lakeport.catalog.arrow import Array
from lakeport.catalog.parameters import parameter
from lakeport.core.request import Request
from lakeport.functions import Limits, RowCount, scalar_function
from tests.airport.functions.guest import visiting
from tests.airport.functions.made import INT, Scalar, compute, hosting
from tests.flight.raw import Failure

Doubles = npt.NDArray[np.float64]
MANY = 100


class Mine(np.ndarray[Any, np.dtype[np.float64]]):
    """Who makes a class of arrays may mean something else by them."""


def xs(*values: float | None) -> pa.RecordBatch:
    return pa.record_batch({"x": pa.array(values, pa.float64())})


def answers(function: Any, *batches: pa.RecordBatch, **options: Any) -> list[Any]:
    with visiting(hosting(function), **options) as guest:
        return guest.values(f"fn.{function.signature.name}", *batches)


def refused(function: Any, *batches: pa.RecordBatch, **options: Any) -> Failure:
    with visiting(hosting(function), **options) as guest:
        entry = guest.entry(f"fn.{function.signature.name}")
        return guest.refused("scalar_function", entry.descriptor, *batches)


@scalar_function
def double(x: Doubles) -> Doubles:
    return x * 2


def test_a_hundred_vectors_and_a_shorter_one() -> None:
    batches = [xs(*range(first, first + 2048)) for first in range(MANY)]
    expected = [2.0 * each for first in range(MANY) for each in range(first, first + 2048)]
    assert answers(double, *batches, xs(1.5), xs()) == [*expected, 3.0]


def test_a_null_in_the_middle_is_null_and_never_seen() -> None:
    full, holed = xs(1, 2, 3), xs(1, None, 3)
    expected = [2.0, 4.0, 6.0] * 4 + [2.0, None, 6.0] * 3 + [2.0, 4.0, 6.0] * 4
    assert answers(double, *[full] * 4, *[holed] * 3, *[full] * 4) == expected


def test_nan_is_a_number_before_and_after() -> None:
    found = answers(double, *[xs(1, float("nan"))] * 4)
    assert [value != value for value in found] == [False, True] * 4  # noqa: PLR0124  how to know one


def test_several_columns_of_several_types() -> None:
    @scalar_function
    def mixed(
        a: npt.NDArray[np.int8], b: npt.NDArray[np.float32], c: npt.NDArray[np.uint64]
    ) -> Doubles:
        assert [str(each.dtype) for each in (a, b, c)] == ["int8", "float32", "uint64"]
        return np.asarray(a + b + c, np.float64)

    batch = pa.record_batch(
        {
            "a": pa.array([1, -2, 3], pa.int8()),
            "b": pa.array([0.5, 0.25, 0.0], pa.float32()),
            "c": pa.array([10, 20, 30], pa.uint64()),
        }
    )
    assert answers(mixed, *[batch] * 5) == [11.5, 18.25, 33.0] * 5


def test_what_a_function_keeps_of_its_arguments_stays_what_it_was() -> None:
    kept: list[Doubles] = []

    @scalar_function
    def keep(x: Doubles) -> Doubles:
        kept.append(x)
        return x

    batches = [xs(*range(first, first + 64)) for first in range(20)]
    answers(keep, *batches)
    assert [each.tolist() for each in kept] == [batch.column(0).to_pylist() for batch in batches]


@pytest.mark.parametrize("before", [0, MANY])
def test_no_function_can_write_into_its_arguments(before: int) -> None:
    @scalar_function
    def writes(x: Doubles) -> Doubles:
        if x[0] < 0:
            x[0] = 0.0
        return x

    failure = refused(writes, *[xs(1, 2)] * before, xs(-1, 2))
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "read-only" in failure.text


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda x: x[:-1], "gave 1 values for 2 rows"),
        (lambda x: np.append(x, x), "gave 4 values for 2 rows"),
        (lambda _: 7.0, "gave one value of type float"),
        (lambda _: None, "gave nothing"),
        (lambda x: x.reshape(2, 1), "gave an array of 2 dimensions"),
        (lambda x: np.array(x.sum()), "gave an array of 0 dimensions"),
        (lambda _: np.array(["a", "b"]), "declares double and gave string"),
        (lambda x: x.view(Mine), "gave one value of type Mine"),
    ],
)
def test_what_is_not_declared_is_refused_after_a_hundred_good_batches(
    broken: Callable[[Doubles], Any], words: str
) -> None:
    @scalar_function
    def turns(x: Doubles) -> Doubles:
        return broken(x) if x[0] < 0 else x

    late = refused(turns, *[xs(1, 2)] * MANY, xs(-1, 2))
    early = refused(turns, xs(-1, 2))
    assert late == early
    assert words in late.text
    assert late.code is grpc.StatusCode.INTERNAL


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x.astype(np.int64),
        lambda x: x.astype(np.float32),
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x[::-1][::-1],
        lambda x: np.ma.masked_array(x, mask=[False, False]),
        lambda x: x.tolist(),
        pa.array,
        lambda x: np.array(x, dtype=object),
    ],
)
def test_what_can_be_brought_to_the_declared_type_is(other: Callable[[Doubles], Any]) -> None:
    @scalar_function
    def gives(x: Doubles) -> Doubles:
        return other(x) if x[0] == 3 else x

    try:
        early = answers(gives, xs(3, 4))
    except AssertionError:
        pytest.skip("not even before")
    assert answers(gives, *[xs(1, 2)] * 5, xs(3, 4), xs(1, 2)) == [1.0, 2.0] * 5 + early + [
        1.0,
        2.0,
    ]


def test_a_mask_is_null_in_the_middle_of_vectors() -> None:
    @scalar_function
    def masks(x: Doubles) -> Doubles:
        return np.ma.masked_array(x, mask=x == 2) if x[0] == 3 else x

    found = answers(masks, *[xs(1, 2)] * 4, xs(3, 2), xs(1, 2))
    assert found == [1.0, 2.0] * 4 + [3.0, None, 1.0, 2.0]


def test_what_it_raises_late_is_told_as_what_it_raises_early() -> None:
    @scalar_function
    def fails(x: Doubles) -> Doubles:
        if x[0] < 0:
            raise ValueError("a negative radius")
        return x

    failure = refused(fails, *[xs(1, 2)] * MANY, xs(-1, 2))
    assert failure == refused(fails, xs(-1, 2))
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert failure.text.startswith("function `fn.fails` raised ValueError: a negative radius")


def test_rows_and_the_request_are_still_given() -> None:
    seen: list[tuple[int, str]] = []

    @scalar_function
    def told(x: Doubles, rows: RowCount, request: Request) -> Doubles:
        seen.append((rows, request.identity))
        return x

    answers(told, *[xs(1, 2)] * 5)
    assert seen == [(2, seen[0][1])] * 5


# -- limits ----------------------------------------------------------------------------------------


def test_time_is_looked_at_after_every_vector() -> None:
    @scalar_function
    def late(x: Doubles) -> Doubles:
        if x[0] < 0:
            late.limits = Limits(seconds=1e-9)
        return x

    assert refused(late, *[xs(1, 2)] * 5, xs(-1, 2)).code is grpc.StatusCode.DEADLINE_EXCEEDED


def test_what_it_gives_is_weighed_each_time() -> None:
    @scalar_function(limits=Limits(output=1))
    def large(x: Doubles) -> Doubles:
        return x

    small, much = xs(*range(8)), xs(*range(200_000))
    assert len(answers(large, *[small] * 5)) == 40
    assert refused(large, *[small] * 5, much).code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_statement_has_its_rows_counted() -> None:
    allowed = StatementLimits(rows=10)
    assert len(answers(double, *[xs(1, 2)] * 5, limits=allowed)) == 10
    assert (
        refused(double, *[xs(1, 2)] * 6, limits=allowed).code is grpc.StatusCode.RESOURCE_EXHAUSTED
    )


# -- functions of others ---------------------------------------------------------------------------


class Strange(Scalar):
    """Says that it takes vectors, and gives what it likes for them."""

    takes_vectors = True

    def call_vectors(self, arguments: Vectors) -> Any:
        first = arguments.columns[0]
        return {7: first[:1], 8: first.astype(np.int32), 9: "rows"}.get(int(first[0]), first + 1)


@pytest.mark.parametrize(("first", "words"), [(7, "ndarray"), (8, "ndarray"), (9, "str")])
def test_what_others_give_for_vectors_is_held_against_what_they_declare(
    first: int, words: str
) -> None:
    def work(batch: pa.RecordBatch) -> Array:
        return compute.add(batch.column(0), 1)  # type: ignore[no-any-return]

    strange = Strange("strange", work, (parameter("x", INT),))
    good, bad = pa.record_batch({"x": [1, 2]}), pa.record_batch({"x": [first, 2]})
    assert answers(strange, *[good] * 5) == [2, 3] * 5
    failure = refused(strange, *[good] * 5, bad)
    assert f"gave {words} where int64 is declared" in failure.text
