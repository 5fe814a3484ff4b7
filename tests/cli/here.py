"""A server in the process of the test, beside commands that run there too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lakeport.app.serve import Running, running
from lakeport.app.settings import Settings
from lakeport.web.app import build


@contextmanager
def served_here(settings: Settings) -> Iterator[Running]:
    """It has said all that it says by itself: else a command would show that among what it says."""
    with running(settings, build) as server:
        for thread in threading.enumerate():
            if thread.name == "lakeport-warming":
                thread.join()
        yield server
