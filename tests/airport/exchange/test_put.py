"""DoPut: rows of a standard client, appended as one."""

from __future__ import annotations

import json
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity, StatementLimits
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_message
from tests.airport.airport_server import fl
from tests.airport.exchange.conftest import Served
from tests.airport.exchange.talk import batch_of, descriptor_of
from tests.behaviours.lake import Subject, schema_of
from tests.flight.raw import Failure

PATH = descriptor_of("shop", "items")
KEYS = schema_of(id=pa.int64())


def refused(served: Served, batch: pa.RecordBatch, descriptor: FlightDescriptor = PATH) -> Failure:
    encoder = FrameEncoder(batch.schema, most_bytes=1 << 26, cut=False)
    messages = [
        put_message(1, descriptor.encode()) + encoder.schema(),
        *encoder.batch(batch),
    ]
    return served.raw.failure("DoPut", iter(messages))


@pytest.mark.parametrize(
    "descriptor",
    [
        fl.FlightDescriptor.for_path("shop", "items"),
        fl.FlightDescriptor.for_path("lake", "shop", "items"),
        fl.FlightDescriptor.for_command(
            json.dumps({"schema_name": "shop", "table_name": "items"}).encode()
        ),
    ],
    ids=str,
)
def test_a_stream_is_appended_and_counted(served: Served, items: Subject, descriptor: Any) -> None:
    version = items.state.version
    schema = schema_of(price=pa.float32(), id=pa.int32())
    flight: Any = served.flight  # its published types know no `read`
    writer, reader = flight.do_put(descriptor, schema)
    for key in range(10, 15):
        writer.write_batch(batch_of(schema, (0.5, key), (1.5, key + 100)))
    writer.done_writing()
    assert msgpack.unpackb(bytes(reader.read())) == {"total_changed": 10}
    writer.close()
    assert items.state.version == version + 1  # all of it at once
    appended = items.rows(where="id IN (10, 110)")
    assert appended == [(10, "unknown", 0.5), (110, "unknown", 1.5)]
    assert served.audited()[-1].rows_changed == 10


def test_a_stream_without_rows_changes_nothing(served: Served, items: Subject) -> None:
    before = items.state
    flight: Any = served.flight  # its published types know no `read`
    writer, reader = flight.do_put(fl.FlightDescriptor.for_path("shop", "items"), KEYS)
    writer.done_writing()
    assert msgpack.unpackb(bytes(reader.read())) == {"total_changed": 0}
    writer.close()
    assert items.state == before


@pytest.mark.parametrize(
    ("batch", "path", "code"),
    [
        (batch_of(KEYS, (1,)), ("shop", "items"), grpc.StatusCode.ALREADY_EXISTS),
        (batch_of(KEYS, (None,)), ("shop", "items"), grpc.StatusCode.INVALID_ARGUMENT),
        (
            batch_of(schema_of(what=pa.int64()), (1,)),
            ("shop", "items"),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (batch_of(KEYS, (9,)), ("shop", "nothing"), grpc.StatusCode.NOT_FOUND),
        (batch_of(KEYS, (9,)), ("items",), grpc.StatusCode.INVALID_ARGUMENT),
        (batch_of(KEYS, (9,)), ("lakeport", "audit"), grpc.StatusCode.UNIMPLEMENTED),
    ],
    ids=["key", "not null", "column", "table", "path", "ability"],
)
def test_what_cannot_be_appended_is_refused_and_changes_nothing(
    served: Served,
    items: Subject,
    batch: pa.RecordBatch,
    path: tuple[str, ...],
    code: grpc.StatusCode,
) -> None:
    before = items.state
    assert refused(served, batch, descriptor_of(*path)).code is code
    assert items.state == before


def test_appending_needs_the_grant_to_write(served: Served, items: Subject) -> None:
    before = items.state
    served.door.identity = Identity("ann", frozenset({Grant(Ability.READ, "*")}))
    assert refused(served, batch_of(KEYS, (9,))).code is grpc.StatusCode.PERMISSION_DENIED
    served.door.identity = Identity(
        "ann", frozenset({Grant(Ability.WRITE, "*")}), StatementLimits(rows=1)
    )
    failure = refused(served, batch_of(KEYS, (8,), (9,)))
    assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert items.state == before
