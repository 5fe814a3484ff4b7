"""Every recorded call of a function, sent again to a real server: framed as chapter 6 says, with the results
that DuckDB showed.

`calling.jsonl.gz` is cut from the project's recordings of the real client (`airport-traces`): of all
statements that call functions the requests that are about them, tokens left out. They are sent as the very
bytes that were recorded, where there are any; once with the descriptors of the recordings, and once with
those that we list, as the client would.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.catalog.parameters import parameter
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import decode_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.ipc import Kind
from lakeport.flight.limits import Limits
from lakeport.flight.messages import FlightDescriptor, FlightInfo
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People
from tests.airport.exchange.talk import Talk
from tests.airport.functions.guest import CONTINUES, FINISHED, Entry, Guest
from tests.airport.functions.made import RECORDED, InOut, Scalar, add, hosting
from tests.airport.functions.made import Call as InOutCall
from tests.airport.traces.client_view import tickets_of
from tests.airport.traces.recorded import headers_of
from tests.flight.raw import AIRPORT, RawClient, failure_of

_FILE = Path(__file__).with_name("calling.jsonl.gz")
# The recording server told its overloads apart by names of their own.
_OVERLOADS = {"twice_bigint": ("twice", pa.int64()), "twice_varchar": ("twice", pa.string())}


@dataclass(frozen=True)
class Statement:
    id: str
    sql: str
    result: dict[str, Any]
    calls: list[dict[str, Any]]

    @property
    def shown(self) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.result.get("rows", [])]


STATEMENTS = {
    line["id"]: Statement(line["id"], line["sql"], line["result"], line["calls"])
    for line in map(json.loads, gzip.decompress(_FILE.read_bytes()).splitlines())
}


def _raise(text: str) -> Any:
    def work(*_: object) -> Any:
        raise ValueError(text)

    return work


INT = pa.int64()
FAILING = (
    Scalar("add_one", _raise("x must be positive"), (parameter("x", INT),)),
    Scalar("plus", _raise("overflow"), (parameter("a", INT), parameter("b", INT))),
    *(each for each in RECORDED if each.signature.name == "gen"),
    InOut("echo", lambda _, rows: InOutCall(rows, _raise("cannot process the chunk"))),
)


@pytest.fixture(scope="module")
def targets() -> Iterator[dict[str, str]]:
    """Of a server whose functions work, and of one whose functions fail."""
    works = hosting(*RECORDED)
    add(works, "s1", *RECORDED)
    with (
        FlightServer(AirportService([works], People())) as one,
        FlightServer(AirportService([hosting(*FAILING)], People())) as other,
    ):
        yield {
            "works": one.address.removeprefix("grpc://"),
            "fails": other.address.removeprefix("grpc://"),
        }


@pytest.mark.parametrize("ours", [True, False], ids=["listed", "recorded"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_recorded_calls_are_answered_as_the_client_needs(
    targets: dict[str, str], name: str, *, ours: bool
) -> None:
    statement = STATEMENTS[name]
    fails = name.startswith("errx")
    with RawClient(targets["fails" if fails else "works"]) as raw:
        guest = Guest(raw, (*AIRPORT, ("airport-catalog", "")))
        replay = _Replay(guest, guest.entries("lake"), ours=ours)
        if fails:
            *before, last = statement.calls
            for call in before[: 0 if name == "errx-42" else None]:
                replay.answered(call)
            for call in [*before, last] if name == "errx-42" else [last]:
                _check_failure(replay, call, statement)
            return
        rows = [row for call in statement.calls for row in replay.answered(call)]
        _check_rows(rows, statement)


def _check_failure(replay: _Replay, call: dict[str, Any], statement: Statement) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        replay.answered(call)
    failure = failure_of(raised.value)
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert call["error"]["message"] in failure.text
    assert failure.trailers["x-arrow-status"] == "4"  # which is told at once
    if call["rpc"] == "DoExchange":
        typed = msgpack.unpackb(failure.trailers["grpc-status-details-bin"])
        assert typed["exception_type"] == "InvalidInputException"
    assert statement.result["error"]


def _check_rows(rows: list[dict[str, Any]], statement: Statement) -> None:
    """What the user saw is in what we sent: DuckDB filters and projects it again."""
    columns = [name for name, _ in statement.result["columns"]]
    told = [name for name in columns if rows and name in rows[0]]
    if told:
        places = [columns.index(name) for name in told]
        seen = {tuple(_text(row[name]) for name in told) for row in rows}
        assert {tuple(row[place] for place in places) for row in statement.shown} <= seen
    elif "count" in columns[0]:
        assert len(rows) == int(statement.shown[0][0])
    elif "result" in (rows[0] if rows else {}):
        sent = [_text(row["result"]) for row in rows]
        assert sent[-len(statement.shown) :] == [row[-1] for row in statement.shown] or (
            "WHERE" in statement.sql
        )
    else:
        assert statement.shown == []


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True)
class _Replay:
    guest: Guest
    entries: dict[str, list[Entry]]
    ours: bool

    def answered(self, call: dict[str, Any]) -> list[dict[str, Any]]:
        """The rows that a call gave; none for one that only asks."""
        headers = [pair for pair in headers_of(call["headers"]) if pair[0] != "airport-catalog"]
        guest = Guest(self.guest.raw, headers)
        if call["action"] == "scalar_function":
            return self._scalar(guest, call)
        if call["action"] == "table_function_in_out":
            return self._in_out(guest, call)
        body = msgpack.unpackb(base64.b64decode(call["body"]), raw=True)
        body[b"descriptor"] = self._descriptor(call).encode()
        answer = guest.action(call["action"], msgpack.packb(body, use_bin_type=False))
        if call["action"] == "table_function_flight_info":
            assert FlightInfo.decode(answer).descriptor == self._descriptor(call)
            return []
        ids = body[b"parameters"][b"column_ids"]
        (ticket,) = tickets_of(answer)
        schema, chunks = guest.read(ticket)
        assert max(ids) < len(schema)
        for place, field in enumerate(schema):
            assert (place in ids) != pa.types.is_null(field.type)
        return [row for batch, _ in chunks for row in batch.to_pylist()]

    def _scalar(self, guest: Guest, call: dict[str, Any]) -> list[dict[str, Any]]:
        talk = Talk(guest.raw, guest.headers)
        self._begin(talk, call)
        sizes = []
        for message in self._batches(talk, call):
            talk.hear_batch()
            sizes.append(message["num_rows"])
        talk.half_close()
        talk.hear_end()
        stream = IncomingStream(Call(Method.DO_EXCHANGE), iter(talk.heard), Limits())
        assert stream.schema.equals(self._entry(call).output)
        given = [chunk.batch for chunk in stream if chunk.batch is not None]
        assert [batch.num_rows for batch in given] == sizes
        return [row for batch in given for row in batch.to_pylist()]

    def _in_out(self, guest: Guest, call: dict[str, Any]) -> list[dict[str, Any]]:
        talk = Talk(guest.raw, guest.headers)
        self._begin(talk, call)
        for _ in self._batches(talk, call):
            while talk.hear() != Kind.BATCH or decode_frame(talk.heard[-1]).metadata != FINISHED:
                pass
        talk.half_close()
        talk.heard.extend(talk.call)
        stream = IncomingStream(Call(Method.DO_EXCHANGE), iter(talk.heard), Limits())
        rows = []
        for batch, tag in stream:
            assert batch is not None
            assert tag == (CONTINUES if batch.num_rows else FINISHED)
            rows += batch.to_pylist()
        return rows

    def _begin(self, talk: Talk, call: dict[str, Any]) -> None:
        """All that comes before the first batch, and our schema, which the client waits for."""
        talk.name(self._descriptor(call))
        for message in call["messages"]:
            if message["kind"] == "metadata":
                talk.say(base64.b64decode(message["flight"]))
        talk.declare(_schema(call))
        assert talk.hear() == Kind.SCHEMA

    def _batches(self, talk: Talk, call: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The recordings show five rows of a batch; the others are like them."""
        schema = _schema(call)
        for message in call["messages"]:
            if message["kind"] != "batch":
                continue
            if "flight" in message:
                talk.say(base64.b64decode(message["flight"]))
            else:
                shown = message["rows"]
                rows = [shown[place % len(shown)] for place in range(message["num_rows"])]
                talk.send(pa.RecordBatch.from_pylist(rows, schema=schema))
            yield message

    def _descriptor(self, call: dict[str, Any]) -> FlightDescriptor:
        if self.ours or call["path"][-1] in _OVERLOADS:
            return self._entry(call).descriptor
        return FlightDescriptor(path=tuple(call["path"]))

    def _entry(self, call: dict[str, Any]) -> Entry:
        namespace, name = call["path"]
        known, kind = _OVERLOADS.get(name, (name, None))
        found = self.entries[f"{namespace}.{known}"]
        if kind is not None:
            found = [each for each in found if each.parameters.field(0).type == kind]
        (entry,) = found
        return entry


def _schema(call: dict[str, Any]) -> pa.Schema:
    (packed,) = (each["schema"] for each in call["messages"] if each["kind"] == "schema")
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(packed)))


def test_the_recording_of_calls_is_complete() -> None:
    assert Counter(call["action"] for each in STATEMENTS.values() for call in each.calls) == {
        "scalar_function": 21,
        "table_function_flight_info": 20,
        "endpoints": 11,
        "table_function_in_out": 8,
    }
