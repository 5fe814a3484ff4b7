"""What a statement is refused for: exact codes, DuckDB's own kinds of errors, and nothing changed."""

from __future__ import annotations

import grpc
import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity, StatementLimits
from lakeport.catalog.changes import AddColumn, AddConstraint, DropColumn
from lakeport.catalog.definition import Check, PrimaryKey, Unique
from lakeport.catalog.ports import Expirable, require
from lakeport.flight.ipc import Kind
from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import Talk, Writer, batch_of, descriptor_of, typed
from tests.behaviours.lake import Lake, Subject, ids_batch, schema_of
from tests.flight.raw import Failure, failure_of

PATH = descriptor_of("shop", "items")
SENT = pa.schema([(field.name, field.type) for field in ITEMS])
FIG = batch_of(SENT, (3, "fig", 2.0))
PRICES = schema_of(price=pa.float64(), rowid=pa.int64())


def ends(talk: Talk) -> Failure:
    """How the rest of it, which must be a refusal, comes to its end."""
    with pytest.raises(grpc.RpcError) as raised:
        talk.hear()
    return failure_of(raised.value)


# -- constraints -------------------------------------------------------------------------------------


@pytest.mark.parametrize("returning", [False, True])
@pytest.mark.parametrize(
    ("row", "code", "says"),
    [
        ((None, "fig", 2.0), grpc.StatusCode.INVALID_ARGUMENT, "`id` is NOT NULL"),
        ((3, "fig", -2.0), grpc.StatusCode.INVALID_ARGUMENT, "CHECK `priced`"),
        ((2, "fig", 2.0), grpc.StatusCode.ALREADY_EXISTS, "primary key"),
    ],
    ids=["not null", "check", "key"],
)
def test_a_row_that_breaks_a_constraint_is_a_constraint_error(
    served: Served,
    items: Subject,
    row: tuple[object, ...],
    code: grpc.StatusCode,
    says: str,
    *,
    returning: bool,
) -> None:
    before = items.state
    refused = served.writer.refused("insert", PATH, [FIG, batch_of(SENT, row)], returning=returning)
    assert refused.code is code
    assert typed(refused) == ("ConstraintException", refused.text)
    assert says.lower() in refused.text.lower()
    assert (items.state, len(items.rows())) == (before, 2)


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("id", None, grpc.StatusCode.INVALID_ARGUMENT),
        ("price", -1, grpc.StatusCode.INVALID_ARGUMENT),
        ("id", 1, grpc.StatusCode.ALREADY_EXISTS),
    ],
    ids=["not null", "check", "key"],
)
def test_an_update_is_held_to_the_constraints_too(
    served: Served, items: Subject, column: str, value: int | None, code: grpc.StatusCode
) -> None:
    before = items.state
    (row_id,) = items.row_ids("id = 2")
    kind = items.schema.field(column).type
    sent = batch_of(pa.schema({column: kind, "rowid": pa.int64()}), (value, row_id))
    refused = served.writer.refused("update", PATH, [sent])
    assert refused.code is code
    assert typed(refused) == ("ConstraintException", refused.text)
    assert items.state == before


NAMED = (
    PrimaryKey(("a",), "keyed"),
    Unique(("b", "c"), "once"),
    Check("(length(c) < 5)", "short"),
)


@pytest.mark.parametrize("operation", ["insert", "update"])
@pytest.mark.parametrize(
    ("row", "says"),
    [
        ((1, 9, "y"), "PRIMARY KEY `keyed` (a)"),
        ((9, 1, "x"), "UNIQUE `once` (b, c)"),
        ((9, 9, "too long"), "CHECK `short`"),
    ],
    ids=["key", "unique", "check"],
)
def test_the_constraint_is_told_by_its_name(
    served: Served, lake: Lake, operation: str, row: tuple[object, ...], says: str
) -> None:
    table = lake.create(schema_of(a=pa.int64(), b=pa.int64(), c=pa.string()), *NAMED, name="named")
    table.insert([{"a": 1, "b": 1, "c": "x"}, {"a": 2, "b": None, "c": "x"}])
    table.insert([{"a": 3, "b": None, "c": "x"}])  # NULL is nobody's key twice
    before = table.state
    fields = [pa.field(each.name, each.type) for each in table.schema]
    if operation == "update":
        fields.append(pa.field("rowid", pa.int64()))
        row = (*row, *table.row_ids("a = 3"))
    sent = batch_of(pa.schema(fields), row)
    refused = served.writer.refused(operation, descriptor_of("shop", "named"), [sent])
    kind, text = typed(refused) or ("", "")
    assert (kind, says in text) == ("ConstraintException", True)
    assert table.state == before


