"""`[files]` of lakeport.toml: tables over files beside the lake's own, for the shell, Python and servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeport
from lakeport.access import AuditLog
from lakeport.app.files import files_of
from lakeport.app.serve.lending import lending
from lakeport.app.serve.view import Audit, system_overlay
from lakeport.app.settings import load
from lakeport.core.errors import AlreadyExistsError, ConfigurationError, UnsupportedError
from lakeport.state import Store
from tests.airport.airport_server import AIRPORT, Client, serving
from tests.airport.references.running import Database, decoded
from tests.airport.scans.duck import Duck, path

TOML = """
[files]
roots = ["drop"]

[files.tables.raw.events]
path = "data/events/*.parquet"
comment = "what happened"

[files.tables.shop.prices]
path = "drop/prices.txt"
format = "csv"
delimiter = ";"
columns = { item = "VARCHAR", price = "DECIMAL(9,2)" }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").write_text(TOML)
    events = tmp_path / "data" / "events"
    events.mkdir(parents=True)
    for number in (1, 2):
        pq.write_table(pa.table({"id": [number], "kind": ["click"]}), events / f"{number}.parquet")
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "prices.txt").write_text("item;price;note\npen;1.5;x\n")
    return tmp_path


@pytest.fixture
def client(project: Path) -> Iterator[Client]:
    files = files_of(load(project=project))
    with (
        lakeport.open(project) as lake,
        Store.open(f"sqlite:///{project}/state.db") as store,
        AuditLog(store.audit) as log,
    ):
        lake.create_table("shop.orders", {"id": pa.int64()})
        overlay = system_overlay(Audit(store.audit, log), files=files)
        with serving([lake.catalog], overlay=overlay, lends=lending(["raw"])) as made:
            yield made


def test_python_reads_them_like_tables(project: Path) -> None:
    with lakeport.open(project) as lake:
        lake.create_table("shop.orders", {"id": pa.int64()})
        assert lake.tables() == ["raw.events", "shop.orders", "shop.prices"]
        found = lake.table("raw.events").scan(where="id > 1").read_all()
        assert found.to_pylist() == [{"id": 2, "kind": "click"}]
        prices = lake.table("shop.PRICES").scan().read_all()
        assert prices.schema.types == [pa.string(), pa.decimal128(9, 2)]
        with pytest.raises(UnsupportedError, match="cannot take INSERT"):
            lake.table("raw.events").append(pa.table({"id": [1]}))
        with pytest.raises(UnsupportedError, match="cannot be dropped"):
            lake.drop_table("shop.prices")
        with pytest.raises(AlreadyExistsError):
            lake.create_table("shop.prices", {"id": pa.int64()})


def test_servers_serve_them_like_tables(client: Client) -> None:
    info = client.info("raw", "events")
    assert client.rows(info).to_pylist() == [
        {"id": 1, "kind": "click"},
        {"id": 2, "kind": "click"},
    ]
    assert info.schema.names == ["id", "kind"]  # no row ids
    known = client.rows(client.info("lakeport", "tables")).to_pylist()
    assert [(row["table"], row["rows"]) for row in known if row["namespace"] == "raw"] == [
        ("events", None)
    ]
    listed = json.loads(client.action("GetTables", b'{"schema_name": "shop"}'))
    assert {each["table_name"] for each in listed["tables"]} == {"orders", "prices"}
    schemas = json.loads(client.action("GetSchemas", b"{}"))
    assert "raw" in {each["schema_name"] for each in schemas["schemas"]}
    body = {"type": "table", "schema_name": "shop", "name": "prices", "ignore_not_found": False}
    code, text = client.having(AIRPORT).action_code("drop_table", msgpack.packb(body))
    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert "lakeport.toml declares it" in text


def test_parquet_files_can_be_lent(client: Client) -> None:
    duck = Duck(client.flight).begin()
    (endpoint,) = duck.endpoints(path("raw", "events"), column_ids=[0, 1])
    assert decoded(endpoint).function == "read_parquet"
    types: dict[str, pa.DataType] = {"id": pa.int64(), "kind": pa.string()}
    found = Database().rows([endpoint], pa.schema(types))
    assert [row["id"] for row in found] == [1, 2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[files.tables.raw.t]\npath = "../x.csv"', "outside of the project"),
        ('[files.tables.raw.t]\npath = "/etc/x.csv"', "outside of the project"),
        ('[files.tables.raw.t]\npath = "data/x"', "cannot be told from its name"),
        ('[files.tables.raw.t]\npath = "x.csv"\ncolour = "red"', "colour"),
        ('[files.tables.raw.t]\nformat = "csv"', "path"),
        ('[files.tables.raw.t]\npath = "x.csv"\ncolumns = { a = "NOPE" }', "a"),
        ('[files.tables.raw.t]\npath = "x.csv"\ndelimiter = "ab"', "no delimiter"),
        ("[files.tables]\nraw = 1", "is no table"),
        ('[files.tables.t]\npath = "x.csv"', "no namespace"),
        ('[files.tables.raw.t]\npath = ".lakeport/x.csv"', "dot"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "lakeport.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=reason) as caught:
        files_of(load(project=tmp_path))
    assert "files.tables" in caught.value.message


def test_a_folder_of_the_roots_may_be_anywhere(tmp_path: Path) -> None:
    project, far = tmp_path / "project", tmp_path / "far"
    project.mkdir()
    far.mkdir()
    (far / "x.csv").write_text("a\n1\n")
    (project / "lakeport.toml").write_text(
        f'[files]\nroots = ["{far}"]\n[files.tables.raw.t]\npath = "{far}/x.csv"'
    )
    with lakeport.open(project) as lake:
        assert lake.table("raw.t").scan().read_all().to_pylist() == [{"a": 1}]
