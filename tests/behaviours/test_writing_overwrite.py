"""OVERWRITE: new rows instead of all that are there, in one version."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import Check, PrimaryKey
from lakeport.catalog.ports import Overwritable, WriteContext, require
from lakeport.catalog.statements import overwrite_rows
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    PreconditionError,
)
from lakeport.core.timepoint import AtVersion
from tests.behaviours.lake import Lake, Subject, schema_of


@pytest.fixture
def stock(lake: Lake) -> Subject:
    subject = lake.create(
        schema_of(k=pa.int64(), name=pa.string()),
        PrimaryKey(("k",)),
        Check("k < 100", "small"),
        name="stock",
    )
    subject.insert([{"k": k, "name": f"n{k}"} for k in range(4)])
    return subject


def overwritable(subject: Subject) -> Overwritable:
    return require(subject.table, Overwritable, "the table")


def test_the_new_rows_are_all_there_is(stock: Subject) -> None:
    written = overwrite_rows(stock.table, [{"k": 2, "name": "two"}, {"k": 9}])
    assert (written.rows, written.version) == (2, 2)
    assert stock.rows() == [(2, "two"), (9, None)]
    assert len(stock.rows(at=AtVersion(1))) == 4


def test_rows_that_were_deleted_stay_so(stock: Subject) -> None:
    stock.delete(stock.row_ids("k = 1"))
    overwrite_rows(stock.table, [{"k": 5}])
    assert stock.rows("k") == [(5,)]


def test_overwriting_with_nothing_empties_the_table(stock: Subject) -> None:
    written = overwrite_rows(stock.table, [])
    assert (written.rows, written.version) == (0, 2)
    assert written.snapshot_id == stock.state.snapshot_id
    assert stock.rows() == []


def test_overwriting_an_empty_table_with_nothing_commits_nothing(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    written = overwrite_rows(subject.table, [])
    assert (written.rows, written.snapshot_id, written.version) == (0, None, 0)


def test_the_first_rows_of_a_table_may_be_an_overwrite(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    assert overwrite_rows(subject.table, [{"k": 1}]).version == 1
    assert subject.rows() == [(1,)]


def test_constraints_hold(stock: Subject) -> None:
    with pytest.raises(ConstraintViolationError, match="small"):
        overwrite_rows(stock.table, [{"k": 100}])
    with pytest.raises(KeyViolationError):
        overwrite_rows(stock.table, [{"k": 1}, {"k": 1}])
    with pytest.raises(InvalidRequestError):
        overwrite_rows(stock.table, [{"k": 1, "colour": "red"}])
    assert len(stock.rows()) == 4
    assert stock.state.version == 1


def test_nothing_of_it_is_seen_before_its_commit(stock: Subject) -> None:
    with overwritable(stock).overwrite() as write:
        write.add(pa.RecordBatch.from_pydict({"k": [7]}))
        assert len(stock.rows()) == 4
    assert len(stock.rows()) == 4
    with pytest.raises(PreconditionError):
        write.commit()


def test_it_replaces_what_others_wrote_in_the_meantime(stock: Subject) -> None:
    with overwritable(stock).overwrite() as write:
        write.add(pa.RecordBatch.from_pydict({"k": [7]}))
        stock.insert([{"k": 50}])
        stock.delete(stock.row_ids("k = 0"))
        assert write.commit().version == 4
    assert stock.rows("k") == [(7,)]


def test_a_statement_on_rows_that_were_replaced_has_to_run_again(stock: Subject) -> None:
    ids = stock.row_ids()
    with stock.updatable.update() as write:
        write.add(stock.assignment(ids, name=["x"] * 4))
        overwrite_rows(stock.table, [{"k": k, "name": f"n{k}"} for k in range(4)])
        with pytest.raises(ConflictError, match="again"):
            write.commit()
    with pytest.raises(ConflictError):
        stock.delete(ids)
    assert stock.rows("name", where="k = 1") == [("n1",)]


def test_its_rows_follow_a_schema_change(stock: Subject) -> None:
    with overwritable(stock).overwrite() as write:
        write.add(pa.RecordBatch.from_pydict({"k": [7]}))
        stock.alter(AddColumn(pa.field("price", pa.float64())))
        write.commit()
    assert stock.rows() == [(7, None, None)]


def test_who_did_it_is_kept(stock: Subject) -> None:
    overwrite_rows(stock.table, [{"k": 7}], WriteContext(statement="reload"))
    info = stock.travelable.history()[-1]
    assert info.operation == "overwrite"
    assert "reload" in info.summary.values()
