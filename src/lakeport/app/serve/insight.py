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
    """`reason` is the first thing in the way; None if there is nothing."""

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
        for catalog in self.catalogs:
            try:
                catalog.version()
            except LakeportError:
                return Readiness(ready=False, reason="a catalog does not answer")
        return Readiness(ready=True)

    def metrics(self, authorization: str | None) -> bytes:
        """In Prometheus's text format, for anybody with a token."""
        self.authenticator.authenticate(authorization)
        return self.exposition()
