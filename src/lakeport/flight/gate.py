"""How many calls at once. A call never waits for another: there is room for it, or it is refused.

DuckDB keeps an UPDATE's exchange open while the scan that feeds it runs. Were calls queued, or all
places taken by exchanges, as many UPDATEs as there are places would wait for each other for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lakeport.core.errors import LimitError, UnavailableError
from lakeport.flight.call import Method
from lakeport.flight.limits import Limits

_EXCHANGES = (Method.DO_EXCHANGE, Method.DO_PUT)


class Gate:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._calls = 0
        self._exchanges = 0
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True

    @contextmanager
    def enter(self, method: Method) -> Iterator[None]:
        exchange = int(method in _EXCHANGES)
        with self._lock:
            self._check(exchange)
            self._calls += 1
            self._exchanges += exchange
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                self._exchanges -= exchange

    def _check(self, exchange: int) -> None:
        if self._closed:
            raise UnavailableError("the server is stopping")
        if self._calls >= self._limits.calls:
            raise LimitError(
                f"the server is busy with {self._calls} calls, as many as it takes",
                hint="try again, or raise `server.limits.calls`",
                details={"limit": "calls"},
            )
        if exchange and self._exchanges >= self._limits.most_exchanges:
            raise LimitError(
                f"the server is busy with {self._exchanges} exchanges, as many as it takes",
                hint="try again, or raise `server.limits.exchanges`",
                details={"limit": "exchanges"},
            )
