"""Requests with a few values lost, exchanged or replaced by odd ones."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

# Some every time, more where there is time.
SEEDS = (0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 12)))

ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63,
    1.5,
    "",
    "x",
    "\x00",
    [],
    {},
    [None],
    {"a": {}},
    "é" * 300,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def damaged(commit: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    found = copy.deepcopy(commit)
    for _ in range(chance.choice((1, 1, 2, 5))):
        where = list(places(found))
        if not where:
            break
        holder, key = chance.choice(where)
        kind = chance.random()
        if kind < 0.3:
            del holder[key]
        elif kind < 0.8:
            holder[key] = copy.deepcopy(chance.choice(ODD))
        else:
            other, at = chance.choice(where)
            holder[key] = copy.deepcopy(other[at]) if other is not holder else None
    return found
