from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import (
    AIRPORT,
    ORDERS,
    ROWS,
    Client,
    fill,
    fl,
    grow,
    serving,
    shop,
    stock,
)

NAMES = ["id", "name", "v", "rowid"]


Lake: TypeAlias = MemoryCatalog | IcebergCatalog


@pytest.fixture(params=["memory", "iceberg"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    if request.param == "memory":
        yield shop()
        return
    uri = f"sqlite:///{tmp_path / 'catalog.db'}"
    with IcebergCatalog(Profile("lake", "embedded", uri, f"{tmp_path}/warehouse", {})) as catalog:
        stock(catalog)
        yield catalog


@pytest.fixture
def client(lake: Lake) -> Iterator[Client]:
    with serving([lake, shop("other")]) as made:
        yield made


@pytest.fixture
def duckdb(client: Client) -> Client:
    return client.having(AIRPORT, ("airport-catalog", "lake"))


def unwrap(wrapped: bytes) -> Any:
    length, data = msgpack.unpackb(wrapped)
    return msgpack.unpackb(pa.Codec("zstd").decompress(data, length, asbytes=True))


def schemas(client: Client, catalog: str = "lake") -> dict[str, dict[str, Any]]:
    """What the client makes of `list_schemas`, hashes checked as it does."""
    root = unwrap(client.action("list_schemas", msgpack.packb({"catalog_name": catalog})))
    found: dict[str, dict[str, Any]] = {}
    for schema in root["schemas"]:
        contents = schema["contents"]
        assert hashlib.sha256(contents["serialized"]).hexdigest() == contents["sha256"]
        infos = [fl.FlightInfo.deserialize(each) for each in unwrap(contents["serialized"])]
        found[schema["name"]] = {msgpack.unpackb(info.app_metadata)["name"]: info for info in infos}
    return found


# -- list_schemas ----------------------------------------------------------------------------------


def test_list_schemas_describes_tables_as_duckdb_needs_them(duckdb: Client) -> None:
    info = schemas(duckdb)["shop"]["orders"]
    metadata = msgpack.unpackb(info.app_metadata)
    assert metadata["type"] == "table"
    assert (metadata["catalog"], metadata["schema"], metadata["name"]) == ("lake", "shop", "orders")
    assert metadata["comment"] == "all orders"
    assert info.schema.names == NAMES
    assert info.schema.field("rowid").metadata == {b"is_rowid": b"1"}
    assert info.schema.field("id").metadata[b"comment"] == b"the key"
    assert info.schema.field("name").metadata[b"default"] == b"'zz'"
    assert not info.schema.field("id").nullable
    checks = msgpack.unpackb(info.schema.metadata[b"check_constraints"])
    assert checks == {"constraints": ["(id > 0)"]}


def test_descriptors_for_duckdb_say_which_layout_it_was_told(duckdb: Client, lake: Lake) -> None:
    state = lake.namespace("shop").table("orders").state()
    path = schemas(duckdb)["shop"]["orders"].descriptor.path
    layout = f"@{state.schema_id}.{state.uuid.replace('-', '')[:8]}"
    assert path == [b"shop", b"orders", layout.encode()]


def test_standard_clients_get_plain_paths_and_an_endpoint(client: Client) -> None:
    info = schemas(client)["shop"]["orders"]
    assert info.descriptor.path == [b"shop", b"orders"]
    assert client.rows(info).num_rows == 3


def test_paths_lead_back_into_the_catalog_they_were_listed_of(client: Client) -> None:
    """Two names alone would be a table of the default catalog's."""
    info = schemas(client, "other")["shop"]["orders"]
    assert info.descriptor.path == [b"other", b"shop", b"orders"]
    again = client.flight.get_flight_info(info.descriptor, client.options)
    assert msgpack.unpackb(again.app_metadata)["catalog"] == "other"


@pytest.mark.parametrize("body", [b"", msgpack.packb({}), msgpack.packb({"catalog_name": ""})])
def test_list_schemas_without_a_name_is_about_the_default_catalog(
    client: Client, body: bytes
) -> None:
    root = unwrap(client.having(AIRPORT).action("list_schemas", body))
    (schema,) = root["schemas"]
    (first, _) = unwrap(schema["contents"]["serialized"])
    # An attachment without a name accepts only objects of the catalog "".
    assert msgpack.unpackb(fl.FlightInfo.deserialize(first).app_metadata)["catalog"] == ""
    assert schema["description"] == "what we sell"
    assert schema["tags"] == {"team": "sales"}


def test_the_catalog_is_spelled_as_it_was_attached(client: Client) -> None:
    duckdb = client.having(AIRPORT, ("airport-catalog", "LAKE"))
    info = schemas(duckdb, "LAKE")["shop"]["orders"]
    assert msgpack.unpackb(info.app_metadata)["catalog"] == "LAKE"


def test_a_new_table_is_listed_at_once(duckdb: Client, lake: Lake) -> None:
    before = duckdb.packed("catalog_version", catalog_name="lake")
    assert "new" not in schemas(duckdb)["shop"]
    lake.namespace("shop").create_table("new", Definition(ORDERS))
    after = duckdb.packed("catalog_version", catalog_name="lake")
    assert "new" in schemas(duckdb)["shop"]
    assert before["is_fixed"] is after["is_fixed"] is False
    assert after["catalog_version"] > before["catalog_version"]


def test_an_altered_table_has_another_layout(duckdb: Client, lake: Lake) -> None:
    before = schemas(duckdb)["shop"]["orders"].descriptor.path
    grow(lake.namespace("shop").table("orders"), "more")
    info = schemas(duckdb)["shop"]["orders"]
    assert info.schema.names == ["id", "name", "v", "more", "rowid"]
    assert info.descriptor.path != before


def test_main_is_for_standard_clients_alone(client: Client, duckdb: Client, lake: Lake) -> None:
    lake.create_namespace(NamespaceInfo("Main")).create_table("t", Definition(ORDERS))
    assert set(schemas(duckdb)) == {"shop"}
    assert set(schemas(client)) == {"Main", "shop"}
    root = unwrap(client.action("list_schemas"))
    assert [each["name"] for each in root["schemas"] if each["is_default"]] == ["Main"]
    assert client.info("main", "t").schema.names == NAMES


# -- several catalogs ------------------------------------------------------------------------------


def test_header_and_body_may_not_disagree(duckdb: Client) -> None:
    for name in ("list_schemas", "catalog_version", "create_transaction"):
        code, text = duckdb.action_code(name, msgpack.packb({"catalog_name": "other"}))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "`other`" in text


def test_an_unknown_catalog_is_not_found(client: Client) -> None:
    body = msgpack.packb({"catalog_name": "nowhere"})
    assert client.action_code("catalog_version", body)[0] is grpc.StatusCode.NOT_FOUND
    lost = client.having(("airport-catalog", "nowhere"))
    assert lost.action_code("catalog_version")[0] is grpc.StatusCode.NOT_FOUND


def test_the_header_names_the_catalog_of_a_path(client: Client) -> None:
    info = client.having(("airport-catalog", "other")).info("shop", "orders")
    assert msgpack.unpackb(info.app_metadata)["catalog"] == "other"


def test_three_names_in_a_path_name_the_catalog(client: Client) -> None:
    info = client.info("other", "shop", "orders")
    assert msgpack.unpackb(info.app_metadata)["catalog"] == "other"
    assert client.rows(info).num_rows == 3


def test_databases_are_the_catalogs(client: Client) -> None:
    info = client.info("__databases")
    assert info.schema == pa.schema([("name", pa.string()), ("description", pa.string())])
    assert client.rows(info).column("name").to_pylist() == ["lake", "other"]


def test_endpoints_takes_every_descriptor_that_get_flight_info_takes(client: Client) -> None:
    command = b'{"schema_name":"shop","table_name":"orders"}'
    function = b'{"function_name":"nothing"}'
    for descriptor in (
        FlightDescriptor(path=("shop", "orders")),
        FlightDescriptor(path=("lake", "shop", "orders")),
        FlightDescriptor(path=("__databases",)),
        FlightDescriptor(command=command),
    ):
        answer = client.packed("endpoints", descriptor=descriptor.encode(), parameters={})
        for each in answer:
            endpoint = fl.FlightEndpoint.deserialize(each)
            assert endpoint.locations
            assert client.flight.do_get(endpoint.ticket).read_all().num_rows > 0
    body = msgpack.packb({"descriptor": FlightDescriptor(command=function).encode()})
    assert client.action_code("endpoints", body)[0] is grpc.StatusCode.NOT_FOUND


# -- GetFlightInfo, GetSchema, PollFlightInfo ------------------------------------------------------


def test_flight_info_of_a_table_leads_to_its_rows(client: Client) -> None:
    info = client.info("shop", "orders")
    assert info.descriptor.path == [b"shop", b"orders"]
    assert info.schema.names == NAMES
    assert info.total_records == 3
    read = client.rows(info).drop_columns("rowid")
    assert read.cast(ORDERS).equals(pa.Table.from_batches([ROWS]))


def test_the_one_endpoint_points_at_the_server_itself(client: Client) -> None:
    (endpoint,) = client.info("shop", "orders").endpoints
    first, second = (location.uri for location in endpoint.locations)
    assert first.startswith(b"grpc://127.0.0.1:")
    assert second == b"arrow-flight-reuse-connection://?"
    fl.connect(first).close()


def test_a_public_address_is_named_instead() -> None:
    with serving([shop()], public="grpc+tls://lake.example.com:8815") as client:
        (endpoint,) = client.info("shop", "orders").endpoints
    assert endpoint.locations[0].uri == b"grpc+tls://lake.example.com:8815"


def test_names_are_found_in_any_spelling(client: Client) -> None:
    assert client.info("SHOP", "Orders").schema.names == NAMES


def test_odd_names_work_raw_and_encoded(duckdb: Client, client: Client, lake: Lake) -> None:
    namespace = lake.create_namespace(NamespaceInfo("größe"))
    for name in ("täble", "@at", "100%", "100%41", "日本 語"):
        fill(namespace.create_table(name, Definition(ORDERS)))
        info = schemas(duckdb)["größe"][name]
        path = [part.decode("ascii") for part in info.descriptor.path]
        assert client.rows(client.info(*path[:2])).num_rows == 3
        assert client.rows(client.info("größe", name)).num_rows == 3
        metadata = msgpack.unpackb(duckdb.info(*path).app_metadata)
        assert (metadata["schema"], metadata["name"]) == ("größe", name)


def test_the_json_command_is_a_descriptor(client: Client) -> None:
    command = json.dumps({"schema_name": "shop", "table_name": "orders", "columns": ["id"]})
    descriptor = fl.FlightDescriptor.for_command(command)
    info = client.flight.get_flight_info(descriptor)
    assert info.descriptor.command == command.encode()
    read = client.rows(info)
    assert read.column_names == NAMES
    assert read.column("id").to_pylist() == [1, 2, 3]
    assert read.column("v").null_count == 3
    assert client.flight.get_schema(descriptor).schema.names == NAMES


def test_a_limit_in_the_command_is_kept(client: Client) -> None:
    command = b'{"schema_name": "shop", "table_name": "orders", "limit": 2}'
    info = client.flight.get_flight_info(fl.FlightDescriptor.for_command(command))
    assert client.rows(info).num_rows == 2


@pytest.mark.parametrize(
    ("moment", "rows"), [({}, 3), ({"ts": 0}, 0), ({"ts": 2**33}, 0), ({"ts_ns": 1}, 0)]
)
def test_before_existence_and_in_the_future_there_are_no_rows(
    client: Client, moment: dict[str, int], rows: int
) -> None:
    command = json.dumps({"schema_name": "shop", "table_name": "orders", **moment})
    info = client.flight.get_flight_info(fl.FlightDescriptor.for_command(command))
    assert info.schema.names == NAMES
    assert client.rows(info).num_rows == rows


@pytest.mark.parametrize("method", ["GetFlightInfo", "GetSchema", "PollFlightInfo"])
@pytest.mark.parametrize(
    ("descriptor", "code"),
    [
        (FlightDescriptor(path=("shop", "nothing")), grpc.StatusCode.NOT_FOUND),
        (FlightDescriptor(path=("nowhere", "orders")), grpc.StatusCode.NOT_FOUND),
        (FlightDescriptor(path=("orders",)), grpc.StatusCode.INVALID_ARGUMENT),
        (FlightDescriptor(path=("a", "b", "c", "d")), grpc.StatusCode.INVALID_ARGUMENT),
        (FlightDescriptor(command=b"{"), grpc.StatusCode.INVALID_ARGUMENT),
        (FlightDescriptor(command=b"SELECT 1"), grpc.StatusCode.INVALID_ARGUMENT),
        (
            FlightDescriptor(command=b'{"schema_name":"shop","table_name":"orders","ts":-1}'),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (
            FlightDescriptor(
                command=b'{"schema_name":"shop","table_name":"orders","ts":1,"ts_ns":1}'
            ),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ],
)
def test_errors_have_the_contracts_codes(
    client: Client, method: str, descriptor: FlightDescriptor, code: grpc.StatusCode
) -> None:
    assert client.code_of(method, descriptor.encode())[0] is code


def test_the_empty_descriptor_is_the_whole_catalog(client: Client) -> None:
    for descriptor in (fl.FlightDescriptor.for_command(b""), fl.FlightDescriptor.for_path()):
        info = client.flight.get_flight_info(descriptor)
        reader = pa.CompressedInputStream(pa.BufferReader(info.app_metadata), "zstd")
        catalog = msgpack.unpackb(reader.read())
        (schema,) = catalog["schemas"]
        assert (schema["name"], schema["comment"]) == ("shop", "what we sell")
        tables = {table["name"]: table for table in schema["tables"]}
        assert set(tables) == {"customers", "orders"}
        assert "comment" not in tables["customers"]
        assert tables["orders"]["comment"] == "all orders"
        read = pa.ipc.read_schema(pa.py_buffer(tables["orders"]["schema"]))
        assert read.names == NAMES
        assert client.flight.get_schema(descriptor).schema == pa.schema([])


def test_a_poll_is_answered_completely(client: Client) -> None:
    call = client.channel.unary_unary("/arrow.flight.protocol.FlightService/PollFlightInfo")
    answer = call(FlightDescriptor(path=("shop", "orders")).encode(), timeout=30)
    assert client.info("shop", "orders").serialize() in answer


# -- ListFlights -----------------------------------------------------------------------------------


def listed(client: Client, criteria: bytes = b"") -> list[list[bytes]]:
    return [info.descriptor.path for info in client.flight.list_flights(criteria, client.options)]


def test_standard_clients_are_listed_every_catalog(client: Client) -> None:
    assert listed(client) == [
        [b"shop", b"customers"],
        [b"shop", b"orders"],
        [b"other", b"shop", b"customers"],
        [b"other", b"shop", b"orders"],
    ]
    for info in client.flight.list_flights():
        assert client.rows(info).schema.names == info.schema.names


def test_filter_headers_choose_catalog_and_schema(client: Client, lake: Lake) -> None:
    lake.create_namespace(NamespaceInfo("empty"))
    only = ("airport-list-flights-filter-catalog", "lake")
    for schema, count in (("shop", 2), ("empty", 0), ("nothing", 0)):
        duckdb = client.having(AIRPORT, only, ("airport-list-flights-filter-schema", schema))
        infos = list(duckdb.flight.list_flights(b"", duckdb.options))
        assert len(infos) == count
        for info in infos:
            metadata = msgpack.unpackb(info.app_metadata)
            assert (metadata["catalog"], metadata["schema"]) == ("lake", schema)


def test_criteria_are_a_glob_of_names(client: Client) -> None:
    assert listed(client.having(("airport-catalog", "lake")), b"shop.O*") == [[b"shop", b"orders"]]


# -- flight_info and time travel -------------------------------------------------------------------


def test_the_point_of_a_time_travel_has_its_own_descriptor(duckdb: Client, lake: Lake) -> None:
    orders = lake.namespace("shop").table("orders")
    told = schemas(duckdb)["shop"]["orders"].descriptor.serialize()
    grow(orders, "more")

    def ask(descriptor: bytes, value: str) -> Any:
        body = {"descriptor": descriptor, "at_unit": "VERSION", "at_value": value}
        return fl.FlightInfo.deserialize(duckdb.action("flight_info", msgpack.packb(body)))

    past = ask(told, "1")
    assert past.schema.names == NAMES
    assert msgpack.unpackb(past.app_metadata)["type"] == "table"
    again = ask(past.descriptor.serialize(), "1")
    assert again.descriptor == past.descriptor
    now = ask(told, "2")
    assert now.schema.names == ["id", "name", "v", "more", "rowid"]
    assert now.descriptor != past.descriptor


def test_flight_info_without_a_point_echoes_its_descriptor(duckdb: Client) -> None:
    told = schemas(duckdb)["shop"]["orders"].descriptor
    body = {"descriptor": told.serialize(), "at_unit": "", "at_value": ""}
    info = fl.FlightInfo.deserialize(duckdb.action("flight_info", msgpack.packb(body)))
    assert info.descriptor == told
