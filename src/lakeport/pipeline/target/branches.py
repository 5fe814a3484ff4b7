"""Branches of a run's own: begun at main's head, and made main's head later, for one table or for many at once.

What is on a branch is seen by nobody who does not name it. It is published by moving main to it, which is
possible as long as main still stands where the branch began; several tables are moved by one commit, so
that a reader sees all of a run or nothing of it. The branches go with the same commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from lakeport.catalog.engines import OutcomeUnknownError, TableChange, Terms
from lakeport.catalog.history import MAIN
from lakeport.core.errors import ConflictError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.target.head import Head
from lakeport.pipeline.target.tables import Tables

_ATTEMPTS = 10
_UNANSWERED = 3
"""How often a service may leave it open whether it has published; each can take a minute."""


@dataclass(frozen=True, slots=True)
class Branched:
    """A table with rows on a branch."""

    table: TableName
    branch: str


class MovedError(ConflictError):
    """Main is no longer where the branches of `tables` began; nothing was published."""

    code = "moved"

    def __init__(self, tables: Sequence[TableName]) -> None:
        self.tables = tuple(tables)
        names = ", ".join(quoted(str(name)) for name in tables)
        super().__init__(f"others wrote to {names} meanwhile", hint="run it again")


def begin_branch(tables: Tables, head: Head, branch: str) -> None:
    """At main's head, wherever it was before. A table without a snapshot has nowhere to begin one."""
    start = head.snapshot_id
    if start is None:
        raise NotFoundError(f"table {quoted(str(head.name))} has no snapshot yet")
    if head.branches.get(branch) == start:
        return
    _commit(tables, [_change(head, [_set(branch, start)], main=start)])


def drop_branches(tables: Tables, branched: Iterable[Branched]) -> None:
    """Those that are there. What was on them is removed with other snapshots that nothing names."""
    for each in branched:
        for _ in range(_ATTEMPTS):
            head = tables.head(each.table)
            if head is None or each.branch not in head.branches:
                break
            gone = _change(head, [_removed(each.branch)], branch=each.branch)
            try:
                _commit(tables, [gone])
            except ConflictError:  # moved or removed by another: look again
                continue
            break


def can_publish(head: Head, branch: str) -> bool:
    """Whether main stands where the branch began."""
    return branch in head.branches and head.descends_from(head.snapshot_id, branch)


def require_together(tables: Tables) -> None:
    if not tables.engines.commits_together:
        raise UnsupportedError(
            f"catalog {quoted(tables.catalog.name)} cannot change several tables as one",
            hint='publish = "branch" publishes each model by itself; all at once takes a catalog in SQLite'
            " or Postgres, or a REST service that says it has POST /v1/{prefix}/transactions/commit",
        )


def publish(tables: Tables, branched: Sequence[Branched]) -> None:
    """Main of every table to its branch, all at once or none. `MovedError` if one cannot follow.

    A table that was published before is left alone, so that asking twice is as good as once.
    """
    if len(branched) > 1:
        require_together(tables)
    tips: dict[Branched, int] = {}
    unanswered = 0
    for attempt in range(_ATTEMPTS):
        heads = [(each, tables.head(each.table)) for each in branched]
        moved = [each.table for each, head in heads if not _can_follow(head, each, tips.get(each))]
        if moved:
            raise MovedError(moved)
        due = [(each, head) for each, head in heads if head and each.branch in head.branches]
        tips |= {each: head.branches[each.branch] for each, head in due}
        try:
            _commit(tables, [_published(head, each.branch) for each, head in due])
        except ConflictError:  # whoever was faster may have left main alone
            if attempt + 1 == _ATTEMPTS:
                raise
            continue
        except OutcomeUnknownError:
            # It may be sent again, and even overtake itself: it requires the branches, which go with it.
            unanswered += 1
            if unanswered == _UNANSWERED:
                raise
            continue
        return


def _published(head: Head, branch: str) -> TableChange:
    tip = head.branches[branch]
    updates = [_removed(branch)]
    if head.snapshot_id != tip and not head.descends_from(tip):
        updates.insert(0, _set(MAIN, tip))
    return _change(head, updates, main=head.snapshot_id, branch=branch, holds_main=True)


def _can_follow(head: Head | None, each: Branched, tip: int | None) -> bool:
    """Or has done so. `tip` is where the branch was seen; without it, one that is gone was published."""
    if head is None:
        return False
    at = head.branches.get(each.branch, tip)
    return can_publish(head, each.branch) or at is None or head.descends_from(at)


def _set(branch: str, snapshot: int) -> dict[str, object]:
    return {
        "action": "set-snapshot-ref",
        "ref-name": branch,
        "type": "branch",
        "snapshot-id": snapshot,
    }


def _removed(branch: str) -> dict[str, object]:
    return {"action": "remove-snapshot-ref", "ref-name": branch}


def _change(
    head: Head,
    updates: Sequence[dict[str, object]],
    *,
    main: int | None = None,
    branch: str | None = None,
    holds_main: bool = False,
) -> TableChange:
    """What it requires: this very table, and references that stand where they were seen."""
    required: list[dict[str, object]] = [{"type": "assert-table-uuid", "uuid": head.uuid}]
    if main is not None or holds_main:
        required.append({"type": "assert-ref-snapshot-id", "ref": MAIN, "snapshot-id": main})
    if branch is not None:
        tip = head.branches[branch]
        required.append({"type": "assert-ref-snapshot-id", "ref": branch, "snapshot-id": tip})
    body = {"requirements": required, "updates": list(updates)}
    return TableChange(head.name, msgspec.json.encode(body))


def _commit(tables: Tables, changes: Sequence[TableChange]) -> None:
    engines = tables.engines
    if len(changes) == 1:
        engines.commit(changes[0], Terms())
    elif changes:
        engines.commit_all(changes, Terms())
