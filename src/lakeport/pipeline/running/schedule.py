"""Models in the order of their needs, some at a time. What fails stops those who need it and nobody else.

Ctrl-C, or a SIGTERM, asks the run to stop: nothing more begins, statements are cancelled, and what cannot
be cut off is waited for. The second one is for whoever does not want to wait.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeport.core.names import TableName
from lakeport.pipeline.running.stop import Stop

_TURN = 0.5
"""Seconds after which a run that was asked to stop asks its statements again."""

_Done: TypeAlias = "queue.SimpleQueue[tuple[TableName, bool] | None]"
"""A model and whether others may build on it; None is somebody's wish to stop."""


@dataclass(frozen=True, slots=True)
class Crew:
    """`work` does one model in a thread of its own and says whether others may build on it.

    `leave` is told of each that is not begun, and of the model that is to blame, or None if the run was
    asked to stop, which `stopping` is told first.
    """

    work: Callable[[TableName], bool]
    leave: Callable[[TableName, TableName | None], None]
    stopping: Callable[[], None]
    jobs: int


@dataclass(slots=True)
class Schedule:
    """`order` is topological; `needs` has for each model all those of the order that come before it."""

    order: Sequence[TableName]
    needs: Mapping[TableName, AbstractSet[TableName]]
    crew: Crew
    stop: Stop
    _done: _Done = field(default_factory=queue.SimpleQueue)
    _waiting: list[TableName] = field(default_factory=list)
    _running: set[TableName] = field(default_factory=set)
    _good: set[TableName] = field(default_factory=set)
    _bad: set[TableName] = field(default_factory=set)

    def carry_out(self) -> None:
        self._waiting = list(self.order)
        with _hearing(lambda: self._done.put(None)):
            while self._waiting or self._running:
                self._begin()
                if self._running:
                    self._await()

    def _await(self) -> None:
        try:
            found = self._done.get(timeout=_TURN if self.stop.is_asked else None)
        except queue.Empty:
            self.stop.ask()
            return
        if found is None:
            self.stop.ask()
            self.crew.stopping()
            return
        name, is_good = found
        self._running.discard(name)
        (self._good if is_good else self._bad).add(name)

    def _begin(self) -> None:
        for name in list(self._waiting):
            failed = self.needs[name] & self._bad
            blame = next((each for each in self.order if each in failed), None)
            if blame is not None or self.stop.is_asked:
                self._waiting.remove(name)
                self._bad.add(name)
                self.crew.leave(name, blame)
            elif len(self._running) < self.crew.jobs and self.needs[name] <= self._good:
                self._waiting.remove(name)
                self._running.add(name)
                self._thread(name)

    def _thread(self, name: TableName) -> None:
        def run() -> None:
            is_good = False
            try:
                is_good = self.crew.work(name)
            finally:
                self._done.put((name, is_good))

        # A daemon, so that whoever presses Ctrl-C twice does not wait for it.
        threading.Thread(target=run, name=f"lakeport-model-{name}", daemon=True).start()


@contextmanager
def _hearing(wish: Callable[[], None]) -> Iterator[None]:
    """Signals come to the main thread alone, wherever it stands, so there `wish` must be harmless."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = 0

    def hear(number: int, frame: object) -> None:
        nonlocal heard
        del number, frame
        heard += 1
        if heard > 1:
            raise KeyboardInterrupt
        wish()

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