def test_two_rows_of_one_statement_may_not_have_one_key(served: Served, items: Subject) -> None:
    refused = served.writer.refused("insert", PATH, [FIG, FIG])
    assert refused.code is grpc.StatusCode.ALREADY_EXISTS
    assert len(items.rows()) == 2


def test_keys_that_change_hands_within_an_update_do_not_collide(
    served: Served, items: Subject
) -> None:
    first, second = items.row_ids("id = 1") + items.row_ids("id = 2")
    sent = batch_of(schema_of(id=pa.int64(), rowid=pa.int64()), (2, first), (1, second))
    assert served.writer.run("update", PATH, [sent]).changed == 2
    assert items.rows("id", "name") == [(1, "pear"), (2, "apple")]


# -- other writers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["update", "delete"])
def test_rows_that_another_writer_changed_are_a_conflict(
    served: Served, items: Subject, operation: str
) -> None:
    row_ids = items.row_ids()
    items.update(items.row_ids("id = 1"), price=[7.0])
    rows = items.rows()
    batch = ids_batch(row_ids)
    if operation == "update":
        batch = batch_of(PRICES, *((5.0, row_id) for row_id in row_ids))
    refused = served.writer.refused(operation, PATH, [batch])
    assert refused.code is grpc.StatusCode.ABORTED
    assert "run the statement again" in refused.text
    assert items.rows() == rows


def test_an_update_that_loses_the_race_to_its_commit_is_a_conflict(
    served: Served, items: Subject
) -> None:
    talk = served.writer.open("update")
    talk.name(PATH)
    talk.declare(PRICES)
    assert talk.hear() == Kind.SCHEMA
    talk.send(batch_of(PRICES, (5.0, items.row_ids("id = 1")[0])))
    items.delete(items.row_ids("id = 1"))
    talk.half_close()
    failure = ends(talk)
    assert failure.code is grpc.StatusCode.ABORTED
    assert "run the statement again" in failure.text
    assert items.rows("id") == [(2,)]


def test_appends_do_not_conflict(served: Served, lake: Lake) -> None:
    table = lake.create(schema_of(k=pa.int64()), name="log")
    path, one = descriptor_of("shop", "log"), batch_of(schema_of(k=pa.int64()), (1,))
    talk = served.writer.open("insert")
    talk.name(path)
    talk.declare(one.schema)
    talk.send(one)
    table.insert(pa.table({"k": [2]}))
    assert served.writer.run("insert", path, [batch_of(one.schema, (3,))]).changed == 1
    talk.half_close()
    assert [talk.hear(), talk.hear()] == [Kind.SCHEMA, None]
    assert table.rows() == [(1,), (2,), (3,)]


def test_a_key_that_another_writer_took_meanwhile_is_found(served: Served, items: Subject) -> None:
    talk = served.writer.open("insert")
    talk.name(PATH)
    talk.declare(SENT)
    talk.send(FIG)
    assert talk.hear() == Kind.SCHEMA
    items.insert([{"id": 3, "name": "quince"}])
    talk.half_close()
    assert ends(talk).code is grpc.StatusCode.ALREADY_EXISTS
    assert items.rows("id", "name")[2:] == [(3, "quince")]


