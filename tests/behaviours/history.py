"""Was this history possible one statement after the other?

Writers log what each acknowledged statement read and did. The checker replays the log in the order of
versions on a model that a person can check by eye, and compares the model with what the table shows
at every version. It knows nothing about any implementation.

Rows are recognised by their `id`, which no statement changes. Other columns may be added, renamed
and dropped; the model follows them by identity, so that a statement that read `price` and was applied
after a rename to `cost` is still understood. Upkeep makes versions that change nothing, and expiry
makes versions that nobody can look at any more: the model goes on through both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, permutations
from typing import TypeAlias

Row: TypeAlias = Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Inserted:
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Updated:
    """Rows as they were read, and the new values of the columns that were set, by id."""

    before: tuple[Row, ...]
    values: Mapping[int, Row]


@dataclass(frozen=True, slots=True)
class Deleted:
    before: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Truncated:
    pass


@dataclass(frozen=True, slots=True)
class Overwritten:
    """These rows in place of all that were there."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Tidied:
    """Upkeep, such as compaction: a version with the same rows and columns."""


@dataclass(frozen=True, slots=True)
class Added:
    column: str


@dataclass(frozen=True, slots=True)
class Renamed:
    column: str
    to: str


@dataclass(frozen=True, slots=True)
class Dropped:
    column: str


