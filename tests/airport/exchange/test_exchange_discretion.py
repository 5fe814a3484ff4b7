"""Refusals show the rows that are in the way: stored ones to readers alone, one's own to anybody."""

from __future__ import annotations

from dataclasses import replace

import grpc
import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.catalog.changes import AddConstraint
from lakeport.catalog.definition import Check, PrimaryKey, Unique
from tests.airport.exchange.conftest import Served
from tests.airport.exchange.talk import batch_of, descriptor_of, typed
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.flight.raw import Failure, failure_of

PATH = descriptor_of("shop", "accounts")
ACCOUNTS = schema_of(
    id=pa.int64(),
    spent=pa.int64(),
    most=pa.int64(),
    region=pa.string(),
    number=pa.int64(),
    note=pa.string(),
)
MOST = ACCOUNTS.get_field_index("most")
SECRETS = ("4711", "4712", "77123", "north", "hush")
WRITER = Identity("writer", frozenset({Grant(Ability.WRITE)}))
READER = replace(WRITER, grants=frozenset({Grant(Ability.WRITE), Grant(Ability.READ)}))


@pytest.fixture
def accounts(lake: Lake) -> Subject:
    required = ACCOUNTS.field(MOST).with_nullable(nullable=False)
    subject = lake.create(
        ACCOUNTS.set(MOST, required),
        PrimaryKey(("id",)),
        Unique(("region", "number"), "numbered"),
        Check("spent <= most", "affordable"),
        Check("CASE WHEN most = 80013 THEN CAST(note AS INTEGER) > 0 ELSE TRUE END", "noted"),
        name="accounts",
    )
    rows: list[dict[str, object]] = [
        {
            "id": 4711,
            "spent": 77123,
            "most": 80_000,
            "region": "north",
            "number": 1,
            "note": "hush",
        },
        {"id": 4712, "spent": 1, "most": 80_000, "region": "north", "number": 2, "note": "hush"},
    ]
    subject.insert(rows)
    return subject


def refused(
    served: Served, accounts: Subject, who: Identity, column: str, value: object
) -> Failure:
    served.door.identity = READER
    row_id = accounts.row_ids("id = 4711")[0]
    served.door.identity = who
    schema = pa.schema({column: ACCOUNTS.field(column).type, "rowid": pa.int64()})
    before = accounts.state
    failure = served.writer.refused("update", PATH, [batch_of(schema, (value, row_id))])
    assert accounts.state == before
    return failure


UPDATES = [
    pytest.param("most", 5, "affordable", "spent = 77123, most = 5", id="check"),
    pytest.param("number", 2, "region, number", "region = 'north', number = 2", id="key"),
    pytest.param("most", 80_013, "CHECK `noted`", "hush", id="check that fails"),
]


@pytest.mark.parametrize(("column", "value", "says", "shows"), UPDATES)
def test_an_update_shows_stored_values_to_readers_alone(
    served: Served, accounts: Subject, column: str, value: int, says: str, shows: str
) -> None:
    seen = refused(served, accounts, READER, column, value)
    unseen = refused(served, accounts, WRITER, column, value)
    assert shows in seen.text
    assert not any(secret in unseen.text for secret in SECRETS)
    assert says in unseen.text
    assert unseen.code is seen.code
    # DuckDB raises the text of the trailer.
    kinds = [None if told is None else told[0] for told in (typed(seen), typed(unseen))]
    assert kinds[0] == kinds[1]
    assert typed(unseen) == (kinds[1], unseen.text)


def test_an_update_to_null_does_not_tell_which_row_it_is(served: Served, accounts: Subject) -> None:
    unseen = refused(served, accounts, WRITER, "most", None)
    assert unseen.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "`most` is NOT NULL" in unseen.text
    assert not any(secret in unseen.text for secret in SECRETS)


def test_a_constraint_that_came_later_is_as_discreet(served: Served, accounts: Subject) -> None:
    """It is checked when the statement is committed, against rows that were made before."""
    row_id = accounts.row_ids("id = 4712")[0]
    served.door.identity = WRITER
    talk = served.writer.open("update")
    talk.name(PATH)
    schema = schema_of(most=pa.int64(), rowid=pa.int64())
    talk.declare(schema)
    talk.hear()
    talk.send(batch_of(schema, (90_000, row_id)))
    accounts.alter(AddConstraint(Check("most < 85000 OR spent > number", "modest")))
    talk.half_close()
    with pytest.raises(grpc.RpcError) as raised:
        talk.hear()
    told = failure_of(raised.value).text
    assert "CHECK `modest`" in told
    assert "spent = " not in told


def test_rows_of_ones_own_are_shown_to_who_sends_them(served: Served, accounts: Subject) -> None:
    del accounts
    served.door.identity = WRITER
    poor = served.writer.refused("insert", PATH, [batch_of(ACCOUNTS, (1, 9, 5, "south", 1, "x"))])
    assert "spent = 9, most = 5" in poor.text
    twice = served.writer.refused(
        "insert", PATH, [batch_of(ACCOUNTS, (4712, 1, 5, "south", 1, "x"))]
    )
    assert "id = 4712" in twice.text
