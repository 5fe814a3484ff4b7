"""Answers that may be given again for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MOST = 256


class Answers(Generic[K, V]):
    """Each for `seconds`, by the clock `now`; with 0 none is ever given again.

    An answer is as old as its question, because what changed while it was answered may not be in it. If
    something is forgotten meanwhile, it is given to who asked and not kept.
    """

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._now = now
        self._held: OrderedDict[K, tuple[V, float]] = OrderedDict()
        self._forgotten = 0
        self._lock = threading.Lock()

    def get(self, key: K, ask: Callable[[], V | None], within: float | None = None) -> V | None:
        """What is held and fresh, else what `ask` says; None is an answer that is not kept.

        `within` is how old it may be this time, if less than usual.
        """
        since = self._now()
        with self._lock:
            held = self._held.get(key)
            if held is not None and since - held[1] < (self._seconds if within is None else within):
                return held[0]
            forgotten = self._forgotten
        answer = ask()
        with self._lock:
            if forgotten == self._forgotten:
                self._keep(key, answer, since)
        return answer

    def peek(self, key: K) -> V | None:
        """What was said last, however long ago, if it is still here."""
        with self._lock:
            held = self._held.get(key)
        return None if held is None else held[0]

    def forget(self, key: K | None = None) -> None:
        with self._lock:
            self._forgotten += 1
            if key is None:
                self._held.clear()
            else:
                self._held.pop(key, None)

    def _keep(self, key: K, answer: V | None, since: float) -> None:
        """In order of age, so that the stale ones are the first and can go."""
        self._held.pop(key, None)
        if answer is not None:
            self._held[key] = answer, since
        while self._held:
            _, oldest = next(iter(self._held.values()))
            if len(self._held) <= _MOST and since - oldest <= self._seconds:
                break
            self._held.popitem(last=False)
