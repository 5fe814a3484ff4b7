"""Two statements at once: what may go through, and what has to run again."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    ChangeType,
    DropColumn,
    RequireColumn,
    SetDefault,
)
from lakeport.catalog.definition import Check, Definition, PrimaryKey, with_default
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    KeyViolationError,
    LakeportError,
)
from tests.behaviours.lake import Lake, Subject, ids_batch, schema_of, values


@pytest.fixture
def pairs(lake: Lake) -> Subject:
    subject = lake.create(schema_of(k=pa.int64(), v=pa.int64()), name="pairs")
    subject.insert([{"k": k, "v": 0} for k in range(4)])
    return subject


def one(**columns: int | None) -> pa.RecordBatch:
    arrays = {name: pa.array([value], pa.int64()) for name, value in columns.items()}
    return pa.RecordBatch.from_pydict(dict(arrays))


def test_appends_never_conflict(pairs: Subject) -> None:
    with pairs.insertable.insert() as first, pairs.insertable.insert() as second:
        first.add(one(k=10))
        second.add(one(k=11))
        assert first.commit().version == 2
        assert second.commit().version == 3
    assert len(pairs.rows()) == 6


def test_statements_on_different_rows_do_not_conflict(pairs: Subject) -> None:
    with pairs.updatable.update() as update, pairs.deletable.delete() as delete:
        update.add(pairs.assignment(pairs.row_ids("k = 1"), v=[5]))
        delete.add(ids_batch(pairs.row_ids("k = 2")))
        update.commit()
        delete.commit()
    assert pairs.rows() == [(0, 0), (1, 5), (3, 0)]


@pytest.mark.parametrize("winner", ["update", "delete", "truncate", "replace"])
def test_the_second_statement_on_a_row_has_to_run_again(
    lake: Lake, pairs: Subject, winner: str
) -> None:
    ids = pairs.row_ids("k = 1")
    with pairs.updatable.update() as late:
        late.add(pairs.assignment(ids, v=[7]))
        match winner:
            case "update":
                pairs.update(ids, v=[6])
            case "delete":
                pairs.delete(ids)
            case "truncate":
                pairs.truncatable.truncate()
            case "replace":
                definition = Definition(pairs.schema)
                lake.namespace().create_table("pairs", definition, on_conflict="replace")
        before = pairs.rows()
        with pytest.raises(ConflictError, match="again"):
            late.commit()
    assert pairs.rows() == before


def test_two_statements_cannot_insert_one_key(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), PrimaryKey(("k",)))
    with subject.insertable.insert() as first, subject.insertable.insert() as second:
        first.add(one(k=1))
        second.add(one(k=1))
        first.commit()
        with pytest.raises(KeyViolationError):
            second.commit()
    assert subject.rows() == [(1,)]


def test_an_insert_is_checked_against_a_constraint_that_came_meanwhile(pairs: Subject) -> None:
    with pairs.insertable.insert() as write:
        write.add(one(k=9, v=-1))
        pairs.alter(AddConstraint(Check("v >= 0", "positive")))
        with pytest.raises((ConstraintViolationError, ConflictError)):
            write.commit()
    assert len(pairs.rows()) == 4


def test_an_update_is_checked_against_a_constraint_that_came_meanwhile(pairs: Subject) -> None:
    with pairs.updatable.update() as write:
        write.add(pairs.assignment(pairs.row_ids("k = 1"), v=[None]))
        pairs.alter(RequireColumn("v"))
        with pytest.raises((ConstraintViolationError, ConflictError)):
            write.commit()
    assert pairs.rows("v") == [(0,)] * 4


def test_an_update_is_checked_against_a_key_that_came_meanwhile(pairs: Subject) -> None:
    with pairs.updatable.update() as write:
        write.add(pairs.assignment(pairs.row_ids("k = 1"), k=[2]))
        pairs.alter(AddConstraint(PrimaryKey(("k",))))
        with pytest.raises((KeyViolationError, ConflictError)):
            write.commit()
    assert pairs.rows("k") == [(0,), (1,), (2,), (3,)]


def test_an_insert_and_a_new_column_end_in_rows_of_the_new_schema(pairs: Subject) -> None:
    with pairs.insertable.insert() as write:
        write.add(one(k=9, v=9))
        pairs.alter(AddColumn(with_default(pa.field("w", pa.int64()), "3")))
        try:
            write.commit()
        except ConflictError:
            insert_rows(pairs.table, one(k=9, v=9))
    assert pairs.rows(where="k = 9") == [(9, 9, 3)]


def test_an_insert_into_a_dropped_column_has_to_run_again(pairs: Subject) -> None:
    with pairs.insertable.insert() as write:
        write.add(one(k=9, v=9))
        pairs.alter(DropColumn("v"))
        with pytest.raises(LakeportError):
            write.commit()
    assert len(pairs.rows()) == 4


def test_an_insert_into_a_column_of_another_type_has_to_run_again(pairs: Subject) -> None:
    with pairs.insertable.insert() as write:
        write.add(one(k=9, v=9))
        pairs.alter(ChangeType("v", pa.string()))
        with pytest.raises(ConflictError, match="again"):
            write.commit()
    assert len(pairs.rows()) == 4


def test_an_insert_that_took_an_old_default_does_not_keep_it(pairs: Subject) -> None:
    with pairs.insertable.insert() as write:
        write.add(one(k=9))
        pairs.alter(SetDefault("v", "77"))
        try:
            write.commit()
        except ConflictError:
            insert_rows(pairs.table, one(k=9))
    assert pairs.rows("v", where="k = 9") == [(77,)]


def test_an_update_of_values_that_were_recomputed_has_to_run_again(pairs: Subject) -> None:
    with pairs.updatable.update() as write:
        write.add(pairs.assignment(pairs.row_ids("k = 1"), v=[7]))
        pairs.alter(ChangeType("v", pa.int64(), using="v + 100"))
        with pytest.raises(ConflictError):
            write.commit()
    assert pairs.rows("v") == [(100,)] * 4


def test_a_reader_sees_one_version_while_others_write(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), name="wide")
    subject.insert([{"k": k} for k in range(500)])
    with read(subject.table, ScanRequest()) as stream:
        first = next(stream)
        subject.delete(subject.row_ids("k % 2 = 0"))
        subject.alter(AddColumn(pa.field("x", pa.int8())))
        subject.insert([{"k": 1_000}])
        rest = list(stream)
    found = pa.Table.from_batches([first, *rest], subject.schema.remove(1))
    assert sorted(values(found, "k")) == list(range(500))


def test_statements_with_a_condition_run_again_by_themselves(pairs: Subject) -> None:
    threads = [
        threading.Thread(target=_add_one, args=(pairs, 5)),
        threading.Thread(target=_add_one, args=(pairs, 5)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {v for (v,) in pairs.rows("v")} == {10}


def _add_one(subject: Subject, times: int) -> None:
    done = 0
    while done < times:
        try:
            update_where(subject.table, {"v": "v + 1"})
            done += 1
        except ConflictError:
            continue


def test_readers_never_see_half_a_statement(pairs: Subject) -> None:
    """A writer sets all rows to one value at a time; a reader must never see two values."""
    stop = threading.Event()
    seen: list[set[object]] = []

    def look() -> None:
        while not stop.is_set():
            seen.append({v for (v,) in pairs.rows("v")})

    reader = threading.Thread(target=look)
    reader.start()
    for value in range(1, 15):
        update_where(pairs.table, {"v": str(value)})
    stop.set()
    reader.join()
    assert all(len(found) == 1 for found in seen)


def test_a_statement_with_a_condition_changes_what_it_means(pairs: Subject) -> None:
    assert update_where(pairs.table, {"v": "k * 10"}, where="k >= 2").rows == 2
    assert delete_where(pairs.table, "v = 0").rows == 2
    assert pairs.rows() == [(2, 20), (3, 30)]
