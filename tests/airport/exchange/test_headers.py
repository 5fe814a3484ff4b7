"""Headers that say something we do not know: refused in words that say what is known, and nothing done."""

from __future__ import annotations

import json
from collections.abc import Iterator

import grpc
import pyarrow as pa
import pytest

from lakeport.flight.framing import FrameEncoder
from lakeport.flight.messages import Ticket
from lakeport.flight.protobuf import put_message
from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import batch_of, descriptor_of
from tests.behaviours.lake import Subject
from tests.flight.raw import Headers

ROW = batch_of(pa.schema([(field.name, field.type) for field in ITEMS]), (3, "fig", 2.0))
TICKET = Ticket(json.dumps({"schema_name": "shop", "table_name": "items"}).encode()).encode()
INSERT = ("airport-operation", "insert")

KNOWN = "insert, update, delete"
WRONG: list[tuple[str, Headers, str]] = [
    ("DoPut", (("lakeport-put", "upsert"),), "append or replace, not `upsert`"),
    ("DoPut", (("lakeport-put", "REPLACE"),), "append or replace, not `REPLACE`"),
    ("DoPut", (("lakeport-put", ""),), "append or replace"),
    ("DoPut", (("airport-transaction-id", "mine"),), "create_transaction"),
    ("DoExchange", (), KNOWN),
    ("DoExchange", (("airport-operation", "upsert"),), KNOWN),
    ("DoExchange", (("airport-operation", "replace"),), KNOWN),  # DoPut's alone
    ("DoExchange", (("airport-operation", ""),), KNOWN),
    ("DoExchange", (INSERT, ("return-chunks", "yes")), "`return-chunks` is 0 or 1, not `yes`"),
    ("DoExchange", (INSERT, ("return-chunks", "")), "`return-chunks` is 0 or 1"),
    ("DoExchange", (INSERT, ("airport-transaction-id", "x" * 36)), "create_transaction"),
    ("DoGet", (("airport-skip-producing-results", "true"),), "0 or 1, not `true`"),
    ("DoGet", (("lakeport-compression", "gzip"),), "zstd, lz4 or none"),
    ("DoGet", (("airport-transaction-id", "mine"),), "create_transaction"),
]


def rows() -> Iterator[bytes]:
    encoder = FrameEncoder(ROW.schema, most_bytes=1 << 26, cut=False)
    yield put_message(1, descriptor_of("shop", "items").encode()) + encoder.schema()
    yield from encoder.batch(ROW)


@pytest.mark.parametrize(("method", "headers", "says"), WRONG)
def test_a_header_that_means_nothing_is_refused(
    served: Served, items: Subject, method: str, headers: Headers, says: str
) -> None:
    before = items.state
    sent = TICKET if method == "DoGet" else rows()
    failure = served.raw.failure(method, sent, headers)
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert says in failure.text
    assert items.state == before


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("DoPut", (("lakeport-put", "append"),)),
        ("DoPut", (("lakeport-put", "replace"),)),
        ("DoExchange", (INSERT, ("return-chunks", "0"))),
        ("DoExchange", (INSERT, ("return-chunks", "1"))),
    ],
)
def test_what_is_known_is_done(
    served: Served, items: Subject, method: str, headers: Headers
) -> None:
    served.raw.ask(method, rows(), headers)
    assert len(items.rows(where="id = 3")) == 1


@pytest.mark.parametrize(("value", "has_rows"), [("0", True), ("1", False)])
def test_results_are_left_out_when_asked(
    served: Served, items: Subject, value: str, *, has_rows: bool
) -> None:
    del items
    headers = (("airport-skip-producing-results", value),)
    schema, *batches = served.raw.ask("DoGet", TICKET, headers)
    assert schema
    assert bool(batches) is has_rows
