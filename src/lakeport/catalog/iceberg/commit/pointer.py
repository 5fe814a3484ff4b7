"""The catalog's pointer to a table: where it is now, and how it is moved by a commit.

Moving it ends in one of four ways: it moved; somebody else was faster (`LostError`); the catalog refused
(any error of ours); nobody knows (`UnknownError`). The last is never taken for one of the others.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.table.update import TableRequirement, TableUpdate

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.commit.outcome import Outcome, outcome_of
from lakeport.catalog.iceberg.commit.state import State
from lakeport.catalog.iceberg.drivers.metadata_files import remove_old_metadata
from lakeport.catalog.iceberg.drivers.patience import Patience
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import dropped_table, refusal
from lakeport.catalog.iceberg.metadata import Loaded, hold
from lakeport.catalog.iceberg.parts import ReadOptions, Source
from lakeport.catalog.iceberg.pointers.port import Pointers
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import ConflictError, LakeportError, NotFoundError, UnavailableError
from lakeport.core.names import TableName, quoted

# So often it is a matter of luck who is faster; then a SQL catalog is asked for a turn. With 8 processes
# the slowest commit takes half as long as by luck alone.
_LUCK = 1

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.25


class LostError(Exception):
    """Not applied, but may be if it is tried again. The cause says why."""


class UnknownError(Exception):
    """It may have been applied, or may be yet. The cause says why that is not known."""


class Pointer:
    def __init__(
        self,
        profile: Profile,
        native: Catalog,
        pointers: Pointers,
        caches: Caches,
        options: ReadOptions,
        clock: Callable[[], int],
    ) -> None:
        self._profile = profile
        self._native = native
        self._pointers = pointers
        self._caches = caches
        self._options = options
        self._clock = clock
        self.patience = Patience.of(profile)

    def load(self, name: TableName, uuid: str) -> State:
        """The table as it is this moment."""
        self._pointers.forget(name)
        found = self._pointers.load(name)
        if str(found.metadata.table_uuid) != uuid:
            raise ConflictError(
                f"table {quoted(str(name))} was replaced by another one meanwhile",
                hint="run it again",
            )
        return self._state(name, found)

    def move(
        self,
        state: State,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> State:
        """The state that these updates made of this one."""
        try:
            answer = self._native.commit_table(state.table(self._native), requirements, updates)
        except BaseException as error:
            raise self._told(state, error) from error
        source = state.source
        hold(self._caches, answer.metadata_location, answer.metadata)
        self._pointers.forget(source.name)
        if not isinstance(self._native, PatientSqlCatalog):  # which does it itself
            remove_old_metadata(source.io, source.metadata, answer.metadata)
        made = Loaded(answer.metadata_location, answer.metadata, source.io, state.config)
        return self._state(source.name, made)

    @contextmanager
    def turn(self, state: State, attempt: int) -> Iterator[None]:
        """With many writers the slow ones would never win, so in the end they take turns."""
        if attempt < _LUCK or not isinstance(self._native, PatientSqlCatalog):
            yield
            return
        with ExitStack() as stack:
            try:
                stack.enter_context(self._native.alone(state.identifier))
            except Exception as error:
                raise self._told(state, error) from error
            yield

    def has_left(self, state: State) -> bool:
        """Whether this is no longer what the catalog points to."""
        now = self.load(state.source.name, str(state.source.metadata.table_uuid))
        return now.location != state.location

    def look_again(self, state: State) -> State | None:
        """The table once it has moved on, or as it is when patience ends; None if it cannot be seen."""
        deadline = time.monotonic() + self.patience.settle
        attempt = 0
        while True:
            now: State | None
            try:
                now = self.load(state.source.name, str(state.source.metadata.table_uuid))
            except (UnavailableError, NotFoundError, ConflictError):
                now = None
            if (now is not None and now.location != state.location) or (
                time.monotonic() > deadline
            ):
                return now
            pause(attempt)
            attempt += 1

    # -- inside ----------------------------------------------------------------------------------

    def _state(self, name: TableName, found: Loaded) -> State:
        source = Source(name, found.metadata, found.io, self._caches, self._options, self._clock)
        identifier = (*self._pointers.identifier(name.namespace), name.table)
        return State(source, identifier, found.location, found.config)

    def _told(self, state: State, error: BaseException) -> Exception:
        if not isinstance(error, Exception):  # an interrupt, in the midst of it
            return UnknownError()
        is_local = isinstance(self._native, PatientSqlCatalog)
        match outcome_of(error, is_local=is_local):
            case Outcome.LOST:
                return LostError()
            case Outcome.UNKNOWN:
                return UnknownError()
            case Outcome.REFUSED:
                return self._refused(state, error)

    def _refused(self, state: State, error: Exception) -> LakeportError:
        """A table that is gone is refused in as many ways as there are catalogs."""
        name = state.source.name
        try:
            self.load(name, str(state.source.metadata.table_uuid))
        except (NotFoundError, ConflictError) as gone:
            return gone
        except LakeportError:
            pass  # the first error tells more
        if isinstance(error, NoSuchTableError):
            return dropped_table(name)
        return refusal(self._profile, error)


def pause(attempt: int) -> None:
    """Of random length, to get out of step with other processes."""
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(attempt, 10))
    time.sleep(random.uniform(0, longest))  # noqa: S311  no secret


def kept_changing(name: TableName, lost: LostError, profile: Profile) -> LakeportError:
    """After all patience: whose fault it was, as far as the last attempt tells."""
    cause = lost.__cause__
    if isinstance(cause, Exception) and not isinstance(cause, CommitFailedException):
        return refusal(profile, cause)
    return ConflictError(
        f"table {quoted(str(name))} kept changing", hint="run it again when fewer others write"
    )


def unknown(name: TableName, snapshot_id: int | None = None) -> UnavailableError:
    what = "the change" if snapshot_id is None else f"the statement (snapshot {snapshot_id})"
    return UnavailableError(
        f"the catalog did not say whether {what} was applied to table {quoted(str(name))}",
        hint="look at the table's history once the catalog answers, before running it again",
        details={} if snapshot_id is None else {"snapshot_id": str(snapshot_id)},
    )
