"""SIGTERM and SIGINT as something to wait for.

From the first one on, the old handlers stand again: a second signal ends a process that is taking its
time to stop.
"""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_signals() -> Iterator[Callable[[], None]]:
    """Gives the function that waits for one, which may have come since. Main thread only."""
    # The one primitive that a handler may use while the same thread waits on it.
    told: queue.SimpleQueue[None] = queue.SimpleQueue()
    earlier = {number: signal.getsignal(number) for number in _SIGNALS}

    def restore() -> None:
        for number, handler in earlier.items():
            signal.signal(number, handler)

    def stop(_number: int, _frame: FrameType | None) -> None:
        restore()
        told.put(None)

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield told.get
    finally:
        restore()
