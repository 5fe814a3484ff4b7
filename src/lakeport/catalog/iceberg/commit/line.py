"""Who commits to a table of this process is in line; the first one commits for all who wait.

Nobody waits for company: whoever finds the line empty goes at once. Those who come while it works are
taken together by the first of them when it is done, so that many small statements make few snapshots.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Member
from lakeport.catalog.iceberg.commit.state import State


class Ticket:
    """A statement in line, with the `effect` it was prepared to have on the state it has seen.

    The `latest` is for another state, or behind others of its group. While `is_committing` nobody knows whether its files are part of the table.
    """

    def __init__(self, member: Member, state: State, effect: Effect) -> None:
        self.member = member
        self.state = state
        self.effect = effect
        self.latest = effect
        self.is_committing = False
        self._called = threading.Event()
        self._result: Committed | None = None
        self._error: BaseException | None = None

    @property
    def shares(self) -> bool:
        """One with a summary of its own is alone, or the summary would speak for others."""
        return self.member.shares and not self.member.context.summary

    @property
    def is_called(self) -> bool:
        return self._called.is_set()

    @property
    def is_over(self) -> bool:
        return self._result is not None or self._error is not None

    def succeed(self, result: Committed) -> None:
        self._result = result
        self._called.set()

    def fail(self, error: BaseException) -> None:
        """Its files go, unless they may be part of the table."""
        if not self.is_committing:
            self.member.discard()
        self._error = error
        self._called.set()

    def call(self) -> None:
        self._called.set()

    def wait(self) -> None:
        """Until it is over, or called to lead."""
        self._called.wait()

    def outcome(self) -> Committed:
        if self._error is not None:
            raise self._error
        assert self._result is not None  # noqa: S101  it is over
        return self._result


class Line:
    """Of one table. Exactly one leads while anybody is in it, and it is the first."""

    def __init__(self) -> None:
        self._waiting: deque[Ticket] = deque()
        self._is_led = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._waiting)

    def join(self, ticket: Ticket) -> None:
        with self._lock:
            self._waiting.append(ticket)
            if not self._is_led:
                self._is_led = True
                ticket.call()

    def wait(self, ticket: Ticket) -> None:
        """Until it is over, or leads. Who is interrupted leaves, unless its commit has begun."""
        try:
            ticket.wait()
        except BaseException:
            while not ticket.is_over:
                if self._leave(ticket):
                    ticket.member.discard()
                    break
                ticket.wait()
            raise

    def take(self, *, sharing: bool = False) -> list[Ticket]:
        """Those whose turn it is: the first alone, or all that share. `sharing` wants no loner."""
        with self._lock:
            if not self._waiting or (sharing and not self._waiting[0].shares):
                return []
            if not self._waiting[0].shares:
                return [self._waiting.popleft()]
            taken = [ticket for ticket in self._waiting if ticket.shares]
            self._waiting = deque(ticket for ticket in self._waiting if not ticket.shares)
            return taken

    def put_back(self, tickets: Iterable[Ticket]) -> None:
        with self._lock:
            self._waiting.extendleft(reversed(list(tickets)))

    def pass_on(self) -> None:
        """The leader is done; the first who waits leads next."""
        with self._lock:
            self._is_led = bool(self._waiting)
            if self._waiting:
                self._waiting[0].call()

    def _leave(self, ticket: Ticket) -> bool:
        """Whether it was still in line. One that was called to lead calls the next."""
        with self._lock:
            if ticket not in self._waiting:
                return False
            led = self._waiting[0] is ticket
            self._waiting.remove(ticket)
        if led and ticket.is_called:
            self.pass_on()
        return True
