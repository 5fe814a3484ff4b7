"""Random programs of several writers on one table, for the checker of `history.py`.

A writer is a generator that pauses where another writer may come in between: after reading, and
before committing. On threads and in processes the pauses mean nothing and real races happen; the
seeded scheduler interleaves the same program deterministically, collision by collision (`runners.py`).
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.changes import AddColumn, Change, DropColumn, RenameColumn
from lakeport.catalog.definition import ROW_ID_FIELD, Definition, PrimaryKey
from lakeport.catalog.ports import ScanRequest, Write
from lakeport.core.errors import (
    ConflictError,
    ExpiredError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.names import ROW_ID
from tests.behaviours.history import (
    Added,
    Attempt,
    Deed,
    Deleted,
    Dropped,
    Entry,
    Inserted,
    Overwritten,
    Renamed,
    Row,
    Tidied,
    Truncated,
    Updated,
)
from tests.behaviours.implementations import Upkeep
from tests.behaviours.lake import Lake, Subject

WRITERS = 4
STATEMENTS = 7
HOT_ROWS = 8
"""Rows that all writers fight for: most updates and deletes go there."""

KEPT = 6
"""How many versions an expiry leaves: so few that statements under way lose theirs."""

COLUMNS = ("id", "value")
SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("value", pa.int64())])

Pauses: TypeAlias = Generator[None, None, None]

TOO_LATE = (ConflictError, ExpiredError, NotFoundError, InvalidRequestError, KeyViolationError)
"""Another writer was faster, what it meant is gone or its key is taken: it must have done nothing."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a statement read: the version, the rows, and the id of each row."""

    version: int
    rows: tuple[Row, ...]
    row_ids: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.rows[0]) if self.rows else ()

    def keys(self, picked: list[int]) -> frozenset[int]:
        return frozenset(_id(self.rows[index]) for index in picked)


@dataclass
class Log:
    """What the writers were told, what they tried, and what others read meanwhile."""

    entries: list[Entry] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    reads: list[Seen] = field(default_factory=list)
    expiries: int = 0
    failures: list[BaseException] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def attempt(self, attempt: Attempt) -> None:
        with self._lock:
            self.attempts.append(attempt)

    def acknowledge(self, entry: Entry) -> None:
        with self._lock:
            self.entries.append(entry)

    def refuse(self, reason: LakeportError) -> None:
        with self._lock:
            self.refused[reason.code] += 1

    def expire(self) -> None:
        """Noted before it begins: from then on versions may be missing."""
        with self._lock:
            self.expiries += 1

    def include(self, other: Log) -> None:
        """What a writer elsewhere sent back."""
        self.entries += other.entries
        self.attempts += other.attempts
        self.refused += other.refused
        self.expiries += other.expiries

    def __getstate__(self) -> Mapping[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}


