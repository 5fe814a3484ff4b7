"""A network between an engine and the door that does what networks do: it loses answers.

Of each commit the test decides before it is sent on: it may do something first, and say what becomes of
the answer. What may happen to requests in general is `tests/spark/network.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from tests.spark.network import Asked, Reply, Send, network


class Fate(Enum):
    """What becomes of the answer to a commit; the commit itself always arrives."""

    PASSED = "passed"
    LOST = "lost"  # the connection is closed
    HIDDEN = "hidden"  # another machine between says 503


@dataclass
class Proxy:
    url: str
    decide: Callable[[], Fate] = lambda: Fate.PASSED
    commits: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fate(self) -> Fate:
        with self.lock:
            self.commits += 1
            return self.decide()

    def judge(self, asked: Asked, send: Send) -> Reply | None:
        if asked.commits_to is None and not asked.commits_together:
            return send()
        fate, answer = self.fate(), send()
        match fate:
            case Fate.PASSED:
                return answer
            case Fate.LOST:
                return None
            case Fate.HIDDEN:
                return Reply(503)


@contextmanager
def proxy_to(door: str) -> Iterator[Proxy]:
    with network() as between:
        proxy = Proxy(between.to(door))
        between.judge = proxy.judge
        yield proxy
