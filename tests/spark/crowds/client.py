"""A client of Airport that changes one table row by row, and remembers what it was told was done."""

from __future__ import annotations

from dataclasses import dataclass, field

import grpc
import pyarrow as pa

from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import ROW_ID, Attached
from tests.airport.exchange.talk import descriptor_of
from tests.flight.raw import failure_of
from tests.spark.crowds.serial import Step
from tests.spark.model import Model

ROWS = pa.schema([("k", pa.int32()), ("v", pa.int32())])
OVERTAKEN = grpc.StatusCode.ABORTED


@dataclass
class Client:
    """Counts, adds and removes rows."""

    airport: Attached
    table: FlightDescriptor = field(default_factory=lambda: descriptor_of("shop", "t"))
    done: list[Step] = field(default_factory=list)

    def work(self, rounds: int) -> None:
        for number in range(rounds):
            self.turn(number)

    def turn(self, number: int) -> None:
        self.insert(1_000 + number)
        self.count(1 + number % 3)
        if number % 2:
            self.delete(1_000 + number)

    def insert(self, key: int) -> None:
        rows = pa.table({"k": [key], "v": [key]}, schema=ROWS)
        self.airport.insert(self.table, rows)  # which meets nobody, and is never refused
        self.done.append(lambda model: model.append(("k", "v"), [{"k": key, "v": key}]))

    def count(self, key: int) -> None:
        found = self.find(key)
        if found is None:
            return
        value, row_id = found
        rows = pa.table({"v": pa.array([value + 1], pa.int32()), ROW_ID: pa.array([row_id])})

        def step(model: Model) -> None:
            (row,) = (row for row in model.rows if row["k"] == key)
            assert row["v"] == value, "it was counted from a value that was not there any more"
            row["v"] = value + 1

        if self.is_done("update", rows):
            self.done.append(step)

    def delete(self, key: int) -> None:
        found = self.find(key)
        if found is None:
            return

        def step(model: Model) -> None:
            (row,) = (row for row in model.rows if row["k"] == key)
            model.rows.remove(row)

        if self.is_done("delete", pa.table({ROW_ID: pa.array([found[1]])})):
            self.done.append(step)

    def find(self, key: int) -> tuple[int, int] | None:
        table = self.airport.read(self.table)
        keys = table["k"].to_pylist()
        if key not in keys:
            return None
        at = keys.index(key)
        return table["v"][at].as_py(), table[ROW_ID][at].as_py()

    def is_done(self, operation: str, rows: pa.Table) -> bool:
        try:
            self.airport.writer.run(operation, self.table, rows.to_batches(), schema=rows.schema)
        except grpc.RpcError as error:
            if failure_of(error).code is not OVERTAKEN:
                raise
            return False
        return True
