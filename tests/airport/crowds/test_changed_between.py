"""A table that became another between a statement's scan and its commit: ABORTED, never another row.

Other hands change it at three moments: after the scan, while the exchange is open, and when all rows are
with the server and only the end of the stream is missing.
"""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pyarrow as pa
import pytest

from lakeport.airport.requested import Layout, path_of
from lakeport.catalog.changes import AddColumn, Change, DropColumn, RenameColumn
from lakeport.catalog.definition import Definition
from lakeport.flight.ipc import Kind
from lakeport.flight.messages import FlightDescriptor
from tests.airport.crowds.conftest import HELD, ROWS, Scene
from tests.airport.exchange.talk import Writer, batch_of
from tests.airport.scans.duck import Duck
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.flight.raw import Failure, failure_of

SENT = {
    "update": schema_of(text=pa.string(), rowid=pa.int64()),
    "delete": schema_of(rowid=pa.int64()),
}
MOMENTS = ("before the exchange", "before the rows", "before the end")


def attempt(
    scene: Scene, operation: str, moment: str, change: Callable[[Lake], None]
) -> Failure | None:
    """Of a statement on two rows, into which somebody else's change comes at a moment."""
    duck = Duck(scene.flight).begin()
    told = scene.log.state
    path = FlightDescriptor(path=path_of(told.name, Layout.of(told)))
    own = Writer(scene.raw).having(("airport-transaction-id", duck.transaction or ""))
    picked = [row["rowid"] for row in duck.scan(path).to_pylist() if row["k"] in {1, 2}]
    meanwhile = {name: lambda: None for name in MOMENTS} | {moment: lambda: change(scene.lake)}
    try:
        meanwhile["before the exchange"]()
        talk = own.open(operation, returning=True)
        talk.name(path)
        talk.declare(SENT[operation])
        assert talk.hear() == Kind.SCHEMA
        meanwhile["before the rows"]()
        values = [(mine,) if operation == "delete" else ("new", mine) for mine in picked]
        talk.send(batch_of(SENT[operation], *values))
        talk.hear_batch()
        meanwhile["before the end"]()
        talk.half_close()
        assert talk.hear() is None
    except grpc.RpcError as error:
        return failure_of(error)
    return None


def replaced(lake: Lake) -> None:
    """By a table of the same name, columns and number of commits: row ids look the same."""
    lake.namespace().drop_table("log")
    table = Subject(lake.namespace().create_table("log", Definition(ROWS)))
    table.insert(HELD)


def dropped(lake: Lake) -> None:
    lake.namespace().drop_table("log")


def rewritten(lake: Lake) -> None:
    """Every row is in another place, and no row is what it was."""
    table = lake.table("log")
    table.delete(table.row_ids())
    table.insert(HELD)


moments = pytest.mark.parametrize("moment", MOMENTS)
operations = pytest.mark.parametrize("operation", sorted(SENT))


def aborted(failure: Failure | None) -> bool:
    return (
        failure is not None
        and failure.code is grpc.StatusCode.ABORTED
        and "again" in failure.text  # what to do: run it again
    )


@moments
@operations
@pytest.mark.parametrize("others", [replaced, rewritten])
def test_rows_that_others_put_in_their_place_are_left_alone(
    scene: Scene, operation: str, moment: str, others: Callable[[Lake], None]
) -> None:
    assert aborted(attempt(scene, operation, moment, others))
    assert scene.log.rows() == [(row["k"], row["text"]) for row in HELD]


@pytest.mark.parametrize("moment", MOMENTS[1:])
@operations
def test_a_table_dropped_under_a_statement_aborts_it(
    scene: Scene, operation: str, moment: str
) -> None:
    assert aborted(attempt(scene, operation, moment, dropped))
    assert "log" not in scene.lake.catalog.namespace("shop").tables()


ALTERS: dict[str, Change] = {
    "add": AddColumn(pa.field("more", pa.int32())),
    "rename": RenameColumn("text", "words"),
    "drop": DropColumn("text"),
}


@moments
@operations
@pytest.mark.parametrize("alter", sorted(ALTERS))
def test_an_altered_table_aborts_or_changes_the_very_rows(
    scene: Scene, operation: str, moment: str, alter: str
) -> None:
    failure = attempt(scene, operation, moment, lambda lake: _alter(lake, alter))
    others = [(row["k"],) for row in HELD if row["k"] not in {1, 2}]
    kept = scene.log.rows("k")
    if failure is not None:
        assert failure.code in {grpc.StatusCode.ABORTED, grpc.StatusCode.FAILED_PRECONDITION}
        assert kept == [(row["k"],) for row in HELD]
        assert scene.log.state.version == 2
        return
    assert kept == (others if operation == "delete" else [(row["k"],) for row in HELD])
    if operation == "update":
        text = "words" if alter == "rename" else "text"
        assert [found for found in scene.log.rows("k", text) if found[1] == "new"] == [
            (1, "new"),
            (2, "new"),
        ]


def _alter(lake: Lake, alter: str) -> None:
    lake.table("log").alter(ALTERS[alter])
