"""Contract 002, the Airport protocol: what it says of reading, sentence by sentence.

| the contract | the test |
|---|---|
| GetFlightInfo(empty): "FlightInfo with catalog (msgpack + zstd compressed)" | `test_the_empty_descriptor_answers_the_catalog` |
| "Schema names and comments; table names, comments, and Arrow schemas" | `test_the_empty_descriptor_answers_the_catalog` |
| "Function signatures and types" | `test_functions_come_with_their_signatures` |
| `omitempty` of comments and functions | `test_the_empty_descriptor_answers_the_catalog` |
| scan: GetFlightInfo(table_ref) → DoGet(ticket) → batches | `test_a_table_is_scanned_as_the_flow_shows` |
| path `[catalog_name, schema_name, table_name]` | `test_a_three_part_reference_names_a_table` |
| action names use `snake_case`; the metadata and transaction tables | `test_the_protocols_actions_are_listed` |
| `flight_info`: table reference → FlightInfo | `test_flight_info_answers_a_flight_info` |
| `list_schemas`: empty → schema list | `test_list_schemas_takes_an_empty_body` |
| `endpoints`: table ref + time point | `test_every_unit_of_time_travels` |
| `catalog_version`: empty → version info | `test_version_and_transaction_take_an_empty_body` |
| `column_statistics`: table ref + column → statistics data | `test_statistics_of_a_column` |
| `create_transaction`, `get_transaction_status` | `test_version_and_transaction_take_an_empty_body` |
| function arguments "msgpack-encoded values in the ticket" | `test_a_ticket_carries_a_functions_arguments` |
| bearer token in `authorization`; identity for all subsequent calls | `test_a_bearer_token_is_an_identity` |
| "DoGet returns data for all columns"; full schema | `test_a_projection_keeps_the_full_schema` |
| ScanOptions: Columns, Filter, Limit, TimePoint | `test_scan_options_are_honoured` |
| the filter example, `children` and all | `test_the_contracts_filter_selects_its_rows` |
| time units `timestamp`, `version`, `snapshot` | `test_every_unit_of_time_travels` |
| the error table | `test_conditions_have_their_codes`, `test_who_may_not_is_told_so` |
| "Large datasets are streamed as multiple Arrow batches" | `test_a_table_is_scanned_as_the_flow_shows` |
| "Standard Flight clients: basic GetFlightInfo/DoGet" | every test here |

Not here: DDL, DML and functions by DoExchange (they come with the writing), `data://` endpoints (never
emitted: rows come from the server), message size and TLS (`tests/flight`).
"""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import Client, People, fl
from tests.airport.contracts.contract_lake import (
    ANNOUNCED,
    EVENTS,
    ContractLake,
    contract_server,
)

EVENTS_PATH = FlightDescriptor(path=("analytics", "events"))
FILTER = {
    "filters": [
        {
            "expression_class": "BOUND_COMPARISON",
            "type": "COMPARE_EQUAL",
            "return_type": {"id": "BOOLEAN", "type_info": None},
            "children": [
                {
                    "expression_class": "BOUND_COLUMN_REF",
                    "binding": {"table_index": 0, "column_index": 1},
                    "return_type": {"id": "VARCHAR", "type_info": None},
                },
                {
                    "expression_class": "BOUND_CONSTANT",
                    "value": {"is_null": False, "value": "active"},
                    "return_type": {"id": "VARCHAR", "type_info": None},
                },
            ],
        }
    ],
    "column_binding_names_by_index": ["id", "status", "created_at"],
}


def ids(rows: pa.Table) -> list[Any]:
    values: list[Any] = rows.column("id").to_pylist()
    return sorted(values)


def scan(client: Client, **parameters: object) -> pa.Table:
    """All endpoints of `events`, each with a location, each as wide as the table."""
    body = {"descriptor": EVENTS_PATH.encode(), "parameters": parameters}
    tables = []
    for each in msgpack.unpackb(client.action("endpoints", msgpack.packb(body))):
        endpoint = fl.FlightEndpoint.deserialize(each)
        assert endpoint.locations
        tables.append(client.flight.do_get(endpoint.ticket, client.options).read_all())
        assert tables[-1].column_names == ANNOUNCED
    return pa.concat_tables(tables) if tables else EVENTS.empty_table()


def catalog_info(client: Client) -> dict[str, Any]:
    info = client.flight.get_flight_info(fl.FlightDescriptor.for_command(b""))
    reader = pa.CompressedInputStream(pa.BufferReader(info.app_metadata), "zstd")
    found: dict[str, Any] = msgpack.unpackb(reader.read())
    return found


# -- discovery -------------------------------------------------------------------------------------


