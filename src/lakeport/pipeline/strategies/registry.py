"""Every strategy by its name in a model's settings."""

from __future__ import annotations

from collections.abc import Mapping

from lakeport.core.errors import ConfigurationError
from lakeport.core.names import quoted
from lakeport.pipeline.strategies.append import append
from lakeport.pipeline.strategies.branch import Builder, on_branch
from lakeport.pipeline.strategies.delete_insert import delete_insert
from lakeport.pipeline.strategies.merge import merge
from lakeport.pipeline.strategies.overwrite import full, overwrite_partitions
from lakeport.pipeline.strategies.time_range import time_range
from lakeport.pipeline.strategies.write import Statement, Write

STRATEGIES: Mapping[str, Builder] = {
    "append": append,
    "delete_insert": delete_insert,
    "merge": merge,
    "overwrite_partitions": overwrite_partitions,
    "time_range": time_range,
    "full": full,
}


def statements(strategy: str, write: Write, *, aside: bool = False) -> tuple[Statement, ...]:
    """What to run, in order; only a `time_range` that cuts partitions takes more than one.

    `aside` does it on a branch, which becomes the table only if nobody changed that in the meantime.
    """
    builder = builder_of(strategy)
    return on_branch(write, builder) if aside else builder(write)


def builder_of(strategy: str) -> Builder:
    builder = STRATEGIES.get(strategy)
    if builder is None:
        raise ConfigurationError(
            f"there is no strategy {quoted(strategy)}", hint=f"one of {', '.join(STRATEGIES)}"
        )
    return builder
