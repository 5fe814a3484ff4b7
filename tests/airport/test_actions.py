from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.functions import Signature
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.streams import BatchStream
from tests.airport.airport_server import (
    AIRPORT,
    ORDERS,
    Audit,
    Client,
    fl,
    serving,
    shop,
)

SERIES = pa.schema([("n", pa.int64())])


@dataclass(frozen=True)
class Counted:
    numbers: range

    @property
    def schema(self) -> pa.Schema:
        return SERIES

    @property
    def rows(self) -> int | None:
        return len(self.numbers)

    def open(self, request: ScanRequest) -> BatchStream:
        del request
        batch = pa.record_batch({"n": pa.array(self.numbers, pa.int64())}, schema=SERIES)
        return BatchStream(SERIES, (each for each in [batch]))


@dataclass(frozen=True)
class Count:
    """`count(start, stop[, step])`, stop inclusive."""

    names: tuple[str, ...]

    @property
    def signature(self) -> Signature:
        return Signature("count", pa.schema([(name, pa.int64()) for name in self.names]), "counts")

    @property
    def returns(self) -> pa.Schema:
        return SERIES

    def bind(self, arguments: pa.RecordBatch) -> Counted:
        start, stop, *step = (column[0].as_py() for column in arguments.columns)
        return Counted(range(start, stop + 1, *step))


@pytest.fixture
def lake() -> MemoryCatalog:
    return shop()


@pytest.fixture
def audit() -> Audit:
    return Audit()


@pytest.fixture
def client(lake: MemoryCatalog, audit: Audit) -> Iterator[Client]:
    with serving([lake], audit=audit) as made:
        yield made


def ask(client: Client, name: str, **body: object) -> Any:
    return json.loads(client.action(name, json.dumps(body).encode()))


def refused(client: Client, name: str, body: bytes) -> grpc.StatusCode:
    code, _ = client.action_code(name, body)
    return code


# -- ListActions -----------------------------------------------------------------------------------


def test_actions_are_listed_with_the_contracts_descriptions(client: Client) -> None:
    listed = {each.type: each.description for each in client.flight.list_actions()}
    assert listed == {
        "list_schemas": "List all schemas",
        "catalog_version": "Get catalog version",
        "flight_info": "Get flight info for a table",
        "table_function_flight_info": "Get flight info for table function",
        "endpoints": "Get endpoints with time-travel support",
        "column_statistics": "Get column statistics",
        "create_transaction": "Start a transaction",
        "get_transaction_status": "Get transaction state",
        "create_schema": "Create a new schema",
        "drop_schema": "Drop an existing schema",
        "create_table": "Create a new table",
        "drop_table": "Drop an existing table",
        "rename_table": "Rename a table",
        "add_column": "Add column to table",
        "remove_column": "Remove column from table",
        "rename_column": "Rename a column",
        "change_column_type": "Change column type",
        "set_not_null": "Add NOT NULL constraint",
        "drop_not_null": "Remove NOT NULL constraint",
        "set_default": "Set column default value",
        "add_field": "Add field to struct column",
        "remove_field": "Remove field from struct column",
        "rename_field": "Rename field in struct column",
        "add_constraint": "Add constraint to table",
        "CreateSchema": "Create a new schema",
        "DropSchema": "Drop an existing schema",
        "CreateTable": "Create a new table with Arrow schema",
        "DropTable": "Drop an existing table",
        "AlterTableAddColumn": "Add a column to a table",
        "AlterTableDropColumn": "Drop a column from a table",
        "Delete": "Delete rows by rowid",
        "ListDroppedTables": "List dropped tables that can be brought back",
        "UndropTable": "Bring a dropped table back",
        "GetFlightInfo": "Get table metadata and endpoints",
        "GetSchemas": "List all schemas in catalog",
        "GetTables": "List all tables in a schema",
        "GetTableFunctionFlightInfo": "Get metadata for parameterized table functions",
        "ListTables": "List tables with what is known of them",
        "TableDetails": "Describe a table, now or at a point in time",
        "TableHistory": "List the snapshots of a table",
    }


