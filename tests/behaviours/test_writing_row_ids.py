"""UPDATE, DELETE and TRUNCATE: by row id, each row once, and never another row."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn, DropColumn, RenameColumn
from lakeport.catalog.definition import ROW_ID_FIELD, Check, PrimaryKey
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    ExpiredError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    PreconditionError,
)
from lakeport.core.timepoint import AtVersion
from tests.behaviours.lake import Lake, Subject, ids_batch, schema_of


@pytest.fixture
def stock(lake: Lake) -> Subject:
    subject = lake.create(
        schema_of(k=pa.int64(), name=pa.string(), price=pa.float64()), name="stock"
    )
    subject.insert([{"k": k, "name": f"n{k}", "price": float(k)} for k in range(1, 5)])
    return subject


# -- update --------------------------------------------------------------------------------------


def test_an_update_changes_the_columns_it_names(stock: Subject) -> None:
    written = stock.update(stock.row_ids("k = 2"), price=[9.5])
    assert (written.rows, written.version) == (1, 2)
    assert (2, "n2", 9.5) in stock.rows()
    assert len(stock.rows()) == 4


def test_an_update_of_nothing_commits_nothing(stock: Subject) -> None:
    written = stock.update([], price=[])
    assert (written.rows, written.snapshot_id, written.version) == (0, None, 1)


def test_rows_are_updated_in_the_order_given(stock: Subject) -> None:
    ids = stock.row_ids()[::-1]
    stock.update(ids, name=["d", "c", "b", "a"])
    assert stock.rows("name") == [("a",), ("b",), ("c",), ("d",)]
    assert stock.rows("k", "name")[0] == (1, "a")


def test_a_row_id_that_comes_twice_changes_its_row_once_and_the_last_value_wins(
    stock: Subject,
) -> None:
    (row_id,) = stock.row_ids("k = 1")
    written = stock.update([row_id, row_id], price=[5.0, 6.0])
    assert written.rows == 1
    assert stock.rows("price", where="k = 1") == [(6.0,)]


def test_the_last_value_wins_across_batches(stock: Subject) -> None:
    (row_id,) = stock.row_ids("k = 1")
    (other,) = stock.row_ids("k = 2")
    with stock.updatable.update() as write:
        write.add(stock.assignment([row_id, other], price=[5.0, 50.0]))
        write.add(stock.assignment([row_id], price=[6.0]))
        assert write.commit().rows == 2
    assert stock.rows("price", where="k <= 2") == [(50.0,), (6.0,)]


def test_an_update_returns_the_batch_as_stored_in_its_own_order(stock: Subject) -> None:
    (row_id,) = stock.row_ids("k = 1")
    sent = pa.RecordBatch.from_arrays(
        [pa.array([7], pa.int8()), pa.array([row_id]), pa.array(["x"])],
        names=["PRICE", "rowid", "name"],
    )
    with stock.updatable.update() as write:
        shown = write.add(sent, returning=True)
        write.commit()
    assert shown is not None
    assert shown.to_pylist() == [{"PRICE": 7.0, "rowid": row_id, "name": "x"}]
    assert stock.rows(where="k = 1") == [(1, "x", 7.0)]


def test_an_update_is_checked_with_the_columns_it_does_not_name(lake: Lake) -> None:
    subject = lake.create(
        schema_of(low=pa.int64(), high=pa.int64()), Check("low <= high", "ordered")
    )
    subject.insert([{"low": 1, "high": 5}])
    with pytest.raises(ConstraintViolationError, match="ordered"):
        subject.update(subject.row_ids(), low=[6])
    subject.update(subject.row_ids(), low=[5])
    assert subject.rows() == [(5, 5)]


def test_an_update_to_null_of_a_required_column_is_refused(lake: Lake) -> None:
    subject = lake.create(pa.schema([pa.field("k", pa.int64(), nullable=False)]))
    subject.insert([{"k": 1}])
    with pytest.raises(ConstraintViolationError):
        subject.update(subject.row_ids(), k=[None])
    assert subject.rows() == [(1,)]


def test_keys_may_move_through_each_other_in_one_update(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), PrimaryKey(("k",)))
    subject.insert([{"k": 1}, {"k": 2}])
    first, second = subject.row_ids("k = 1") + subject.row_ids("k = 2")
    subject.update([first, second], k=[2, 3])
    assert subject.rows() == [(2,), (3,)]


def test_an_update_to_a_key_that_exists_is_refused(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), PrimaryKey(("k",)))
    subject.insert([{"k": 1}, {"k": 2}])
    with pytest.raises(KeyViolationError):
        subject.update(subject.row_ids("k = 1"), k=[2])
    with pytest.raises(KeyViolationError):
        subject.update(subject.row_ids(), k=[7, 7])
    assert subject.rows() == [(1,), (2,)]


@pytest.mark.parametrize("column", ["missing", "rowid"])
def test_an_update_of_an_unknown_column_is_refused(stock: Subject, column: str) -> None:
    schema = pa.schema([pa.field(column, pa.int64()), ROW_ID_FIELD])
    arrays = [pa.array([1]), pa.array(stock.row_ids("k = 1"))]
    with stock.updatable.update() as write, pytest.raises(InvalidRequestError):
        write.add(pa.RecordBatch.from_arrays(arrays, schema=schema))


def test_all_batches_of_an_update_set_the_same_columns(stock: Subject) -> None:
    ids = stock.row_ids()
    with stock.updatable.update() as write:
        write.add(stock.assignment(ids[:1], price=[1.0]))
        with pytest.raises(InvalidRequestError):
            write.add(stock.assignment(ids[1:2], name=["x"]))


# -- delete --------------------------------------------------------------------------------------


def test_a_delete_removes_the_rows_it_names_once(stock: Subject) -> None:
    ids = stock.row_ids("k >= 3")
    written = stock.delete([*ids, *ids])
    assert (written.rows, written.version) == (2, 2)
    assert stock.rows("k") == [(1,), (2,)]
    assert stock.rows("k", at=AtVersion(1)) == [(1,), (2,), (3,), (4,)]


def test_a_delete_returns_whole_rows(stock: Subject) -> None:
    ids = stock.row_ids("k >= 3")
    with stock.deletable.delete() as write:
        shown = write.add(ids_batch(ids[::-1]), returning=True)
        write.commit()
    assert shown is not None
    assert shown.schema == stock.schema
    assert [row["k"] for row in shown.to_pylist()] == [4, 3]


def test_a_delete_of_everything_leaves_an_empty_table(stock: Subject) -> None:
    assert stock.delete(stock.row_ids()).rows == 4
    assert stock.rows() == []
    stock.insert([{"k": 9}])
    assert stock.rows("k") == [(9,)]


def test_nothing_of_a_delete_is_seen_before_its_commit(stock: Subject) -> None:
    with stock.deletable.delete() as write:
        write.add(ids_batch(stock.row_ids()))
        assert len(stock.rows()) == 4
    assert len(stock.rows()) == 4


def test_a_scan_may_begin_after_the_statement_that_it_feeds(stock: Subject) -> None:
    with stock.updatable.update() as write:
        stock.insert([{"k": 5, "price": 5.0}])
        write.add(stock.assignment(stock.row_ids("k = 5"), price=[55.0]))
        write.commit()
    assert stock.rows("price", where="k = 5") == [(55.0,)]


def test_rows_of_several_commits_are_changed_by_one_statement(stock: Subject) -> None:
    stock.insert([{"k": k, "price": float(k)} for k in range(5, 200)])
    ids = stock.row_ids("k % 2 = 0")
    assert stock.update(ids, name=["even"] * len(ids)).rows == len(ids) == 99
    assert stock.delete(stock.row_ids("name IS NULL OR name <> 'even'")).rows == 100
    assert {name for (name,) in stock.rows("name")} == {"even"}


# -- row ids that are not good -------------------------------------------------------------------


@pytest.mark.parametrize("row_id", [0, 5, -1, 2**40 + 4, 2**40 + 10**6, 99 * 2**40, 2**62])
def test_a_row_id_that_was_never_given_out_is_refused(stock: Subject, row_id: int) -> None:
    assert row_id not in stock.row_ids()
    with pytest.raises(InvalidRequestError):
        stock.delete([row_id])
    with pytest.raises(InvalidRequestError):
        stock.update([row_id], price=[0.0])
    assert len(stock.rows()) == 4


def test_a_row_that_was_gone_already_has_no_id_in_a_later_version(stock: Subject) -> None:
    (old,) = stock.row_ids("k = 1")
    stock.delete([old])
    forged = old + 2**40  # the same ordinal, one version later
    with pytest.raises(InvalidRequestError):
        stock.delete([forged])


def test_a_null_row_id_is_refused(stock: Subject) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([None], pa.int64())], names=["rowid"])
    with stock.deletable.delete() as write, pytest.raises(InvalidRequestError):
        write.add(batch)


def test_a_batch_without_row_ids_is_refused(stock: Subject) -> None:
    with stock.deletable.delete() as write, pytest.raises(InvalidRequestError):
        write.add(pa.RecordBatch.from_pydict({"k": [1]}))


def test_the_row_id_of_a_row_that_was_changed_since_is_a_conflict(stock: Subject) -> None:
    ids = stock.row_ids("k = 2")
    stock.update(ids, price=[7.0])
    with pytest.raises(ConflictError):
        stock.update(ids, price=[8.0])
    with pytest.raises(ConflictError):
        stock.delete(ids)
    assert stock.rows("price", where="k = 2") == [(7.0,)]


def test_a_conflict_changes_nothing_of_the_statement(stock: Subject) -> None:
    ids = stock.row_ids()
    stock.delete(stock.row_ids("k = 4"))
    before = stock.rows()
    with pytest.raises(ConflictError, match="again"):
        stock.update(ids, price=[0.0] * 4)
    assert stock.rows() == before


def test_an_old_row_id_is_good_while_its_row_is_untouched(stock: Subject) -> None:
    ids = stock.row_ids("k = 2")
    stock.insert([{"k": 5}])
    stock.delete(stock.row_ids("k = 1"))
    stock.update(ids, price=[22.0])
    assert stock.rows("price", where="k = 2") == [(22.0,)]


def test_row_ids_of_different_versions_work_in_one_statement(stock: Subject) -> None:
    old = stock.row_ids("k = 1")
    stock.insert([{"k": 5}])
    new = stock.row_ids("k = 5")
    assert stock.delete(old + new).rows == 2
    assert stock.rows("k") == [(2,), (3,), (4,)]


def test_one_row_named_by_ids_of_two_versions_is_one_row(stock: Subject) -> None:
    old = stock.row_ids("k = 1")
    stock.insert([{"k": 5}])
    new = stock.row_ids("k = 1")
    assert old != new
    assert stock.delete(old + new).rows == 1


def test_row_ids_of_an_expired_snapshot_are_refused(stock: Subject) -> None:
    ids = stock.row_ids("k = 1")
    stock.insert([{"k": 5}])
    stock.expirable.expire(keep=1)
    with pytest.raises((ExpiredError, PreconditionError)):
        stock.delete(ids)
    assert len(stock.rows()) == 5


def test_row_ids_from_time_travel_hit_the_same_rows(stock: Subject) -> None:
    stock.delete(stock.row_ids("k = 1"))
    ids = stock.row_ids("k = 2", at=AtVersion(1))
    stock.delete(ids)
    assert stock.rows("k") == [(3,), (4,)]


# -- schema changes in between -------------------------------------------------------------------


def test_an_update_follows_a_column_that_was_renamed_meanwhile(stock: Subject) -> None:
    with stock.updatable.update() as write:
        write.add(stock.assignment(stock.row_ids("k = 1"), price=[10.0]))
        stock.alter(RenameColumn("price", "cost"))
        try:
            write.commit()
        except ConflictError:
            expected = 1.0
        else:
            expected = 10.0
    assert stock.rows("cost", where="k = 1") == [(expected,)]


def test_an_update_of_a_column_that_was_dropped_meanwhile_is_a_conflict(stock: Subject) -> None:
    with stock.updatable.update() as write:
        write.add(stock.assignment(stock.row_ids("k = 1"), price=[10.0]))
        stock.alter(DropColumn("price"))
        stock.alter(AddColumn(pa.field("price", pa.float64())))
        with pytest.raises(LakeportError):
            write.commit()
    assert stock.rows("price", where="k = 1") == [(None,)]


# -- truncate ------------------------------------------------------------------------------------


def test_truncate_removes_everything_in_one_version(stock: Subject) -> None:
    written = stock.truncatable.truncate()
    assert (written.rows, written.version) == (4, 2)
    assert stock.rows() == []
    assert len(stock.rows(at=AtVersion(1))) == 4


def test_truncating_an_empty_table_commits_nothing(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    written = subject.truncatable.truncate()
    assert (written.rows, written.snapshot_id, written.version) == (0, None, 0)


def test_a_row_id_from_before_a_truncate_is_a_conflict(stock: Subject) -> None:
    ids = stock.row_ids()
    stock.truncatable.truncate()
    stock.insert([{"k": 100 + n} for n in range(4)])
    with pytest.raises(ConflictError):
        stock.delete(ids)
    assert len(stock.rows()) == 4
