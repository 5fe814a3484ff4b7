"""Python's garbage collector in a server: what was loaded at the start is not gone through again and again.

A full collection stops every thread for as long as it takes to look at all objects there are: measured
between 50 and 300 ms, which is what the slowest of many small calls waited for.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# A call leaves few cycles behind: collecting every 700 objects finds next to nothing.
_THRESHOLDS = (20_000, 20, 50)


@contextmanager
def calm_collector() -> Iterator[None]:
    before = gc.get_threshold()
    ours = gc.get_freeze_count() == 0  # what a program around us has frozen stays so
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if ours:
            gc.unfreeze()
