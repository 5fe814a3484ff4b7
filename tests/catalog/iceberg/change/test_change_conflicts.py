"""Rows that somebody else got at first: asked again for every head, and never another row."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.change.delete import Delete
from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head, Member
from lakeport.catalog.iceberg.create import create_table
from lakeport.catalog.ports import Ref
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.catalog.upkeep import Policy
from lakeport.core.errors import ConflictError, ExpiredError, InvalidRequestError
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtRef
from tests.behaviours.lake import Subject, ids_batch, schema_of
from tests.catalog.iceberg.change.workshop import NAME, SMALL, Workshop, iceberg
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake
from tests.lakes.table import LakeTable


@pytest.fixture
def stock(workshop: Workshop) -> Subject:
    subject = workshop.create(schema_of(k=pa.int64(), name=pa.string()))
    for first in (0, 10):
        subject.insert([{"k": k, "name": f"n{k}"} for k in range(first, first + 10)])
    return subject


# -- two handles ---------------------------------------------------------------------------------


def test_two_handles_may_change_different_rows_of_one_file(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    other = workshop.other()
    with stock.updatable.update() as mine, other.deletable.delete() as theirs:
        mine.add(stock.assignment(stock.row_ids("k = 1"), name=["mine"]))
        theirs.add(ids_batch(other.row_ids("k = 2")))
        theirs.commit()
        mine.commit()
    assert stock.rows(where="k < 4") == [(0, "n0"), (1, "mine"), (3, "n3")]
    workshop.assert_read_alike(stock, duckdb_reader)


def test_of_two_handles_that_change_one_row_the_second_has_to_run_again(
    workshop: Workshop, stock: Subject
) -> None:
    other = workshop.other()
    files = workshop.on_disk()
    with stock.updatable.update() as mine:
        mine.add(stock.assignment(stock.row_ids("k < 5"), name=["mine"] * 5))
        other.delete(other.row_ids("k = 4"))
        after = workshop.on_disk()
        with pytest.raises(ConflictError, match="again"):
            mine.commit()
    assert workshop.on_disk() == after > files
    assert len(stock.rows(where="name = 'mine'")) == 0


def test_a_compaction_in_between_is_a_conflict_and_the_next_try_works(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    other = workshop.other()
    with stock.deletable.delete() as mine:
        mine.add(ids_batch(stock.row_ids("k = 4")))
        assert iceberg(other).compact(Policy(force=True)).versions
        with pytest.raises(ConflictError, match="again"):
            mine.commit()
    assert delete_where(stock.table, "k = 4").rows == 1
    assert len(stock.rows()) == 19
    workshop.assert_read_alike(stock, duckdb_reader)


def test_manifests_that_were_joined_in_between_are_no_conflict(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    other = workshop.other()
    with stock.updatable.update() as mine:
        ids = stock.row_ids("k = 1") + stock.row_ids("k = 11")
        mine.add(stock.assignment(ids, name=["a", "b"]))
        other.delete(other.row_ids("k = 2"))
        assert iceberg(other).rewrite_manifests(Policy(force=True)).versions
        assert mine.commit().rows == 2
    assert stock.rows(where="k in (1, 2, 11)") == [(1, "a"), (11, "b")]
    workshop.assert_read_alike(stock, duckdb_reader)


def test_a_row_id_of_an_expired_snapshot_means_nothing(workshop: Workshop, stock: Subject) -> None:
    other = workshop.other()
    with stock.deletable.delete() as mine:
        mine.add(ids_batch(stock.row_ids("k = 4")))
        other.insert([{"k": 99}])
        iceberg(other).expire(keep=1)
        with pytest.raises(ExpiredError):
            mine.commit()
    assert len(stock.rows()) == 21


def test_files_that_expired_under_a_statement_are_no_damage(
    workshop: Workshop, stock: Subject
) -> None:
    other = workshop.other()
    with workshop.other().deletable.delete() as mine:
        ids = stock.row_ids("k = 4")
        mine.add(ids_batch(ids))
        iceberg(other).compact(Policy(force=True))
        iceberg(other).expire(keep=1)
        with pytest.raises(ExpiredError):
            mine.add(ids_batch(ids), returning=True)
    assert len(stock.rows()) == 20


def test_another_table_of_the_same_name_is_another_table(
    workshop: Workshop, stock: Subject
) -> None:
    catalog = workshop.catalog()
    ids = stock.row_ids()
    with stock.deletable.delete() as early, stock.deletable.delete() as late:
        early.add(ids_batch(ids[:1]))
        catalog.namespace(NAME.namespace).drop_table(NAME.table)
        create_table(catalog.pyiceberg, NAME, Definition(stock_schema := schema_of(k=pa.int64())))
        again = workshop.other()
        for first in (0, 10):
            again.insert([{"k": k} for k in range(first, first + 10)])
        with pytest.raises(ConflictError):
            early.commit()
        with pytest.raises(ConflictError):
            late.add(ids_batch(ids[:1]))
    assert again.schema.names == stock_schema.names
    assert len(again.rows()) == 20


# -- rollbacks and branches ----------------------------------------------------------------------


def test_after_a_rollback_ids_of_rows_that_are_left_still_mean_them(
    workshop: Workshop, stock: Subject
) -> None:
    first = stock.state.snapshot_id
    assert first is not None
    stock.insert([{"k": 50, "name": "gone"}])
    stock.delete(stock.row_ids("k = 3"))
    kept, gone = stock.row_ids("k = 4"), stock.row_ids("k = 50")
    workshop.native().manage_snapshots().rollback_to_snapshot(first).commit()
    assert stock.delete(kept).rows == 1
    with pytest.raises(ConflictError):
        stock.delete(gone)
    assert (3, "n3") in stock.rows()
    assert len(stock.rows()) == 19


def test_ids_read_on_a_branch_mean_the_rows_that_main_has_too(stock: Subject) -> None:
    head = stock.state.snapshot_id
    assert head is not None
    stock.referable.create_ref(Ref("early", "branch", head))
    stock.insert([{"k": 50}])
    ids = stock.row_ids("k = 4", at=AtRef("early"))
    assert stock.delete(ids).rows == 1
    assert stock.rows("k", where="k in (4, 5, 50)") == [(5,), (50,)]


# -- statements that share a commit --------------------------------------------------------------


class _Nobody:
    """Commits nothing: these statements are asked by the test."""

    def commit(self, name: TableName, uuid: str, member: Member) -> Committed:
        raise NotImplementedError(name, uuid, member)


def held_delete(subject: Subject, where: str) -> Delete:
    table = iceberg(subject)
    statement = Delete(table.source(), _Nobody(), table.source)
    statement.add(ids_batch(subject.row_ids(where)))
    statement._finish()
    return statement


def test_statements_of_one_commit_must_not_take_one_row_twice(stock: Subject) -> None:
    head = Head(iceberg(stock).source())
    first, same, beside = (held_delete(stock, where) for where in ("k < 3", "k = 2", "k = 3"))
    ahead = first.prepare(head)
    assert ahead is not None
    with pytest.raises(ConflictError):
        same.prepare(Head(head.source, (ahead,)))
    assert beside.prepare(Head(head.source, (Effect(), ahead))) is not None
    for statement in (first, same, beside):
        statement.discard()


def test_a_file_that_leaves_ahead_takes_its_rows_along(stock: Subject) -> None:
    head = Head(iceberg(stock).source())
    whole, one = held_delete(stock, "k < 10"), held_delete(stock, "k = 5")
    ahead = whole.prepare(head)
    assert ahead is not None
    assert len(ahead.removed) == 1
    assert ahead.deletes == ()
    with pytest.raises(ConflictError):
        one.prepare(Head(head.source, (ahead,)))
    ahead = one.prepare(head)
    assert ahead is not None
    with pytest.raises(ConflictError):
        whole.prepare(Head(head.source, (ahead,)))
    whole.discard()
    one.discard()


# -- what other engines delete -------------------------------------------------------------------

SCHEMA = Schema(
    NestedField(1, "k", LongType(), required=False),
    NestedField(2, "name", StringType(), required=False),
)


def numbered(first: int, count: int) -> pa.Table:
    numbers = range(first, first + count)
    rows = [{"k": k, "name": f"n{k}"} for k in numbers]
    return pa.Table.from_pylist(rows, schema_of(k=pa.int64(), name=pa.string()))


@pytest.fixture
def foreign(tmp_path: Path) -> tuple[Lake, LakeTable]:
    lake = Lake(tmp_path)
    table = lake.create("shop.foreign", SCHEMA)
    table.append(numbered(0, 10))
    table.append(numbered(10, 10))
    return lake, table


@pytest.mark.parametrize("kind", ["positions", "positions without bounds", "equality"])
@pytest.mark.parametrize("hits", [True, False])
def test_deletes_of_other_engines_count(
    foreign: tuple[Lake, LakeTable], kind: str, *, hits: bool
) -> None:
    lake, table = foreign
    with IcebergCatalog(lake.profile, options=SMALL) as catalog:
        subject = Subject(catalog.namespace("shop").table("foreign"))
        with subject.updatable.update() as mine:
            mine.add(subject.assignment(subject.row_ids("k = 4"), name=["mine"]))
            doomed = 4 if hits else 5
            head = table.head
            assert head is not None
            if kind == "equality":
                rows = pa.Table.from_pylist([{"k": doomed}], schema_of(k=pa.int64()))
                deletes = [table.equality_deletes(rows, SCHEMA.fields[:1])]
            else:
                named = {head.files[0].path: [doomed]}
                deletes = table.position_deletes(named, bounds=kind == "positions")
            table.commit(add=deletes, operation="delete")
            if hits:
                with pytest.raises(ConflictError):
                    mine.commit()
                assert len(subject.rows()) == 19
            else:
                assert mine.commit().rows == 1
                assert subject.rows(where="k in (4, 5)") == [(4, "mine")]
                # An equality delete takes older rows only, so not the one that is new.
                assert len(subject.rows()) == 19


def test_a_file_that_another_engine_rewrote_is_a_conflict(foreign: tuple[Lake, LakeTable]) -> None:
    lake, table = foreign
    with IcebergCatalog(lake.profile, options=SMALL) as catalog:
        subject = Subject(catalog.namespace("shop").table("foreign"))
        with subject.deletable.delete() as mine:
            mine.add(ids_batch(subject.row_ids("k = 4")))
            head = table.head
            assert head is not None
            table.commit(add=table.data_files(numbered(0, 10)), remove=head.files[:1])
            with pytest.raises(ConflictError):
                mine.commit()
        assert len(subject.rows()) == 20


def test_rows_that_another_engine_deleted_before_have_no_ids(
    foreign: tuple[Lake, LakeTable],
) -> None:
    lake, table = foreign
    rows = pa.Table.from_pylist([{"k": 4}], schema_of(k=pa.int64()))
    table.commit(add=[table.equality_deletes(rows, SCHEMA.fields[:1])], operation="delete")
    with IcebergCatalog(lake.profile, options=SMALL) as catalog:
        subject = Subject(catalog.namespace("shop").table("foreign"))
        first, second = subject.row_ids("k = 3") + subject.row_ids("k = 5")
        assert second - first == 2
        with pytest.raises(InvalidRequestError):
            subject.delete([first + 1])
        assert update_where(subject.table, {"name": "'x'"}, "k < 6").rows == 5
        assert subject.rows(where="k < 6") == [(k, "x") for k in (0, 1, 2, 3, 5)]
        assert delete_where(subject.table).rows == 19
        insert_rows(subject.table, numbered(0, 5))
        assert len(subject.rows()) == 5
