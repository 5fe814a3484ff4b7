"""`endpoints` and DoGet: the rows asked for, in every declared column, whoever asks."""

from __future__ import annotations

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.flight.messages import REUSE_CONNECTION
from tests.airport.scans.duck import ROW_ID, Duck, command, compare, ordered, path, serve
from tests.behaviours.lake import Lake, Subject, schema_of

ITEMS = path("shop", "items")
COLUMNS = ("k", "name", "price")


def test_a_scan_has_every_declared_column_and_the_row_id_last(items: Subject, plain: Duck) -> None:
    found = plain.scan(ITEMS)
    assert found.schema.equals(plain.info(ITEMS).schema, check_metadata=False)
    assert found.schema.names == [*COLUMNS, "rowid"]
    assert ordered(found, "rowid") == sorted(items.row_ids())


def test_what_a_standard_client_did_not_ask_for_is_null_in_its_type(
    items: Subject, plain: Duck
) -> None:
    del items
    found = plain.scan(ITEMS, column_ids=[1])
    assert found.schema.field("k").type == pa.int64()
    assert found.column("k").null_count == found.num_rows == 3
    assert sorted(map(str, found.column("name").to_pylist())) == ["None", "apple", "pear"]
    assert found.column("rowid").null_count == 3


def test_what_duckdb_did_not_ask_for_takes_no_bytes(items: Subject, duck: Duck) -> None:
    del items
    found = duck.scan(ITEMS, column_ids=[0])
    assert [str(field.type) for field in found.schema] == ["int64", "null", "null", "null"]
    assert ordered(found, "k") == [1, 2, 3]


def test_counting_asks_for_row_ids_alone(items: Subject, duck: Duck) -> None:
    found = duck.scan(ITEMS, column_ids=[ROW_ID])
    assert ordered(found, "rowid") == sorted(items.row_ids())
    assert found.column("k").null_count == 3


def test_a_column_may_be_asked_for_twice(items: Subject, duck: Duck) -> None:
    del items
    found = duck.scan(ITEMS, column_ids=[2, 0, 2])
    assert ordered(found, "price") == [1.0, 2.0, 3.5]


def test_a_column_number_beyond_the_table_is_refused(items: Subject, duck: Duck) -> None:
    del items
    with pytest.raises(pa.ArrowInvalid, match="has 3 columns"):
        duck.endpoints(ITEMS, column_ids=[3])


def test_pushed_filters_are_applied(items: Subject, duck: Duck) -> None:
    del items
    pushed = compare("k", "COMPARE_GREATERTHAN", 1, COLUMNS)
    found = duck.scan(ITEMS, column_ids=[0, 1, 2], json_filters=pushed)
    assert ordered(found, "k") == [2, 3]


def test_nothing_that_can_match_is_no_endpoint(items: Subject, duck: Duck) -> None:
    del items
    pushed = compare("k", "COMPARE_GREATERTHAN", 100, COLUMNS)
    assert duck.endpoints(ITEMS, json_filters=pushed) == []


def test_a_filter_that_is_no_json_is_refused(items: Subject, duck: Duck) -> None:
    del items
    with pytest.raises(pa.ArrowInvalid, match="no JSON"):
        duck.endpoints(ITEMS, json_filters="{")


def test_an_empty_table_has_no_endpoint_but_a_schema(lake: Lake, plain: Duck) -> None:
    lake.create(schema_of(k=pa.int64()), name="empty")
    assert plain.endpoints(path("shop", "empty")) == []
    info = plain.info(path("shop", "empty"))
    assert info.total_records == 0
    assert plain.get(info.endpoints[0].ticket.ticket).schema.names == ["k", "rowid"]


def test_many_files_make_a_bounded_number_of_endpoints(lake: Lake, plain: Duck) -> None:
    schema = schema_of(k=pa.int64())
    one = pa.table({"k": list(range(200))}, schema)
    lake.seed(schema, *[one] * 40, name="many")
    places = plain.endpoints(path("shop", "many"))
    assert 1 < len(places) <= 32
    assert all(each.locations == (REUSE_CONNECTION,) for each in places)
    found = pa.concat_tables([plain.get(each.ticket) for each in places])
    assert ordered(found, "k") == sorted(list(range(200)) * 40)


