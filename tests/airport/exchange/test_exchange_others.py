"""Statements on what is not ours: catalogs of users' own that break their word, stores that are gone."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
import pyarrow as pa
import pytest

from lakeport.airport.scans import Pins
from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    NamespaceInfo,
    TableState,
    WriteContext,
    Written,
)
from lakeport.catalog.staging import Staging
from lakeport.core.errors import UnavailableError
from lakeport.core.names import TableName
from lakeport.flight.server import FlightServer
from lakeport.state import NameKey, Pin, PinKey
from tests.airport.airport_server import shop
from tests.airport.exchange.talk import Writer, batch_of, descriptor_of
from tests.airport.scans.duck import Door
from tests.behaviours.lake import schema_of
from tests.flight.raw import RawClient

COLUMNS = schema_of(k=pa.int64(), name=pa.string())
PATH = descriptor_of("own", "notes")
NAME, OWN = TableName("own", "notes"), NamespaceInfo("own")
ROW = batch_of(COLUMNS, (1, "one"))


@dataclass
class Notes:
    """A table of a user's own, with INSERT and nothing else. `shows` is what it says it stored."""

    shows: Callable[[pa.RecordBatch], pa.RecordBatch | None]
    rows: list[pa.RecordBatch] = field(default_factory=list)
    name: TableName = NAME

    def state(self) -> TableState:
        return TableState("notes", self.name, Definition(COLUMNS), 0, None, 0)

    def insert(self, context: WriteContext | None = None) -> _Noting:
        assert context is not None
        assert context.actor == "everyone"
        return _Noting(self)


class _Noting(Staging):
    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._staged: list[pa.RecordBatch] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        self._staged.append(batch)
        return self._notes.shows(batch) if returning else None

    def _undo(self) -> None:
        self._staged = []

    def commit(self) -> Written:
        self._notes.rows += self._staged
        return Written(sum(batch.num_rows for batch in self._staged), None, 0)


@dataclass(frozen=True)
class OneTable:
    table_: Notes
    name: str = "lake"
    info: NamespaceInfo = OWN

    def version(self) -> CatalogVersion:
        return CatalogVersion(1)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return [self.info]

    def namespace(self, name: str) -> OneTable:
        assert name == "own"
        return self

    def tables(self) -> Sequence[str]:
        return ["notes"]

    def table(self, name: str) -> Notes:
        assert name == "notes"
        return self.table_


@contextmanager
def writing(catalog: Catalog, pins: Pins | None = None) -> Iterator[Writer]:
    with (
        FlightServer(AirportService([catalog], Door(), pins=pins)) as server,
        RawClient(server.address.removeprefix("grpc://")) as raw,
    ):
        yield Writer(raw)


def test_any_table_that_takes_rows_is_written_to() -> None:
    notes = Notes(lambda batch: batch)
    with writing(OneTable(notes)) as writer:
        assert writer.run("insert", PATH, [ROW, ROW], returning=True).rows == ROW.to_pylist() * 2
        assert writer.run("insert", PATH, [ROW]).changed == 1
        for operation in ("update", "delete"):
            refused = writer.refused(operation, PATH, [ROW])
            assert refused.code is grpc.StatusCode.UNIMPLEMENTED
    assert len(notes.rows) == 3


LIES: dict[str, Callable[[pa.RecordBatch], pa.RecordBatch | None]] = {
    "nothing": lambda _: None,
    "fewer rows": lambda batch: batch.slice(0, 0),
    "more rows": lambda batch: batch.take(pa.array([0, 0])),
    "another column": lambda batch: batch.rename_columns(["k", "nome"]),
    "fewer columns": lambda batch: batch.select(["k"]),
    "another type": lambda batch: batch.set_column(0, "k", batch.column(0).cast(pa.int32())),
}


@pytest.mark.parametrize("lie", LIES)
def test_rows_that_are_not_what_was_promised_are_not_shown_and_not_stored(lie: str) -> None:
    notes = Notes(LIES[lie])
    with writing(OneTable(notes)) as writer:
        refused = writer.refused("insert", PATH, [ROW], returning=True)
    assert refused.code is grpc.StatusCode.INTERNAL
    assert refused.text.startswith("internal error (reference ")
    assert notes.rows == []


class GoneForAMoment:
    """A keeper of pins whose store cannot be reached when something is to be written."""

    def first(self, key: PinKey, pin: Pin) -> Pin:
        del key
        return pin

    def put(self, key: PinKey, pin: Pin) -> None:
        del key, pin
        raise UnavailableError("the store is gone")

    def drop(self, catalog: str, uuid: str) -> None:
        del catalog, uuid

    def meant(self, key: NameKey, uuid: str) -> str:
        del key
        return uuid


def test_a_statement_that_is_committed_is_never_called_a_failure() -> None:
    header = ("airport-transaction-id", str(uuid.uuid4()))
    orders = schema_of(id=pa.int64(), name=pa.string(), v=pa.float64())
    with writing(shop(), Pins(GoneForAMoment())) as writer:
        sent = batch_of(orders, (9, "x", 1.0))
        path = descriptor_of("shop", "orders")
        assert writer.having(header).run("insert", path, [sent]).changed == 1