def test_every_listed_action_refuses_nonsense_as_an_invalid_argument(client: Client) -> None:
    for each in client.flight.list_actions():
        assert refused(client, each.type, b"\xc1\xff") is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("name", ["", "Nothing", "LIST_SCHEMAS"])
def test_an_action_that_is_not_listed_is_unimplemented(client: Client, name: str) -> None:
    assert refused(client, name, b"") is grpc.StatusCode.UNIMPLEMENTED


# -- transactions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", msgpack.packb({"catalog_name": "lake"})])
def test_every_transaction_has_its_own_id(client: Client, body: bytes) -> None:
    ids = {msgpack.unpackb(client.action("create_transaction", body))["identifier"] for _ in "123"}
    assert len(ids) == 3
    for each in ids:
        uuid.UUID(each)


def test_a_transaction_has_the_status_of_its_last_exchange(client: Client, audit: Audit) -> None:
    made = client.packed("create_transaction")["identifier"]
    for outcome, status in ((None, "active"), ("OK", "committed"), ("ABORTED", "aborted")):
        if outcome is not None:
            audit.outcomes[made] = outcome
        answer = client.packed("get_transaction_status", transaction_id=made)
        assert answer == {"status": status, "exists": True}


@pytest.mark.parametrize("made", ["", "x", "0" * 32, "'; DROP TABLE t", "é" * 36])
def test_a_malformed_transaction_id_is_refused(client: Client, made: str) -> None:
    body = msgpack.packb({"transaction_id": made})
    assert refused(client, "get_transaction_status", body) is grpc.StatusCode.INVALID_ARGUMENT


# -- contract 001 ----------------------------------------------------------------------------------


def test_get_schemas_leaves_out_empty_comments(client: Client, lake: MemoryCatalog) -> None:
    lake.create_namespace(NamespaceInfo("archive"))
    assert ask(client, "GetSchemas") == {
        "schemas": [
            {"schema_name": "archive"},
            {"schema_name": "shop", "comment": "what we sell"},
        ]
    }
    assert ask(client, "GetSchemas", catalog_name="LAKE") == ask(client, "GetSchemas")
    assert json.loads(client.action("GetSchemas")) == ask(client, "GetSchemas")


def test_get_tables_counts_columns_without_the_row_id(client: Client) -> None:
    assert ask(client, "GetTables", schema_name="Shop") == {
        "tables": [
            {"table_name": "customers", "column_count": 1},
            {"table_name": "orders", "comment": "all orders", "column_count": 3},
        ]
    }


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", ["customers", "events_1", "events_2", "orders"]),
        ("events_*", ["events_1", "events_2"]),
        ("EVENTS_?", ["events_1", "events_2"]),
        ("events_[1]", ["events_1"]),
        ("events", []),
        (None, ["customers", "events_1", "events_2", "orders"]),
    ],
)
def test_get_tables_takes_a_glob(
    client: Client, lake: MemoryCatalog, pattern: str | None, names: list[str]
) -> None:
    for name in ("events_1", "events_2"):
        lake.namespace("shop").create_table(name, Definition(ORDERS))
    answer = ask(client, "GetTables", schema_name="shop", table_name_pattern=pattern)
    assert [table["table_name"] for table in answer["tables"]] == names


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{}", grpc.StatusCode.INVALID_ARGUMENT),
        (b"", grpc.StatusCode.INVALID_ARGUMENT),
        (b'{"schema_name": ""}', grpc.StatusCode.INVALID_ARGUMENT),
        (b'{"schema_name": 1}', grpc.StatusCode.INVALID_ARGUMENT),
        (b'{"schema_name": "nowhere"}', grpc.StatusCode.NOT_FOUND),
        (b'{"schema_name": "shop", "catalog_name": "no"}', grpc.StatusCode.NOT_FOUND),
    ],
)
def test_get_tables_needs_a_schema_that_exists(
    client: Client, body: bytes, code: grpc.StatusCode
) -> None:
    assert refused(client, "GetTables", body) is code


