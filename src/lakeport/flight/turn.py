"""An answer of an exchange goes out and the client's next message comes in, as one step for gRPC.

grpcio takes two: it wakes the call's thread to say that the answer was taken, which asks for the next message
and is woken for that. Each is a hand-over between two threads of which one may run (in batches of 2,048 rows,
measured: a fifth of a function's way there and back).
"""

from __future__ import annotations

import threading
from typing import Any

from lakeport.flight.inside import Inside

_TOKEN = "turn"  # noqa: S105  among those of grpcio, for what a call still waits for


class Turn:
    """For a call whose thread has nothing else under way. Used for one turn after the other."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._woken = threading.Lock()
        self._woken.acquire()
        self._is_lost = False
        self._heard: bytes | None = None

    def answer(self, message: bytes) -> bool:
        """Whether it is on its way: then `hear` comes next."""
        state = self._inside.state
        state.condition.acquire()  # a `with` goes through functions of Python
        try:
            is_begun = self._inside.turn(message, self._done)
            if is_begun:
                state.due.add(_TOKEN)  # the call is not over while something of it is under way
        finally:
            state.condition.release()
        return is_begun

    def hear(self) -> tuple[bytes | None, bool]:
        """What the client says next, None where it has nothing more to say; and whether the call is lost."""
        self._woken.acquire()
        heard, self._heard = self._heard, None
        return heard, self._is_lost

    def _done(self, event: Any) -> Any:
        """By gRPC's thread."""
        heard = event.batch_operations[-1].message()
        self._heard, self._is_lost = heard, not event.success
        condition = self._inside.state.condition
        condition.acquire()
        try:
            if heard is None:
                self._inside.heard_out()
            told = self._inside.finish(_TOKEN)
        finally:
            condition.release()
        self._woken.release()
        return told
