"""Runs of a project on tables that clients of Airport change at the same time, over the wire."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from lakeport.app import wiring
from lakeport.catalog.history import RUN_ID
from lakeport.pipeline.running.result import RunResult
from lakeport.pipeline.writing import Point, Progress
from tests.airport.attached import ROW_ID, attached
from tests.airport.exchange.talk import descriptor_of
from tests.engines.plain import Row, in_order, rows_of
from tests.spark.crowds.client import Client
from tests.spark.crowds.serial import Step, changes_rows
from tests.spark.model import Model
from tests.spark.running.folder import Folder

PATIENCE = 100.0
TRIES = 20
NAMES = ("stock", "log")
KEYS = (1, 2, 20)
STOCK = "SELECT k, CAST(:round AS INT) * 100 AS v{more} FROM VALUES (1), (2), (20) AS given (k)"
LOG = "SELECT CAST(:round AS INT) AS k, 0 AS v"
COPY = "SELECT k, v FROM t.stock"
NOTE = ", CAST(:round AS INT) AS note"


@dataclass
class Beside:
    """A client at work while a run goes on. The run waits once for it, where a write can be overtaken."""

    name: str
    client: Client
    numbers: Iterator[int]
    begun: threading.Event = field(default_factory=threading.Event)
    changed: threading.Event = field(default_factory=threading.Event)

    def work(self, rounds: int) -> None:
        assert self.begun.wait(PATIENCE)
        for _ in range(rounds):
            self.client.turn(next(self.numbers))
            self.changed.set()

    def seen(self, progress: Progress) -> None:
        if str(progress.table) != self.name:
            return
        if progress.point is Point.STAGED:
            self.begun.set()
        if progress.point is Point.WRITING and not self.changed.is_set():
            assert self.changed.wait(PATIENCE)


@dataclass
class Crowd:
    folder: Folder
    clients: list[Client]
    numbers: list[Iterator[int]]
    rounds: int
    steps: dict[str, dict[str, Step]] = field(default_factory=dict)
    """What each run does to each table."""

    def run(self, number: int, *, grows: bool = False, **request: Any) -> RunResult:
        self.folder.toml(f"[pipeline.parameters]\nround = {number}\n")
        self.folder.model("t.stock", STOCK.format(more=NOTE if grows else ""), unique_key=["k"])
        besides = [
            Beside(f"t.{name}", client, numbers)
            for name, client, numbers in zip(NAMES, self.clients, self.numbers, strict=True)
        ]

        def observe(progress: Progress) -> None:
            for beside in besides:
                beside.seen(progress)

        with ThreadPoolExecutor(len(besides)) as pool:
            working = [pool.submit(beside.work, self.rounds) for beside in besides]
            result = self.carried_out(observe, **request)
            for each in working:
                each.result()
        self.steps[result.run_id] = steps_of(number, grows=grows)
        return result

    def carried_out(self, observe: Callable[[Progress], None], **request: Any) -> RunResult:
        """Who is overtaken too often is told so, and goes on with the same run."""
        result = self.folder.run(observe=observe, **request)
        for _ in range(TRIES):
            codes = {model.error.code for model in result.models if model.error is not None}
            codes |= set() if result.error is None else {result.error.code}
            if result.status == "succeeded":
                return result
            assert codes == {"conflict"}, [model.error for model in result.models]
            run_id = result.run_id
            result = self.folder.run(retry=True, observe=observe)
            assert result.run_id == run_id
        raise AssertionError(f"{result.run_id} was overtaken {TRIES} times")

    def replayed(self, table: str, client: Client) -> list[tuple[str | None, Model]]:
        """The table after each of its commits, in plain Python; every run once, every statement once."""
        left = {run: steps[table] for run, steps in self.steps.items()}
        more = iter(client.done)
        model, states = Model(), list[tuple[str | None, Model]]()
        for run, operation in self.line(f"t.{table}"):
            if run is not None:
                left.pop(run)(model)
            elif operation != "replace":  # files that were joined hold the same rows
                next(more)(model)
            states.append((run, deepcopy(model)))
        assert left == {}
        assert list(more) == []
        return states

    def line(self, table: str) -> list[tuple[str | None, str]]:
        """Main's commits that have to do with rows, oldest first."""
        with self.folder.lake() as lake:
            handle = lake.table(table)
            known = {each.snapshot_id: each for each in handle.history()}
            at, found = handle.port.state().snapshot_id, []
            while at is not None:
                found.append(known[at])
                at = known[at].parent_id
        return [
            (each.summary.get(RUN_ID), each.operation)
            for each in reversed(found)
            if RUN_ID in each.summary or changes_rows(each.summary)
        ]


def steps_of(number: int, *, grows: bool) -> dict[str, Step]:
    columns = ["k", "v", *(["note"] if grows else [])]
    batch = [{"k": key, "v": number * 100, "note": number} for key in KEYS]
    rows = [{name: row[name] for name in columns} for row in batch]
    return {
        "stock": lambda model: model.delete_insert(columns, rows, ["k"], "append"),
        "log": lambda model: model.append(["k", "v"], [{"k": number, "v": 0}]),
    }


@contextmanager
def crowd(folder: Folder, rounds: int) -> Iterator[Crowd]:
    """Each client has a server of its own, which knows nothing of the runs' process but the lake."""
    with ExitStack() as stack:
        clients = []
        for name in NAMES:
            catalog = stack.enter_context(wiring.open_catalog(folder.settings()))
            server = stack.enter_context(attached(catalog))
            clients.append(Client(server, descriptor_of("t", name)))
        yield Crowd(folder, clients, [count() for _ in clients], rounds)


@pytest.mark.parametrize(
    "rounds", [pytest.param(3, id="short"), pytest.param(20, id="long", marks=pytest.mark.long)]
)
def test_nothing_is_lost_or_doubled(folder: Folder, rounds: int) -> None:
    folder.toml("[pipeline.parameters]\nround = 0\n")
    folder.model("t.stock", STOCK.format(more=""), unique_key=["k"])
    folder.model("t.log", LOG, strategy="append")
    folder.model("t.copy", COPY, materialized="table")
    first = folder.run()
    assert first.status == "succeeded"
    with crowd(folder, rounds) as people:
        people.steps[first.run_id] = steps_of(0, grows=False)
        people.run(1)
        people.run(2, publish="branch")
        people.run(3, publish="run-atomic")
        last = people.run(4, grows=True)
        stock, log = people.clients
        states = people.replayed("stock", stock)
        assert folder.rows("t.stock") == states[-1][1].expected()
        assert folder.columns("t.stock") == ["k", "v", "note"]
        assert folder.rows("t.log") == people.replayed("log", log)[-1][1].expected()
        for client, name in ((stock, "t.stock"), (log, "t.log")):
            seen = client.airport.read(client.table).drop_columns([ROW_ID])
            assert seen.column_names == ["k", "v"]  # those that it was told of when it came
            assert in_order(rows_of(seen)) == in_order(row[:2] for row in folder.rows(name))
    assert folder.rows("t.copy") in since(states, last.run_id)
    assert folder.refs("t.stock") == {"main"}


def since(states: list[tuple[str | None, Model]], run: str) -> list[list[Row]]:
    """The table as whoever read it after that run's commit may have found it."""
    at = next(number for number, (name, _) in enumerate(states) if name == run)
    return [in_order((row["k"], row["v"]) for row in model.rows) for _, model in states[at:]]
