"""Where a client may come back for rows: contract 001's locations.

The configured public address, else the one the client itself dialled, else the one we are bound to; then
"this connection", which clients that know it prefer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from lakeport.flight.call import Call
from lakeport.flight.messages import REUSE_CONNECTION


def _nowhere() -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Addresses:
    """`public` and `bound` are URIs, `grpc://host:port` or `grpc+tls://host:port`.

    `bound` is asked late: port 0 is known only once the server runs.
    """

    public: str | None = None
    bound: Callable[[], str | None] = _nowhere

    def locations(self, call: Call) -> tuple[str, ...]:
        own = self.public or self._dialled(call) or self.bound()
        if own is None or _is_anywhere(own):
            return (REUSE_CONNECTION,)
        return own, REUSE_CONNECTION

    def _dialled(self, call: Call) -> str | None:
        bound, dialled = self.bound(), call.header(":authority")
        if bound is None or not dialled:
            return None
        return f"{bound.partition('://')[0]}://{dialled}"


def _is_anywhere(uri: str) -> bool:
    """A server bound to every interface has no address that a client could dial."""
    return urlsplit(uri).hostname in {"0.0.0.0", "::"}  # noqa: S104  compared, not bound to
