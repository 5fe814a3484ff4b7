"""The same Iceberg lake, reached through our own REST door: our driver of REST catalogs on one side of
HTTP, our server on the other.

It is no entry of `IMPLEMENTATIONS`, because those are behind the tests of Airport, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from lakeport.access import EVERYONE
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.rest import IcebergDoor
from tests.behaviours.implementations import IMPLEMENTATIONS, SMALL, Clock, LiveCatalog
from tests.rest.doors import profile_in, serving


class Street:
    """All doors of this process: a server of its own for each would take longer than most tests do."""

    def __init__(self) -> None:
        self._application = Starlette()
        self._numbers = itertools.count()
        self._running = ExitStack()
        self._address = self._running.enter_context(serving(self._application))

    @contextmanager
    def door(self, catalog: IcebergCatalog) -> Iterator[str]:
        path = f"/{next(self._numbers)}/iceberg"
        place = Mount(path, IcebergDoor([catalog], lambda _header: EVERYONE))
        self._application.routes.append(place)
        try:
            yield f"{self._address}{path}"
        finally:
            self._application.routes.remove(place)


@cache
def street() -> Street:
    """Opened once; it ends with the process."""
    return Street()


class ThroughDoor(IcebergCatalog):
    """Closes the door and the lake behind it when it is closed."""

    def __init__(self, folder: Path, **more: Any) -> None:
        with ExitStack() as opening:
            lake = opening.enter_context(IcebergCatalog(profile_in(folder)))
            url = opening.enter_context(street().door(lake))
            profile = Profile("lake", "rest", url)
            # Nothing may be older than the last statement, because the tests look at once.
            super().__init__(profile, max_staleness=0, refresh_seconds=0, **more)
            self._behind = opening.pop_all()

    def close(self) -> None:
        super().close()
        self._behind.close()


def make_through_door(clock: Clock, folder: Path) -> LiveCatalog:
    return ThroughDoor(folder, clock=clock, options=SMALL)


THROUGH_DOOR = replace(IMPLEMENTATIONS["iceberg"], make=make_through_door, counts_rows=False)
