"""How many calls somebody may make in a minute. Who has been quiet may make all of them at once.

Counted by each server for itself, and forgotten with it. Streams are one call, however long they take.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from lakeport.access.identity import Identity
from lakeport.core.errors import LimitError
from lakeport.core.names import quoted

_MINUTE = 60.0
_MOST = 4_096  # names that are remembered; whoever is forgotten starts anew


class Pace:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}  # calls that are left, and since when

    def enter(self, identity: Identity) -> Identity:
        """One call more; `LimitError` if it is one too many, which then does not count."""
        most = identity.pace
        if most is None:
            return identity
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(identity.name, (float(most), now))
            left = min(float(most), left + max(0.0, now - since) * most / _MINUTE)
            is_welcome = left >= 1.0
            self._left[identity.name] = (left - 1.0 if is_welcome else left, now)
            if len(self._left) > _MOST:
                del self._left[next(iter(self._left))]  # who called longest ago
        if is_welcome:
            return identity
        seconds = math.ceil((1.0 - left) * _MINUTE / most)
        raise LimitError(
            f"{quoted(identity.name)} may make {most:,} calls a minute, and has made them",
            hint=f"try again in {seconds} s; a token's limit is set by `--max-calls`",
            details={"limit": "calls"},
        )
