"""Random programs of several writers on one table, for the checker of `history.py`.

A writer is a generator that pauses where another writer may come in between: after reading, and
before committing. Run on threads the pauses mean nothing and real races happen; run by the seeded
scheduler the same program is interleaved deterministically, collision by collision.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.changes import AddColumn, Change, DropColumn, RenameColumn
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.ports import ScanRequest, Write
from lakeport.core.errors import ConflictError, InvalidRequestError, NotFoundError
from lakeport.core.names import ROW_ID
from lakeport.core.timepoint import AtVersion
from tests.behaviours.history import (
    Added,
    Deed,
    Deleted,
    Dropped,
    Entry,
    Inserted,
    Renamed,
    Row,
    Truncated,
    Updated,
)
from tests.behaviours.lake import Subject

WRITERS = 4
STATEMENTS = 10
HOT_ROWS = 8
"""Rows that all writers fight for: half of all updates and deletes go there."""

COLUMNS = ("id", "value")
SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("value", pa.int64())])

Pauses: TypeAlias = Generator[None, None, None]


@dataclass
class Log:
    """Acknowledged statements of all writers, and how many were refused."""

    entries: list[Entry] = field(default_factory=list)
    refused: int = 0
    reads: list[Seen] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, entry: Entry) -> None:
        with self._lock:
            self.entries.append(entry)

    def refuse(self) -> None:
        with self._lock:
            self.refused += 1


@dataclass(frozen=True, slots=True)
class Seen:
    """What a statement read: the version, the rows, and the id of each row."""

    version: int
    rows: tuple[Row, ...]
    row_ids: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.rows[0]) if self.rows else ()


def look(subject: Subject) -> Seen:
    """The whole table, split by split, as a client reads it."""
    request = ScanRequest(row_ids=True)
    plan = subject.scannable.plan(request)
    rows: list[dict[str, int]] = []
    for split in plan.splits:
        with subject.scannable.open(request, split) as stream:
            rows += stream.read_all().to_pylist()
    row_ids = tuple(row.pop(ROW_ID) for row in rows)
    return Seen(plan.state.version, tuple(rows), row_ids)


class Writer:
    def __init__(self, number: int, subject: Subject, log: Log, rng: random.Random) -> None:
        self._number = number
        self._subject = subject
        self._log = log
        self._rng = rng
        self._next_id = (number + 1) * 100_000
        self._next_value = (number + 1) * 1_000_000

    def run(self) -> Pauses:
        kinds: Sequence[Callable[[], Pauses]] = (
            self._insert,
            self._change,
            self._remove,
            self._alter,
            self._truncate,
        )
        for _ in range(STATEMENTS):
            statement = self._rng.choices(kinds, weights=(22, 48, 16, 12, 2))[0]
            try:
                yield from statement()
            except (ConflictError, NotFoundError, InvalidRequestError):
                # Too late, or the column it meant is gone: the statement must have done nothing.
                self._log.refuse()

    # -- the statements --------------------------------------------------------------------------

    def _insert(self) -> Pauses:
        version = self._subject.state.version
        rows = tuple(
            {"id": self._fresh_id(), "value": self._fresh_value()}
            for _ in range(self._rng.randint(1, 4))
        )
        yield
        with self._subject.insertable.insert() as write:
            for row in rows:  # a batch each, so that half a statement would show
                write.add(pa.RecordBatch.from_pylist([{"id": row["id"]}], SCHEMA.remove(1)))
            yield
            # Only `id` is given: `value` may have been dropped or renamed by now.
            self._acknowledge(version, write, Inserted(tuple({"id": row["id"]} for row in rows)))

    def _change(self) -> Pauses:
        seen = look(self._subject)
        settable = [name for name in seen.columns if name != "id"]
        picked = self._picked(seen)
        if not picked or not settable:
            return
        column = self._rng.choice(settable)
        values = {index: self._fresh_value() for index in picked}
        yield
        with self._subject.updatable.update() as write:
            for index in picked:
                arrays = [pa.array([values[index]]), pa.array([seen.row_ids[index]])]
                schema = pa.schema([pa.field(column, pa.int64()), ROW_ID_FIELD])
                write.add(pa.RecordBatch.from_arrays(arrays, schema=schema))
            yield
            before = tuple(seen.rows[index] for index in picked)
            changed = {_id(seen.rows[index]): {column: values[index]} for index in picked}
            self._acknowledge(seen.version, write, Updated(before, changed))

    def _remove(self) -> Pauses:
        seen = look(self._subject)
        picked = self._picked(seen)
        if not picked:
            return
        yield
        with self._subject.deletable.delete() as write:
            for index in picked:
                arrays = [pa.array([seen.row_ids[index]])]
                write.add(pa.RecordBatch.from_arrays(arrays, schema=pa.schema([ROW_ID_FIELD])))
            yield
            before = tuple(seen.rows[index] for index in picked)
            self._acknowledge(seen.version, write, Deleted(before))

    def _alter(self) -> Pauses:
        state = self._subject.state
        others = [name for name in state.definition.schema.names if name != "id"]
        name = f"c{self._fresh_value()}"
        change: Change = AddColumn(pa.field(name, pa.int64()))
        deed: Deed = Added(name)
        if len(others) > 1 and self._rng.random() < 0.6:
            column = self._rng.choice(others)
            if self._rng.random() < 0.5:
                change, deed = RenameColumn(column, name), Renamed(column, name)
            else:
                change, deed = DropColumn(column), Dropped(column)
        yield
        done = self._subject.alter(change)
        self._log.acknowledge(Entry(self._number, state.version, done.version, deed))

    def _truncate(self) -> Pauses:
        version = self._subject.state.version
        yield
        done = self._subject.truncatable.truncate()
        if done.rows:
            self._log.acknowledge(Entry(self._number, version, done.version, Truncated()))

    # -- their parts -----------------------------------------------------------------------------

    def _picked(self, seen: Seen) -> list[int]:
        indices = range(len(seen.rows))
        hot = [index for index in indices if _id(seen.rows[index]) < HOT_ROWS]
        pool = hot if hot and self._rng.random() < 0.7 else list(indices)
        return sorted(self._rng.sample(pool, min(len(pool), self._rng.randint(1, 3))))

    def _acknowledge(self, read: int, write: Write, deed: Deed) -> None:
        version = write.commit().version
        self._log.acknowledge(Entry(self._number, read, version, deed))

    def _fresh_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _fresh_value(self) -> int:
        self._next_value += 1
        return self._next_value


def run_threads(subject: Subject, seed: int) -> Log:
    """A thread per writer and one that reads; what goes wrong inside one is in `failures`."""
    log = _begun(subject)
    start = threading.Barrier(WRITERS)

    def work(writer: Writer) -> None:
        start.wait()
        try:
            for _ in writer.run():
                pass
        except BaseException as failure:  # noqa: BLE001 # a thread's failure is the test's to raise
            log.failures.append(failure)

    done = threading.Event()

    def watch() -> None:
        try:
            while not done.is_set():
                log.reads.append(look(subject))
        except BaseException as failure:  # noqa: BLE001 # the same
            log.failures.append(failure)

    reader = threading.Thread(target=watch)
    threads = [
        threading.Thread(target=work, args=(writer,)) for writer in _writers(subject, log, seed)
    ]
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    reader.join()
    return log


def run_interleaved(subject: Subject, seed: int) -> Log:
    """The same program on one thread, switched at the pauses by a seeded scheduler."""
    log = _begun(subject)
    rng = random.Random(seed)  # noqa: S311 # repeatable, not secret
    running = [writer.run() for writer in _writers(subject, log, seed)]
    while running:
        writer = rng.choice(running)
        try:
            next(writer)
        except StopIteration:
            running.remove(writer)
    return log


def observed(subject: Subject) -> Callable[[int], Sequence[Row]]:
    def at(version: int) -> Sequence[Row]:
        return subject.read(ScanRequest(at=AtVersion(version))).to_pylist()

    return at


def _begun(subject: Subject) -> Log:
    """The hot rows are there before the writers begin."""
    rows = tuple({"id": key, "value": key} for key in range(HOT_ROWS))
    written = subject.insert(pa.Table.from_pylist(list(rows), SCHEMA))
    log = Log()
    log.acknowledge(Entry(WRITERS, 0, written.version, Inserted(rows)))
    return log


def _writers(subject: Subject, log: Log, seed: int) -> list[Writer]:
    return [
        Writer(number, subject, log, random.Random(seed * WRITERS + number))  # noqa: S311 # the same
        for number in range(WRITERS)
    ]


def _id(row: Row) -> int:
    key = row["id"]
    assert key is not None
    return key
