"""Messages of an exchange, each sent while the call's thread is at work on the next.

The client answers with its next rows when it has ours. grpcio would wake the call's thread twice for that, to
say that a message was taken and that one has come; while it is woken, nobody else of the process runs. Here it
sleeps once: whether a message was taken is asked before the next is sent, and at the end.
"""

from __future__ import annotations

from typing import Any

from lakeport.flight.inside import Headers, Inside

_TOKEN = "ahead"  # noqa: S105  among those of grpcio, for what a call still waits for


class Ahead:
    """For a call whose messages are all sent by this. One is under way at most."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._is_awaited = False

    def send(self, message: bytes, headers: Headers = ()) -> bool:
        """Whether it is on its way. The headers are for an answer not begun yet."""
        inside = self._inside
        with inside.state.condition:
            if not self._settled() or not inside.begin(
                message, self._taken, inside.opening(headers)
            ):
                return False
            inside.state.due.add(_TOKEN)  # the call is not over while something of it is under way
        return True

    def settle(self) -> bool:
        """Back when nothing is under way; whether the call goes on."""
        with self._inside.state.condition:
            return self._settled()

    def _settled(self) -> bool:
        state = self._inside.state
        self._is_awaited = True
        while _TOKEN in state.due:
            state.condition.wait()
        self._is_awaited = False
        return self._inside.is_active()

    def _taken(self, _: Any) -> Any:
        """By gRPC's thread. Who waits for something else of the call is not woken."""
        with self._inside.state.condition:
            if self._is_awaited:
                self._inside.state.condition.notify_all()
            return self._inside.finish(_TOKEN)
