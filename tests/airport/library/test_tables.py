"""Tables that a program serves: data, functions, and objects with methods, over a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pandas as pd  # type: ignore[import-untyped]  # it ships no types
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.flight as fl
import pytest

from lakeport.airport import (
    Catalog,
    ColumnStatistics,
    FunctionCall,
    Scan,
    Schema,
    current_request,
)
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Check
from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import Attached, attached
from tests.airport.functions.guest import unwrap
from tests.airport.scans.duck import compare, path

DATA = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", None, "c"]})
COLUMNS: list[Field] = [pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())]
IDS = pa.schema(COLUMNS)


class Tasks:
    """Rows in a dictionary."""

    schema = IDS
    row_id = "id"
    constraints = (Check("(id > 0)", "positive"),)

    def __init__(self) -> None:
        self.rows: dict[int, str | None] = {1: "wash", 2: "cook"}

    def scan(self, scan: Scan) -> list[dict[str, Any]]:
        del scan
        return [{"id": key, "name": name} for key, name in self.rows.items()]

    def insert(self, rows: pa.Table) -> None:
        for row in rows.to_pylist():
            if row["id"] in self.rows:
                raise ValueError(f"there is a task {row['id']} already")
            self.rows[row["id"]] = row["name"]

    def update(self, row_ids: Any, rows: pa.Table) -> int:
        for key, row in zip(row_ids.to_pylist(), rows.to_pylist(), strict=True):
            self.rows[key] = row["name"]
        return len(row_ids)

    def delete(self, row_ids: Any) -> None:
        for key in row_ids.to_pylist():
            del self.rows[key]


@pytest.fixture
def lake() -> Catalog:
    return Catalog("lake")


@pytest.fixture
def shop(lake: Catalog) -> Schema:
    return lake.schema("shop", comment="what we sell")


@pytest.fixture
def client(lake: Catalog) -> Iterator[Attached]:
    with attached(lake) as made:
        yield made


def read(client: Attached, name: str, **parameters: object) -> list[dict[str, Any]]:
    return client.duck.scan(path("shop", name), **parameters).to_pylist()


def refusal(client: Attached, name: str) -> str:
    with pytest.raises((fl.FlightError, pa.ArrowException)) as told:
        read(client, name)
    return str(told.value)


@pytest.mark.parametrize(
    "source",
    [
        DATA,
        DATA.combine_chunks().to_batches()[0],
        ds.dataset(DATA),
        pl.DataFrame(DATA),
        pd.DataFrame({"id": [1, 2, 3], "name": ["a", None, "c"]}),
        DATA.to_pylist(),
    ],
    ids=["table", "batch", "dataset", "polars", "pandas", "mappings"],
)
def test_data_of_every_kind_is_a_table(client: Attached, shop: Schema, source: object) -> None:
    shop.table("t", source)
    assert read(client, "t") == DATA.to_pylist()


def opened() -> pa.RecordBatchReader:
    return DATA.to_reader()


def rows_one_by_one() -> Iterator[dict[str, Any]]:
    yield from DATA.to_pylist()


def pieces() -> Iterator[object]:
    yield DATA.slice(0, 1)
    yield pl.DataFrame(DATA.slice(1, 1))
    yield DATA.slice(2).to_batches()[0]


@pytest.mark.parametrize("reader", [opened, rows_one_by_one, pieces, lambda: DATA])
def test_functions_give_rows_for_every_read(client: Attached, shop: Schema, reader: Any) -> None:
    shop.table("t", reader, schema=DATA.schema)
    assert read(client, "t") == read(client, "t") == DATA.to_pylist()


def test_a_reader_is_told_what_is_wanted_and_may_ignore_it(client: Attached, shop: Schema) -> None:
    told: list[Scan] = []

    @shop.table("t", schema=DATA.schema)
    def t(scan: Scan) -> pa.Table:
        """All there is."""
        told.append(scan)
        return DATA

    found = read(client, "t", json_filters=compare("id", "COMPARE_GREATERTHAN", 1, ["id", "name"]))
    assert [row["id"] for row in found] == [2, 3]
    (scan,) = told
    assert (scan.where().text, scan.where().parameters) == ('"id" > ?', (1,))
    assert shop.table("t").state().definition.comment == "All there is."


def test_a_standard_client_gets_exactly_the_rows_it_asked_for(
    client: Attached, shop: Schema
) -> None:
    shop.table("t", lambda: DATA, schema=DATA.schema)
    filters = compare("id", "COMPARE_GREATERTHAN", 1, ["id", "name"])
    text = {"schema_name": "shop", "table_name": "t", "filter": filters, "limit": 1}
    descriptor = FlightDescriptor(command=json.dumps(text).encode())
    (endpoint,) = client.duck.info(descriptor).endpoints
    found = client.flight.do_get(endpoint.ticket).read_all()
    assert found.column("id").to_pylist() == [2]


def test_types_that_lose_nothing_are_converted(client: Attached, shop: Schema) -> None:
    given = pa.table({"id": pa.array([1], pa.int8()), "name": pa.array(["x"], pa.large_string())})
    shop.table("t", lambda: given, schema=DATA.schema)
    assert read(client, "t") == [{"id": 1, "name": "x"}]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (pa.table({"id": [1]}), "gave no column `name`"),
        (pa.table({"id": ["1"], "name": ["x"]}), "gave column `id` as string, and declares int64"),
        (pa.table({"id": pa.nulls(1, pa.int64()), "name": ["x"]}), "gave NULL in `id`"),
        ([{"id": "x", "name": "x"}], "gave a row that is not as it declares"),
        ([{"id": 1, "name": "x"}, 7], "gave a row that is not as it declares"),
        (7, "gave int instead of rows"),
    ],
    ids=["a column is missing", "another type", "NULL", "another value", "no row", "no rows"],
)
def test_what_is_not_as_declared_never_reaches_the_wire(
    client: Attached, shop: Schema, given: Any, told: str
) -> None:
    shop.table("t", lambda: given, schema=IDS)
    with pytest.raises((fl.FlightError, pa.ArrowException)) as error:
        read(client, "t")
    assert f"table `shop.t` {told}" in str(error.value)
    assert not isinstance(error.value, pa.ArrowInvalid)  # the caller cannot mend it


def test_what_a_reader_raises_is_told_and_ends_one_call(client: Attached, shop: Schema) -> None:
    def broken() -> Iterator[pa.Table]:
        yield DATA
        raise RuntimeError("the disk is on fire")

    def leaving() -> None:
        raise SystemExit(3)

    shop.table("t", broken, schema=DATA.schema).table("u", leaving, schema=DATA.schema)
    error = refusal(client, "t")
    assert "table `shop.t` raised RuntimeError: the disk is on fire" in error
    assert "Traceback" not in error
    assert "table `shop.u` raised SystemExit: 3" in refusal(client, "u")
    shop.table("v", DATA)
    assert len(read(client, "v")) == 3


def test_an_object_is_changed_through_its_methods(client: Attached, shop: Schema) -> None:
    tasks = Tasks()
    shop.table("tasks", tasks)
    table = path("shop", "tasks")
    assert client.insert(table, pa.table({"id": [7], "name": ["sing"]})).changed == 1
    found = client.read(table)
    assert found.column("rowid").to_pylist() == [1, 2, 7]
    changed = client.update(table, pa.table({"name": ["COOK"], "rowid": [2]}), returning=True)
    assert changed.rows == [{"name": "COOK", "rowid": 2}]
    gone = client.delete(table, [7, 1], returning=True)
    assert [(row["id"], row["name"]) for row in gone.rows] == [(7, "sing"), (1, "wash")]
    assert tasks.rows == {2: "COOK"}


def test_a_statement_that_fails_is_told_in_the_authors_words(
    client: Attached, shop: Schema
) -> None:
    tasks = Tasks()
    shop.table("tasks", tasks)
    with pytest.raises(grpc.RpcError) as twice:
        client.insert(path("shop", "tasks"), pa.table({"id": [1], "name": ["again"]}))
    assert twice.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "raised ValueError: there is a task 1 already" in twice.value.details()
    with pytest.raises(grpc.RpcError) as negative:
        client.insert(path("shop", "tasks"), pa.table({"id": [-1], "name": ["x"]}))
    assert "positive" in negative.value.details()
    nobody = pa.table({"name": ["x"], "rowid": pa.nulls(1, pa.int64())})
    with pytest.raises(grpc.RpcError) as null:
        client.update(path("shop", "tasks"), nobody)
    assert "`rowid` is NULL" in null.value.details()
    assert tasks.rows == {1: "wash", 2: "cook"}


def test_what_an_object_cannot_do_is_unsupported(client: Attached, shop: Schema) -> None:
    shop.table("t", DATA)
    with pytest.raises(grpc.RpcError) as told:
        client.insert(path("shop", "t"), DATA)
    assert told.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_memory_table_can_do_everything(client: Attached, shop: Schema) -> None:
    shop.memory_table("t", DATA, primary_key=["id"])
    table = path("shop", "t")
    with pytest.raises(grpc.RpcError) as told:
        client.insert(table, pa.table({"id": [1], "name": ["x"]}))
    assert told.value.code() is grpc.StatusCode.ALREADY_EXISTS
    assert client.delete(table, [client.read(table)["rowid"][0].as_py()]).changed == 1
    assert len(client.duck.scan(table, at_unit="VERSION", at_value="1")) == 3


def test_ddl_is_for_catalogs_that_allow_it(shop: Schema, client: Attached) -> None:
    with pytest.raises(grpc.RpcError) as told:
        client.create("made", DATA.schema)
    assert told.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert shop.tables() == []


def test_with_ddl_clients_make_tables_of_their_own() -> None:
    lake = Catalog("lake", ddl=True)
    lake.schema("shop")
    with attached(lake) as client:
        made = client.create("made", DATA.schema)
        client.insert(made, DATA)
        assert client.read(made).num_rows == 3
        assert lake.namespace("shop").tables() == ["made"]


def test_what_is_added_later_is_there_for_the_next_statement(
    client: Attached, lake: Catalog, shop: Schema
) -> None:
    before = lake.version()
    shop.table("late", DATA)
    assert lake.version() != before
    assert len(read(client, "late")) == 3
    shop.remove("late")
    assert "no table" in refusal(client, "late")
    earlier = lake.version()
    lake.changed()
    assert lake.version() != earlier


def test_readers_see_the_request(client: Attached, shop: Schema) -> None:
    def who() -> list[dict[str, Any]]:
        request = current_request()
        assert request is not None
        return [{"who": request.identity, "catalog": request.catalog}]

    shop.table("t", who, schema=pa.schema([("who", pa.string()), ("catalog", pa.string())]))
    assert read(client, "t") == [{"who": "everyone", "catalog": "lake"}]


@pytest.mark.parametrize(
    ("source", "schema", "told"),
    [
        (lambda: DATA, None, "nobody says its columns"),
        (DATA.to_reader(), None, "read once"),
        (7, None, "cannot be made of int"),
        (DATA, pa.schema([("other", pa.int64())]), "other"),
        (pa.table({"rowid": [1]}), None, "reserved"),
        ([{"a": 0, "b": 1}, {"a": 0, "b": "x"}], None, "table `shop.t`: column `b`: Could not"),
        ([{"a": 1}, 5], None, "table `shop.t`: row 2 is int, no mapping"),
        ([{"a": 2**70}], None, "column `a`: an integer is beyond what 64 bits hold"),
        ([{"a": -1}], pa.schema([("a", pa.uint64())]), "column `a`: an integer is negative"),
        ([{"id": "x"}], IDS, "column `id`: Could not convert"),
        (pa.table({"id": ["x"], "name": ["y"]}), IDS, "its rows are not of its schema: Failed"),
        (pa.table({"id": [1]}), IDS, "its rows have no column `name`, which its schema has"),
    ],
)
def test_what_cannot_be_served_is_told_when_it_is_added(
    shop: Schema, source: Any, schema: pa.Schema | None, told: str
) -> None:
    with pytest.raises(InvalidRequestError, match=told):
        shop.table("t", source, schema=schema)


def test_names_are_checked_and_taken_once(shop: Schema) -> None:
    shop.table("t", DATA)
    with pytest.raises(LakeportError, match="already a table"):
        shop.table("T", DATA)
    with pytest.raises(InvalidRequestError, match="a dot separates"):
        shop.table("a.b", DATA)


# -- what else they tell -------------------------------------------------------------------------


class Known(Tasks):
    def statistics(self, column: str) -> ColumnStatistics:
        if column != "id":
            return ColumnStatistics()
        return ColumnStatistics(pa.scalar(1, pa.int64()), pa.scalar(9, pa.int64()), has_null=False)


def test_what_an_object_knows_of_its_columns_is_told_to_duckdb(
    client: Attached, shop: Schema
) -> None:
    shop.table("tasks", Known())
    announced = client.duck.info(path("shop", "tasks")).schema
    assert b"can_produce_statistics" in (announced.metadata or {})
    known = client.duck.statistics(path("shop", "tasks"), "id", "BIGINT")
    assert (known["min"], known["max"], known["has_null"]) == (1, 9, False)
    unknown = client.duck.statistics(path("shop", "tasks"), "name", "VARCHAR")
    assert (unknown["min"], unknown["has_null"]) == (None, True)


def test_a_table_in_memory_has_statistics_that_its_changes_outdate(
    client: Attached, lake: Catalog, shop: Schema
) -> None:
    shop.memory_table("kept", DATA)
    before = lake.version()
    told = client.duck.begin().statistics(path("shop", "kept"), "id", "BIGINT")
    assert (told["min"], told["max"]) == (1, 3)
    client.insert(path("shop", "kept"), pa.table({"id": [9], "name": ["z"]}))
    after = lake.version()
    assert (after.rows or 0) > (before.rows or 0)
    assert client.duck.begin().statistics(path("shop", "kept"), "id", "BIGINT")["max"] == 9


def test_a_reference_may_have_a_past(client: Attached, shop: Schema) -> None:
    def references(request: ScanRequest) -> list[FunctionCall]:
        return [FunctionCall("read_csv", (pa.scalar(f"{request.at}.csv"),))]

    shop.reference("now", references, schema=IDS)
    shop.reference("past", references, schema=IDS, travels=True)
    (endpoint,) = client.duck.endpoints(path("shop", "past"), at_unit="VERSION", at_value="3")
    assert endpoint.locations[0].startswith("data:application/x-msgpack-duckdb-function-call")
    with pytest.raises(pa.ArrowNotImplementedError, match="as of an earlier point"):
        client.duck.endpoints(path("shop", "now"), at_unit="VERSION", at_value="3")


def test_what_a_namespace_says_of_itself_is_told(client: Attached, shop: Schema) -> None:
    shop.schema("first", comment="hello", properties={"owner": "ann"}, is_default=True)
    answer = client.duck.action("list_schemas", {"catalog_name": "lake"})
    found = {each["name"]: each for each in unwrap(answer)["schemas"]}
    assert found["first"]["description"] == "hello"
    assert found["first"]["tags"] == {"owner": "ann"}
    assert {name: each["is_default"] for name, each in found.items()} == {
        "first": True,
        "shop": False,
    }
