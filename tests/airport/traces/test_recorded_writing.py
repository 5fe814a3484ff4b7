"""Every recorded INSERT, UPDATE and DELETE, sent again to a real server: the frame of chapter 5.1 is kept,
and the rows are there, or changed, or gone.

`writing.jsonl.gz` is cut from the project's recordings of the real client (`airport-traces`): all its
exchanges that change rows, tokens left out. INSERTs are sent as the very bytes that were recorded, where
there are any; row ids are those of our own tables.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import grpc
import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.airport.wire_types import wire_type
from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicNamespace, NamespaceInfo, require
from lakeport.flight.ipc import Kind
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.server import FlightServer
from tests.airport.exchange.talk import Answer, Talk
from tests.airport.scans.duck import Door
from tests.airport.traces.recorded import SCHEMA_OF_T, headers_of
from tests.behaviours.implementations import LiveCatalog
from tests.behaviours.lake import Subject
from tests.flight.raw import RawClient, failure_of

_FILE = Path(__file__).with_name("writing.jsonl.gz")
# Our row ids are numbers.
REFUSED = {"dmlx-23": "INVALID_ARGUMENT"}


@dataclass(frozen=True)
class Exchange:
    id: str
    headers: dict[str, list[str]]
    path: tuple[str, ...]
    messages: Sequence[dict[str, Any]]

    @property
    def operation(self) -> str:
        return self.headers["airport-operation"][0]

    @property
    def is_returning(self) -> bool:
        return self.headers["return-chunks"] == ["1"]

    @property
    def catalog(self) -> str:
        return self.headers.get("airport-catalog", [""])[0] or "lake"

    @property
    def schema(self) -> pa.Schema:
        (packed,) = (each["schema"] for each in self.messages if each["kind"] == "schema")
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(packed)))

    @property
    def batches(self) -> list[dict[str, Any]]:
        return [each for each in self.messages if each["kind"] == "batch"]

    @property
    def rows(self) -> int:
        return sum(each["num_rows"] for each in self.batches)

    @property
    def columns(self) -> pa.Schema:
        """Of the table: INSERT sends them all, the others are about the recordings' `t`."""
        if self.operation == "insert":
            return self.schema
        own = [field for field in self.schema if field.name not in {"rowid", *SCHEMA_OF_T.names}]
        return pa.schema([*SCHEMA_OF_T, *own])


def recorded() -> dict[str, Exchange]:
    lines = [json.loads(line) for line in gzip.decompress(_FILE.read_bytes()).splitlines()]
    return {
        f"{line['id']}-{number}": Exchange(
            line["id"], line["headers"], tuple(line["path"]), line["messages"]
        )
        for number, line in enumerate(lines)
        if line["messages"]  # two were refused before they said anything
    }


EXCHANGES = recorded()


def memory(name: str, _: Path) -> LiveCatalog:
    return MemoryCatalog(name)


def iceberg(name: str, folder: Path) -> LiveCatalog:
    uri, place = f"sqlite:///{folder / 'catalog.db'}", f"file://{folder / 'warehouse'}"
    return IcebergCatalog(Profile(name, "embedded", uri, place))


@pytest.mark.parametrize("make", [memory, iceberg])
@pytest.mark.parametrize("name", EXCHANGES)
def test_recorded_exchanges_are_answered_as_the_client_needs(
    name: str, make: Callable[[str, Path], LiveCatalog], tmp_path: Path
) -> None:
    exchange = EXCHANGES[name]
    with closing(_Closing(make(exchange.catalog, tmp_path))) as held:
        table = _table(held.catalog, exchange)
        with (
            FlightServer(AirportService([held.catalog], Door())) as server,
            RawClient(server.address.removeprefix("grpc://")) as raw,
        ):
            talk = Talk(raw, headers_of(exchange.headers))
            if exchange.id in REFUSED:
                with pytest.raises(grpc.RpcError) as raised:
                    _replay(talk, exchange, table)
                assert failure_of(raised.value).code.name == REFUSED[exchange.id]
                return
            _check(_replay(talk, exchange, table), exchange, table)


@dataclass(frozen=True)
class _Closing:
    catalog: LiveCatalog

    def close(self) -> None:
        if isinstance(self.catalog, IcebergCatalog):
            self.catalog.close()


def _table(catalog: LiveCatalog, exchange: Exchange) -> Subject:
    """With as many rows as the exchange will change."""
    namespace, name = map(unquote, exchange.path)
    made = require(catalog.create_namespace(NamespaceInfo(namespace)), DynamicNamespace, namespace)
    table = Subject(made.create_table(name, Definition(exchange.columns)))
    if exchange.operation != "insert":
        table.insert(pa.table({"id": range(exchange.rows + 1)}))
    return table


def _replay(talk: Talk, exchange: Exchange, table: Subject) -> Answer:
    as_recorded = exchange.operation == "insert" and all("flight" in m for m in exchange.messages)
    if as_recorded:
        before = [each for each in exchange.messages if each["kind"] != "batch"]
        for message in before:
            talk.say(base64.b64decode(message["flight"]))
    else:
        talk.name(FlightDescriptor(path=exchange.path))
        talk.declare(exchange.schema)
    assert talk.hear() == Kind.SCHEMA
    batches = _rebuilt(exchange, table)
    for message, batch in zip(exchange.batches, batches, strict=True):
        if as_recorded:
            talk.say(base64.b64decode(message["flight"]))
        else:
            talk.send(batch)
        if exchange.is_returning:
            talk.hear_batch()
    talk.half_close()
    assert talk.hear() is None
    talk.hear_end()
    return talk.answer()


def _rebuilt(exchange: Exchange, table: Subject) -> Iterator[pa.RecordBatch]:
    """The recordings show five rows of a batch; the others are like them."""
    row_ids = [] if exchange.operation == "insert" else table.row_ids()
    start = 0
    for message in exchange.batches:
        count = message["num_rows"]
        shown = [message["rows"][place % len(message["rows"])] for place in range(count)]
        columns = [
            pa.array(row_ids[start : start + count], pa.int64())
            if field.name == "rowid" and pa.types.is_int64(field.type)
            else _values([row[field.name] for row in shown], field.type)
            for field in exchange.schema
        ]
        start += count
        yield pa.RecordBatch.from_arrays(columns, schema=exchange.schema)


def _values(values: list[Any], kind: pa.DataType) -> Array:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError):
        return nulls(len(values), kind)  # shown in the recordings as a text of it


def _check(answer: Answer, exchange: Exchange, table: Subject) -> None:
    assert answer.changed == exchange.rows
    left = {"insert": exchange.rows, "update": exchange.rows + 1, "delete": 1}[exchange.operation]
    assert table.read().num_rows == left
    if not exchange.is_returning:
        return
    sizes = [each["num_rows"] for each in exchange.batches]
    assert [batch.num_rows for batch in answer.batches] == sizes
    if exchange.operation == "update":
        assert answer.schema.names == exchange.schema.names
        assert answer.schema.types == exchange.schema.types
        assert (answer.schema.field(-1).metadata or {})[b"is_rowid"]
    else:
        told = {field.name: field.type for field in answer.schema}
        assert told == {field.name: wire_type(field.type) for field in exchange.columns}


def test_the_recording_of_exchanges_is_complete() -> None:
    kinds = Counter((each.operation, each.is_returning) for each in EXCHANGES.values())
    assert kinds == {
        ("insert", False): 34,
        ("insert", True): 5,
        ("update", False): 12,
        ("update", True): 9,
        ("delete", False): 8,
        ("delete", True): 4,
    }
