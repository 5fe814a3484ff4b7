"""Time that passes when a test says so."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.core.timepoint import NANOSECONDS


@dataclass
class Clock:
    """The day starts at second 1,000."""

    seconds: float = 1_000.0

    def __call__(self) -> float:
        return self.seconds

    def now_ns(self) -> int:
        return round(self.seconds * NANOSECONDS)