def test_the_empty_descriptor_answers_the_catalog(client: Client) -> None:
    schemas = {each["name"]: each for each in catalog_info(client)["schemas"]}
    assert set(schemas) == {"analytics", "maths", "staging"}
    assert schemas["analytics"]["comment"] == "what happens"
    assert "comment" not in schemas["staging"]
    assert schemas["staging"]["tables"] == []
    assert "table_functions" not in schemas["analytics"]
    tables = {each["name"]: each for each in schemas["analytics"]["tables"]}
    assert set(tables) == {"events", "events_daily", "users"}
    assert tables["events"]["comment"] == "everything"
    assert "comment" not in tables["users"]
    schema = pa.ipc.read_schema(pa.py_buffer(tables["events"]["schema"]))
    assert schema.equals(client.info("analytics", "events").schema)


def test_functions_come_with_their_signatures(client: Client) -> None:
    (maths,) = [each for each in catalog_info(client)["schemas"] if each["name"] == "maths"]
    (function,) = maths["table_functions"]
    assert function["name"] == "generate_series"
    assert function["comment"] == "Whole numbers from start to stop, both included."
    signature = function["signature"]
    parameters = [pa.ipc.read_schema(pa.py_buffer(each)) for each in signature["parameters"]]
    assert parameters == [pa.schema([(name, pa.int64())]) for name in ("start", "stop")]
    assert isinstance(signature["return"], bytes)


def test_list_schemas_takes_an_empty_body(client: Client) -> None:
    length, data = msgpack.unpackb(client.action("list_schemas"))
    root = msgpack.unpackb(pa.Codec("zstd").decompress(data, length, asbytes=True))
    assert [each["name"] for each in root["schemas"]] == ["analytics", "maths", "staging"]
    for each in root["schemas"]:
        contents = each["contents"]
        assert hashlib.sha256(contents["serialized"]).hexdigest() == contents["sha256"]
        assert isinstance(each["description"], str)
        assert isinstance(each["tags"], dict)
    assert root["version_info"]["is_fixed"] is False


def test_the_protocols_actions_are_listed(client: Client) -> None:
    listed = {each.type: each.description for each in client.flight.list_actions()}
    assert listed.items() >= {
        ("flight_info", "Get flight info for a table"),
        ("list_schemas", "List all schemas"),
        ("endpoints", "Get endpoints with time-travel support"),
        ("catalog_version", "Get catalog version"),
        ("column_statistics", "Get column statistics"),
        ("create_transaction", "Start a transaction"),
        ("get_transaction_status", "Get transaction state"),
    }


def test_version_and_transaction_take_an_empty_body(client: Client) -> None:
    version = msgpack.unpackb(client.action("catalog_version"))
    assert version["catalog_version"] >= 0
    assert version["is_fixed"] is False
    made = msgpack.unpackb(client.action("create_transaction"))["identifier"]
    assert str(uuid.UUID(made)) == made
    assert "status" in client.packed("get_transaction_status", transaction_id=made)


# -- scans -----------------------------------------------------------------------------------------


def test_a_table_is_scanned_as_the_flow_shows(client: Client) -> None:
    info = client.info("analytics", "events")
    reader = client.flight.do_get(info.endpoints[0].ticket)
    batches = [chunk.data for chunk in reader]
    assert len(batches) > 1
    assert ids(pa.Table.from_batches(batches)) == [1, 2, 3]


def test_a_three_part_reference_names_a_table(client: Client) -> None:
    info = client.info("lake", "analytics", "events")
    assert info.schema.names == ANNOUNCED
    assert ids(client.rows(info)) == [1, 2, 3]


def test_flight_info_answers_a_flight_info(client: Client) -> None:
    body = msgpack.packb({"descriptor": EVENTS_PATH.encode()})
    info = fl.FlightInfo.deserialize(client.action("flight_info", body))
    assert info.schema.names == ANNOUNCED
    metadata = msgpack.unpackb(info.app_metadata)
    assert (metadata["type"], metadata["schema"], metadata["name"]) == (
        "table",
        "analytics",
        "events",
    )


def test_a_projection_keeps_the_full_schema(client: Client) -> None:
    rows = scan(client, column_ids=[0])
    assert ids(rows) == [1, 2, 3]
    assert rows.column("status").null_count == 3
    assert rows.schema.types == client.info("analytics", "events").schema.types


def test_scan_options_are_honoured(client: Client) -> None:
    for options, found in (
        ({"columns": ["id"]}, [1, 2, 3]),
        ({"filter": FILTER}, [1, 3]),
        ({"filter": json.dumps(FILTER)}, [1, 3]),
        ({"limit": 0}, []),
        ({"columns": ["id", "status"], "filter": FILTER, "limit": 5}, [1, 3]),
    ):
        cmd = json.dumps({"schema_name": "analytics", "table_name": "events", **options})
        info = client.flight.get_flight_info(fl.FlightDescriptor.for_command(cmd))
        rows = client.rows(info)
        assert rows.schema.equals(info.schema)
        assert ids(rows) == found
    cmd = json.dumps({"schema_name": "analytics", "table_name": "events", "limit": 2})
    assert client.flight.do_get(fl.Ticket(cmd.encode())).read_all().num_rows == 2