@pytest.mark.parametrize("operation", ["insert", "update", "delete"])
def test_a_table_made_anew_before_the_commit_aborts_the_statement(
    served: Served, items: Subject, operation: str
) -> None:
    row_ids = items.row_ids()
    batch = {
        "insert": FIG,
        "update": batch_of(PRICES, (5.0, row_ids[0])),
        "delete": ids_batch(row_ids),
    }[operation]
    talk = served.writer.open(operation, returning=True)
    talk.name(PATH)
    talk.declare(batch.schema)
    assert talk.hear() == Kind.SCHEMA
    talk.send(batch)
    talk.hear_batch()
    served.lake.namespace().drop_table("items")
    again = served.lake.create(ITEMS, name="items")
    again.insert([{"id": 1, "name": "x"}, {"id": 2, "name": "y"}])
    talk.half_close()
    assert ends(talk).code is grpc.StatusCode.ABORTED
    assert again.rows("id", "name") == [(1, "x"), (2, "y")]


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("operation", ["insert", "delete"])
def test_a_table_dropped_while_a_statement_runs_aborts_it(
    served: Served, items: Subject, operation: str, *, is_late: bool
) -> None:
    batch = FIG if operation == "insert" else ids_batch(items.row_ids())
    talk = served.writer.open(operation, returning=True)
    talk.name(PATH)
    talk.declare(batch.schema)
    assert talk.hear() == Kind.SCHEMA
    if is_late:
        talk.send(batch)
        talk.hear_batch()
    served.lake.namespace().drop_table("items")
    if not is_late:
        talk.send(batch)
        if operation == "insert":
            talk.hear_batch()
    talk.half_close()
    failure = ends(talk)
    assert failure.code is grpc.StatusCode.ABORTED
    assert "dropped" in failure.text


@pytest.mark.parametrize(
    "change",
    [DropColumn("name"), AddConstraint(Check("(name <> 'fig')", "no figs"))],
    ids=["column", "constraint"],
)
def test_a_table_altered_before_the_commit_is_never_given_what_it_forbids(
    served: Served, items: Subject, change: DropColumn | AddConstraint
) -> None:
    talk = served.writer.open("insert")
    talk.name(PATH)
    talk.declare(SENT)
    talk.send(FIG)
    assert talk.hear() == Kind.SCHEMA
    items.alter(change)
    talk.half_close()
    assert ends(talk).code in {grpc.StatusCode.ABORTED, grpc.StatusCode.INVALID_ARGUMENT}
    assert len(items.rows()) == 2


def test_a_column_added_before_the_commit_is_no_obstacle(served: Served, items: Subject) -> None:
    talk = served.writer.open("insert")
    talk.name(PATH)
    talk.declare(SENT)
    talk.send(FIG)
    assert talk.hear() == Kind.SCHEMA
    items.alter(AddColumn(pa.field("shelf", pa.int32())))
    talk.half_close()
    assert talk.hear() is None
    assert items.rows("id", "shelf")[2] == (3, None)


def test_row_ids_of_an_expired_snapshot_are_a_failed_precondition(
    served: Served, items: Subject
) -> None:
    row_ids = items.row_ids()
    served.lake.clock.pass_seconds(60)
    items.insert([{"id": 3, "name": "fig"}])
    require(items.table, Expirable, "the table").expire(keep=1)
    before = items.state
    refused = served.writer.refused("delete", PATH, [ids_batch(row_ids)])
    assert refused.code is grpc.StatusCode.FAILED_PRECONDITION
    assert items.state == before


# -- grants ------------------------------------------------------------------------------------------


def only(*abilities: Ability, on: str = "shop.items") -> Identity:
    return Identity("ann", frozenset(Grant(ability, on) for ability in abilities))


@pytest.mark.parametrize("returning", [False, True])
@pytest.mark.parametrize("operation", ["insert", "update"])
def test_writing_needs_the_grant_to_write(
    served: Served, items: Subject, operation: str, *, returning: bool
) -> None:
    before = items.state
    served.door.identity = only(Ability.READ, Ability.DDL)
    batch = FIG if operation == "insert" else batch_of(PRICES, (1.0, 0))
    refused = served.writer.refused(operation, PATH, [batch], returning=returning)
    assert refused.code is grpc.StatusCode.PERMISSION_DENIED
    assert typed(refused) == ("PermissionException", refused.text)
    assert items.state == before


