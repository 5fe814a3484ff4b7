"""An ALTER that loses the race for the pointer is planned and checked again on what the winner left."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    Change,
    ChangeType,
    DropColumn,
    RenameColumn,
    RequireColumn,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import Check, Definition, PrimaryKey, default_of, with_default
from lakeport.catalog.iceberg.alter.alter import Alter
from lakeport.catalog.iceberg.alter.replace import Replace
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import (
    AlreadyExistsError,
    ConstraintViolationError,
    KeyViolationError,
    LakeportError,
    NotFoundError,
)
from tests.catalog.iceberg.alter.ground import Ground, Ware

COLUMNS: list[Field] = [pa.field("k", pa.int64()), pa.field("name", pa.string())]
SCHEMA = pa.schema(COLUMNS)


class Hindered(Alter):
    """Another writer commits between its first look at the head and its commit."""

    def __init__(self, changes: tuple[Change, ...], meanwhile: Callable[[], object]) -> None:
        super().__init__(changes, WriteContext())
        self.attempts = 0
        self._meanwhile = meanwhile

    def prepare(self, head: Head) -> Effect | None:
        effect = super().prepare(head)
        self.attempts += 1
        if self.attempts == 1:
            self._meanwhile()
        return effect


def altered_late(ware: Ware, meanwhile: Callable[[], object], *changes: Change) -> Hindered:
    member = Hindered(changes, meanwhile)
    uuid = str(ware.native.metadata.table_uuid)
    try:
        ware.ground.commits.commit(ware.table.name, uuid, member)
    finally:
        member.forget()
    return member


def leftovers(ware: Ware) -> list[str]:
    return [orphan.path for orphan in ware.table.orphans(grace=0)]


@pytest.fixture
def wares(ground: Ground) -> Ware:
    return ground.create(SCHEMA, [{"k": 1, "name": "1"}, {"k": 2, "name": "2"}])


def test_rows_that_came_meanwhile_are_rewritten_too(wares: Ware) -> None:
    late = altered_late(
        wares, lambda: wares.insert([{"k": 3, "name": "3"}]), ChangeType("name", pa.int64())
    )
    assert late.attempts == 2
    assert wares.rows() == [(1, 1), (2, 2), (3, 3)]
    assert wares.table.state().version == 3
    assert leftovers(wares) == []
    wares.check()


def test_rows_deleted_meanwhile_do_not_come_back(wares: Ware) -> None:
    altered_late(wares, lambda: wares.delete("k = 1"), ChangeType("name", pa.int64()))
    assert wares.rows() == [(2, 2)]
    assert leftovers(wares) == []
    wares.check()


@pytest.mark.parametrize(
    ("change", "row", "error"),
    [
        (RequireColumn("name"), {"k": 3}, ConstraintViolationError),
        (AddConstraint(Check("k < 3", "small")), {"k": 3, "name": "3"}, ConstraintViolationError),
        (AddConstraint(PrimaryKey(("k",))), {"k": 2, "name": "3"}, KeyViolationError),
        (ChangeType("name", pa.int64()), {"k": 3, "name": "x"}, LakeportError),
    ],
)
def test_a_row_that_came_meanwhile_can_stand_in_the_way(
    wares: Ware, change: Change, row: dict[str, object], error: type[LakeportError]
) -> None:
    with pytest.raises(error):
        altered_late(wares, lambda: wares.insert([row]), change)
    assert wares.table.state().version == 2
    assert wares.schema.equals(SCHEMA)
    assert leftovers(wares) == []


def test_a_first_row_that_came_meanwhile_needs_a_value_in_a_new_column(ground: Ground) -> None:
    ware = ground.create(SCHEMA)
    column = AddColumn(pa.field("z", pa.int8(), nullable=False))
    with pytest.raises(ConstraintViolationError, match="z"):
        altered_late(ware, lambda: ware.insert([{"k": 3}]), column)
    assert ware.schema.equals(SCHEMA)


def test_a_key_that_was_freed_meanwhile_is_free(ground: Ground) -> None:
    ware = ground.create(SCHEMA, [{"k": 1, "name": "old"}])

    def replace_row() -> None:
        ware.delete("k = 1")
        ware.insert([{"k": 1, "name": "new"}])

    altered_late(ware, replace_row, AddConstraint(PrimaryKey(("k",))))
    assert ware.rows() == [(1, "new")]
    assert isinstance(ware.table.state().definition.constraints[0], PrimaryKey)


def test_the_same_column_added_meanwhile_is_an_error(wares: Ware) -> None:
    column = AddColumn(pa.field("z", pa.int8()))
    with pytest.raises(AlreadyExistsError, match="z"):
        altered_late(wares, lambda: wares.alter(column), column)
    assert wares.schema.names == ["k", "name", "z"]


def test_if_absent_finds_what_was_added_meanwhile(wares: Ware) -> None:
    column = AddColumn(pa.field("z", pa.int8()), if_absent=True)
    altered_late(wares, lambda: wares.alter(column), column)
    assert wares.table.state().version == 2


def test_other_changes_made_meanwhile_stay(wares: Ware) -> None:
    """Properties are written as a whole: a stale one would take the other's DEFAULT back."""
    altered_late(
        wares,
        lambda: wares.alter(
            SetDefault("name", "'none'"),
            AddConstraint(Check("k > 0", "positive")),
            WidenColumn(("name",), pa.large_string()),
        ),
        AddColumn(with_default(pa.field("z", pa.int8()), "7")),
        AddConstraint(Check("z < 100", "small")),
    )
    definition = wares.table.state().definition
    assert [default_of(column) for column in definition.schema] == [None, "'none'", "7"]
    assert [check.name for check in definition.checks] == ["positive", "small"]
    assert definition.schema.field("name").type == pa.large_string()
    assert wares.rows("k", "z") == [(1, 7), (2, 7)]
    wares.check()


