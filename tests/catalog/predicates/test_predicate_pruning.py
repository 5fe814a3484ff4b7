from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.predicates import (
    Always,
    And,
    Between,
    Bounds,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
    bind,
    bounds_of,
    certain,
    columns_of,
    describe,
    evaluate,
    possible,
)
from tests.random_predicates import comparable, constants, random_leaf, random_predicate
from tests.strategies import ENCODED, LEAVES, random_batch, random_schema, seeded

ORDERED = [leaf for leaf in (*LEAVES, *ENCODED) if comparable(pa.schema([("x", leaf)]))]
_FIELDS: list[Field] = [
    pa.field("x", pa.int64()),
    pa.field("f", pa.float64()),
    pa.field("s", pa.string()),
]
X = pa.schema(_FIELDS)


def counts(*values: int | None) -> pa.Int64Array:
    return pa.array(values, pa.int64())


def files(*ends: tuple[int | None, int | None], nulls: int | None = 0) -> Mapping[str, Bounds]:
    """Files of ten rows whose column `x` lies between those ends."""
    low, high = zip(*ends, strict=True)
    return {"x": Bounds(counts(*low), counts(*high), counts(*[nulls] * len(ends)))}


def pruned(predicate: Predicate, bounds: Mapping[str, Bounds], count: int = 3) -> list[bool]:
    """Which of these files of ten rows need not be read."""
    kept = possible(bind(predicate, X), bounds, counts(*[10] * count))
    return [not keep.as_py() for keep in kept]


def x(op: str, value: int | None) -> Compare:
    return Compare("x", Op(op), pa.scalar(value, pa.int64()))


THREE = files((0, 9), (10, 19), (20, 29))


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (x("=", 12), [True, False, True]),
        (x("<", 10), [False, True, True]),
        (x("<=", 10), [False, False, True]),
        (x(">", 19), [True, True, False]),
        (x(">=", 19), [True, False, False]),
        (x("<>", 12), [False, False, False]),
        (x("IS NOT DISTINCT FROM", 12), [True, False, True]),
        (x("=", None), [True, True, True]),
        (x("IS NOT DISTINCT FROM", None), [True, True, True]),
        (Not(x(">", 9)), [False, True, True]),
        (Not(Not(x(">", 9))), [True, False, False]),
        (Not(And((x(">=", 10), x("<=", 19)))), [False, True, False]),
        (Or((x("<", 5), x(">", 25))), [False, True, False]),
        (Not(Or((x("<", 5), x(">", 25)))), [False, False, False]),
        (And((x(">", 5), x("<", 15))), [False, False, True]),
        (Between("x", pa.scalar(12), pa.scalar(15)), [True, False, True]),
        (Between("x", pa.scalar(9), pa.scalar(20), low_inclusive=False), [True, False, False]),
        (Between("x", pa.scalar(9), pa.scalar(20), high_inclusive=False), [False, False, True]),
        (IsIn("x", pa.array([3, 25, 99])), [False, True, False]),
        (IsIn("x", pa.array([3, None])), [False, True, True]),
        (Not(IsIn("x", pa.array([3, None]))), [True, True, True]),
        (IsIn("x", pa.array([], pa.int64())), [True, True, True]),
        (IsNull("x"), [True, True, True]),
        (Not(IsNull("x")), [False, False, False]),
        (Always(value=True), [False, False, False]),
        (Always(value=False), [True, True, True]),
        (Always(None), [True, True, True]),
        (And(()), [False, False, False]),
        (Or(()), [True, True, True]),
    ],
    ids=lambda value: describe(bind(value, X)) if not isinstance(value, list) else "",
)
def test_files_that_are_obviously_out_are_pruned(
    predicate: Predicate, expected: list[bool]
) -> None:
    assert pruned(predicate, THREE) == expected


def test_files_of_one_value_are_pruned_from_its_opposite() -> None:
    single = files((5, 5), (5, 6), (None, 5))
    assert pruned(x("<>", 5), single) == [True, False, False]
    assert pruned(x("IS DISTINCT FROM", 5), single) == [True, False, False]
    assert pruned(Not(IsIn("x", pa.array([4, 5]))), single) == [True, False, False]


def test_a_null_in_the_file_is_distinct_from_every_value() -> None:
    assert pruned(x("IS DISTINCT FROM", 5), files((5, 5), nulls=1), 1) == [False]
    assert pruned(Not(x("IS NOT DISTINCT FROM", 5)), files((5, 5), nulls=1), 1) == [False]
    assert pruned(Not(x("=", 5)), files((5, 5), nulls=1), 1) == [True]


