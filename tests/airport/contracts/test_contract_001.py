"""Contract 001, endpoint discovery: what it says of reading, sentence by sentence.

| the contract | the test |
|---|---|
| GetFlightInfo: get metadata for a table, by path `[schema, table]` | `test_flight_info_has_every_promised_field` |
| TotalRecords, TotalBytes: −1 if unknown | `test_flight_info_has_every_promised_field` |
| "Client examines schema before fetching data" | `test_the_schema_is_that_of_the_stream` |
| "Fetch data from first endpoint": its ticket works in DoGet | `test_the_schema_is_that_of_the_stream` |
| "Client caches schema for reuse" | `test_the_schema_is_the_same_by_every_method` |
| ListActions: stream of type and human-readable description | `test_reading_actions_are_listed_as_the_contract_describes_them` |
| GetSchemas: `{schemas: [{schema_name, comment?}]}`, `catalog_name` optional | `test_get_schemas_lists_all_schemas` |
| GetTables: `{tables: [{table_name, comment?, column_count}]}` | `test_get_tables_lists_all_tables_of_a_schema` |
| GetTables: `table_name_pattern`, optional glob | `test_get_tables_takes_the_contracts_pattern` |
| GetTables: `schema_name` required | `test_actions_have_the_promised_codes` |
| `ts`, `ts_ns`: JSON in FlightDescriptor.Cmd or Ticket | `test_a_moment_is_read_by_descriptor_and_by_ticket` |
| "At most one of `ts` or `ts_ns`"; "must be non-negative" | `test_errors_have_the_promised_codes`, `test_tickets_are_judged_like_descriptors` |
| "Future timestamps return empty result set" | `test_the_future_and_the_time_before_are_empty` |
| "Queries before data existence return empty set" | `test_the_future_and_the_time_before_are_empty` |
| "If both nil, query returns current data" | `test_nil_moments_mean_now` |
| GetTableFunctionFlightInfo: serialized FlightInfo in result.Body | `test_a_table_function_has_a_flight_info` |
| Location `grpc://host:port`; "one endpoint pointing to itself" | `test_the_single_endpoint_points_to_the_server` |
| Errors: NotFound, InvalidArgument, Unimplemented | `test_errors_have_the_promised_codes`, `test_actions_have_the_promised_codes` |
| the contract's own example test | `test_the_contracts_example_works` |

Internal is proven in `tests/flight`, the latencies in `bench/`, the actions that write with the writing.
"""

from __future__ import annotations

import json
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.core.timepoint import NANOSECONDS
from lakeport.flight.messages import FlightDescriptor, Ticket
from tests.airport.airport_server import Client, fl
from tests.airport.contracts.contract_lake import (
    ANNOUNCED,
    BORN,
    EVENTS,
    HOUR,
    SERIES,
)

INVALID = grpc.StatusCode.INVALID_ARGUMENT
NOT_FOUND = grpc.StatusCode.NOT_FOUND
PATH = ("analytics", "events")


def command(**members: object) -> bytes:
    return json.dumps({"schema_name": "analytics", "table_name": "events", **members}).encode()


def info_of(client: Client, cmd: bytes) -> Any:
    return client.flight.get_flight_info(fl.FlightDescriptor.for_command(cmd))


def ids(rows: pa.Table) -> list[Any]:
    values: list[Any] = rows.column("id").to_pylist()
    return sorted(values)


def ask(client: Client, name: str, **body: object) -> Any:
    return json.loads(client.action(name, json.dumps(body).encode()))


# -- GetFlightInfo ---------------------------------------------------------------------------------


def test_flight_info_has_every_promised_field(client: Client) -> None:
    info = client.info(*PATH)
    assert info.schema.names == ANNOUNCED
    assert info.descriptor == fl.FlightDescriptor.for_path(*PATH)
    assert len(info.endpoints) == 1
    assert info.total_records in {-1, 3}
    assert info.total_bytes >= -1


def test_the_schema_is_that_of_the_stream(client: Client) -> None:
    info = client.info(*PATH)
    reader = client.flight.do_get(info.endpoints[0].ticket)
    assert reader.schema.equals(info.schema)
    rows = reader.read_all()
    assert ids(rows) == [1, 2, 3]
    assert rows.select(EVENTS.names).schema.types == EVENTS.types
    assert len(set(rows.column("rowid").to_pylist())) == 3


