"""Every recorded request that reads, sent again to a real server, its answer read as the client reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import Client, fl, serving
from tests.airport.traces.client_view import (
    Entry,
    catalog_entries,
    rows_of,
    statistics_of,
    table_entry,
    tickets_of,
    transaction_of,
    version_of,
)
from tests.airport.traces.recorded import (
    ROWS_OF_T,
    SCHEMA_OF_T,
    Make,
    Request,
    iceberg,
    memory,
    recorded_runs,
)

ROW_ID = 2**64 - 1
# No version at all, one that is not there (the recording server refused it, too).
REFUSED = {
    "read-33": "INVALID_ARGUMENT",
    "errx-39": "NOT_FOUND",
}


@dataclass(frozen=True)
class Replay:
    client: Client
    request: Request

    @property
    def caller(self) -> Client:
        return self.client.having(*self.request.headers)

    def answer(self, body: bytes | None = None) -> bytes:
        payload = self.request.payload if body is None else body
        return self.caller.action(self.request.action, payload)

    def entries(self) -> dict[tuple[str, str], Entry]:
        """The catalog as this client attached it."""
        catalog = self.request.catalog
        body = msgpack.packb({"catalog_name": catalog})
        return catalog_entries(self.caller.action("list_schemas", body), catalog)

    # -- what each request must be answered with --------------------------------------------------

    def refused(self) -> None:
        code, _ = self.caller.action_code(self.request.action, self.request.payload)
        assert code.name == REFUSED[self.request.id]

    def list_schemas(self) -> None:
        assert catalog_entries(self.answer(), self.request.catalog)

    def catalog_version(self) -> None:
        assert version_of(self.answer()) == version_of(self.answer())

    def create_transaction(self) -> None:
        assert transaction_of(self.answer()) != transaction_of(self.answer())

    def endpoints(self) -> None:
        body = _body(self.request.payload)
        descriptor = FlightDescriptor.decode(body["descriptor"])
        name = _name(descriptor)
        if descriptor.path == ("__databases",):
            declared = pa.schema([("name", pa.string()), ("description", pa.string())])
            self._scan(self.request.payload, declared, body)
            return
        entry = self.entries()[name]
        self._scan(self.request.payload, entry.schema, body)
        if len(descriptor.path or ()) == 2:
            # The real client echoes what our server told it, with the layout.
            own = msgpack.packb(body | {"descriptor": entry.descriptor})
            self._scan(own, entry.schema, body)

    def _scan(self, payload: bytes, declared: pa.Schema, body: Mapping[str, Any]) -> None:
        parameters = body["parameters"]
        rows: list[dict[str, Any]] = []
        for ticket in tickets_of(self.answer(payload)):
            reader = self.caller.flight.do_get(fl.Ticket(ticket), self.caller.options)
            rows += rows_of(reader, declared)
        asked = {_column(each, declared) for each in parameters["column_ids"]}
        for row in rows:
            # Not asked for, not read.
            assert all(row[name] is None for name in declared.names if name not in asked)
        if declared.names[:3] != SCHEMA_OF_T.names:
            return
        kept = {number: (number, name, value) for number, name, value in ROWS_OF_T}
        for row in rows:
            if row["id"] is not None:
                told = dict(zip(SCHEMA_OF_T.names, kept[row["id"]], strict=True))
                assert all(row[each] == told[each] for each in told if each in asked)
        if b'"filters":[]' in parameters["json_filters"]:
            assert len(rows) == _rows_at(parameters)
        if "rowid" in asked:
            assert len({row["rowid"] for row in rows}) == len(rows)

    def flight_info(self) -> None:
        body = _body(self.request.payload)
        name, entry = table_entry(self.answer(), self.request.catalog)
        assert name == _name(FlightDescriptor.decode(body["descriptor"]))
        # Asked again with the descriptor of the first answer, it must be echoed unchanged.
        again = msgpack.packb(body | {"descriptor": entry.descriptor})
        assert table_entry(self.answer(again), self.request.catalog) == (name, entry)

    def column_statistics(self) -> None:
        body = _body(self.request.payload)
        entry = self.entries()[_name(FlightDescriptor.decode(body["flight_descriptor"]))]
        column = entry.schema.field(body["column_name"].decode())
        known = statistics_of(self.answer(), column.type)
        if entry.schema.names[:3] == SCHEMA_OF_T.names and column.name == "id":
            assert known["has_not_null"]
            assert known["min"] in {None, 1}
            assert known["max"] in {None, 3}
        if column.name == "v":
            assert known["has_null"]

    def GetFlightInfo(self) -> None:  # noqa: N802 # as the method is called
        descriptor = fl.FlightDescriptor.deserialize(self.request.payload)
        caller = self.caller
        info = caller.flight.get_flight_info(descriptor, caller.options)
        assert info.descriptor == descriptor
        assert rows_of(caller.flight.do_get(info.endpoints[0].ticket, caller.options), info.schema)

    def ListFlights(self) -> None:  # noqa: N802
        only = dict(self.request.headers)["airport-list-flights-filter-schema"]
        infos = list(self.caller.flight.list_flights(b"", self.caller.options))
        listed = dict(table_entry(info.serialize(), self.request.catalog) for info in infos)
        assert listed.keys() == {name for name in self.entries() if name[0] == only}


def _body(payload: bytes) -> dict[str, Any]:
    """Binary comes as msgpack's text: the client packs C++ strings."""
    body = msgpack.unpackb(payload, raw=True)
    found = {key.decode(): value for key, value in body.items()}
    if "parameters" in found:
        found["parameters"] = {key.decode(): value for key, value in found["parameters"].items()}
    return found


def _name(descriptor: FlightDescriptor) -> tuple[str, str]:
    if descriptor.command is not None:
        command = json.loads(descriptor.command)
        return command["schema_name"], command["table_name"]
    path = descriptor.path or ("", "")
    return unquote(path[0]), unquote(path[-1] if len(path) < 3 else path[1])


def _column(number: int, declared: pa.Schema) -> str:
    return "rowid" if number == ROW_ID else declared.names[number]


def _rows_at(parameters: Mapping[str, Any]) -> int:
    """Version n is after n rows; every moment of the recordings is before our tables were made."""
    match parameters["at_unit"]:
        case b"VERSION":
            return int(parameters["at_value"])
        case b"TIMESTAMP":
            return 0
        case _:
            return len(ROWS_OF_T)


@pytest.mark.parametrize("make", [memory, iceberg])
@pytest.mark.parametrize("name", sorted(recorded_runs()))
def test_recorded_requests_are_answered_as_the_client_needs(
    name: str, make: Make, tmp_path: Path
) -> None:
    run = recorded_runs()[name]
    with ExitStack() as stack:
        lakes = run.build(lambda named: stack.enter_context(make(named, tmp_path)))
        client = stack.enter_context(serving(lakes))
        for request in run.requests:
            replay = Replay(client, request)
            refused = request.id in REFUSED and request.action in {"endpoints", "flight_info"}
            check: Callable[[], None] = (
                replay.refused if refused else getattr(replay, request.action)
            )
            try:
                check()
            except Exception as error:
                error.add_note(f"replaying {request.action} of {request.id}")
                raise


def test_the_recording_is_complete() -> None:
    kinds = [request.action for run in recorded_runs().values() for request in run.requests]
    assert len(kinds) == 218
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "endpoints": 150,
        "column_statistics": 22,
        "flight_info": 18,
        "list_schemas": 8,
        "create_transaction": 8,
        "catalog_version": 8,
        "GetFlightInfo": 3,
        "ListFlights": 1,
    }
