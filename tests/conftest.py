"""What holds for all tests: no example of a property is timed, because a busy machine is no bug.

Tests come in a random order, but those that are given more time than others come first: at the end one
worker would wait for another that has just begun with one of them.
"""

from __future__ import annotations

import gc
import sys

import pytest
from hypothesis import HealthCheck, settings

from tests.together import Together

gc.disable()  # until all is loaded: nothing of it is garbage

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_patience, reverse=True)


def _patience(item: pytest.Item) -> float:
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker is not None else 0.0


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together | None:
    return Together(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish() -> None:
    """All that was loaded until here stays: looked through again and again it was a fifth of the work."""
    if "sqlalchemy" in sys.modules:  # the tests of lineage do without
        from tests.compiled import share_compiled_statements  # noqa: PLC0415

        share_compiled_statements()
    gc.collect()
    gc.freeze()
    gc.enable()