def test_the_schema_is_the_same_by_every_method(client: Client) -> None:
    by_path = client.info(*PATH).schema
    assert info_of(client, command()).schema.equals(by_path, check_metadata=True)
    for descriptor in (
        fl.FlightDescriptor.for_path(*PATH),
        fl.FlightDescriptor.for_command(command()),
    ):
        assert client.flight.get_schema(descriptor).schema.equals(by_path, check_metadata=True)


def test_the_single_endpoint_points_to_the_server(client: Client) -> None:
    (endpoint,) = client.info(*PATH).endpoints
    uri = endpoint.locations[0].uri.decode()
    scheme, _, address = uri.partition("://")
    host, _, port = address.rpartition(":")
    assert scheme == "grpc"
    assert host
    assert port.isdigit()
    with fl.connect(uri) as second:
        assert ids(second.do_get(endpoint.ticket).read_all()) == [1, 2, 3]


def test_the_contracts_example_works(client: Client) -> None:
    info = client.info(*PATH)
    assert info.schema is not None
    assert len(info.endpoints) > 0
    assert client.flight.do_get(info.endpoints[0].ticket).read_all().num_rows == 3
    with pytest.raises(KeyError):
        client.info("analytics", "nothing")


# -- actions ---------------------------------------------------------------------------------------


def test_reading_actions_are_listed_as_the_contract_describes_them(client: Client) -> None:
    listed = {each.type: each.description for each in client.flight.list_actions()}
    assert listed.items() >= {
        ("GetFlightInfo", "Get table metadata and endpoints"),
        ("GetSchemas", "List all schemas in catalog"),
        ("GetTables", "List all tables in a schema"),
    }
    assert all(listed.values())
    assert "GetTableFunctionFlightInfo" in listed


@pytest.mark.parametrize("body", [b"{}", b"", b'{"catalog_name": "lake"}'])
def test_get_schemas_lists_all_schemas(client: Client, body: bytes) -> None:
    assert json.loads(client.action("GetSchemas", body)) == {
        "schemas": [
            {"schema_name": "analytics", "comment": "what happens"},
            {"schema_name": "maths"},
            {"schema_name": "staging"},
        ]
    }


def test_get_tables_lists_all_tables_of_a_schema(client: Client) -> None:
    assert ask(client, "GetTables", schema_name="analytics") == {
        "tables": [
            {"table_name": "events", "comment": "everything", "column_count": 3},
            {"table_name": "events_daily", "column_count": 1},
            {"table_name": "users", "column_count": 1},
        ]
    }
    assert ask(client, "GetTables", schema_name="staging") == {"tables": []}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("events_*", ["events_daily"]),
        ("event?", ["events"]),
        ("[eu]*s", ["events", "users"]),
        ("*", ["events", "events_daily", "users"]),
        ("nothing*", []),
    ],
)
def test_get_tables_takes_the_contracts_pattern(
    client: Client, pattern: str, found: list[str]
) -> None:
    answer = ask(client, "GetTables", schema_name="analytics", table_name_pattern=pattern)
    assert [table["table_name"] for table in answer["tables"]] == found


def test_a_table_function_has_a_flight_info(client: Client) -> None:
    body = b'{"function_name": "generate_series", "parameters": {"start": 1, "stop": 100}}'
    info = fl.FlightInfo.deserialize(client.action("GetTableFunctionFlightInfo", body))
    assert info.schema == SERIES
    assert info.total_records in {-1, 100}
    (endpoint,) = info.endpoints
    assert endpoint.locations[0].uri.startswith(b"grpc://")
    assert client.rows(info).column(0).to_pylist() == list(range(1, 101))


# -- a point in time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "found"),
    [
        ({"ts": BORN + HOUR}, [1]),
        ({"ts": BORN + 2 * HOUR - 1}, [1]),
        ({"ts": BORN + 2 * HOUR}, [1, 2]),
        ({"ts_ns": (BORN + 2 * HOUR) * NANOSECONDS - 1}, [1]),
        ({"ts_ns": (BORN + 3 * HOUR) * NANOSECONDS}, [1, 2, 3]),
    ],
)
def test_a_moment_is_read_by_descriptor_and_by_ticket(
    client: Client, moment: dict[str, int], found: list[int]
) -> None:
    info = info_of(client, command(**moment))
    assert ids(client.rows(info)) == found
    assert ids(client.flight.do_get(fl.Ticket(command(**moment))).read_all()) == found
    action = fl.FlightInfo.deserialize(client.action("GetFlightInfo", command(**moment)))
    assert ids(client.rows(action)) == found


