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
    """A statement in line, with what it was prepared to do for the state it has seen.

    The first outcome is the one that counts.
    """

    def __init__(self, member: Member, state: State, effect: Effect) -> None:
        self.member = member
        self.state = state
        self.effect = effect
        self.leads = False
        self._called = threading.Event()
        self._result: Committed | None = None
        self._error: BaseException | None = None

    @property
    def shares(self) -> bool:
        """One with a summary of its own is alone, or the summary would speak for others."""
        return self.member.shares and not self.member.context.summary

    @property
    def is_over(self) -> bool:
        return self._result is not None or self._error is not None

    def succeed(self, result: Committed) -> None:
        self._result = result
        self._called.set()

    def fail(self, error: BaseException, *, discard: bool = True) -> None:
        """`discard` unless its files may be part of the table."""
        if discard:
            self.member.discard()
        self._error = error
        self._called.set()

    def lead(self) -> None:
        self.leads = True
        self._called.set()

    def wait(self) -> None:
        """Until it is over, or has to lead."""
        self._called.wait()

    def outcome(self) -> Committed:
        if self._error is not None:
            raise self._error
        assert self._result is not None  # noqa: S101  it is over
        return self._result


class Line:
    def __init__(self) -> None:
        self._waiting: deque[Ticket] = deque()
        self._is_led = False
        self._lock = threading.Lock()

    def join(self, ticket: Ticket) -> None:
        with self._lock:
            self._waiting.append(ticket)
            if self._is_led:
                return
            self._is_led = True
        ticket.lead()

    def take(self, *, sharing: bool) -> list[Ticket]:
        """Those whose turn it is: the first alone, or all that share. `sharing` wants no loner."""
        with self._lock:
            if not self._waiting:
                return []
            if not self._waiting[0].shares:
                return [] if sharing else [self._waiting.popleft()]
            taken = [ticket for ticket in self._waiting if ticket.shares]
            self._waiting = deque(ticket for ticket in self._waiting if not ticket.shares)
            return taken

    def put_back(self, tickets: Iterable[Ticket]) -> None:
        with self._lock:
            self._waiting.extendleft(reversed(list(tickets)))

    def leave(self, ticket: Ticket) -> bool:
        """Whether it was still in line: nobody has begun to commit it."""
        with self._lock:
            if ticket not in self._waiting:
                return False
            self._waiting.remove(ticket)
            return True

    def pass_on(self) -> None:
        """The leader is done; the first who waits leads next."""
        with self._lock:
            self._is_led = bool(self._waiting)
            following = self._waiting[0] if self._waiting else None
        if following is not None:
            following.lead()
