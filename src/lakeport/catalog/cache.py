"""A cache of immutable things, bounded by what they weigh.

A key must never come to mean something else: Iceberg, for one, never changes a file that it has written,
so a path cannot go stale. Whoever asks for something that is being loaded waits for that load instead of
repeating it; a load that failed is not remembered, and each of those who waited tries again for itself.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from lakeport.catalog.caching import CacheFigures

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class _Held(Generic[V]):
    value: V
    weight: int


class Cache(Generic[K, V]):
    """Least recently used first out. `weigh` gives bytes; what alone exceeds the capacity is not kept."""

    def __init__(self, capacity: int, weigh: Callable[[V], int]) -> None:
        self._capacity = capacity
        self._weigh = weigh
        self._held: OrderedDict[K, _Held[V]] = OrderedDict()
        self._loading: dict[K, threading.Event] = {}
        self._weight = 0
        self._hits = self._misses = 0
        self._lock = threading.Lock()

    def get(self, key: K, load: Callable[[], V]) -> V:
        while True:
            with self._lock:
                held = self._held.get(key)
                if held is not None:
                    self._held.move_to_end(key)
                    self._hits += 1
                    return held.value
                running = self._loading.get(key)
                if running is None:
                    self._loading[key] = threading.Event()
                    self._misses += 1
                    break
            running.wait()
        try:
            value = load()
            self.put(key, value)
        finally:
            with self._lock:
                self._loading.pop(key).set()
        return value

    def peek(self, key: K) -> V | None:
        """What is held, without loading it and without counting as a use."""
        with self._lock:
            held = self._held.get(key)
        return None if held is None else held.value

    def put(self, key: K, value: V) -> None:
        weight = self._weigh(value)
        with self._lock:
            before = self._held.pop(key, None)
            self._weight -= 0 if before is None else before.weight
            if weight > self._capacity:
                return
            self._held[key] = _Held(value, weight)
            self._weight += weight
            while self._weight > self._capacity:
                _, gone = self._held.popitem(last=False)
                self._weight -= gone.weight

    def figures(self) -> CacheFigures:
        with self._lock:
            return CacheFigures(self._hits, self._misses, self._weight, len(self._held))

    @property
    def weight(self) -> int:
        return self._weight

    def __len__(self) -> int:
        return len(self._held)