def create(lake: Lake, seed: int) -> Subject:
    """The table of one program: by turns with a key that writers fight for, too, and with a layout."""
    definition = Definition(
        SCHEMA,
        (PrimaryKey(("id",)),) if seed % 2 else (),
        partitioned_by=("bucket(3, id)",) if seed % 4 > 1 else (),
        sorted_by=("id",) if seed % 4 > 1 else (),
    )
    return Subject(lake.namespace().create_table(f"orders_{seed}", definition))


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
    """One of the four. `upkeep` is what this implementation offers to tidy a table up."""

    def __init__(
        self, number: int, subject: Subject, log: Log, seed: int, upkeep: tuple[Upkeep, ...] = ()
    ) -> None:
        self._number = number
        self._subject = subject
        self._log = log
        self._rng = random.Random(seed * WRITERS + number)  # noqa: S311 # repeatable, not secret
        self._upkeep = upkeep
        self._has_key = bool(subject.state.definition.keys)
        self._next_id = (number + 1) * 100_000
        self._next_value = (number + 1) * 1_000_000

    def run(self) -> Pauses:
        kinds: Mapping[Callable[[], Pauses], int] = {
            self._insert: 20,
            self._change: 46,
            self._remove: 14,
            self._alter: 10,
            self._truncate: 1,
            self._overwrite: 1,
            self._expire: 4,
            self._tidy: 5 if self._upkeep else 0,
        }
        for _ in range(STATEMENTS):
            statement = self._rng.choices(list(kinds), weights=list(kinds.values()))[0]
            try:
                yield from statement()
            except TOO_LATE as reason:
                self._log.refuse(reason)

    # -- the statements --------------------------------------------------------------------------

    def _insert(self) -> Pauses:
        version = self._subject.state.version
        keys = {self._fresh_id() for _ in range(self._rng.randint(1, 4))}
        if self._has_key and self._rng.random() < 0.5:
            keys.add(self._rng.randrange(HOT_ROWS))  # free only if somebody deleted that row
        rows = tuple({"id": key} for key in sorted(keys))
        self._mean(frozenset(keys))
        yield
        with self._subject.insertable.insert() as write:
            for row in rows:  # a batch each, so that half a statement would show
                # Only `id` is given: `value` may have been dropped or renamed by now.
                write.add(pa.RecordBatch.from_pylist([row], SCHEMA.remove(1)))
            yield
            self._acknowledge(version, write, Inserted(rows))

    def _change(self) -> Pauses:
        seen = look(self._subject)
        settable = [name for name in seen.columns if name != "id"]
        picked = self._picked(seen)
        if not picked or not settable:
            return
        column = self._rng.choice(settable)
        values = {index: self._fresh_value() for index in picked}
        self._mean(seen.keys(picked))
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
        self._mean(seen.keys(picked))
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
        self._mean()
        yield
        done = self._subject.alter(change)
        self._log.acknowledge(Entry(self._number, state.version, done.version, deed))

    def _truncate(self) -> Pauses:
        version = self._subject.state.version
        self._mean()
        yield
        done = self._subject.truncatable.truncate()
        if done.rows:
            self._log.acknowledge(Entry(self._number, version, done.version, Truncated()))

    def _overwrite(self) -> Pauses:
        version = self._subject.state.version
        rows = tuple({"id": self._fresh_id()} for _ in range(HOT_ROWS))
        self._mean()
        yield
        with self._subject.overwritable.overwrite() as write:
            for row in rows:
                write.add(pa.RecordBatch.from_pylist([row], SCHEMA.remove(1)))
            yield
            self._acknowledge(version, write, Overwritten(rows))

    def _expire(self) -> Pauses:
        self._mean()
        self._log.expire()
        yield
        self._subject.expirable.expire(keep=KEPT)

    def _tidy(self) -> Pauses:
        version = self._subject.state.version
        upkeep = self._rng.choice(self._upkeep)
        self._mean()
        yield
        for made in upkeep(self._subject.table):
            self._log.acknowledge(Entry(self._number, version, made, Tidied()))

    # -- their parts -----------------------------------------------------------------------------

    def _picked(self, seen: Seen) -> list[int]:
        indices = range(len(seen.rows))
        hot = [index for index in indices if _id(seen.rows[index]) < HOT_ROWS]
        pool = hot if hot and self._rng.random() < 0.7 else list(indices)
        return sorted(self._rng.sample(pool, min(len(pool), self._rng.randint(1, 3))))

    def _mean(self, rows: frozenset[int] = frozenset()) -> None:
        self._log.attempt(Attempt(self._number, rows))

    def _acknowledge(self, read: int, write: Write, deed: Deed) -> None:
        version = write.commit().version
        self._log.acknowledge(Entry(self._number, read, version, deed))

    def _fresh_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _fresh_value(self) -> int:
        self._next_value += 1
        return self._next_value


def begin(subject: Subject) -> Log:
    """The hot rows are there before the writers begin."""
    rows = tuple({"id": key, "value": key} for key in range(HOT_ROWS))
    written = subject.insert(pa.Table.from_pylist(list(rows), SCHEMA))
    log = Log()
    log.acknowledge(Entry(WRITERS, 0, written.version, Inserted(rows)))
    return log


def _id(row: Row) -> int:
    key = row["id"]
    assert key is not None
    return key