def test_the_contracts_filter_selects_its_rows(client: Client) -> None:
    rows = scan(client, json_filters=json.dumps(FILTER), column_ids=[0, 1])
    assert ids(rows) == [1, 3]
    assert set(rows.column("status").to_pylist()) == {"active"}


def test_every_unit_of_time_travels(client: Client, lake: ContractLake) -> None:
    for unit, value, found in (
        ("timestamp", "2024-01-01T01:00:00Z", [1]),
        ("timestamp", "2024-01-01T02:30:00Z", [1, 2]),
        ("TIMESTAMP", "2024-01-01 03:00:00", [1, 2, 3]),
        ("version", "2", [1, 2]),
        ("VERSION", "1", [1]),
        ("snapshot", lake.snapshots[0], [1]),
        ("snapshot", lake.snapshots[-1], [1, 2, 3]),
    ):
        assert ids(scan(client, at_unit=unit, at_value=value)) == found
        body = {"descriptor": EVENTS_PATH.encode(), "at_unit": unit, "at_value": value}
        info = fl.FlightInfo.deserialize(client.action("flight_info", msgpack.packb(body)))
        assert ids(client.rows(info)) == found


def test_statistics_of_a_column(client: Client) -> None:
    body = {"flight_descriptor": EVENTS_PATH.encode(), "column_name": "id", "type": "BIGINT"}
    with pa.ipc.open_stream(client.action("column_statistics", msgpack.packb(body))) as stream:
        (row,) = stream.read_all().to_pylist()
    assert row["has_not_null"] is True
    assert row["has_null"] in {True, False}
    assert row["distinct_count"] >= 0
    assert row["min"] in {None, 1}
    assert row["max"] in {None, 3}


def test_a_ticket_carries_a_functions_arguments(client: Client) -> None:
    call = {"function_name": "generate_series", "parameters": {"start": 5, "stop": 7}}
    rows = client.flight.do_get(fl.Ticket(msgpack.packb(call))).read_all()
    assert rows.column(0).to_pylist() == [5, 6, 7]


# -- authentication and errors ---------------------------------------------------------------------

_UNKNOWN_SCHEMA = FlightDescriptor(path=("nowhere", "events")).encode()
_UNKNOWN_TABLE = FlightDescriptor(path=("analytics", "nothing")).encode()


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("flight_info", {"descriptor": _UNKNOWN_SCHEMA}, grpc.StatusCode.NOT_FOUND),
        ("flight_info", {"descriptor": _UNKNOWN_TABLE}, grpc.StatusCode.NOT_FOUND),
        ("endpoints", {"descriptor": _UNKNOWN_SCHEMA}, grpc.StatusCode.NOT_FOUND),
        ("endpoints", {"descriptor": _UNKNOWN_TABLE}, grpc.StatusCode.NOT_FOUND),
        ("endpoints", {}, grpc.StatusCode.INVALID_ARGUMENT),
        (
            "endpoints",
            {"descriptor": EVENTS_PATH.encode(), "parameters": {"json_filters": "{"}},
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (
            "endpoints",
            {"descriptor": EVENTS_PATH.encode(), "parameters": {"at_unit": "x", "at_value": "1"}},
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (
            "column_statistics",
            {"flight_descriptor": EVENTS_PATH.encode(), "column_name": "nothing", "type": ""},
            grpc.StatusCode.NOT_FOUND,
        ),
        ("get_transaction_status", {}, grpc.StatusCode.INVALID_ARGUMENT),
        ("no_such_action", {}, grpc.StatusCode.UNIMPLEMENTED),
    ],
)
def test_conditions_have_their_codes(
    client: Client, name: str, body: dict[str, object], code: grpc.StatusCode
) -> None:
    assert client.action_code(name, msgpack.packb(body))[0] is code


def _people() -> People:
    ann = Identity("ann", frozenset({Grant(Ability.READ, "analytics.events")}))
    return People({"secret": ann})


def test_a_bearer_token_is_an_identity() -> None:
    with contract_server(_people()) as (_, client):
        ann = client.having(("authorization", "Bearer secret"))
        assert ids(ann.rows(ann.info("analytics", "events"))) == [1, 2, 3]
        with pytest.raises(fl.FlightUnauthenticatedError):
            client.info("analytics", "events")
        with pytest.raises(fl.FlightUnauthorizedError):
            ann.info("analytics", "users")


def test_who_may_not_is_told_so() -> None:
    users = FlightDescriptor(path=("analytics", "users")).encode()
    with contract_server(_people()) as (_, client):
        ann = client.having(("authorization", "Bearer secret"))
        wrong = client.having(("authorization", "Bearer wrong"))
        for who, code in (
            (client, grpc.StatusCode.UNAUTHENTICATED),
            (wrong, grpc.StatusCode.UNAUTHENTICATED),
            (ann, grpc.StatusCode.PERMISSION_DENIED),
        ):
            assert who.code_of("GetFlightInfo", users)[0] is code
            body = msgpack.packb({"descriptor": users})
            assert who.action_code("endpoints", body)[0] is code
