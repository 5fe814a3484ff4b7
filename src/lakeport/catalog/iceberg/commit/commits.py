"""Commits statements to the tables of one catalog: grouped in this process, optimistic towards others.

An attempt asks each statement anew what it does to the head, writes manifests, and moves the catalog's
pointer if nobody else did. If somebody did, all is worked out again; PyIceberg's own retry is never
used, since it replays what was worked out for an older state. Once the pointer may have moved nothing
is undone, whoever cancels.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from copy import copy

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.io import FileIO
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import TableRequirement, TableUpdate

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head, Member
from lakeport.catalog.iceberg.commit.files import Scratch, sync
from lakeport.catalog.iceberg.commit.line import Line, Ticket
from lakeport.catalog.iceberg.commit.outcome import Outcome, outcome_of
from lakeport.catalog.iceberg.commit.snapshot import Proposal, propose
from lakeport.catalog.iceberg.commit.state import State
from lakeport.catalog.iceberg.drivers.patience import Patience
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import asking, dropped_table, refusal
from lakeport.catalog.iceberg.metadata import remember
from lakeport.catalog.iceberg.parts import ReadOptions, Source
from lakeport.catalog.iceberg.pointers.port import Pointers
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import ConflictError, LakeportError, NotFoundError, UnavailableError
from lakeport.core.names import TableName, quoted

Proposing = Callable[[Source], tuple[tuple[TableUpdate, ...], tuple[TableRequirement, ...]]]


class Commits:
    def __init__(  # noqa: PLR0913  it is built in one place, from what a catalog has
        self,
        profile: Profile,
        native: Catalog,
        pointers: Pointers,
        caches: Caches,
        options: ReadOptions,
        clock: Callable[[], int],
        *,
        durable: bool = False,
    ) -> None:
        self._profile = profile
        self._native = native
        self._pointers = pointers
        self._caches = caches
        self._options = options
        self._clock = clock
        self._durable = durable
        self._patience = Patience.of(profile)
        self._is_local = isinstance(native, PatientSqlCatalog)
        self._lines: dict[str, Line] = {}
        self._lock = threading.Lock()

    # -- statements ------------------------------------------------------------------------------

    def commit(self, name: TableName, uuid: str, member: Member) -> Committed:
        """Apply the statement to the table of that name and uuid, or remove what it wrote.

        It is prepared here first, so that slow checks of several run side by side.
        """
        try:
            state = self._load(name, uuid)
            effect = member.prepare(Head(state.source))
        except BaseException:
            member.discard()
            raise
        if effect is None:
            member.discard()
            return Committed(state.source, None)
        line = self._line(uuid)
        ticket = Ticket(member, state, effect)
        line.join(ticket)
        self._wait(line, ticket)
        if ticket.leads and not ticket.is_over:
            self._lead(line, name, uuid, ticket)
        return ticket.outcome()

    def _line(self, uuid: str) -> Line:
        with self._lock:
            return self._lines.setdefault(uuid, Line())

    def _wait(self, line: Line, ticket: Ticket) -> None:
        try:
            ticket.wait()
        except BaseException:
            if line.leave(ticket):
                ticket.member.discard()
            elif not ticket.leads:
                ticket.wait()  # its commit has begun
            if ticket.leads and not ticket.is_over:
                line.pass_on()
            raise

    def _lead(self, line: Line, name: TableName, uuid: str, own: Ticket) -> None:
        taken: list[Ticket] = []
        try:
            taken += line.take(sharing=False)
            self._commit_all(line, name, uuid, taken)
        except BaseException as error:
            # Only the leader is told of what reached it alone: an interrupt, a slip of ours.
            if not own.is_over:
                own.fail(error)
            line.put_back(ticket for ticket in taken if not ticket.is_over)
            raise
        finally:
            line.pass_on()

    def _commit_all(self, line: Line, name: TableName, uuid: str, taken: list[Ticket]) -> None:
        """Until each has an outcome. Those who come between two attempts are taken along."""
        deadline = time.monotonic() + self._patience.commit
        attempt = 0
        while open_tickets := [ticket for ticket in taken if not ticket.is_over]:
            try:
                if attempt == 0 and len(open_tickets) == 1:
                    state = open_tickets[0].state
                else:
                    state = self._load(name, uuid)
                self._attempt(state, open_tickets)
            except LakeportError as error:
                self._fail(open_tickets, error)
                return
            if all(ticket.is_over for ticket in open_tickets):
                return
            if time.monotonic() > deadline:
                self._fail(open_tickets, _kept_changing(name))
                return
            _pause(attempt)
            attempt += 1
            if open_tickets[0].shares:
                taken += line.take(sharing=True)

    def _attempt(self, state: State, tickets: Sequence[Ticket]) -> None:
        """Whoever has no outcome afterwards may try again."""
        effects: list[Effect] = []
        members: list[Ticket] = []
        for ticket in tickets:
            effect = _prepared(ticket, state, tuple(effects))
            if effect is not None:
                effects.append(effect)
                members.append(ticket)
        if not members:
            return
        scratch = Scratch(state.source.io, durable=self._durable)
        try:
            if self._durable:
                sync(
                    state.source.io,
                    [file.file_path for each in effects for file in (*each.added, *each.deletes)],
                )
            contexts = [ticket.member.context for ticket in members]
            with asking(self._profile):
                proposal = propose(state.source, effects, contexts, scratch, self._clock())
        except BaseException:
            scratch.discard()
            raise
        after = self._swap(state, proposal, scratch, members)
        if after is None:
            return
        proposal.remember()
        for ticket, effect in zip(members, effects, strict=True):
            ticket.succeed(Committed(after.source, effect))

    def _swap(
        self, state: State, proposal: Proposal, scratch: Scratch, members: Sequence[Ticket]
    ) -> State | None:
        """The state it made, or None if it has to be tried again."""
        try:
            after = self._commit_table(state, proposal.requirements, proposal.updates)
        except BaseException as error:
            outcome = outcome_of(error, is_local=self._is_local)
            if outcome is Outcome.UNKNOWN or not isinstance(error, Exception):
                return self._settle(state, proposal, scratch, members)
            scratch.discard()
            if outcome is Outcome.LOST:
                return None
            raise self._refused(state, error) from error
        scratch.settled()
        return after

    def _settle(
        self, state: State, proposal: Proposal, scratch: Scratch, members: Sequence[Ticket]
    ) -> State | None:
        """Find out what became of a commit that nobody has heard of."""
        source, snapshot_id = state.source, proposal.snapshot.snapshot_id
        now = self._look_after(state)
        if now is not None:
            if now.source.metadata.snapshot_by_id(snapshot_id) is not None:
                scratch.settled()
                return now
            if now.source.metadata.current_snapshot_id != source.metadata.current_snapshot_id:
                # It asked for the head of before, which is gone: it can no longer be applied.
                scratch.discard()
                return None
        scratch.settled()
        for ticket in members:
            ticket.fail(_unknown(source.name, str(snapshot_id)), discard=False)
        return None

    def _look_after(self, state: State) -> State | None:
        """The table once it has moved on, or as it is when patience ends; None if it cannot be seen."""
        deadline = time.monotonic() + self._patience.settle
        for attempt in range(1_000):
            try:
                now = self._load(state.source.name, str(state.source.metadata.table_uuid))
            except (UnavailableError, NotFoundError, ConflictError):
                now = None
            if now is not None and now.location != state.location:
                return now
            if time.monotonic() > deadline:
                return now
            _pause(attempt)
        return None

    def _fail(self, tickets: Sequence[Ticket], error: LakeportError) -> None:
        for ticket in tickets:
            if not ticket.is_over:
                ticket.fail(copy(error))

    # -- the catalog -----------------------------------------------------------------------------

    def change(self, name: TableName, uuid: str, propose_changes: Proposing) -> Source:
        """Commit updates without a snapshot, proposed anew for each attempt; none commit nothing."""
        deadline = time.monotonic() + self._patience.commit
        attempt = 0
        while True:
            state = self._load(name, uuid)
            updates, requirements = propose_changes(state.source)
            if not updates:
                return state.source
            try:
                return self._commit_table(state, requirements, updates).source
            except Exception as error:
                outcome = outcome_of(error, is_local=self._is_local)
                if outcome is Outcome.REFUSED:
                    raise self._refused(state, error) from error
                if outcome is Outcome.UNKNOWN:
                    now = self._look_after(state)
                    if now is None or now.location == state.location:
                        raise _unknown(name, None) from error
            if time.monotonic() > deadline:
                raise _kept_changing(name)
            _pause(attempt)
            attempt += 1

    def _load(self, name: TableName, uuid: str) -> State:
        self._pointers.forget(name)
        found = self._pointers.load(name)
        if str(found.metadata.table_uuid) != uuid:
            raise ConflictError(
                f"table {quoted(str(name))} was replaced by another one meanwhile",
                hint="run it again",
            )
        identifier = (*self._pointers.identifier(name.namespace), name.table)
        return State(self._source(name, found.metadata, found.io), identifier, found.location)

    def _source(self, name: TableName, metadata: TableMetadata, io: FileIO) -> Source:
        return Source(name, metadata, io, self._caches, self._options, self._clock)

    def _commit_table(
        self,
        state: State,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> State:
        source = state.source
        answer = self._native.commit_table(state.table(self._native), requirements, updates)
        made = Table(
            state.identifier, answer.metadata, answer.metadata_location, source.io, self._native
        )
        metadata = remember(self._caches, source.name, made)
        self._pointers.forget(source.name)
        after = self._source(source.name, metadata, source.io)
        return State(after, state.identifier, answer.metadata_location, state.config)

    def _refused(self, state: State, error: BaseException) -> LakeportError:
        """A table that is gone is refused in as many ways as there are catalogs."""
        name = state.source.name
        try:
            self._load(name, str(state.source.metadata.table_uuid))
        except (NotFoundError, ConflictError) as gone:
            return gone
        except LakeportError:
            pass
        if isinstance(error, NoSuchTableError):
            return dropped_table(name)
        return refusal(self._profile, error if isinstance(error, Exception) else Exception())


def _prepared(ticket: Ticket, state: State, ahead: tuple[Effect, ...]) -> Effect | None:
    """None if it has nothing to commit, and its outcome already."""
    if not ahead and ticket.state.source.metadata is state.source.metadata:
        return ticket.effect
    try:
        effect = ticket.member.prepare(Head(state.source, ahead))
    except Exception as error:  # noqa: BLE001  handed to the statement's own thread
        ticket.fail(error)
        return None
    if effect is None:
        ticket.member.discard()
        ticket.succeed(Committed(state.source, None))
    return effect


_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.25


def _pause(attempt: int) -> None:
    """Of random length, to get out of step with other processes."""
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(attempt, 10))
    time.sleep(random.uniform(0, longest))  # noqa: S311  no secret


def _kept_changing(name: TableName) -> ConflictError:
    return ConflictError(
        f"table {quoted(str(name))} kept changing", hint="run it again when fewer others write"
    )


def _unknown(name: TableName, snapshot_id: str | None) -> UnavailableError:
    what = "the change" if snapshot_id is None else f"the statement (snapshot {snapshot_id})"
    return UnavailableError(
        f"the catalog did not say whether {what} was applied to table {quoted(str(name))}",
        hint="look at the table's history once the catalog answers, before running it again",
        details={} if snapshot_id is None else {"snapshot_id": snapshot_id},
    )