def test_endpoints_name_the_public_address_where_one_is_configured(
    lake: Lake, items: Subject
) -> None:
    del items
    address = "grpc+tls://lake.example:443"
    with serve(lake.catalog, public=address) as server, fl.connect(server.address) as client:
        places = Duck(client).endpoints(ITEMS)
    assert {each.locations for each in places} == {(address,)}


def test_progress_grows_and_is_told_to_duckdb_alone(lake: Lake, plain: Duck, duck: Duck) -> None:
    schema = schema_of(k=pa.int64())
    lake.seed(schema, pa.table({"k": list(range(1000))}, schema), name="long")
    for client in (plain, duck):
        for place in client.endpoints(path("shop", "long")):
            reader = client.flight.do_get(fl.Ticket(place.ticket), client.options())
            told = [chunk.app_metadata for chunk in reader]
            if client is plain:
                assert told == [None] * len(told)
                continue
            shown = [msgpack.unpackb(bytes(each or b""))["progress"] for each in told]
            assert shown == sorted(shown)
            assert 0 < shown[0] <= shown[-1] <= 1


def test_an_update_that_wants_no_rows_gets_none(items: Subject, duck: Duck) -> None:
    del items
    duck.headers = [("airport-skip-producing-results", "1")]
    assert duck.scan(ITEMS).num_rows == 0


def test_a_stream_dropped_half_way_leaves_the_server_well(lake: Lake, plain: Duck) -> None:
    schema = schema_of(k=pa.int64())
    lake.seed(schema, pa.table({"k": list(range(5000))}, schema), name="long")
    ticket = plain.info(path("shop", "long")).endpoints[0].ticket
    reader = plain.flight.do_get(ticket)
    first = reader.read_chunk().data
    assert first is not None
    assert first.num_rows > 0
    reader.cancel()
    assert plain.get(ticket.ticket).num_rows == 5000


# -- contract 001 --------------------------------------------------------------------------------


def test_flight_info_has_one_endpoint_for_all_rows(items: Subject, plain: Duck) -> None:
    del items
    info = plain.info(ITEMS)
    assert len(info.endpoints) == 1
    assert info.total_records == 3
    assert ordered(plain.get(info.endpoints[0].ticket.ticket), "k") == [1, 2, 3]


def test_rows_that_were_deleted_are_not_counted(items: Subject, plain: Duck) -> None:
    items.delete(items.row_ids(where="k = 2"))
    info = plain.info(ITEMS)
    assert info.total_records in {-1, 2}
    assert plain.get(info.endpoints[0].ticket.ticket).num_rows == 2


def test_a_json_ticket_is_a_ticket(items: Subject, plain: Duck) -> None:
    del items
    found = plain.get(b'{"schema_name": "shop", "table_name": "items"}')
    assert ordered(found, "k") == [1, 2, 3]


def test_json_may_ask_for_columns_a_filter_and_a_limit(items: Subject, plain: Duck) -> None:
    del items
    pushed = compare("k", "COMPARE_GREATERTHANOREQUALTO", 2, COLUMNS)
    text = (
        '{"schema_name": "shop", "table_name": "items", "columns": ["K"], "limit": 1,'
        f' "filter": {pushed}}}'
    )
    found = plain.get(text.encode())
    assert found.schema.names == [*COLUMNS, "rowid"]
    assert found.num_rows == 1
    assert found.column("k")[0].as_py() in {2, 3}
    assert found.column("name").null_count == 1
    info = plain.info(command(text))
    assert plain.get(info.endpoints[0].ticket.ticket).num_rows == 1
    assert plain.scan(command(text)).num_rows == 1


def test_json_that_names_a_column_that_is_not_there_is_refused(items: Subject, plain: Duck) -> None:
    del items
    text = b'{"schema_name": "shop", "table_name": "items", "columns": ["weight"]}'
    with pytest.raises(pa.ArrowInvalid, match="no column `weight`"):
        plain.get(text)
