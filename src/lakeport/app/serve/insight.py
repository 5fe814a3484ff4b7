"""What the HTTP port may tell about the running server: is it there, is it ready, how busy is it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lakeport.access import Authenticator
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import LakeportError


@dataclass(frozen=True, slots=True)
class Readiness:
    """`reason` is what is in the way of all calls, or of some of them; None if nothing is."""

    ready: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Insight:
    catalogs: Sequence[Catalog]
    authenticator: Authenticator
    exposition: Callable[[], bytes]
    stopping: threading.Event = field(default_factory=threading.Event)

    def readiness(self) -> Readiness:
        """Whether new calls would be answered. Who asks needs no token, so no name is in the answer."""
        if self.stopping.is_set():
            return Readiness(ready=False, reason="the server is stopping")
        count = len(self.catalogs)
        silent = sum(not _answers(catalog) for catalog in self.catalogs)
        if silent == count:
            return Readiness(ready=False, reason="no catalog answers")
        # Whoever asks sends its clients elsewhere on a no, and elsewhere it may be no better.
        reason = f"{silent} of {count} catalogs cannot be reached" if silent else None
        return Readiness(ready=True, reason=reason)

    def metrics(self, authorization: str | None) -> bytes:
        """In Prometheus's text format, for anybody with a token."""
        self.authenticator.authenticate(authorization)
        return self.exposition()


def _answers(catalog: Catalog) -> bool:
    try:
        catalog.version()
    except LakeportError:
        return False
    return True
