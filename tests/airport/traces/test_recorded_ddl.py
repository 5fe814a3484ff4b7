"""Every recorded request that changes definitions, sent again in its order to a real server.

`changing.jsonl.gz` is cut from the project's recordings of the real client (`airport-traces`): all its DDL
actions by run, with the code that the client was answered then. Tokens are left out.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.airport.wire_types import wire_type
from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicNamespace, NamespaceInfo, require
from tests.airport.airport_server import Client, fl, serving
from tests.airport.ddl.door import dump
from tests.airport.traces.client_view import table_entry
from tests.airport.traces.recorded import SCHEMA_OF_T, headers_of
from tests.behaviours.implementations import LiveCatalog

_FILE = Path(__file__).with_name("changing.jsonl.gz")
_SPACES = {"ddl": ["s2"], "names": ["Sales"]}
"""Namespaces that statements left out of the recordings had made; every other run has `s1` alone."""

Recorded = list[dict[str, Any]]


def recorded() -> dict[str, Recorded]:
    runs: defaultdict[str, Recorded] = defaultdict(list)
    for line in gzip.decompress(_FILE.read_bytes()).splitlines():
        request = json.loads(line)
        runs[request["run"]].append(request)
    return dict(runs)


RUNS = recorded()


def memory(name: str, _: Path) -> LiveCatalog:
    return MemoryCatalog(name)


def iceberg(name: str, folder: Path) -> LiveCatalog:
    uri, place = f"sqlite:///{folder / 'catalog.db'}", f"file://{folder / 'warehouse'}"
    return IcebergCatalog(Profile(name, "embedded", uri, place))


@pytest.mark.parametrize("make", [memory, iceberg])
@pytest.mark.parametrize("run", sorted(RUNS))
def test_recorded_ddl_is_answered_as_the_client_needs(
    run: str, make: Callable[[str, Path], LiveCatalog], tmp_path: Path
) -> None:
    catalog = make(RUNS[run][0]["headers"]["airport-catalog"][0], tmp_path)
    for name in ["s1", *_SPACES.get(run, [])]:
        namespace = require(catalog.create_namespace(NamespaceInfo(name)), DynamicNamespace, name)
        namespace.create_table("t", Definition(SCHEMA_OF_T))
    with serving([catalog]) as client:
        for request in RUNS[run]:
            try:
                replay(client, catalog, request)
            except Exception as error:
                error.add_note(f"replaying {request['action']} of {request['id']}")
                raise
    if isinstance(catalog, IcebergCatalog):
        catalog.close()


def replay(client: Client, catalog: LiveCatalog, request: dict[str, Any]) -> None:
    caller = client.having(*headers_of(request["headers"]))
    action, payload = request["action"], base64.b64decode(request["payload"])
    body = {key.decode(): value for key, value in msgpack.unpackb(payload, raw=True).items()}
    before = dump(catalog)
    if request["code"] != "OK":
        code, _ = caller.action_code(action, payload)
        assert code.name == request["code"]
        assert dump(catalog) == before
        return
    found = caller.flight.do_action(fl.Action(action, payload), caller.options)
    results = [result.body.to_pybytes() for result in found]
    if action.startswith("drop_") and action != "drop_not_null":
        assert results == []
    elif action == "create_schema":
        (result,) = results
        assert set(msgpack.unpackb(result)) == {"sha256", "url", "serialized"}
    else:
        (result,) = results
        check_table(result, catalog, body)


def check_table(result: bytes, catalog: LiveCatalog, body: dict[str, Any]) -> None:
    (namespace, table), entry = table_entry(result, catalog.name)
    wanted = body.get("schema_name") or body["schema"]
    name = body.get("new_table_name") or body.get("table_name") or body["name"]
    assert (namespace, table.casefold()) == (wanted.decode(), name.decode().casefold())
    held = catalog.namespace(namespace).table(table).state().definition
    assert entry.schema.names[:-1] == held.schema.names
    if body.get("on_conflict") == b"error":
        check_definition(entry.schema, held, body)


def check_definition(shown: pa.Schema, held: Definition, body: dict[str, Any]) -> None:
    """What was created is what was sent: types as announced, NOT NULL, every kind of constraint."""
    sent = pa.ipc.read_schema(pa.py_buffer(body["arrow_schema"]))
    for asked, column in zip(sent, list(shown)[:-1], strict=True):
        assert column.name == asked.name
        assert column.type.equals(wire_type(asked.type)), column.name
        for key, value in (asked.metadata or {}).items():
            assert (column.metadata or {})[key] == value  # GEOMETRY is only told by them
    required = {sent.field(place).name for place in body["not_null_constraints"]}
    assert {column.name for column in list(shown)[:-1] if not column.nullable} == required
    keys = body["primary_key_columns"] or body["multi_key_primary_keys"]
    primary = [each.columns for each in held.constraints if isinstance(each, PrimaryKey)]
    assert [set(columns) for columns in primary] == (
        [{key.decode() for key in keys}] if keys else []
    )
    assert all(list(key) == sorted(key, key=sent.names.index) for key in primary)
    uniques = [each for each in held.constraints if isinstance(each, Unique)]
    assert len(uniques) == len(body["unique_columns"]) + len(body["extra_constraints"])
    checks = [each.expression for each in held.constraints if isinstance(each, Check)]
    assert checks == [text.decode() for text in body["check_constraints"]]


def test_the_recording_of_ddl_is_complete() -> None:
    kinds = [request["action"] for run in RUNS.values() for request in run]
    assert len(kinds) == 49
    assert {request["code"] for run in RUNS.values() for request in run} == {
        "OK",
        "ALREADY_EXISTS",
        "FAILED_PRECONDITION",
        "INVALID_ARGUMENT",
        "NOT_FOUND",
    }
    # All that the client can send; `add_constraint` is unreachable from its SQL.
    assert set(kinds) == {
        "create_schema",
        "drop_schema",
        "create_table",
        "drop_table",
        "add_column",
        "remove_column",
        "rename_column",
        "rename_table",
        "change_column_type",
        "set_default",
        "set_not_null",
        "drop_not_null",
        "add_field",
        "remove_field",
        "rename_field",
    }
