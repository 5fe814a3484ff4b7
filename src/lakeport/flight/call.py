"""One call: what the caller sent, whether it still waits, and what was moved on its behalf.

A `Call` is made by the transport for each RPC and handed down; tests make their own. Callbacks given to
`on_end` run once, whether the call is answered, refused, cancelled, or its client died.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from lakeport.core.errors import CancelledError, DeadlineError
from lakeport.core.status import GrpcCode

_log = logging.getLogger(__name__)


class Method(StrEnum):
    """The ten methods, by the names gRPC knows them under."""

    HANDSHAKE = "Handshake"
    LIST_FLIGHTS = "ListFlights"
    GET_FLIGHT_INFO = "GetFlightInfo"
    POLL_FLIGHT_INFO = "PollFlightInfo"
    GET_SCHEMA = "GetSchema"
    DO_GET = "DoGet"
    DO_PUT = "DoPut"
    DO_EXCHANGE = "DoExchange"
    DO_ACTION = "DoAction"
    LIST_ACTIONS = "ListActions"


@dataclass(slots=True)
class Traffic:
    """What went over the wire; batches alone count as rows."""

    bytes_in: int = 0
    bytes_out: int = 0
    rows_in: int = 0
    rows_out: int = 0


@dataclass(eq=False, slots=True)
class Call:
    method: Method
    headers: Iterable[tuple[str, str | bytes]] = field(default=(), repr=False)  # hold the token
    peer: str = ""
    certificate: str | None = None  # the name in a verified client certificate
    deadline: float | None = None  # of `time.monotonic`
    deadline_limit: str | None = None  # the field of `Limits` that set it; None: the caller did
    caller: object | None = None  # the service's own: whom it recognised
    action: str | None = None  # which of the service's own actions it is; never the caller's words
    traffic: Traffic = field(default_factory=Traffic)
    answer_headers: list[tuple[str, str]] = field(default_factory=list, repr=False)
    started: float = field(default_factory=time.monotonic)
    seconds: float | None = None  # how long it took, once it ended
    code: GrpcCode | None = None  # how it ended; None before, and after a success
    limit: str | None = None  # the field of `Limits` that ended it
    _values: dict[str, list[str]] = field(init=False, default_factory=dict, repr=False)
    _callbacks: list[Callable[[], None]] = field(init=False, default_factory=list)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        for name, value in self.headers:
            text = value if isinstance(value, str) else value.decode("utf-8", "replace")
            self._values.setdefault(name.lower(), []).append(text)

    def header(self, name: str) -> str | None:
        """The first value: the DuckDB client sends some headers twice."""
        found = self._values.get(name)
        return found[0] if found else None

    @property
    def is_airport(self) -> bool:
        """Whether DuckDB's extension is calling, whose needs differ from a standard client's."""
        return "airport-user-agent" in self._values

    @property
    def is_active(self) -> bool:
        return self.seconds is None

    def check(self) -> None:
        """Between two pieces of long work: stop here if nobody waits for the result any more."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise self.too_late()
        if self.seconds is not None:  # not `is_active`: it is asked for every batch, twice
            raise CancelledError("the caller went away")

    def too_late(self) -> DeadlineError:
        text = "the call took longer than it may"
        if self.deadline_limit is None:
            return DeadlineError(text, hint="its caller set a deadline")
        hint = f"`server.limits.{self.deadline_limit}` says how long"
        return DeadlineError(text, hint=hint, details={"limit": self.deadline_limit})

    def on_end(self, callback: Callable[[], None]) -> None:
        """Run at once if the call is already over."""
        with self._lock:
            waits = self.is_active
            if waits:
                self._callbacks.append(callback)
        if not waits:
            _run(callback)

    def end(self, code: GrpcCode | None) -> bool:
        """Whether this was the end, and not a second one."""
        with self._lock:
            if not self.is_active:
                return False
            self.code = code
            self.seconds = time.monotonic() - self.started
            callbacks, self._callbacks = self._callbacks, []
        for callback in reversed(callbacks):
            _run(callback)
        return True


class Watcher(Protocol):
    """Told of every call, the refused ones too: metrics and audit are made of this."""

    def began(self, call: Call) -> None: ...

    def ended(self, call: Call) -> None: ...


def _run(callback: Callable[[], None]) -> None:
    try:
        callback()
    except Exception:  # noqa: BLE001  the other callbacks have things to free, too
        _log.exception("call.end_failed")
