"""UPDATE on Iceberg: whole new rows in the right files, whatever happened to the table meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.transforms import IdentityTransform

from lakeport.catalog.arrow import Array
from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    DropColumn,
    RenameColumn,
    WidenColumn,
)
from lakeport.catalog.definition import Check, PrimaryKey, Unique
from lakeport.catalog.iceberg.change import edits
from lakeport.catalog.iceberg.change.values import ValueLog
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.statements import delete_where, update_where
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
)
from tests.behaviours.lake import Subject, ids_batch, schema_of
from tests.catalog.iceberg.change.workshop import Workshop, iceberg, local
from tests.lakes.duckdb_reader import DuckDBReader


@pytest.fixture
def stock(workshop: Workshop) -> Subject:
    subject = workshop.create(
        schema_of(k=pa.int64(), name=pa.string(), price=pa.float64()), PrimaryKey(("k",))
    )
    for first in (0, 10):
        subject.insert(
            [{"k": k, "name": f"n{k}", "price": float(k)} for k in range(first, first + 10)]
        )
    return subject


# -- where the new rows go -----------------------------------------------------------------------


def test_new_rows_go_to_the_partition_of_their_new_values(
    workshop: Workshop, duckdb_reader: DuckDBReader
) -> None:
    subject = workshop.create(
        schema_of(k=pa.int64(), region=pa.string(), day=pa.date32()),
        partitioned_by=("region", "day(day)"),
        sorted_by=("k",),
    )
    subject.insert(
        [{"k": 30 - k, "region": "eu" if k % 2 else "us", "day": "2024-03-01"} for k in range(30)]
    )
    assert update_where(subject.table, {"region": "'asia'"}, "k % 3 = 0").rows == 10
    assert update_where(subject.table, {"day": "day + k::INT % 2"}, "k > 20").rows == 10
    assert len(subject.rows(where="region = 'asia'")) == 10
    assert {str(file.partition[0]) for file in workshop.files()} == {"asia", "eu", "us"}
    workshop.assert_read_alike(subject, duckdb_reader)


def test_an_update_of_all_rows_leaves_no_delete_file(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    delete_where(stock.table, "k = 3")
    assert update_where(stock.table, {"price": "price + 1"}).rows == 19
    assert workshop.delete_files() == []
    assert sum(file.record_count for file in workshop.files()) == 19
    workshop.assert_read_alike(stock, duckdb_reader)


def test_a_row_may_be_updated_again_and_again(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    for _ in range(5):
        assert update_where(stock.table, {"price": "price * 2"}, "k in (1, 12)").rows == 2
    assert stock.rows("k", "price", where="k in (1, 12)") == [(1, 32.0), (12, 384.0)]
    workshop.assert_read_alike(stock, duckdb_reader)


def test_columns_that_are_all_set_are_not_read(workshop: Workshop) -> None:
    subject = workshop.create(schema_of(k=pa.int64(), name=pa.string()))
    subject.insert([{"k": k, "name": f"n{k}"} for k in range(9)])
    ids = subject.row_ids("k = 4")
    for file in workshop.files():
        path = Path(local(file))
        path.write_bytes(b"\0" * path.stat().st_size)
    assert subject.update(ids, name=["new"], k=[4]).rows == 1


def test_values_that_do_not_fit_into_memory_wait_in_a_file(
    stock: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "ValueLog", lambda schema: ValueLog(schema, block_bytes=64))
    ids = stock.row_ids()
    numbers = {row_id: float(n) for n, row_id in enumerate(ids)}
    with stock.updatable.update() as write:
        for start in range(0, len(ids), 3):
            some = ids[start : start + 3]
            write.add(stock.assignment(some, price=[0.0] * len(some)))
        for row_id in reversed(ids):
            write.add(stock.assignment([row_id], price=[numbers[row_id]]))
        assert write.commit().rows == 20
    assert set(price_list(stock).values()) == {float(n) for n in range(20)}


def price_list(subject: Subject) -> dict[object, object]:
    found = subject.read(ScanRequest(("k", "price"))).to_pydict()
    return dict(zip(found["k"], found["price"], strict=True))


@given(
    batches=st.lists(
        st.lists(st.tuples(st.integers(0, 11), st.integers(0, 99)), max_size=6), max_size=5
    )
)
@settings(
    max_examples=15,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_last_value_of_a_row_wins(stock: Subject, batches: list[list[tuple[int, int]]]) -> None:
    before = price_list(stock)
    chosen = sorted(k for k in before if isinstance(k, int))[:12]
    read = stock.read(ScanRequest(("k",), row_ids=True)).to_pydict()
    ids = dict(zip(read["k"], read["rowid"], strict=True))
    expected = dict(before)
    with stock.updatable.update() as write:
        for batch in batches:
            keys = [chosen[at] for at, _ in batch]
            prices = [float(price) for _, price in batch]
            write.add(stock.assignment([ids[k] for k in keys], price=prices))
            expected.update(zip(keys, prices, strict=True))
        written = write.commit()
    assert written.rows == len({at for batch in batches for at, _ in batch})
    assert price_list(stock) == expected


# -- types ---------------------------------------------------------------------------------------


def test_columns_that_are_not_set_keep_their_values_exactly(workshop: Workshop) -> None:
    columns: dict[str, Array] = {
        "n": pa.array([1, 2, 3]),
        "u": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "t": pa.array([86_399_999_999, None, 1], pa.time64("us")),
        "d": pa.array([19_000, -700_000, None], pa.date32()),
        "f": pa.array([float("nan"), -0.0, None]),
        "e": pa.array(["a", "b", None]).dictionary_encode(),
        "s": pa.array([{"x": 1, "y": [1, None]}, None, {"x": None, "y": []}]),
        "m": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int8())),
    }
    rows = pa.table(columns)
    subject = workshop.create(rows.schema)
    subject.insert(rows)
    assert update_where(subject.table, {"n": "n + 10"}, "n <> 2").rows == 2
    found = subject.read().sort_by("n").to_pydict()
    assert found["n"] == [2, 11, 13]
    expected = {name: column.to_pylist() for name, column in columns.items()}
    for name in columns.keys() - {"n"}:
        moved = [expected[name][1], expected[name][0], expected[name][2]]
        assert repr(found[name]) == repr(moved), name


def test_a_column_of_few_codes_may_hold_many_values(workshop: Workshop) -> None:
    """A dictionary of 8-bit codes counts 128 values in one batch, and any number in a table."""
    schema = pa.schema(
        [pa.field("k", pa.int64()), pa.field("e", pa.dictionary(pa.int8(), pa.string()))]
    )
    subject = workshop.create(schema)
    for first in range(0, 400, 100):
        texts = pa.array([f"t{n}" for n in range(first, first + 100)])
        codes = pa.array(range(100), pa.int8())
        column = pa.DictionaryArray.from_arrays(codes, texts)
        numbers = pa.array(range(first, first + 100))
        subject.insert(pa.RecordBatch.from_arrays([numbers, column], schema=schema))
    assert update_where(subject.table, {"k": "k + 1000"}).rows == 400
    assert subject.rows() == sorted(((1000 + n, f"t{n}") for n in range(400)), key=repr)


# -- the table changes meanwhile -----------------------------------------------------------------


def rename(subject: Subject) -> None:
    subject.alter(RenameColumn("price", "cost"), RenameColumn("name", "price"))


def add(subject: Subject) -> None:
    subject.alter(AddColumn(pa.field("extra", pa.int8())))


def widen(subject: Subject) -> None:
    subject.alter(WidenColumn(("small",), pa.int64()))


def drop(subject: Subject) -> None:
    subject.alter(DropColumn("small"))


def constrain(subject: Subject) -> None:
    subject.alter(
        AddConstraint(Check("price < 100", "cheap")), AddConstraint(Unique(("price",), "u"))
    )


@pytest.mark.parametrize("change", [rename, add, widen, drop, constrain])
def test_an_update_follows_its_columns(
    workshop: Workshop, change: Callable[[Subject], None], duckdb_reader: DuckDBReader
) -> None:
    subject = workshop.create(
        schema_of(k=pa.int64(), small=pa.int32(), name=pa.string(), price=pa.int64())
    )
    subject.insert([{"k": k, "small": k, "name": f"n{k}", "price": k} for k in range(8)])
    with subject.updatable.update() as write:
        write.add(subject.assignment(subject.row_ids("k < 2"), price=[60, 61]))
        change(workshop.other())
        assert write.commit().rows == 2
    price = "cost" if change is rename else "price"
    assert subject.rows("k", price, where="k < 3") == [(0, 60), (1, 61), (2, 2)]
    workshop.assert_read_alike(subject, duckdb_reader)


@pytest.mark.parametrize(
    ("constraint", "kind"),
    [
        (Check("price < 50", "cheap"), ConstraintViolationError),
        (Unique(("price",), "one price"), KeyViolationError),
    ],
)
def test_an_update_is_held_to_what_came_meanwhile(
    workshop: Workshop, stock: Subject, constraint: Check | Unique, kind: type[Exception]
) -> None:
    with stock.updatable.update() as write:
        write.add(stock.assignment(stock.row_ids("k < 2"), price=[60.0, 60.0]))
        workshop.other().alter(AddConstraint(constraint))
        before = workshop.on_disk()
        with pytest.raises(kind):
            write.commit()
    assert workshop.on_disk() == before
    assert stock.rows("price", where="k < 2") == [(0.0,), (1.0,)]


def test_new_rows_may_go_to_a_partition_spec_that_came_meanwhile(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    with stock.updatable.update() as write:
        write.add(stock.assignment(stock.row_ids("k < 2"), name=["a", "b"]))
        with workshop.native().update_spec() as spec:
            spec.add_field("name", IdentityTransform())
        write.commit()
    assert stock.rows("name", where="k < 2") == [("a",), ("b",)]
    workshop.assert_read_alike(stock, duckdb_reader)


def test_a_column_that_changed_its_type_is_a_conflict(workshop: Workshop) -> None:
    subject = workshop.create(schema_of(k=pa.int64(), small=pa.int32()))
    subject.insert([{"k": 1, "small": 1}])
    with subject.updatable.update() as write:
        write.add(subject.assignment(subject.row_ids(), small=[7]))
        workshop.other().alter(WidenColumn(("small",), pa.int64()))
        with pytest.raises(ConflictError, match="again"):
            write.commit()
    assert subject.rows() == [(1, 1)]


# -- keys ----------------------------------------------------------------------------------------


def test_keys_that_move_through_each_other_are_free_again(stock: Subject) -> None:
    assert update_where(stock.table, {"k": "k + 1"}).rows == 20
    assert [k for (k,) in stock.rows("k")] == sorted(range(1, 21), key=lambda k: repr((k,)))


def test_an_update_that_touches_no_key_looks_for_none(workshop: Workshop, stock: Subject) -> None:
    """The key column of the other file cannot be read, and need not be."""
    ids = stock.row_ids("k = 15")
    first, second = workshop.files()
    holds = 15 in pq.read_table(local(first))["k"].to_pylist()
    other = Path(local(second if holds else first))
    other.write_bytes(b"\0" * other.stat().st_size)
    assert stock.update(ids, price=[0.0]).rows == 1


def test_a_key_that_another_handle_inserted_meanwhile_is_taken(
    workshop: Workshop, stock: Subject
) -> None:
    with stock.updatable.update() as write:
        write.add(stock.assignment(stock.row_ids("k = 1"), k=[77]))
        workshop.other().insert([{"k": 77}])
        with pytest.raises(KeyViolationError, match="77"):
            write.commit()
    assert len(stock.rows()) == 21


# -- returning -----------------------------------------------------------------------------------


def test_removed_rows_come_back_batch_by_batch(workshop: Workshop) -> None:
    small = {"write.parquet.row-group-limit": "16"}
    subject = workshop.create(schema_of(k=pa.int64(), name=pa.string()), properties=small)
    for first in range(0, 150, 50):
        subject.insert([{"k": k, "name": f"n{k}"} for k in range(first, first + 50)])
    ids = subject.row_ids("k % 7 <> 0")
    shown: list[object] = []
    with subject.deletable.delete() as write:
        for start in range(0, len(ids), 11):
            batch = write.add(ids_batch(ids[start : start + 11]), returning=True)
            assert batch is not None
            assert batch.schema == subject.schema
            shown += [(row["k"], row["name"]) for row in batch.to_pylist()]
        write.commit()
    assert sorted(shown, key=repr) == sorted(((k, f"n{k}") for k in range(150) if k % 7), key=repr)
    assert len(subject.rows()) == 22


def test_all_batches_of_an_update_set_the_same_columns(stock: Subject) -> None:
    ids = stock.row_ids()
    with stock.updatable.update() as write:
        write.add(stock.assignment(ids[:1], price=[1.0]))
        with pytest.raises(InvalidRequestError, match="same columns"):
            write.add(stock.assignment(ids[1:2], price=[1.0], name=["x"]))
    assert iceberg(stock).state().version == 2