def test_unknown_bounds_and_counts_never_prune() -> None:
    unknown = files((None, None), nulls=None)
    for predicate in (x("=", 5), x("<>", 5), IsNull("x"), Not(IsNull("x")), IsIn("x", counts(5))):
        assert pruned(predicate, unknown, 1) == [False]
        assert pruned(predicate, {}, 1) == [False]
    assert pruned(x("<", 5), files((7, None)), 1) == [True]
    assert pruned(IsIn("x", counts(5, 6)), files((7, None), (None, 4), (None, 5))) == [
        True,
        True,
        False,
    ]


def test_files_without_values_hold_only_null() -> None:
    hollow = files((None, None), nulls=10)
    assert pruned(x("=", 5), hollow, 1) == [True]
    assert pruned(Not(x("=", 5)), hollow, 1) == [True]
    assert pruned(IsNull("x"), hollow, 1) == [False]
    assert pruned(Not(IsNull("x")), hollow, 1) == [True]


def test_files_without_rows_hold_nothing() -> None:
    rows = counts(0, None)
    for predicate in (x("=", 5), IsNull("x"), Not(IsNull("x")), Always(value=True)):
        assert possible(predicate, files((0, 9), (0, 9), nulls=None), rows)[0].as_py() is False
        assert possible(predicate, files((0, 9), (0, 9), nulls=None), rows)[1].as_py() is True


def test_a_float_may_be_nan_unless_it_is_known_that_none_is() -> None:
    low, high = pa.array([0.0, 0.0, 0.0]), pa.array([1.0, 1.0, 1.0])
    bounds = {"f": Bounds(low, high, counts(0, 0, 0), counts(0, 1, None))}
    above = Compare("f", Op.GT, pa.scalar(5.0))
    nan = Compare("f", Op.EQ, pa.scalar(float("nan")))
    below = Compare("f", Op.LT, pa.scalar(-1.0))
    assert pruned(above, bounds) == [True, False, False]
    assert pruned(nan, bounds) == [True, False, False]
    assert pruned(below, bounds) == [True, True, True]
    assert pruned(above, {"f": Bounds(low, high)}) == [False, False, False]


def test_a_bound_that_is_nan_proves_nothing() -> None:
    nan = pa.array([float("nan")])
    bounds = {"f": Bounds(nan, nan, counts(0), counts(0))}
    assert pruned(Compare("f", Op.LT, pa.scalar(0.0)), bounds, 1) == [False]


def test_prefixes_prune_with_truncated_bounds() -> None:
    bounds = {
        "s": Bounds(
            pa.array(["a", "ab", "abc", "b", None]), pa.array(["aa", "ac", "abd", "bz", "aaz"])
        )
    }
    prefix = StartsWith("s", "ab")
    assert pruned(prefix, bounds, 5) == [True, False, False, True, True]
    assert pruned(Not(prefix), bounds, 5) == [False, False, True, False, False]
    assert pruned(StartsWith("s", ""), bounds, 5) == [False] * 5


def test_files_where_every_row_matches_need_no_test() -> None:
    bounds = files((0, 9), (10, 19), (20, 29))
    rows = counts(10, 10, 10)
    assert certain(x(">", 9), bounds, rows).to_pylist() == [False, True, True]
    assert certain(x(">", 9), files((10, 19), nulls=1), counts(10)).to_pylist() == [False]
    assert certain(IsIn("x", counts(5)), files((5, 5)), counts(10)).to_pylist() == [True]


def test_a_list_of_thousands_finds_its_files() -> None:
    wanted = pa.array(range(0, 1_000_000, 100))
    bounds = files((1, 99), (150, 250), (999_901, 2_000_000))
    assert pruned(IsIn("x", wanted), bounds) == [True, False, True]


# -- properties ----------------------------------------------------------------------------------


