"""What a table's rows would go back to, and what that would undo: decided from its history, nothing is touched.

Main's line is the newest snapshot, the one it follows, and so on. A commit that changes no row (columns that
came, files that were joined) is nothing to go back before: it is passed over, and undone with the ones after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeport.catalog.history import ACTOR, MODEL, RUN_ID, STATEMENT, expired
from lakeport.catalog.ports import SnapshotInfo, Table, TableState, Travelable, require
from lakeport.catalog.reports.figures import figures_of, movement_of
from lakeport.core.errors import PreconditionError
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import TimePoint, format_time

_MOVING = (
    "added-records",
    "deleted-records",
    "added-data-files",
    "deleted-data-files",
    "added-delete-files",
    "removed-delete-files",
)
_REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Commit:
    """One of a table's commits, as a person would name it. `run` and `model` are of a pipeline's."""

    snapshot_id: int
    version: int | None
    at: str
    operation: str
    run: str | None = None
    model: str | None = None
    actor: str | None = None
    statement: str | None = None
    added: int | None = None
    deleted: int | None = None

    @property
    def called(self) -> str:
        """For a sentence: which version, by whom."""
        who = f"run {self.run}" if self.run else (self.statement or self.operation)
        by = f" by {self.actor}" if self.actor else ""
        return f"version {self.version} of {self.at} ({who}{by})"


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of one table. `to_snapshot` is None where nothing is left; `version` is that of now.

    `undone` are the commits that change rows and are not part of main afterwards, newest first; `others`
    those of them that nobody asked to undo; `returned` those that come back.
    """

    table: TableName
    head: int | None
    version: int
    to_snapshot: int | None
    to_version: int
    rows: int | None
    rows_after: int | None
    undone: tuple[Commit, ...] = ()
    others: tuple[Commit, ...] = ()
    returned: tuple[Commit, ...] = ()

    @property
    def empties(self) -> bool:
        return self.to_snapshot is None


class Past:
    """A table's history at one moment."""

    def __init__(self, table: Table) -> None:
        travels = require(table, Travelable, f"table {quoted(str(table.name))}")
        self.table = table
        self.state: TableState = table.state()
        self._travels = travels
        self._known = {each.snapshot_id: each for each in travels.history()}
        self.line = self._line(self.state.snapshot_id)

    def before_last(self) -> Step:
        """Before the newest commit that changed rows."""
        for commit in self.line:
            if _changes_rows(commit):
                return self._step(self._before(commit))
        raise PreconditionError(
            f"there is nothing to go back from: no commit to table {quoted(str(self.table.name))}"
            " that is still known has changed a row"
        )

    def to(self, point: TimePoint) -> Step | None:
        """None if it is there already."""
        found = self._travels.state_at(point)
        if found.snapshot_id == self.state.snapshot_id:
            return None
        return self._step(found.snapshot_id)

    def before_run(self, run: str) -> Step | None:
        """Before the first commit of a run; None if main has none of it."""
        own = [commit for commit in self.line if commit.summary.get(RUN_ID) == run]
        return self._step(self._before(own[-1]), run) if own else None

    # -- inside ----------------------------------------------------------------------------------

    def _line(self, snapshot_id: int | None) -> tuple[SnapshotInfo, ...]:
        """Newest first, as far back as it is known."""
        known, line = dict(self._known), []
        while snapshot_id is not None and (found := known.pop(snapshot_id, None)) is not None:
            line.append(found)
            snapshot_id = found.parent_id
        return tuple(line)

    def _before(self, commit: SnapshotInfo) -> int | None:
        """The snapshot that a commit follows; None if it was the first."""
        if commit.parent_id is not None:
            if commit.parent_id not in self._known:
                raise self._expired(commit)
            return commit.parent_id
        # Expiry may forget that there was one before, so the numbers before it must all be there.
        versions = {each.version for each in self._known.values()}
        if commit.version is None or not versions.issuperset(range(1, commit.version)):
            raise self._expired(commit)
        return None

    def _expired(self, commit: SnapshotInfo) -> PreconditionError:
        ordered = sorted(self._known.values(), key=lambda each: each.version or 0)
        what = f"the state before version {commit.version}"
        return expired(self.table.name, what, ordered[0] if ordered else None)

    def _step(self, to: int | None, run: str | None = None) -> Step:
        after = self._line(to)
        stays = {each.snapshot_id for each in after}
        undone = [each for each in self.line if each.snapshot_id not in stays]
        was = {each.snapshot_id for each in self.line}
        target = None if to is None else self._known[to]
        moving = tuple(_commit(each) for each in undone if _changes_rows(each))
        return Step(
            self.table.name,
            self.state.snapshot_id,
            self.state.version,
            to,
            0 if target is None else target.version or 0,
            self._rows(self.line[0] if self.line else None),
            self._rows(target),
            moving,
            tuple(each for each in moving if run is not None and each.run != run),
            tuple(
                _commit(each)
                for each in after
                if each.snapshot_id not in was and _changes_rows(each)
            ),
        )

    @staticmethod
    def _rows(snapshot: SnapshotInfo | None) -> int | None:
        return figures_of(None if snapshot is None else snapshot.summary).rows


def runs_in(steps: Sequence[Step]) -> dict[tuple[str, str], bool]:
    """The runs and models whose commits go (False) or come back (True)."""
    found: dict[tuple[str, str], bool] = {}
    for step in steps:
        for commits, is_back in ((step.undone, False), (step.returned, True)):
            for commit in commits:
                if commit.run and commit.model:
                    found[commit.run, commit.model] = is_back
    return found


def _changes_rows(commit: SnapshotInfo) -> bool:
    if commit.operation == _REPLACE:
        return False
    counts = [commit.summary.get(key) for key in _MOVING]
    if any(count not in {None, "0"} for count in counts):
        return True
    # A writer that does not count may have changed anything.
    return "total-records" not in commit.summary


def _commit(snapshot: SnapshotInfo) -> Commit:
    summary = snapshot.summary
    moved = movement_of(snapshot.operation, summary)
    return Commit(
        snapshot.snapshot_id,
        snapshot.version,
        format_time(snapshot.timestamp_ns),
        snapshot.operation,
        summary.get(RUN_ID),
        summary.get(MODEL),
        summary.get(ACTOR),
        summary.get(STATEMENT),
        moved.added,
        moved.deleted,
    )
