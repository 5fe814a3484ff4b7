"""A standard client goes by names: in a transaction a name means one table from its first use on."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence

import grpc
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.catalog.definition import Definition
from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import Writer, batch_of, descriptor_of
from tests.airport.scans.duck import Duck, ordered
from tests.behaviours.lake import Lake, Subject, ids_batch, schema_of
from tests.flight.raw import failure_of

PATH = descriptor_of("shop", "items")
JSON = {"schema_name": "shop", "table_name": "items"}
TRANSACTION = "airport-transaction-id"
SENT = pa.schema([(field.name, field.type) for field in ITEMS])
PRICES = schema_of(price=pa.float64(), rowid=pa.int64())
ROWS: list[dict[str, object]] = [{"id": 1, "name": "apple"}, {"id": 2, "name": "pear"}]


def standard(served: Served) -> Duck:
    return Duck(served.flight, transaction=str(uuid.uuid4()))


def writer(served: Served, transaction: str | None) -> Writer:
    return Writer(served.raw, ((TRANSACTION, transaction or ""),))


def made_anew(lake: Lake) -> Subject:
    """A table of the same name, columns and number of commits: row ids look the same."""
    lake.namespace().drop_table("items")
    table = Subject(lake.namespace().create_table("items", Definition(ITEMS)))
    table.insert(ROWS)
    return table


def by_endpoints(client: Duck) -> pa.Table:
    return client.scan(PATH)


def by_flight_info(client: Duck) -> pa.Table:
    (endpoint,) = client.info(PATH).endpoints
    return client.get(endpoint.ticket.ticket)


def by_an_older_ticket(client: Duck) -> pa.Table:
    """It was given out before the transaction began."""
    (endpoint,) = Duck(client.flight).info(PATH).endpoints
    return client.get(endpoint.ticket.ticket)


def by_json(client: Duck) -> pa.Table:
    return client.get(json.dumps(JSON).encode())


READS = (by_endpoints, by_flight_info, by_an_older_ticket, by_json)


def delete_by_action(served: Served, transaction: str | None, row_ids: Sequence[int]) -> None:
    options = Duck(served.flight, transaction=transaction).options()
    body = json.dumps({**JSON, "rowids": list(row_ids)}).encode()
    list(served.flight.do_action(fl.Action("Delete", body), options))


def update(served: Served, transaction: str | None, row_ids: Sequence[int]) -> None:
    rows = batch_of(PRICES, *((9.0, row_id) for row_id in row_ids))
    writer(served, transaction).run("update", PATH, [rows])


def delete(served: Served, transaction: str | None, row_ids: Sequence[int]) -> None:
    writer(served, transaction).run("delete", PATH, [ids_batch(row_ids)])


def insert(served: Served, transaction: str | None, row_ids: Sequence[int]) -> None:
    del row_ids
    writer(served, transaction).run("insert", PATH, [batch_of(SENT, (3, "fig", 1.0))])


CHANGES = (update, delete, insert)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_name_that_became_another_table_aborts_the_transaction(
    served: Served,
    items: Subject,
    read: Callable[[Duck], pa.Table],
    change: Callable[[Served, str | None, Sequence[int]], None],
) -> None:
    del items
    client = standard(served)
    row_ids = ordered(read(client), "rowid")
    new = made_anew(served.lake)
    with pytest.raises(grpc.RpcError) as raised:
        change(served, client.transaction, row_ids)
    refused = failure_of(raised.value)
    assert refused.code is grpc.StatusCode.ABORTED
    assert "is another table than this transaction used before" in refused.text
    assert "begin a new transaction" in refused.text
    assert new.rows("id", "price") == [(1, None), (2, None)]
    change(served, str(uuid.uuid4()), new.row_ids())


def test_the_action_and_put_are_aborted_as_well(served: Served, items: Subject) -> None:
    del items
    client = standard(served)
    row_ids = ordered(client.scan(PATH), "rowid")
    new = made_anew(served.lake)
    with pytest.raises(fl.FlightInternalError, match="is another table"):
        delete_by_action(served, client.transaction, row_ids)
    sent = fl.FlightDescriptor.for_path("shop", "items")
    stream, _ = served.flight.do_put(sent, SENT, client.options())
    with pytest.raises(fl.FlightInternalError, match="is another table"):
        stream.close()
    assert len(new.rows()) == 2


@pytest.mark.parametrize("read", READS[:2])
def test_reading_goes_on_with_no_other_table_either(
    served: Served, items: Subject, read: Callable[[Duck], pa.Table]
) -> None:
    del items
    client = standard(served)
    read(client)
    made_anew(served.lake)
    with pytest.raises(fl.FlightInternalError, match="is another table"):
        read(client)
    assert ordered(read(standard(served)), "id") == [1, 2]
    assert ordered(read(Duck(served.flight)), "id") == [1, 2]  # without a transaction


def test_the_first_use_may_be_a_statement_and_names_have_no_case(
    served: Served, items: Subject
) -> None:
    del items
    transaction = str(uuid.uuid4())
    insert(served, transaction, [])
    made_anew(served.lake)
    loud = descriptor_of("SHOP", "Items")
    refused = writer(served, transaction).refused("delete", loud, [ids_batch([])])
    assert refused.code is grpc.StatusCode.ABORTED


def test_other_names_and_other_transactions_are_free(served: Served, items: Subject) -> None:
    del items
    client = standard(served)
    client.scan(PATH)
    served.lake.namespace().rename_table("items", "old")
    old = descriptor_of("shop", "old")
    assert ordered(client.scan(old), "id") == [1, 2]
    served.lake.namespace().rename_table("old", "items")
    assert ordered(client.scan(PATH), "id") == [1, 2]


def test_duckdb_may_drop_and_create_inside_its_transaction(served: Served, items: Subject) -> None:
    """Its DDL comes without the transaction's id, and its own table by the plain path."""
    del items
    duck = served.duck
    duck.scan(PATH)
    made_anew(served.lake)
    own = served.writer.having((TRANSACTION, duck.transaction or ""))
    assert own.run("insert", PATH, [batch_of(SENT, (3, "fig", 1.0))]).changed == 1
    assert ordered(duck.scan(PATH), "id") == [1, 2, 3]


def test_standard_clients_read_repeatedly_too(served: Served, items: Subject) -> None:
    client = standard(served)
    assert ordered(by_flight_info(client), "id") == [1, 2]
    items.insert([{"id": 3}])
    assert ordered(by_flight_info(client), "id") == [1, 2]
    assert client.info(PATH).total_records == 2
    assert ordered(by_flight_info(Duck(served.flight)), "id") == [1, 2, 3]
    writer(served, client.transaction).run("insert", PATH, [batch_of(SENT, (4, "fig", 1.0))])
    assert ordered(by_flight_info(client), "id") == [1, 2, 3, 4]
