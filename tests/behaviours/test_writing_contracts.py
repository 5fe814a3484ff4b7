"""What the contracts promise about writing, as far as a catalog keeps it; the doors add their encodings.

Contract 000 (DDL) and 002 (protocol):
  names: exists, unknown, empty              test_writing_tables, test_writing_changes, test_writing_bad_input
  on_conflict error, ignore, replace         test_writing_tables
  a namespace that holds tables              test_writing_tables
  NOT NULL, UNIQUE, CHECK of create_table    test_writing_inserts, and the codes of each door: here
  if_column_not_exists, if_column_exists     test_writing_changes; that a no-op is no version: here
  cascade                                    test_writing_changes; that the refusal names what depends: here
  every ALTER of the list                    test_writing_changes
  affected counts of INSERT, UPDATE, DELETE  here
  a statement commits by success alone       test_writing_inserts, test_writing_programs
Contract 001 (time travel): test_reading_travel, test_writing_upkeep.
Contract 004 (schemas that only grow): its six properties and its integration tests, on the ports: here.
"""

from __future__ import annotations

import typing

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn, AddField, DropColumn, DropField, Growth
from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique
from lakeport.catalog.statements import delete_where, update_where
from lakeport.core.errors import (
    AlreadyExistsError,
    LakeportError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.status import status_of
from tests.behaviours.lake import Lake, Subject, schema_of

# -- DDL -----------------------------------------------------------------------------------------


def test_a_table_needs_its_namespace(lake: Lake) -> None:
    namespace = lake.namespace()
    lake.catalog.drop_namespace("shop")
    with pytest.raises(NotFoundError):
        namespace.create_table("orders", Definition(schema_of(k=pa.int64())))


def test_the_second_of_two_equal_columns_is_an_error_and_changes_nothing(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    subject.alter(AddColumn(pa.field("extra", pa.int64())))
    with pytest.raises(AlreadyExistsError):
        subject.alter(AddColumn(pa.field("EXTRA", pa.int64())))
    assert subject.state.version == 1


def test_a_change_that_is_excused_is_no_version(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64(), s=pa.struct([pa.field("a", pa.int8())])))
    subject.insert([{"k": 1}])
    before = subject.state
    for excused in (
        AddColumn(pa.field("K", pa.string()), if_absent=True),
        AddField(("s",), pa.field("A", pa.string()), if_absent=True),
        DropColumn("missing", if_exists=True),
        DropField(("s", "missing"), if_exists=True),
    ):
        assert subject.alter(excused) == before


def test_a_column_in_use_is_kept_and_the_refusal_names_what_uses_it(lake: Lake) -> None:
    subject = lake.create(
        schema_of(a=pa.int64(), b=pa.int64(), c=pa.int64()),
        Check("a > b", "a_above_b"),
        Unique(("b",), "one_b"),
    )
    with pytest.raises(PreconditionError) as caught:
        subject.alter(DropColumn("b"))
    assert "a_above_b" in str(caught.value)
    assert "one_b" in str(caught.value)
    subject.alter(DropColumn("b", cascade=True))
    assert (subject.schema.names, subject.state.definition.constraints) == (["a", "c"], ())
    assert subject.state.version == 1


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"k": None}, "INVALID_ARGUMENT"),
        ({"k": 2, "n": -1}, "INVALID_ARGUMENT"),
        ({"k": 1}, "ALREADY_EXISTS"),
        ({"k": 2, "u": 1}, "ALREADY_EXISTS"),
    ],
    ids=["NOT NULL", "CHECK", "PRIMARY KEY", "UNIQUE"],
)
def test_a_broken_constraint_has_the_code_the_contract_names(
    lake: Lake, row: dict[str, object], code: str
) -> None:
    subject = lake.create(
        schema_of(k=pa.int64(), n=pa.int64(), u=pa.int64()),
        PrimaryKey(("k",)),
        Check("n > 0", "positive"),
        Unique(("u",), "one_u"),
    )
    subject.insert([{"k": 1, "n": 1, "u": 1}])
    with pytest.raises(LakeportError) as caught:
        subject.insert([row])
    assert status_of(caught.value).grpc.name == code
    assert len(subject.rows()) == 1


# -- DML -----------------------------------------------------------------------------------------


def test_statements_say_how_many_rows_they_affected(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64(), v=pa.string()))
    assert subject.insert([{"k": k} for k in range(10)]).rows == 10
    assert update_where(subject.table, {"v": "'x'"}, "k < 4").rows == 4
    assert delete_where(subject.table, "k >= 7").rows == 3
    assert subject.truncatable.truncate().rows == 7


# -- schemas that only grow ----------------------------------------------------------------------


def load(subject: Subject, rows: pa.Table) -> None:
    """What a pipeline does with rows of another shape: add what is new, then insert what it has."""
    held = {name.casefold() for name in subject.schema.names}
    missing = [column for column in rows.schema if column.name.casefold() not in held]
    growth: list[Growth] = [AddColumn(column) for column in missing]
    if growth:
        subject.alter(*growth)
    subject.insert(rows)


def test_columns_that_left_the_source_stay_and_are_null_in_new_rows(lake: Lake) -> None:
    subject = lake.create(schema_of(a=pa.int64(), b=pa.int64(), c=pa.int64()))
    load(subject, pa.table({"a": [1], "b": [2], "c": [3]}))
    load(subject, pa.table({"a": [4], "b": [5], "d": [6]}))
    assert subject.schema.names == ["a", "b", "c", "d"]
    assert subject.rows() == [(1, 2, 3, None), (4, 5, None, 6)]


def test_cycles_of_growth_lose_no_column_and_no_value(lake: Lake) -> None:
    subject = lake.create(schema_of(a=pa.int64(), b=pa.int64()))
    load(subject, pa.table({"a": [1], "b": [1]}))
    load(subject, pa.table({"a": [2], "c": [2]}))
    load(subject, pa.table({"a": [3], "d": [3]}))
    assert subject.schema.names == ["a", "b", "c", "d"]
    assert subject.rows() == [(1, 1, None, None), (2, None, 2, None), (3, None, None, 3)]


def test_columns_are_the_same_in_any_case(lake: Lake) -> None:
    subject = lake.create(schema_of(CustomerID=pa.int64()))
    load(subject, pa.table({"customerid": [1]}))
    assert (subject.schema.names, subject.rows()) == (["CustomerID"], [(1,)])


def test_a_column_that_cannot_be_added_halts_before_any_row(lake: Lake) -> None:
    subject = lake.create(schema_of(a=pa.int64()))
    with pytest.raises(LakeportError):
        load(subject, pa.table({"a": [1], "rowid": [1]}))
    assert (subject.rows(), subject.state.version) == ([], 0)


def test_a_removed_column_that_must_not_be_null_is_the_users_error(lake: Lake) -> None:
    required = pa.schema([pa.field("a", pa.int64()), pa.field("b", pa.int64(), nullable=False)])
    subject = lake.create(required)
    with pytest.raises(LakeportError, match="`b`"):
        load(subject, pa.table({"a": [1]}))
    assert subject.rows() == []


def test_growth_cannot_even_say_drop() -> None:
    assert {DropColumn, DropField}.isdisjoint(typing.get_args(Growth))
