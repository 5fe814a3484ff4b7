"""`lakeport serve` with what lakeport.toml says about references and files, as a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

import lakeport
from lakeport.airport.requested import Layout, path_of
from lakeport.core.names import TableName
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import fl
from tests.airport.references.running import Database, decoded
from tests.airport.scans.duck import Duck, path
from tests.cli.served import serve

TOML = """
[server]
data_uris = ["shop.*", "raw"]

[files]
roots = ["in"]

[files.tables.raw.names]
path = "in/*.csv"
"""


def test_a_server_lends_tables_and_serves_files(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text(TOML)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.csv").write_text("id,name\n1,a\n")
    with lakeport.open(tmp_path) as lake:
        table = lake.create_table("shop.t", {"id": pa.int64()})
        table.append(pa.table({"id": [1, 2]}))
        layout = Layout.of(table.port.state())
    held = FlightDescriptor(path=path_of(TableName("shop", "t"), layout))
    with serve(tmp_path) as served, served.client() as client:
        duck = Duck(client).begin()
        (endpoint,) = duck.endpoints(held, column_ids=[0])
        assert decoded(endpoint).function == "read_parquet"
        types: dict[str, pa.DataType] = {"id": pa.int64()}
        assert Database().rows([endpoint], pa.schema(types)) == [{"id": 1}, {"id": 2}]
        names = duck.scan(path("raw", "names"), column_ids=[0, 1])  # no Parquet: read by the server
        assert names.to_pylist() == [{"id": 1, "name": "a"}]
        body = {"function_name": "read_csv", "parameters": {"path": "one.csv"}}
        action = fl.Action("GetTableFunctionFlightInfo", json.dumps(body).encode())
        (result,) = client.do_action(action)
        info = fl.FlightInfo.deserialize(result.body.to_pybytes())
        assert client.do_get(info.endpoints[0].ticket).read_all().num_rows == 1
