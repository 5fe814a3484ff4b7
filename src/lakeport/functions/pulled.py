"""A generator that reads its input when it wants to, fed by somebody who hands it over when it comes.

The generator runs in a thread of its own, and only ever one of the two sides runs: batches are pushed, and
what the generator gives until it asks for the next one comes back.
"""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

from lakeport.core.errors import FunctionError


@dataclass(frozen=True, slots=True)
class _Gave:
    item: object


@dataclass(frozen=True, slots=True)
class _Raised:
    error: BaseException


_HUNGRY, _OVER, _STOP, _END = object(), object(), object(), object()


class _Dropped(BaseException):
    """Raised inside the generator when nobody wants its rows any more; `except Exception` lets it by."""


class Pulled:
    def __init__(self, start: Callable[[Iterator[Any]], Any], what: str) -> None:
        self._start = start
        self._what = what
        self._inputs: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._outputs: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._turns: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_over = False

    def push(self, item: object) -> Iterator[object]:
        """What the generator gives for it. One that has ended takes what comes, and gives nothing."""
        if self._thread is None:
            yield from self._begin()
        if not self._is_over:
            self._inputs.put(item)
            yield from self._given()

    def end(self) -> Iterator[object]:
        if self._thread is None:
            yield from self._begin()
        if not self._is_over:
            self._inputs.put(_END)
            yield from self._given()

    def close(self) -> None:
        """The generator ends where it stands; what it does for longer than a moment is its own."""
        thread = self._thread
        if thread is None or self._is_over:
            return
        self._is_over = True
        self._inputs.put(_STOP)
        self._turns.put(_STOP)
        thread.join(1.0)

    def _begin(self) -> Iterator[object]:
        context = contextvars.copy_context()
        self._thread = threading.Thread(
            target=context.run, args=(self._run,), name="lakeport-in-out", daemon=True
        )
        self._thread.start()
        yield from self._given()

    def _given(self) -> Iterator[object]:
        while True:
            said = self._outputs.get()
            if isinstance(said, _Gave):
                yield said.item
                self._turns.put(None)
            elif isinstance(said, _Raised):
                self._is_over = True
                raise said.error
            elif said is _OVER:
                self._is_over = True
                return
            else:
                return

    # -- in the generator's thread ---------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._pour(self._made())
        except _Dropped:
            pass
        except BaseException as error:  # noqa: BLE001  it is raised where the rows are waited for
            self._outputs.put(_Raised(error))
            return
        self._outputs.put(_OVER)

    def _made(self) -> Iterator[Any]:
        made = self._start(self._read())
        if isinstance(made, Iterator):
            return made
        raise FunctionError(
            f"{self._what} takes an iterator of batches and is no generator",
            hint="its author must give rows with `yield`",
        )

    def _pour(self, made: Iterator[Any]) -> None:
        try:
            for item in made:
                self._outputs.put(_Gave(item))
                if self._turns.get() is _STOP:
                    raise _Dropped
        finally:
            if isinstance(made, Generator):
                made.close()

    def _read(self) -> Iterator[Any]:
        while True:
            self._outputs.put(_HUNGRY)
            item = self._inputs.get()
            if item is _END:
                return
            if item is _STOP:
                raise _Dropped
            yield item
