"""Seeds of random programs: a few of them in every run, and all in the long lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def few_of(seeds: Sequence[int], few: int) -> list[Any]:
    """For `parametrize`: the first `few` as they are, the others marked `long`."""
    return [
        *seeds[:few],
        *(pytest.param(seed, marks=pytest.mark.long) for seed in seeds[few:]),
    ]
