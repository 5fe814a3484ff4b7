"""PRIMARY KEY and UNIQUE against the rows of a table: right, and without reading what cannot matter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.types import is_interval
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition, Key, PrimaryKey, Unique
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.write.key_ranges import condition_on
from lakeport.catalog.iceberg.write.keys import HeadKeys, Leaving
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.catalog.predicates import And, Between, IsIn
from lakeport.catalog.rows.keys import KeyGuard, check_key_type
from lakeport.catalog.statements import delete_where, insert_rows
from lakeport.core.errors import InvalidRequestError, KeyViolationError
from tests.catalog.iceberg.write.fresh import Fresh, batch
from tests.lakes.lake import Lake
from tests.strategies import EXTENSIONS, PLAIN, random_batch, seeded

COLUMNS: list[Field] = [pa.field("k", pa.int64()), pa.field("v", pa.string())]
PAIRS = pa.schema(COLUMNS)
ONE = PrimaryKey(("k",))
BOTH = Unique(("k", "v"), "both")


def guard(key: Key, *rows: tuple[object, ...], schema: pa.Schema = PAIRS) -> KeyGuard:
    made = KeyGuard(key, schema)
    made.add(batch(schema, *rows))
    return made


def head(fresh: Fresh, *ahead: Effect) -> Head:
    return Head(fresh.table().source(), ahead)


def collides(keys: HeadKeys, at: Head, leaving: Leaving | None = None) -> bool:
    try:
        keys.check(at, leaving)
    except KeyViolationError:
        return True
    return False


# -- what is read --------------------------------------------------------------------------------


def spoil(path: Path) -> None:
    """Whoever reads the file from now on fails."""
    path.write_bytes(b"x" * path.stat().st_size)


def test_only_files_that_can_hold_a_key_are_read(fresh: Fresh) -> None:
    fresh.create(Definition(PAIRS, (ONE,)))
    for start in (0, 100, 200):
        before = set(fresh.data_files())
        fresh.insert([batch(PAIRS, *((start + n, "x") for n in range(0, 50, 2)))])
        if start != 100:
            (written,) = set(fresh.data_files()) - before
            spoil(written)
    assert fresh.insert([batch(PAIRS, (60, "new"), (111, "new"))]) == 2
    with pytest.raises(KeyViolationError, match="k = 110"):
        fresh.insert([batch(PAIRS, (110, "new"))])


def test_many_keys_are_looked_for_in_their_range(fresh: Fresh) -> None:
    fresh.create(Definition(PAIRS, (ONE,)))
    fresh.insert([batch(PAIRS, *((n, "x") for n in range(10)))])
    (written,) = fresh.data_files()
    spoil(written)
    many = pa.RecordBatch.from_pydict({"k": pa.array(np.arange(10, 5_000))})
    assert fresh.insert([many]) == 4_990


def test_a_file_is_read_once_for_all_attempts(fresh: Fresh) -> None:
    fresh.create(PAIRS)
    fresh.insert([batch(PAIRS, (1, "x"), (3, "x"))])
    keys = HeadKeys([guard(ONE, (2, "y"))])
    keys.check(head(fresh))
    (first,) = fresh.data_files()
    spoil(first)
    keys.check(head(fresh))
    fresh.insert([batch(PAIRS, (2, "x"))])
    assert collides(keys, head(fresh))


# -- what counts ---------------------------------------------------------------------------------


def test_rows_that_leave_free_their_keys(fresh: Fresh) -> None:
    fresh.create(PAIRS)
    fresh.insert([batch(PAIRS, (1, "x"), (2, "x"), (3, "x"))])
    (task,) = fresh.load().scan().plan_files()
    path = task.file.file_path
    keys = HeadKeys([guard(ONE, (2, "y"), (3, "y"))])
    assert collides(keys, head(fresh))
    some, both = (Leaving(rows={path: np.array(at)}) for at in ([1], [1, 2]))
    assert collides(keys, head(fresh), some)
    assert not collides(keys, head(fresh), both)
    assert not collides(keys, head(fresh), Leaving(files=frozenset([path])))
    assert collides(keys, head(fresh))


def test_rows_that_others_take_out_in_the_same_commit_free_their_keys(fresh: Fresh) -> None:
    fresh.create(PAIRS)
    fresh.insert([batch(PAIRS, (1, "x"), (2, "x"))])
    (task,) = fresh.load().scan().plan_files()
    path, added = task.file.file_path, (task.file,)
    gone = {path: np.array([1])}
    keys = HeadKeys([guard(ONE, (2, "y"))])
    assert not collides(keys, head(fresh, Effect(deleted=gone)))
    assert not collides(keys, head(fresh, Effect(removed=frozenset([path]))))
    moved = Effect(added=added, deleted=gone, guards=(guard(ONE, (7, "x")),))
    assert not collides(keys, head(fresh, moved))
    taken = Effect(added=added, guards=(guard(ONE, (2, "z")),))
    assert collides(keys, head(fresh, Effect(deleted=gone), taken))
    # An UPDATE of other columns puts the row in again, and says nothing of its key.
    assert collides(keys, head(fresh, Effect(added=added, deleted=gone)))
    # In the next attempt nobody else may be there.
    assert collides(keys, head(fresh))


def test_a_deleted_row_of_the_table_frees_its_key(fresh: Fresh) -> None:
    fresh.create(Definition(PAIRS, (ONE,)))
    fresh.insert([batch(PAIRS, (1, "x"), (2, "x"))])
    delete_where(fresh.table(), "k = 2")
    assert fresh.insert([batch(PAIRS, (2, "again"))]) == 1
    with pytest.raises(KeyViolationError):
        fresh.insert([batch(PAIRS, (2, "and again"))])


def test_rows_with_a_null_never_collide(fresh: Fresh) -> None:
    fresh.create(Definition(PAIRS, (BOTH,)))
    for _ in range(2):
        fresh.insert([batch(PAIRS, (1, None), (None, "x"), (None, None))])
    fresh.insert([batch(PAIRS, (1, "x"), (2, "x"))])
    with pytest.raises(KeyViolationError, match="k = 1, v = 'x'"):
        fresh.insert([batch(PAIRS, (1, "x"))])
    assert fresh.insert([batch(PAIRS, (1, "y"), (2, "z"))]) == 2


def test_files_of_other_engines_are_looked_into_whatever_they_say_of_themselves(
    tmp_path: Path,
) -> None:
    lake = Lake(tmp_path)
    fields = (NestedField(1, "k", LongType()), NestedField(2, "v", StringType()))
    rule = '[{"kind":"primary key","name":"pk","columns":{"k":1}}]'
    made = lake.create("s.t", Schema(*fields), properties={"lakeport.constraints": rule})
    made.append(pa.table(batch(PAIRS, (1, "a"), (2, "b")).to_pydict(), PAIRS), metrics=False)
    made.append(pa.table(batch(PAIRS, (3, "c"), (4, "d")).to_pydict(), PAIRS))
    gone = pa.table({"k": pa.array([2, 4])})
    made.commit(add=[made.equality_deletes(gone, fields[:1])])
    with IcebergCatalog.open(lake.profile) as catalog:
        table = catalog.namespace("s").table("t")
        for taken in (1, 3):
            with pytest.raises(KeyViolationError, match=f"k = {taken}"):
                insert_rows(table, batch(PAIRS, (taken, "new")))
        assert insert_rows(table, batch(PAIRS, (2, "new"), (4, "new"))).rows == 2


# -- every type ----------------------------------------------------------------------------------


TYPES = [kind for kind in (*PLAIN, *EXTENSIONS) if not is_interval(kind)]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_pruning_never_hides_a_key(fresh: Fresh, kind: pa.DataType) -> None:
    rng = seeded(5)
    schema = pa.schema([pa.field("a", kind), pa.field("b", pa.int8())])
    key = Unique(("a", "b"), "u") if rng.random() < 0.5 else Unique(("a",), "u")
    try:
        check_key_type(schema.field("a"))
    except InvalidRequestError:
        pytest.skip("not for keys")
    stored = [random_batch(rng, schema, 30) for _ in range(3)]
    fresh.create(schema)
    for rows in stored:
        fresh.insert([rows], options=WriteOptions(row_group_rows=8))
    for size in (1, 3, 40):
        fresh_rows = random_batch(rng, schema, size)
        for rows in (fresh_rows, stored[1].slice(4, size), stored[2].slice(0, 1)):
            made = KeyGuard(key, schema)
            made.add(rows)
            assert collides(HeadKeys([made]), head(fresh)) == _collides_plainly(made, stored)


def _collides_plainly(made: KeyGuard, stored: list[pa.RecordBatch]) -> bool:
    try:
        made.check_against(stored)
    except KeyViolationError:
        return True
    return False


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    known=st.lists(st.tuples(st.integers(-3, 3), st.sampled_from("abc")), max_size=12),
    new=st.lists(st.tuples(st.integers(-3, 3), st.sampled_from("abc")), min_size=1, max_size=4),
    key=st.sampled_from([ONE, BOTH]),
)
def test_hits_are_exactly_the_rows_with_a_new_key(
    known: list[tuple[int, str]], new: list[tuple[int, str]], key: Key
) -> None:
    width = len(key.columns)
    rows = [batch(PAIRS, *known[:5]), batch(PAIRS, *known[5:])]
    found = guard(key, *new).hits([part.select(list(key.columns)) for part in rows])
    keys = {row[:width] for row in new}
    assert found.tolist() == [at for at, row in enumerate(known) if row[:width] in keys]


# -- the condition -------------------------------------------------------------------------------


def test_few_keys_are_listed_and_many_spanned() -> None:
    few = condition_on(guard(ONE, (5, "x"), (3, "y")))
    assert few == IsIn("k", pa.array([5, 3]))
    made = KeyGuard(BOTH, PAIRS)
    numbers = np.random.default_rng(1).permutation(5_000)
    made.add(pa.RecordBatch.from_pydict({"k": numbers, "v": [f"{n:05d}" for n in numbers]}))
    assert condition_on(made) == And(
        (
            Between("k", pa.scalar(0), pa.scalar(4_999)),
            Between("v", pa.scalar("00000"), pa.scalar("04999")),
        )
    )


def test_a_column_with_nan_rules_nothing_out() -> None:
    schema = pa.schema([pa.field("x", pa.float64())])
    assert condition_on(guard(Unique(("x",), "u"), (1.0,), (float("nan"),), schema=schema)) is None