def test_a_column_renamed_or_dropped_meanwhile_is_not_found(wares: Ware) -> None:
    with pytest.raises(NotFoundError, match="name"):
        altered_late(wares, lambda: wares.alter(RenameColumn("name", "label")), DropColumn("name"))
    with pytest.raises(NotFoundError, match="label"):
        altered_late(
            wares, lambda: wares.alter(DropColumn("label")), ChangeType("label", pa.int64())
        )
    assert leftovers(wares) == []


def test_a_table_dropped_meanwhile_is_not_found(wares: Ware) -> None:
    namespace = wares.ground.catalog.namespace("shop")
    with pytest.raises(NotFoundError):
        altered_late(
            wares, lambda: namespace.drop_table("wares"), AddColumn(pa.field("z", pa.int8()))
        )


def test_a_replacement_takes_along_what_was_written_meanwhile(wares: Ware) -> None:
    class Late(Replace):
        def prepare(self, head: Head) -> Effect:
            effect = super().prepare(head)
            if len(head.source.metadata.snapshots) == 1:
                wares.insert([{"k": 9}])
            return effect

    uuid = str(wares.native.metadata.table_uuid)
    wares.ground.commits.commit(
        wares.table.name, uuid, Late(Definition(pa.schema([("x", pa.int8())])))
    )
    assert (wares.rows(), wares.table.state().version) == ([], 3)
    wares.check()


def test_all_of_many_who_alter_at_once_are_applied(wares: Ware) -> None:
    names = [f"c{number}" for number in range(6)]

    def add(name: str) -> None:
        column = with_default(pa.field(name, pa.int8()), "7")
        wares.table.alter([AddColumn(column), AddConstraint(Check(f"{name} > 0", name))])

    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(add, names))
    state = wares.table.state()
    assert sorted(state.definition.schema.names[2:]) == names
    assert sorted(check.name for check in state.definition.checks) == names
    assert state.version == 1 + len(names)
    assert wares.rows(*names) == [(7,) * 6] * 2
    assert leftovers(wares) == []
    wares.check()
