"""The functions of the namespace `lakeport` over the wire: as DuckDB calls them, and by contract 001."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pyarrow as pa
import pytest

import lakeport
from lakeport.access import Ability, AuditLog, Grant, Identity
from lakeport.app.files import FilesOf
from lakeport.app.serve.view import Audit, Models, system_overlay
from lakeport.catalog.files import Roots
from lakeport.core.names import TableName
from lakeport.state import Store, StoredEdge
from tests.airport.airport_server import Client, People, fl, serving
from tests.airport.functions.guest import Guest
from tests.airport.functions.guest import row as arguments
from tests.flight.raw import RawClient

ACTION = "GetTableFunctionFlightInfo"
ANN = Identity(
    "ann", frozenset({Grant(Ability.READ, "shop.*"), Grant(Ability.READ, "lakeport.snap*")})
)


class Built:
    def __init__(self, client: Client, guest: Guest) -> None:
        self.client = client
        self.guest = guest

    def rows(self, function: str, **given: Any) -> list[dict[str, Any]]:
        """Both ways, which must give the same."""
        asked = self.by_contract(function, given)
        assert self.by_duckdb(function, given) == asked
        return asked

    def by_contract(self, function: str, given: dict[str, Any]) -> list[dict[str, Any]]:
        body = {"function_name": function, "parameters": given}
        info = fl.FlightInfo.deserialize(self.client.action(ACTION, json.dumps(body).encode()))
        found = self.client.rows(info)
        assert found.schema.equals(info.schema)
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows

    def by_duckdb(self, function: str, given: dict[str, Any]) -> list[dict[str, Any]]:
        overloads = self.guest.entries()[f"lakeport.{function}"]
        entry = next(each for each in overloads if set(given) <= set(each.parameters.names))
        sent = arguments(**{name: given.get(name) for name in entry.parameters.names})
        info = self.guest.bind(entry.descriptor, sent)
        found: list[dict[str, Any]] = []
        for ticket in self.guest.endpoints(entry.descriptor, sent):
            schema, chunks = self.guest.read(ticket)
            assert schema.equals(pa.ipc.read_schema(pa.py_buffer(info.schema)))
            found += [row for batch, _ in chunks for row in batch.to_pylist()]
        return found

    def refusal(self, function: str, **given: Any) -> tuple[grpc.StatusCode, str]:
        body = {"function_name": function, "parameters": given}
        return self.client.action_code(ACTION, json.dumps(body).encode())


@pytest.fixture(scope="module")
def people() -> People:
    return People()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, people: People) -> Iterator[Built]:
    tmp_path = tmp_path_factory.mktemp("project")
    (tmp_path / "lakeport.toml").write_text("")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.csv").write_text("id;name\n1;a\n2;b\n")
    (tmp_path / "in" / "two.json").write_text('{"id": 1}\n{"id": 2}\n')
    (tmp_path / "secret.csv").write_text("id\n1\n")
    (tmp_path / "in" / "link.csv").symlink_to(tmp_path / "secret.csv")
    with (
        lakeport.open(tmp_path) as lake,
        Store.open(f"sqlite:///{tmp_path}/state.db") as store,
        AuditLog(store.audit) as log,
    ):
        table = lake.create_table("shop.t", {"id": pa.int64()})
        table.append(pa.table({"id": [1, 2]}))
        table.delete(where="id = 1")
        lake.create_table("other.t", {"id": pa.int64()})
        edge = StoredEdge(TableName("shop", "t"), "id", TableName("shop", "u"), "id")
        store.lineage.put("lake", None, [edge], [])
        files = FilesOf(Roots((tmp_path / "in",)))
        overlay = system_overlay(Audit(store.audit, log), Models(store.runs, store.lineage), files)
        with (
            serving([lake.catalog], people, overlay=overlay) as client,
            RawClient(_address(client)) as raw,
        ):
            yield Built(client, Guest(raw))


def _address(client: Client) -> str:
    uri = client.info("lakeport", "tables").endpoints[0].locations[0].uri.decode()
    return str(uri).removeprefix("grpc://")


def test_changes_of_a_table(built: Built) -> None:
    found = built.rows("table_changes", **{"table": "shop.t", "from": 0})
    assert [(row["_change_type"], row["_version"], row["id"]) for row in found] == [
        ("insert", 1, 1),
        ("insert", 1, 2),
        ("delete", 2, 1),
    ]
    later = {"table": "shop.t", "from": 1, "to": 2}
    assert [row["id"] for row in built.rows("table_changes", **later)] == [1]
    text = {"table": "shop.t", "from": "version:1", "to": "2999-01-01"}
    assert [row["id"] for row in built.rows("table_changes", **text)] == [1]


def test_snapshots_and_lineage_of_a_table(built: Built) -> None:
    assert [row["version"] for row in built.rows("snapshots", table="shop.t")] == [1, 2]
    (edge,) = built.rows("lineage", table="shop.t")
    assert (edge["direction"], edge["target_table"]) == ("downstream", "u")
    assert built.rows("lineage", table="shop.t", column="ID") == [edge]


def test_files_under_a_root(built: Built) -> None:
    assert built.rows("read_csv", path="one.csv", delim=";") == [
        {"id": 1, "name": "a"},
        {"id": 2, "name": "b"},
    ]
    assert built.rows("read_json", path="*.json") == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../secret.csv", grpc.StatusCode.INVALID_ARGUMENT),
        ("/etc/passwd", grpc.StatusCode.INVALID_ARGUMENT),
        ("file:///etc/passwd", grpc.StatusCode.INVALID_ARGUMENT),
        ("link.csv", grpc.StatusCode.PERMISSION_DENIED),
        ("none.csv", grpc.StatusCode.NOT_FOUND),
    ],
)
def test_files_elsewhere_are_refused_by_the_rule(
    built: Built, path: str, code: grpc.StatusCode
) -> None:
    found, text = built.refusal("read_csv", path=path)
    assert found is code
    assert "files.roots" in text
    assert "project" not in text  # the folder that it is in


def test_who_may_not_read_a_table_learns_nothing_of_it(built: Built, people: People) -> None:
    people.by_token["ann"] = ANN
    try:
        _check_ann(built)
    finally:
        people.by_token.clear()


def _check_ann(built: Built) -> None:
    ann = built.client.having(("authorization", "Bearer ann"))
    asking = Built(ann, built.guest)
    assert len(asking.by_contract("snapshots", {"table": "shop.t"})) == 2
    assert asking.refusal("snapshots", table="other.t")[0] is grpc.StatusCode.PERMISSION_DENIED
    assert asking.refusal("snapshots", table="shop.none")[0] is grpc.StatusCode.NOT_FOUND
    for function in ("read_csv", "table_changes", "lineage"):
        code, _ = asking.refusal(function, table="shop.t")
        assert code in {grpc.StatusCode.NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED}