@pytest.mark.parametrize(
    "moment",
    [
        {"ts": 0},
        {"ts_ns": 0},
        {"ts": BORN - 1},
        {"ts": 2**62},
        {"ts": 2**63 - 1},
        {"ts_ns": 2**63 - 1},
    ],
)
def test_the_future_and_the_time_before_are_empty(client: Client, moment: dict[str, int]) -> None:
    info = info_of(client, command(**moment))
    assert info.schema.names == ANNOUNCED
    rows = client.rows(info)
    assert rows.schema.equals(info.schema)
    assert rows.num_rows == 0
    assert client.flight.do_get(fl.Ticket(command(**moment))).read_all().num_rows == 0


def test_nil_moments_mean_now(client: Client) -> None:
    for cmd in (command(), command(ts=None), command(ts_ns=None), command(ts=None, ts_ns=None)):
        assert ids(client.rows(info_of(client, cmd))) == [1, 2, 3]


# -- error handling --------------------------------------------------------------------------------

_BAD_MOMENTS: list[dict[str, object]] = [
    {"ts": 1, "ts_ns": 1},
    {"ts": -1},
    {"ts_ns": -1},
    {"ts": "1"},
    {"ts": 1.5},
    {"ts": True},
    {"ts": 2**63},
    {"ts_ns": [1]},
]
_BAD_COMMANDS = [
    *(command(**moment) for moment in _BAD_MOMENTS),
    b"{",
    b"[]",
    b"SELECT 1",
    b"\xff\xfe",
    b'{"schema_name": "analytics"}',
    b'{"schema_name": "analytics", "table_name": 1}',
]


@pytest.mark.parametrize("method", ["GetFlightInfo", "GetSchema"])
@pytest.mark.parametrize(
    ("descriptor", "code"),
    [
        (FlightDescriptor(path=("analytics", "nothing")), NOT_FOUND),
        (FlightDescriptor(path=("nowhere", "events")), NOT_FOUND),
        (FlightDescriptor(command=b'{"schema_name":"no","table_name":"events"}'), NOT_FOUND),
        (FlightDescriptor(path=("analytics",)), INVALID),
        (FlightDescriptor(path=("analytics", "")), INVALID),
        *((FlightDescriptor(command=bad), INVALID) for bad in _BAD_COMMANDS),
    ],
)
def test_errors_have_the_promised_codes(
    client: Client, method: str, descriptor: FlightDescriptor, code: grpc.StatusCode
) -> None:
    assert client.code_of(method, descriptor.encode())[0] is code


@pytest.mark.parametrize(
    ("ticket", "code"),
    [
        *((bad, INVALID) for bad in _BAD_COMMANDS),
        (b"", INVALID),
        (b'{"schema_name": "analytics", "table_name": "nothing"}', NOT_FOUND),
    ],
)
def test_tickets_are_judged_like_descriptors(
    client: Client, ticket: bytes, code: grpc.StatusCode
) -> None:
    assert client.code_of("DoGet", Ticket(ticket).encode())[0] is code


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("GetTables", b"{}", INVALID),
        ("GetTables", b'{"schema_name": "nowhere"}', NOT_FOUND),
        ("GetTables", b"nonsense", INVALID),
        ("GetSchemas", b'{"catalog_name": "nowhere"}', NOT_FOUND),
        ("GetSchemas", b"[1]", INVALID),
        ("GetFlightInfo", b'{"schema_name": "analytics", "table_name": "nothing"}', NOT_FOUND),
        ("GetFlightInfo", command(ts=-1), INVALID),
        ("GetTableFunctionFlightInfo", b"{}", INVALID),
        ("GetTableFunctionFlightInfo", b'{"function_name": "nothing"}', NOT_FOUND),
        ("NoSuchAction", b"", grpc.StatusCode.UNIMPLEMENTED),
    ],
)
def test_actions_have_the_promised_codes(
    client: Client, name: str, body: bytes, code: grpc.StatusCode
) -> None:
    assert client.action_code(name, body)[0] is code