def test_the_action_get_flight_info_answers_a_serialised_one(client: Client) -> None:
    body = b'{"schema_name": "shop", "table_name": "orders"}'
    info = fl.FlightInfo.deserialize(client.action("GetFlightInfo", body))
    assert info.descriptor.command == body
    assert client.rows(info).num_rows == 3
    gone = b'{"schema_name": "shop", "table_name": "nothing"}'
    assert refused(client, "GetFlightInfo", gone) is grpc.StatusCode.NOT_FOUND


# -- table functions -------------------------------------------------------------------------------


@pytest.fixture
def functions(lake: MemoryCatalog) -> MemoryCatalog:
    namespace = lake.create_namespace(NamespaceInfo("maths"))
    namespace.add_function(Count(("start", "stop")))
    namespace.add_function(Count(("start", "stop", "step")))
    return lake


def function_info(client: Client, **body: object) -> Any:
    answer = client.action("GetTableFunctionFlightInfo", json.dumps(body).encode())
    return fl.FlightInfo.deserialize(answer)


@pytest.mark.usefixtures("functions")
def test_a_function_is_bound_and_read(client: Client) -> None:
    info = function_info(client, function_name="count", parameters={"start": 1, "stop": 100})
    assert info.schema == SERIES
    assert info.total_records == 100
    assert client.rows(info).column("n").to_pylist() == list(range(1, 101))
    again = client.flight.get_flight_info(info.descriptor)
    assert client.rows(again).num_rows == 100
    assert client.flight.get_schema(info.descriptor).schema == SERIES


@pytest.mark.usefixtures("functions")
def test_overloads_are_told_apart_by_their_parameters(client: Client) -> None:
    parameters = {"start": 1, "stop": 9, "step": 4}
    info = function_info(client, function_name="COUNT", parameters=parameters)
    assert client.rows(info).column("n").to_pylist() == [1, 5, 9]


@pytest.mark.usefixtures("functions")
def test_a_standard_client_may_write_the_ticket_itself(client: Client) -> None:
    wanted = {"function_name": "count", "parameters": {"start": 2, "stop": 3}}
    for ticket in (json.dumps(wanted).encode(), msgpack.packb(wanted)):
        assert client.flight.do_get(fl.Ticket(ticket)).read_all().num_rows == 2


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"function_name": "nothing"}, grpc.StatusCode.NOT_FOUND),
        ({"function_name": "count"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"function_name": "count", "parameters": []}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"function_name": "count", "parameters": {"start": 1}}, grpc.StatusCode.INVALID_ARGUMENT),
        (
            {"function_name": "count", "parameters": {"start": 1, "stop": 2, "by": 3}},
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        *(
            (
                {"function_name": "count", "parameters": {"start": 1, "stop": value}},
                grpc.StatusCode.INVALID_ARGUMENT,
            )
            for value in ("2", 2.5, True, None, 2**63, [2])
        ),
    ],
)
def test_wrong_parameters_are_an_invalid_argument(
    client: Client, body: dict[str, object], code: grpc.StatusCode
) -> None:
    assert refused(client, "GetTableFunctionFlightInfo", json.dumps(body).encode()) is code


def test_an_ambiguous_name_needs_its_schema(client: Client, functions: MemoryCatalog) -> None:
    functions.create_namespace(NamespaceInfo("more")).add_function(Count(("start", "stop")))
    body: dict[str, object] = {"function_name": "count", "parameters": {"start": 1, "stop": 2}}
    name = "GetTableFunctionFlightInfo"
    assert refused(client, name, json.dumps(body).encode()) is grpc.StatusCode.INVALID_ARGUMENT
    assert client.rows(function_info(client, **body, schema_name="more")).num_rows == 2


@pytest.mark.usefixtures("functions")
def test_functions_are_listed_to_everybody(client: Client) -> None:
    def listed(client: Client) -> list[str]:
        infos = client.flight.list_flights(b"", client.options)
        return [msgpack.unpackb(info.app_metadata)["name"] for info in infos]

    assert listed(client) == ["count", "count", "customers", "orders"]
    assert sorted(listed(client.having(AIRPORT))) == ["count", "count", "customers", "orders"]
