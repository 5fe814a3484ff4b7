"""Answers that may be given again for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MOST = 1_000


class Answers(Generic[K, V]):
    """Each for `seconds`, by the clock `now`; with 0 none is ever given again."""

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._now = now
        self._held: OrderedDict[K, tuple[V, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, ask: Callable[[], V | None]) -> V | None:
        """What is held and fresh, else what `ask` says; None is an answer that is not kept."""
        now = self._now()
        with self._lock:
            held = self._held.get(key)
            if held is not None and now - held[1] < self._seconds:
                self._held.move_to_end(key)
                return held[0]
        answer = ask()
        with self._lock:
            self._held.pop(key, None)
            if answer is not None and self._seconds > 0:
                # As old as the question: what changed while it was answered may not be in it.
                self._held[key] = answer, now
                if len(self._held) > _MOST:
                    self._held.popitem(last=False)
        return answer

    def forget(self, key: K | None = None) -> None:
        with self._lock:
            if key is None:
                self._held.clear()
            else:
                self._held.pop(key, None)
