"""Names as people write them: any script, any case, spaces and quotes, through DDL, rows and listings.

Descriptors go into gRPC headers, so what is not printable ASCII is escaped there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import ROW_ID, Attached, attached
from tests.airport.ddl.door import EXISTS, INVALID, column, ipc
from tests.airport.exchange.talk import batch_of
from tests.airport.scans.duck import path
from tests.behaviours.implementations import LiveCatalog

SLASHES = ["größen/ä%b", "/", "a/b/"]
"""Tables may be called so, and columns; schemas are folders."""

ODD = ["日本", "Straße 1", 'q"uote', "it's", "100%", "@home", "a%2Fb", "SELECT", "ñ\u0303", "🦆"]


@pytest.fixture
def lake(catalog: LiveCatalog) -> Iterator[Attached]:
    with attached(catalog) as made:
        yield made


def rows_of(lake: Attached, table: FlightDescriptor) -> list[dict[str, object]]:
    return lake.read(table).drop_columns([ROW_ID]).to_pylist()


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_serves_as_schema_table_and_column(lake: Attached, name: str) -> None:
    schema = pa.schema([(name, pa.int64())])
    lake.door.results("create_schema", schema=name)
    table = lake.create(name, schema, name, check_constraints=[f"{_quoted(name)} > 0"])
    assert all(part.isascii() and part.isprintable() for part in table.path or ())
    lake.insert(table, pa.Table.from_batches([batch_of(schema, (1,), (2,))]))
    ids = [int(each.as_py()) for each in lake.read(table).column(ROW_ID)]
    lake.update(table, pa.table({name: [5], ROW_ID: ids[:1]}))
    lake.delete(table, ids[1:])
    assert rows_of(lake, table) == [{name: 5}]
    info = lake.door.client.info(name, name)
    assert msgpack.unpackb(info.app_metadata)["name"] == name


@pytest.mark.parametrize("name", [*ODD, *SLASHES])
def test_tables_and_columns_are_given_odd_names_and_taken_them(lake: Attached, name: str) -> None:
    where = {"schema": "shop", "name": "orders"}
    table = lake.alter("rename_column", **where, old_name="V", new_name=name)
    table = lake.alter("rename_table", **where, new_table_name=name)
    assert [row[name] for row in rows_of(lake, table)] == [1.5, 2.5, None]
    where = {"schema": "SHOP", "name": name}
    lake.alter("add_column", **where, column_schema=column(name + "2", pa.int8()))
    table = lake.alter("remove_column", **where, removed_column=name)
    assert [*rows_of(lake, table)[0]] == ["id", "name", name + "2"]
    lake.door.nothing("drop_table", schema_name="shop", name=name)
    assert list(lake.door.catalog.namespace("shop").tables()) == []


def test_names_keep_their_spelling_and_are_found_in_any(lake: Attached) -> None:
    lake.door.results("create_schema", schema="Größe")
    table = lake.create("Übung", pa.schema([("Maß", pa.int64())]), "GRÖßE")
    assert table == path("Gr%C3%B6%C3%9Fe", "%C3%9Cbung")
    sent = pa.table({"MAß": pa.array([3], pa.int64())})
    lake.insert(table, sent)
    assert rows_of(lake, table) == [{"Maß": 3}]
    body = {"schema_name": "gRÖßE", "table_name": "ÜBUNG", "arrow_schema": ipc(sent.schema)}
    assert lake.door.code("create_table", **body) is EXISTS
    assert lake.door.code("create_schema", schema="größe") is EXISTS


def test_duckdb_is_kept_from_a_schema_that_it_could_not_use(lake: Attached) -> None:
    for name in ("main", "MAIN"):
        assert lake.door.code("create_schema", schema=name) is INVALID


def test_a_column_may_be_called_what_a_table_may_not(lake: Attached) -> None:
    body = {"schema": "shop", "name": "orders", "column_schema": column("a/c", pa.int8())}
    assert "a/c" in rows_of(lake, lake.alter("add_column", **body))[0]
    taken = {"schema_name": "shop", "table_name": "a.b", "arrow_schema": column("a", pa.int8())}
    assert lake.door.code("create_table", **taken) is INVALID
    assert lake.door.code("create_schema", schema="a/b") is INVALID


@pytest.mark.parametrize("name", ["", " x", "a.b", "a\nb", "a\0b", "rowid", "RowId"])
def test_what_is_no_name_of_a_column_is_refused(lake: Attached, name: str) -> None:
    where = {"schema": "shop", "name": "orders"}
    code = lake.door.code("add_column", **where, column_schema=column(name, pa.int8()))
    assert code is INVALID


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
