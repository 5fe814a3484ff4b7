"""Commits statements to the tables of one catalog: grouped in this process, optimistic towards others.

An attempt asks each statement anew what it does to the head, writes manifests, and moves the catalog's
pointer if nobody else did. If somebody did, all is worked out again; PyIceberg's own retry is never
used, since it replays what was worked out for an older state. Once the pointer may have moved nothing
is undone, whoever cancels.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from pyiceberg.table.update import TableRequirement, TableUpdate

from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head, Member
from lakeport.catalog.iceberg.commit.files import Scratch, sync
from lakeport.catalog.iceberg.commit.holding import holds
from lakeport.catalog.iceberg.commit.line import Line, Ticket
from lakeport.catalog.iceberg.commit.pointer import (
    LostError,
    Pointer,
    UnknownError,
    kept_changing,
    pause,
    unknown,
)
from lakeport.catalog.iceberg.commit.snapshot import MissingFilesError, Proposal, propose
from lakeport.catalog.iceberg.commit.state import State
from lakeport.catalog.iceberg.failures import asking
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import CorruptDataError, LakeportError
from lakeport.core.names import TableName

Proposing = Callable[[Source], tuple[tuple[TableUpdate, ...], tuple[TableRequirement, ...]]]


class Commits:
    """With `durable` all files are on disk before the pointer moves. `clock` is in nanoseconds."""

    def __init__(
        self,
        profile: Profile,
        pointer: Pointer,
        clock: Callable[[], int],
        *,
        durable: bool = False,
    ) -> None:
        self._profile = profile
        self._pointer = pointer
        self._clock = clock
        self._durable = durable
        self._lines: dict[str, Line] = {}
        self._lock = threading.Lock()

    @property
    def durable(self) -> bool:
        return self._durable

    def commit(self, name: TableName, uuid: str, member: Member) -> Committed:
        """Apply the statement to the table of that name and uuid, or remove what it wrote.

        It is prepared here first, so that slow checks of several run side by side.
        """
        try:
            state, effect = self._first_look(name, uuid, member)
        except BaseException:
            member.discard()
            raise
        if effect is None:
            member.discard()
            return Committed(state.source, None)
        ticket = Ticket(member, state, effect)
        line = self._line(uuid)
        line.join(ticket)
        line.wait(ticket)
        if not ticket.is_over:
            self._lead(line, name, uuid)
        return ticket.outcome()

    def change(self, name: TableName, uuid: str, propose_changes: Proposing) -> Source:
        """Commit updates without a snapshot, proposed anew for each attempt; none commit nothing."""
        deadline = time.monotonic() + self._pointer.patience.commit
        attempt = 0
        while True:
            state = self._pointer.load(name, uuid)
            with self._pointer.turn(state, attempt):
                if attempt:
                    state = self._pointer.load(name, uuid)
                updates, requirements = propose_changes(state.source)
                if not updates:
                    return state.source
                try:
                    return self._pointer.move(state, requirements, updates).source
                except LostError as lost:
                    if time.monotonic() > deadline:
                        raise kept_changing(name, lost, self._profile) from lost
                except UnknownError as error:
                    _raise_interrupt(error)
                    now = self._pointer.look_again(state)
                    if now is not None and holds(now.source.metadata, updates):
                        return now.source
                    if now is None or now.location == state.location:
                        raise unknown(name) from error
            pause(attempt)
            attempt += 1

    def waiting(self, uuid: str) -> int:
        """How many statements wait for their turn to be committed to that table."""
        return len(self._line(uuid))

    def _first_look(
        self, name: TableName, uuid: str, member: Member
    ) -> tuple[State, Effect | None]:
        while True:
            state = self._pointer.load(name, uuid)
            with suppress(LostError), self._as_it_is(state):
                return state, member.prepare(Head(state.source))

    def _line(self, uuid: str) -> Line:
        with self._lock:
            return self._lines.setdefault(uuid, Line())

    # -- groups ----------------------------------------------------------------------------------

    def _lead(self, line: Line, name: TableName, uuid: str) -> None:
        """Commit for all who are in line now."""
        taken = line.take()
        own = taken[0]
        try:
            self._commit_all(line, name, uuid, taken)
        except BaseException as error:
            # An interrupt, or a slip of ours: no fault of the others, who go on without us.
            if not own.is_over:
                own.fail(error)
            for ticket in taken:
                if ticket.is_committing and not ticket.is_over:
                    ticket.fail(unknown(name))
            line.put_back(ticket for ticket in taken if not ticket.is_over)
            raise
        finally:
            line.pass_on()

    def _commit_all(self, line: Line, name: TableName, uuid: str, taken: list[Ticket]) -> None:
        """Until each has an outcome. Those who come between two attempts are taken along."""
        deadline = time.monotonic() + self._pointer.patience.commit
        attempt = 0
        while waiting := [ticket for ticket in taken if not ticket.is_over]:
            try:
                self._attempt(name, uuid, waiting, attempt)
            except LostError as lost:
                if time.monotonic() > deadline:
                    _fail(waiting, kept_changing(name, lost, self._profile))
                    return
            except MissingFilesError as error:
                _fail([ticket for ticket in waiting if error.concerns(ticket.latest)], error)
                continue
            except LakeportError as error:
                _fail(waiting, error)
                return
            else:
                continue
            pause(attempt)
            attempt += 1
            if waiting[0].shares:
                taken += line.take(sharing=True)

    def _attempt(self, name: TableName, uuid: str, tickets: Sequence[Ticket], attempt: int) -> None:
        """Who has no outcome afterwards may try again."""
        state = tickets[0].state
        with self._pointer.turn(state, attempt):
            if attempt or len(tickets) > 1:
                state = self._pointer.load(name, uuid)
            prepared = self._prepared(tickets, state)
            if prepared:
                self._apply(state, prepared)

    def _prepared(self, tickets: Sequence[Ticket], state: State) -> list[tuple[Ticket, Effect]]:
        """Each for this state and those before it. Who cannot, or has nothing to do, has an outcome."""
        found: list[tuple[Ticket, Effect]] = []
        for ticket in tickets:
            ahead = tuple(effect for _, effect in found)
            if not ahead and ticket.state.source.metadata is state.source.metadata:
                found.append((ticket, ticket.effect))
                continue
            try:
                with self._as_it_is(state):
                    effect = ticket.member.prepare(Head(state.source, ahead))
            except LostError:
                raise
            except Exception as error:  # noqa: BLE001  handed to the statement's own thread
                ticket.fail(error)
                continue
            if effect is None:
                ticket.member.discard()
                ticket.succeed(Committed(state.source, None))
            else:
                ticket.latest = effect
                found.append((ticket, effect))
        return found

    @contextmanager
    def _as_it_is(self, state: State) -> Iterator[None]:
        """Files of a state that is no longer the newest may be gone: it has expired, and is not damaged."""
        try:
            yield
        except CorruptDataError as error:
            if self._pointer.has_left(state):
                raise LostError from error
            raise

    def _apply(self, state: State, prepared: Sequence[tuple[Ticket, Effect]]) -> None:
        scratch = Scratch(state.source.io, durable=self._durable)
        try:
            proposal = self._propose(state, prepared, scratch)
        except BaseException:
            scratch.discard()
            raise
        after: State | None
        unheard: UnknownError | None = None
        _mark(prepared, is_committing=True)
        try:
            try:
                after = self._pointer.move(state, proposal.requirements, proposal.updates)
            except UnknownError as error:
                unheard = error
                after = self._settled(state, proposal)
        except (LostError, LakeportError):
            _mark(prepared, is_committing=False)
            scratch.discard()
            raise
        scratch.settled()
        self._tell(after, proposal, prepared)
        if unheard is not None:
            _raise_interrupt(unheard)

    def _propose(
        self, state: State, prepared: Sequence[tuple[Ticket, Effect]], scratch: Scratch
    ) -> Proposal:
        effects = [effect for _, effect in prepared]
        contexts = [ticket.member.context for ticket, _ in prepared]
        with self._as_it_is(state), asking(self._profile):
            if self._durable:
                sync(state.source.io, _written(effects))
            return propose(state.source, effects, contexts, scratch, self._clock())

    def _settled(self, state: State, proposal: Proposal) -> State | None:
        """What became of a commit that nobody has heard of; None if that stays unknown."""
        now = self._pointer.look_again(state)
        if now is None:
            return None
        found, before = now.source.metadata, state.source.metadata
        if found.snapshot_by_id(proposal.snapshot.snapshot_id) is not None:
            return now
        if found.current_snapshot_id != before.current_snapshot_id:
            # It asked for the head of before, which is gone: it can no longer be applied.
            raise LostError
        return None

    def _tell(
        self, after: State | None, proposal: Proposal, prepared: Sequence[tuple[Ticket, Effect]]
    ) -> None:
        if after is not None:
            proposal.remember()
        for ticket, effect in prepared:
            if after is None:
                name = ticket.state.source.name
                ticket.fail(unknown(name, proposal.snapshot.snapshot_id))
            else:
                ticket.succeed(Committed(after.source, effect))


def _raise_interrupt(error: UnknownError) -> None:
    cause = error.__cause__
    if cause is not None and not isinstance(cause, Exception):
        raise cause


def _written(effects: Iterable[Effect]) -> Iterator[str]:
    for effect in effects:
        yield from (file.file_path for file in (*effect.added, *effect.deletes))
        yield from (row.path for row in effect.manifests)


def _mark(prepared: Sequence[tuple[Ticket, Effect]], *, is_committing: bool) -> None:
    for ticket, _ in prepared:
        ticket.is_committing = is_committing


def _fail(tickets: Sequence[Ticket], error: LakeportError) -> None:
    for ticket in tickets:
        if not ticket.is_over:
            ticket.fail(_again(error))


def _again(error: LakeportError) -> LakeportError:
    """Each thread raises an error of its own: a traceback belongs to one."""
    told = type(error).__new__(type(error), *error.args)
    vars(told).update(vars(error))
    told.__cause__ = error.__cause__
    return told