def test_who_may_not_write_is_not_told_whether_the_table_is_there(
    served: Served, items: Subject
) -> None:
    del items
    served.door.identity = only(Ability.READ)
    texts = set()
    for name in ("items", "nothing"):
        refused = Writer(served.raw, ()).refused(
            "delete", descriptor_of("shop", name), [ids_batch([])]
        )
        assert refused.code is grpc.StatusCode.PERMISSION_DENIED
        texts.add(refused.text.replace(name, "?"))
    assert len(texts) == 1


def test_rows_that_are_shown_need_the_grant_to_read(served: Served, items: Subject) -> None:
    row_ids = items.row_ids()
    served.door.identity = only(Ability.WRITE)
    refused = served.writer.refused("delete", PATH, [ids_batch(row_ids)], returning=True)
    assert refused.code is grpc.StatusCode.PERMISSION_DENIED
    assert len(items.rows()) == 2
    assert served.writer.run("insert", PATH, [FIG], returning=True).changed == 1
    assert served.writer.run("delete", PATH, [ids_batch(items.row_ids())]).changed == 3


@pytest.mark.parametrize("operation", ["insert", "update", "delete"])
def test_what_cannot_be_changed_is_unimplemented(served: Served, operation: str) -> None:
    """The system tables are made while they are read."""
    path = descriptor_of("lakeport", "tables")
    refused = served.writer.refused(operation, path, [ids_batch([])])
    assert refused.code is grpc.StatusCode.UNIMPLEMENTED


def test_a_token_that_was_revoked_meanwhile_commits_nothing(served: Served, items: Subject) -> None:
    before = items.state
    talk = served.writer.open("insert")
    talk.name(PATH)
    talk.declare(SENT)
    assert talk.hear() == Kind.SCHEMA
    talk.send(FIG)
    served.door.is_shut = True
    talk.half_close()
    assert ends(talk).code is grpc.StatusCode.UNAUTHENTICATED
    assert items.state == before


# -- limits ------------------------------------------------------------------------------------------


@pytest.fixture
def limits(request: pytest.FixtureRequest) -> StatementLimits:
    found: StatementLimits = getattr(request, "param", StatementLimits())
    return found


@pytest.mark.parametrize("limits", [StatementLimits(rows=3)], indirect=True)
@pytest.mark.parametrize("returning", [False, True])
def test_a_statement_has_no_more_rows_than_it_may(
    served: Served, items: Subject, *, returning: bool
) -> None:
    before = items.state
    batches = [batch_of(SENT, (key, "fig", 1.0), (key + 1, "fig", 1.0)) for key in (10, 20)]
    refused = served.writer.refused("insert", PATH, batches, returning=returning)
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "3 rows" in refused.text
    assert "server.limits.statement_rows" in refused.text
    assert items.state == before
    three = [batch_of(SENT, (1 + key, "fig", 1.0)) for key in (10, 20, 30)]
    assert served.writer.run("insert", PATH, three, returning=returning).changed == 3


@pytest.mark.parametrize("limits", [StatementLimits(rows=1, bytes=10_000)], indirect=True)
def test_a_caller_may_have_limits_of_their_own(served: Served, items: Subject) -> None:
    everything = served.door.identity
    served.door.identity = Identity("ann", everything.grants, StatementLimits(rows=100))
    two = [batch_of(SENT, (key, "fig", 1.0)) for key in (10, 20)]
    assert served.writer.run("insert", PATH, two).changed == 2
    before = items.state
    long = batch_of(SENT, (30, "x" * 20_000, 1.0))
    refused = served.writer.refused("insert", PATH, [long])
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "10,000 bytes" in refused.text
    assert "statement_bytes" in refused.text
    assert items.state == before