def loosened(rng: random.Random, bounds: Bounds) -> Bounds:
    """As a storage may give them: unknown here and there, texts cut off."""
    keep = [rng.random() < 0.8 for _ in range(len(bounds.minimum))]
    mask = pa.array(keep, pa.bool_())

    def blurred(array: Array) -> Array:
        pieces = [
            array.slice(at, 1) if kept.as_py() else pa.nulls(1, array.type)
            for at, kept in enumerate(mask)
        ]
        return pa.concat_arrays(pieces)

    low, high = blurred(bounds.minimum), blurred(bounds.maximum)
    if pa.types.is_string(low.type):
        low = pa.array([None if text is None else text[:1] for text in low.to_pylist()])
        high = pa.array([None if text is None else text + "z" for text in high.to_pylist()])
    null_count = None if bounds.null_count is None else blurred(bounds.null_count)
    nan_count = None if bounds.nan_count is None else blurred(bounds.nan_count)
    return Bounds(low, high, null_count, nan_count)


Seen = list[set[bool | None]]


def outcomes(predicate: Predicate, batches: Sequence[pa.RecordBatch]) -> Seen:
    return [set(evaluate(predicate, batch).to_pylist()) for batch in batches]


def check_sound(
    predicate: Predicate, bounds: Mapping[str, Bounds], rows: pa.Int64Array, seen: Seen
) -> int:
    """No file with a TRUE row is dropped, none with another is called certain; how many go."""
    kept = possible(predicate, bounds, rows).to_pylist()
    sure = certain(predicate, bounds, rows).to_pylist()
    for at, found in enumerate(seen):
        assert kept[at] or True not in found, describe(predicate)
        assert not sure[at] or found <= {True}, describe(predicate)
    return kept.count(False)


@pytest.mark.parametrize("seed", range(40))
def test_no_file_with_a_matching_row_is_ever_pruned(seed: int) -> None:
    rng = seeded(seed)
    schema = random_schema(rng, 4, depth=1)
    batches = [random_batch(rng, schema, rng.choice([0, 1, 1, 2, 5])) for _ in range(8)]
    table = pa.Table.from_batches(batches, schema)
    rows = counts(*(batch.num_rows for batch in batches))
    exact = {name: bounds_of([batch.column(name) for batch in batches]) for name in schema.names}
    loose = {name: loosened(rng, bounds) for name, bounds in exact.items()}
    partly = {name: exact[name] for name in schema.names[:2]}
    for _ in range(15):
        predicate = bind(random_predicate(rng, table), schema)
        seen = outcomes(predicate, batches)
        most = check_sound(predicate, exact, rows, seen)
        assert check_sound(predicate, loose, rows, seen) <= most
        assert check_sound(predicate, partly, rows, seen) <= most


def one_column(data_type: pa.DataType) -> tuple[random.Random, Field, list[pa.RecordBatch]]:
    rng = seeded(7)
    field = pa.field("x", data_type)
    schema = pa.schema([field])
    return rng, field, [random_batch(rng, schema, rng.choice([1, 2, 4])) for _ in range(10)]


@pytest.mark.parametrize("data_type", ORDERED, ids=str)
def test_ranges_over_exact_bounds_prune_exactly(data_type: pa.DataType) -> None:
    rng, field, batches = one_column(data_type)
    bounds = bounds_of([batch.column("x") for batch in batches])
    rows = counts(*(batch.num_rows for batch in batches))
    # NaN is left out of bounds, so the upper end of a file that holds one is open.
    nans = [0] * len(batches) if bounds.nan_count is None else bounds.nan_count.to_pylist()
    for value in constants(rng, pa.Table.from_batches(batches), field)[3:9]:
        for op in (Op.LT, Op.LE, Op.GT, Op.GE):
            predicate = bind(Compare("x", op, value), batches[0].schema)
            kept = possible(predicate, {"x": bounds}, rows).to_pylist()
            turned = possible(Not(predicate), {"x": bounds}, rows).to_pylist()
            for at, found in enumerate(outcomes(predicate, batches)):
                if not nans[at]:
                    assert (kept[at], turned[at]) == (True in found, False in found)


@pytest.mark.parametrize("data_type", ORDERED, ids=str)
def test_leaves_on_every_type_are_sound(data_type: pa.DataType) -> None:
    rng, field, batches = one_column(data_type)
    bounds = {"x": bounds_of([batch.column("x") for batch in batches])}
    rows = counts(*(batch.num_rows for batch in batches))
    known = constants(rng, pa.Table.from_batches(batches), field)
    for _ in range(12):
        predicate = bind(random_leaf(rng, field, known), batches[0].schema)
        assert columns_of(predicate) <= {"x"}
        for tested in (predicate, Not(predicate)):
            check_sound(tested, bounds, rows, outcomes(tested, batches))
