"""A table that somebody alters while rows of an INSERT arrive: they fit the new table, or none is stored."""

from __future__ import annotations

import grpc
import pyarrow as pa
import pytest

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
from lakeport.catalog.definition import Check, Unique
from lakeport.flight.ipc import Kind
from tests.airport.crowds.conftest import Scene
from tests.airport.exchange.talk import Writer, batch_of, descriptor_of
from tests.behaviours.lake import schema_of
from tests.flight.raw import failure_of

SENT = schema_of(k=pa.int64(), text=pa.string(), count=pa.int32())
STORED = [(1, "7", 3), (1, None, 4)]

FOLLOWED: dict[str, tuple[Change, list[tuple[object, ...]]]] = {
    "a new column": (AddColumn(pa.field("more", pa.int8())), [(*row, None) for row in STORED]),
    "another name": (RenameColumn("text", "words"), [*STORED]),
}
REFUSED: dict[str, tuple[Change, grpc.StatusCode]] = {
    "a column less": (DropColumn("text"), grpc.StatusCode.ABORTED),
    "another type": (ChangeType("text", pa.int64()), grpc.StatusCode.ABORTED),
    "a wider type": (WidenColumn(("count",), pa.int64()), grpc.StatusCode.ABORTED),
    "another default": (SetDefault("text", "'none'"), grpc.StatusCode.ABORTED),
    "NOT NULL": (RequireColumn("text"), grpc.StatusCode.INVALID_ARGUMENT),
    "CHECK": (AddConstraint(Check("k > 100", "big")), grpc.StatusCode.INVALID_ARGUMENT),
    "UNIQUE": (AddConstraint(Unique(("k",), "once")), grpc.StatusCode.ALREADY_EXISTS),
}


def insert_beside(scene: Scene, change: Change, *, returning: bool) -> None:
    """Between the first row and the second."""
    table = scene.lake.create(SENT, name="busy")
    talk = Writer(scene.raw).open("insert", returning=returning)
    talk.name(descriptor_of("shop", "busy"))
    talk.declare(SENT)
    assert talk.hear() == Kind.SCHEMA
    for row in STORED:
        talk.send(batch_of(SENT, row))
        if returning:
            talk.hear_batch()
        if row is STORED[0]:
            table.alter(change)
    talk.half_close()
    assert talk.hear() is None


returned = pytest.mark.parametrize("returning", [False, True])


@returned
@pytest.mark.parametrize("change", FOLLOWED)
def test_rows_follow_a_change_that_leaves_them_what_they_are(
    scene: Scene, change: str, *, returning: bool
) -> None:
    made, expected = FOLLOWED[change]
    insert_beside(scene, made, returning=returning)
    assert sorted(scene.lake.table("busy").rows(), key=str) == sorted(expected, key=str)


@returned
@pytest.mark.parametrize("change", REFUSED)
def test_rows_that_no_longer_fit_are_refused_all_together(
    scene: Scene, change: str, *, returning: bool
) -> None:
    made, code = REFUSED[change]
    with pytest.raises(grpc.RpcError) as raised:
        insert_beside(scene, made, returning=returning)
    assert failure_of(raised.value).code is code
    assert scene.lake.table("busy").rows() == []