Deed: TypeAlias = (
    Inserted | Updated | Deleted | Truncated | Overwritten | Tidied | Added | Renamed | Dropped
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An acknowledged statement: the version it read, and the one it says it made."""

    writer: int
    read: int
    version: int
    deed: Deed


@dataclass(frozen=True, slots=True)
class Attempt:
    """A statement, acknowledged or refused, and the rows it meant to change."""

    writer: int
    rows: frozenset[int] = frozenset()


class ImpossibleHistoryError(AssertionError):
    """No serial order explains what was acknowledged and seen."""


@dataclass
class Model:
    """The table, one statement at a time. `names` gives each column of now its identity."""

    names: dict[str, int]
    rows: dict[int, dict[int, int | None]] = field(default_factory=dict)
    names_at: dict[int, dict[str, int]] = field(default_factory=dict)
    _next_identity: int = 1000

    def copy(self) -> Model:
        rows = {key: dict(row) for key, row in self.rows.items()}
        return Model(dict(self.names), rows, dict(self.names_at), self._next_identity)

    def shown(self) -> dict[int, Row]:
        return {
            key: {name: row.get(identity) for name, identity in self.names.items()}
            for key, row in self.rows.items()
        }

    def apply(self, entry: Entry) -> frozenset[int]:
        """Carry a statement out; the ids of the rows it may have changed."""
        deed = entry.deed
        match deed:
            case Inserted():
                return self._insert(entry, deed.rows)
            case Updated():
                return self._update(entry, deed)
            case Deleted():
                self._expect(entry, deed.before)
                for row in deed.before:
                    del self.rows[_key(row)]
                return frozenset(map(_key, deed.before))
            case Truncated():
                return self._clear()
            case Overwritten():
                return self._clear() | self._insert(entry, deed.rows)
            case Added() | Renamed() | Dropped():
                self._alter(entry, deed)
            case Tidied():
                pass
        return frozenset()

    def _alter(self, entry: Entry, deed: Added | Renamed | Dropped) -> None:
        if isinstance(deed, Added):
            self._next_identity += 1
            self.names[deed.column] = self._next_identity
            return
        self._require(entry, deed.column)
        if isinstance(deed, Dropped):
            del self.names[deed.column]
        else:
            self.names = {
                deed.to if name == deed.column else name: identity
                for name, identity in self.names.items()
            }

    def _require(self, entry: Entry, column: str) -> None:
        if column not in self.names:
            raise ImpossibleHistoryError(f"{_said(entry)} changed {column}, which was gone by then")

    def _clear(self) -> frozenset[int]:
        gone = frozenset(self.rows)
        self.rows.clear()
        return gone

    def _insert(self, entry: Entry, rows: Iterable[Row]) -> frozenset[int]:
        names = self.names_at[entry.read]
        for row in rows:
            if _key(row) in self.rows:
                raise ImpossibleHistoryError(f"{_said(entry)} inserted row {_key(row)} again")
            self.rows[_key(row)] = {names[name]: value for name, value in row.items()}
        return frozenset(map(_key, rows))

    def _update(self, entry: Entry, deed: Updated) -> frozenset[int]:
        self._expect(entry, deed.before)
        names = self.names_at[entry.read]
        for key, values in deed.values.items():
            self.rows[key].update({names[name]: value for name, value in values.items()})
        return frozenset(deed.values)

    def _expect(self, entry: Entry, before: Iterable[Row]) -> None:
        """What the statement read must be what it was applied to."""
        names = self.names_at[entry.read]
        alive = set(self.names.values())
        for row in before:
            held = self.rows.get(_key(row))
            if held is None:
                raise ImpossibleHistoryError(
                    f"{_said(entry)} changed row {_key(row)}, which was gone by then: stale row id"
                )
            for name, value in row.items():
                identity = names[name]
                if identity in alive and held.get(identity) != value:
                    raise ImpossibleHistoryError(
                        f"{_said(entry)} read {name} = {value} of row {_key(row)} and overwrote "
                        f"{held.get(identity)}: lost update"
                    )


def check_history(
    columns: Sequence[str],
    entries: Sequence[Entry],
    newest: int,
    observe: Callable[[int], Sequence[Row] | None],
    *,
    kept: int | None = None,
) -> dict[int, tuple[Row, ...]]:
    """The rows of every version; `ImpossibleHistoryError` unless the log explains all that is seen.

    `observe` gives None for a version that has expired, which only what is older than the newest
    `kept` may have; None means that nobody expired anything.
    """
    model = Model({name: identity for identity, name in enumerate(columns)})
    model.names_at[0] = dict(model.names)
    states: dict[int, tuple[Row, ...]] = {0: ()}
    unseen: frozenset[int] = frozenset()
    ordered = sorted(entries, key=lambda entry: entry.version)
    for version, group in groupby(ordered, key=lambda entry: entry.version):
        if version != len(states):
            raise ImpossibleHistoryError(f"nobody was told about version {len(states)}")
        seen = observe(version)
        if seen is None and (kept is None or version > newest - kept):
            raise ImpossibleHistoryError(f"version {version} is gone and should have been kept")
        model, touched = _step(model, tuple(group), seen, unseen)
        unseen = touched if seen is None else frozenset()
        states[version] = tuple(model.shown().values())
    if newest != len(states) - 1:
        raise ImpossibleHistoryError(
            f"the table is at version {newest}, acknowledged were {len(states) - 1}"
        )
    return states


def _step(
    before: Model, group: tuple[Entry, ...], seen: Sequence[Row] | None, unseen: frozenset[int]
) -> tuple[Model, frozenset[int]]:
    """The model after a version, and the rows that changed since the last one that could be seen.

    Statements that were committed as one share a version: one order of them has to explain it.
    """
    failure: ImpossibleHistoryError | None = None
    for order in permutations(group):
        model, touched = before.copy(), unseen
        try:
            for entry in order:
                touched |= model.apply(entry)
            model.names_at[group[0].version] = dict(model.names)
            if seen is not None:
                _compare(group[0].version, model.shown(), seen, touched)
        except ImpossibleHistoryError as error:
            failure = failure or error
        else:
            return model, touched
    raise failure or AssertionError("a version without statements")


def shared(attempts: Sequence[Attempt]) -> int:
    """How many statements meant to change a row that another writer's statement meant to change."""
    writers: dict[int, set[int]] = {}
    for attempt in attempts:
        for row in attempt.rows:
            writers.setdefault(row, set()).add(attempt.writer)
    return sum(any(len(writers[row]) > 1 for row in attempt.rows) for attempt in attempts)


def _compare(
    version: int, expected: Mapping[int, Row], seen: Sequence[Row], touched: frozenset[int]
) -> None:
    twice = [key for key, count in Counter(map(_key, seen)).items() if count > 1]
    if twice:
        raise ImpossibleHistoryError(f"version {version} holds row {twice[0]} twice")
    shown = {_key(row): dict(row) for row in seen}
    wrong = [key for key in expected.keys() | shown.keys() if expected.get(key) != shown.get(key)]
    if not wrong:
        return
    strangers = [key for key in wrong if key not in touched]
    reason = (
        f"row {strangers[0]} changed, which no statement named: wrong row"
        if strangers
        else f"row {wrong[0]} is not as its statement left it: partial statement"
    )
    raise ImpossibleHistoryError(f"in version {version} {reason}")


def _key(row: Row) -> int:
    key = row["id"]
    if key is None:
        raise ImpossibleHistoryError("a row lost its id")
    return key


def _said(entry: Entry) -> str:
    return f"the statement of writer {entry.writer} at version {entry.version}"
