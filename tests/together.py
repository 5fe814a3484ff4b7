"""Tests that share something that takes long to start: one worker has them all, and starts it once.

They are named by their files. What pytest-xdist has for it, a mark that it writes into the names of tests, pytest
9.2 no longer takes from it (xdist 3.8): marked tests are dealt out like all others.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # it has none

TOGETHER = {
    "tests/spark/daemon/test_command.py": "a daemon",
    "tests/spark/daemon/test_daemon_runs.py": "a daemon",
    "tests/spark/daemon/test_daemon_writes.py": "a daemon",
    "tests/spark/planning/test_plans_agree_with_runs.py": "a project after its first run",
    "tests/spark/running/test_kills.py": "a project that is about to die",
    "tests/spark/session/test_adopted.py": "a Connect server",
    "tests/spark/session/test_connect.py": "a Connect server",
    "tests/spark/session/test_connect_writes.py": "a Connect server",
    "tests/spark/source/test_source_on_spark.py": "a session of the source",
}


class Together(LoadScopeScheduling):  # type: ignore[misc]  # the same
    """The largest group comes first, then single tests in their order; the next goes to whoever is free."""

    def _split_scope(self, nodeid: str) -> str:
        return TOGETHER.get(nodeid.partition("::")[0], nodeid)
