"""INSERT: fitting rows, defaults, constraints, all or nothing."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Check, PrimaryKey, Unique, with_default
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import (
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    PreconditionError,
)
from tests.behaviours.lake import Lake, Subject, schema_of


@pytest.fixture
def people(lake: Lake) -> Subject:
    schema = schema_of(id=pa.int64(), Name=pa.string())
    schema = schema.set(0, schema.field(0).with_nullable(nullable=False))
    schema = schema.append(with_default(pa.field("age", pa.int32()), "40 + 2"))
    return lake.create(schema, name="people")


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)


def test_an_insert_says_what_it_wrote(people: Subject) -> None:
    written = people.insert([{"id": 1}, {"id": 2}])
    state = people.state
    assert (written.rows, written.snapshot_id, written.version) == (2, state.snapshot_id, 1)


def test_an_insert_of_nothing_commits_nothing(people: Subject) -> None:
    people.insert([{"id": 1}])
    with people.insertable.insert() as write:
        write.add(_empty(people))
        written = write.commit()
    assert (written.rows, written.snapshot_id, written.version) == (0, None, 1)
    assert people.insert([]).rows == 0
    assert people.state.version == 1


def _empty(subject: Subject) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], subject.schema)


def test_columns_come_in_any_order_and_spelling(people: Subject) -> None:
    people.insert(batch(AGE=[7], name=["ann"], ID=[1]))
    assert people.rows() == [(1, "ann", 7)]


def test_a_missing_column_gets_its_default_or_null(people: Subject) -> None:
    people.insert([{"id": 1}])
    assert people.rows() == [(1, None, 42)]


def test_an_explicit_null_is_not_a_default(people: Subject) -> None:
    people.insert([{"id": 1, "age": None}, {"id": 2}])
    assert people.rows("id", "age") == [(1, None), (2, 42)]


def test_values_are_cast_when_nothing_is_lost(people: Subject) -> None:
    people.insert(batch(id=pa.array([1], pa.int8()), Name=pa.array(["x"], pa.large_string())))
    assert people.read().schema == people.schema


@pytest.mark.parametrize(
    "rows",
    [
        {"id": ["abc"]},
        {"id": [1], "age": [2**40]},
        {"id": [1], "colour": ["red"]},
        {"id": [1], "Id": [2]},
        {"id": [1], "rowid": [7]},
    ],
    ids=["type", "range", "extra column", "column twice", "row id"],
)
def test_rows_that_do_not_fit_are_refused(people: Subject, rows: dict[str, list[object]]) -> None:
    with pytest.raises(InvalidRequestError):
        people.insert(batch(**rows))
    assert people.state.version == 0


def test_a_broken_batch_is_refused(people: Subject) -> None:
    offsets = pa.array([0, 200, 3], pa.int32()).buffers()[1]  # only full validation sees the 200
    lying = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    broken = pa.RecordBatch.from_arrays([pa.array([1, 2]), lying], names=["id", "Name"])
    with pytest.raises(LakeportError):
        people.insert(broken)
    assert people.rows() == []


# -- constraints ---------------------------------------------------------------------------------


def test_not_null_is_enforced(people: Subject) -> None:
    with pytest.raises(ConstraintViolationError, match="id"):
        people.insert([{"Name": "nobody"}])
    assert people.rows() == []


def test_a_check_is_enforced_and_null_passes(lake: Lake) -> None:
    subject = lake.create(schema_of(price=pa.float64()), Check("price > 0", "positive"))
    subject.insert([{"price": 1.0}, {"price": None}])
    with pytest.raises(ConstraintViolationError, match="positive") as caught:
        subject.insert([{"price": 2.0}, {"price": -1.5}])
    assert "-1.5" in str(caught.value)
    assert subject.rows() == [(1.0,), (None,)]


def test_a_primary_key_is_enforced_against_rows_that_are_there(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64(), v=pa.string()), PrimaryKey(("k",)))
    subject.insert([{"k": 1, "v": "a"}])
    with pytest.raises(KeyViolationError, match="1"):
        subject.insert([{"k": 2, "v": "b"}, {"k": 1, "v": "c"}])
    assert subject.rows() == [(1, "a")]


def test_a_primary_key_is_enforced_inside_a_statement(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), PrimaryKey(("k",)))
    with pytest.raises(KeyViolationError):
        subject.insert([batch(k=[1]), batch(k=[1])])
    assert subject.rows() == []


def test_a_primary_key_column_is_not_null(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), PrimaryKey(("k",)))
    with pytest.raises(ConstraintViolationError):
        subject.insert([{"k": None}])


def test_unique_lets_nulls_repeat(lake: Lake) -> None:
    subject = lake.create(schema_of(a=pa.int64(), b=pa.string()), Unique(("a", "b"), "pair"))
    subject.insert([{"a": 1, "b": None}, {"a": 1, "b": None}, {"a": 1, "b": "x"}])
    subject.insert([{"a": 2, "b": "x"}])
    with pytest.raises(KeyViolationError, match="UNIQUE"):
        subject.insert([{"a": 1, "b": "x"}])
    assert len(subject.rows()) == 4


def test_a_key_that_was_deleted_is_free_again(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), PrimaryKey(("k",)))
    subject.insert([{"k": 1}])
    subject.delete(subject.row_ids())
    subject.insert([{"k": 1}])
    assert subject.rows() == [(1,)]


# -- all or nothing ------------------------------------------------------------------------------


def test_nothing_is_seen_before_the_commit(people: Subject) -> None:
    with people.insertable.insert() as write:
        write.add(batch(id=[1]))
        assert people.rows() == []
        assert people.state.version == 0
        write.commit()
    assert len(people.rows()) == 1


def test_leaving_without_a_commit_aborts(people: Subject) -> None:
    with people.insertable.insert() as write:
        write.add(batch(id=[1]))
    assert people.state.version == 0


def test_an_aborted_statement_writes_nothing(people: Subject) -> None:
    write = people.insertable.insert()
    write.add(batch(id=[1]))
    write.abort()
    with pytest.raises(PreconditionError):
        write.commit()
    assert people.state.version == 0


def test_a_failed_batch_fails_the_whole_statement(people: Subject) -> None:
    write = people.insertable.insert()
    write.add(batch(id=[1]))
    with pytest.raises(ConstraintViolationError):
        write.add(batch(Name=["nobody"]))
    with pytest.raises(PreconditionError):
        write.commit()
    assert people.rows() == []


def test_a_statement_commits_once(people: Subject) -> None:
    write = people.insertable.insert()
    write.add(batch(id=[1]))
    write.commit()
    with pytest.raises(PreconditionError):
        write.commit()
    with pytest.raises(PreconditionError):
        write.add(batch(id=[2]))
    write.abort()
    assert len(people.rows()) == 1


def test_all_batches_of_a_statement_are_one_version(people: Subject) -> None:
    with people.insertable.insert() as write:
        for start in range(0, 300, 30):
            write.add(batch(id=list(range(start, start + 30))))
        written = write.commit()
    assert (written.rows, written.version) == (300, 1)
    assert len(people.travelable.history()) == 1
    assert people.read().num_rows == 300


def test_returning_gives_the_rows_as_stored(people: Subject) -> None:
    with people.insertable.insert() as write:
        assert write.add(batch(id=[1])) is None
        shown = write.add(batch(name=["ann"], ID=pa.array([2], pa.int8())), returning=True)
        write.commit()
    assert shown is not None
    assert shown.schema == people.schema
    assert shown.to_pylist() == [{"id": 2, "Name": "ann", "age": 42}]


def test_who_wrote_is_kept_in_the_history(people: Subject) -> None:
    context = WriteContext(actor="ann", statement="INSERT INTO people …", summary={"run": "7"})
    with people.insertable.insert(context) as write:
        write.add(batch(id=[1, 2]))
        write.commit()
    summary = people.travelable.history()[-1].summary
    assert summary["lakeport.actor"] == "ann"
    assert summary["lakeport.statement"] == "INSERT INTO people …"
    assert summary["run"] == "7"
    assert summary["added-records"] == summary["total-records"] == "2"


def test_the_source_of_an_insert_may_be_the_table_itself(people: Subject) -> None:
    people.insert([{"id": 1}])
    people.insert(people.read())
    assert people.rows("id") == [(1,), (1,)]
