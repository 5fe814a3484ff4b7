"""The same Iceberg lake, reached through our own REST door: our driver of REST catalogs on one side of
HTTP, our server on the other.

It is no entry of `IMPLEMENTATIONS`, because those are behind the tests of Airport, too.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from tests.behaviours.implementations import (
    IMPLEMENTATIONS,
    SMALL,
    Clock,
    Implementation,
    LiveCatalog,
    close_iceberg,
)
from tests.rest.doors import open_door, profile_in


class ThroughDoor(IcebergCatalog):
    """Closes the door and the lake behind it when it is closed."""

    def __init__(self, behind: ExitStack, profile: Profile, **more: Any) -> None:
        super().__init__(profile, **more)
        self._behind = behind

    def close(self) -> None:
        super().close()
        self._behind.close()


def make_through_door(clock: Clock, folder: Path) -> LiveCatalog:
    with ExitStack() as stack:
        lake = stack.enter_context(IcebergCatalog(profile_in(folder)))
        url = stack.enter_context(open_door(lake))
        profile = Profile("lake", "rest", url)
        # Nothing may be older than the last statement, because the tests look at once.
        freshness = {"max_staleness": 0.0, "refresh_seconds": 0.0}
        return ThroughDoor(stack.pop_all(), profile, clock=clock, options=SMALL, **freshness)


_PLAIN = IMPLEMENTATIONS["iceberg"]

THROUGH_DOOR = Implementation(
    make_through_door,
    close_iceberg,
    is_shared=True,
    counts_rows=False,
    upkeep=_PLAIN.upkeep,
    sweeping=_PLAIN.sweeping,
)
