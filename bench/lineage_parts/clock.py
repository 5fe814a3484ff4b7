"""CPU time and how it is shown: ratios count, the machine does not."""

from __future__ import annotations

import gc
import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.lineage_parts.texts import fresh

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Line:
    """One measured bar: `value` must stay below (or above) `bar`."""

    what: str
    value: float
    bar: float
    at_least: bool = False

    @property
    def holds(self) -> bool:
        return self.value >= self.bar if self.at_least else self.value <= self.bar


# How many texts are measured at a time.
FEW = 10
_rounds = itertools.count()


def _nobody() -> None:
    pass


def best_cpu(
    *works: Callable[[int], object], rounds: int = 5, beside: Callable[[], object] = _nobody
) -> list[float]:
    """The least CPU seconds of each work over several rounds: noise only ever adds.

    The works take turns, so that what are later set against each other met the same neighbours on
    the machine; `beside` has the last turn of every round, and measures itself. Each turn gets a number
    of its own to put into its texts, so that no cache of whole texts answers in place of the analyzer.
    """
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for place, work in enumerate(works):
            gc.collect()
            number = next(_rounds)
            start = time.process_time()
            work(number)
            best[place] = min(best[place], time.process_time() - start)
        beside()
    return best


def best_cpu_of(
    texts: list[str],
    *works: Callable[[list[str]], object],
    rounds: int = 5,
    beside: Callable[[], object] = _nobody,
) -> list[float]:
    """The same for many texts: the least seconds of every few of them, added up.

    A neighbour on the machine spoils moments, so what takes long would hardly ever meet a round
    without one. A few texts and not one, so that each work pays for its own garbage, and for no
    other's.
    """
    slices = [texts[first : first + FEW] for first in range(0, len(texts), FEW)]
    best = [[float("inf")] * len(slices) for _ in works]
    for _ in range(rounds):
        for held, work in zip(best, works, strict=True):
            gc.collect()
            for place, few in enumerate(slices):
                unseen = fresh(few, next(_rounds))
                start = time.process_time()
                work(unseen)
                held[place] = min(held[place], time.process_time() - start)
        beside()
    return [sum(held) for held in best]


def show(lines: list[Line]) -> bool:
    """Print the bars; whether all hold."""
    width = max(len(line.what) for line in lines)
    for line in lines:
        sign = "≥" if line.at_least else "≤"
        verdict = "ok" if line.holds else "MISSED"
        print(f"  {line.what:<{width}}  {line.value:8.2f}  {sign} {line.bar:<5g} {verdict}")
    return all(line.holds for line in lines)
