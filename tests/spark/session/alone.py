"""A function in a process of its own: PySpark has one JVM per process, and tests here start several."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def alone(function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """`function` is at the top of a module, and gives plain data."""
    # Spawned, not forked: a fork would inherit gRPC's threads half.
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned) as pool:
        return pool.submit(function, *given, **named).result()
