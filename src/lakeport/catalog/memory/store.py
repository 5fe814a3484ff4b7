"""The one place that changes: a table's current timeline, swapped under a short lock.

A writer computes the next timeline from the one it sees and swaps it in if nobody was faster;
otherwise it computes again, so every attempt is validated against the head it is applied to.
A reader takes the reference and needs no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from lakeport.catalog.memory.timeline import Stamp, Timeline
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import ConflictError, NotFoundError
from lakeport.core.names import quoted

# Optimistic attempts before the lock is held for a whole one: a long statement beside a stream of
# short ones would otherwise never get its turn.
_OPTIMISTIC_ATTEMPTS = 3


class Counter:
    """Counts changes; `value` may be read without the lock."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = threading.Lock()

    def bump(self) -> None:
        with self._lock:
            self.value += 1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all tables of a catalog share. Sizes are rows: of a stored piece, a split, a read batch."""

    clock: Callable[[], int]
    new_id: Callable[[], int]
    segment_rows: int
    split_rows: int
    batch_rows: int
    definitions: Counter = field(default_factory=Counter)
    rows: Counter = field(default_factory=Counter)

    def stamp(self, context: WriteContext | None) -> Stamp:
        return Stamp(self.new_id(), self.clock(), context or WriteContext())


class TableStore:
    def __init__(self, timeline: Timeline, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self._timeline = timeline
        self._lock = threading.Lock()

    @property
    def timeline(self) -> Timeline:
        """The head now, also of a table that was dropped."""
        return self._timeline

    def read(self) -> Timeline:
        timeline = self._timeline
        if timeline.is_dropped:
            raise NotFoundError(f"table {quoted(str(timeline.name))} was dropped")
        return timeline

    def under_way(self) -> Timeline:
        """The head for a statement that has begun: it must not find a dropped table."""
        timeline = self._timeline
        if timeline.is_dropped:
            raise ConflictError(
                f"table {quoted(str(timeline.name))} was dropped while the statement ran",
                hint="run the statement again if there is a new table of that name",
            )
        return timeline

    def commit(self, attempt: Callable[[Timeline], Timeline]) -> Timeline:
        """Apply `attempt` to the head; it may run several times and must do nothing else.

        An attempt that gives back what it was given commits nothing.
        """
        committed = self._commit(attempt)
        self.surroundings.rows.bump()
        return committed

    def _commit(self, attempt: Callable[[Timeline], Timeline]) -> Timeline:
        for _ in range(_OPTIMISTIC_ATTEMPTS):
            seen = self.under_way()
            proposed = attempt(seen)
            with self._lock:
                if self._timeline is seen:
                    self._timeline = proposed
                    return proposed
        with self._lock:
            self._timeline = attempt(self.under_way())
            return self._timeline
