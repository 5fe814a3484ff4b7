"""What runs leave behind when they are killed: staging tables, and branches of tables.

A run that is known to have ended has no use for them. One that was interrupted may be gone on with for a while,
and one that the store does not know (a program's, or another project's) may still be at work: what those left
goes by its age. Nothing of a run that lives is touched.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lakeport.catalog.engines import EngineHost
from lakeport.catalog.ports import Catalog, Ref, Referable, Table, Travelable
from lakeport.catalog.upkeep import DAY
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import TableName, fold
from lakeport.pipeline.staging.stage import STAGING
from lakeport.pipeline.target import Run, Tables
from lakeport.pipeline.target.head import last_change
from lakeport.state import RunRecord, Store

LEFTOVER_AGE = DAY
"""Longer than any run takes without saying so."""

_MILLISECOND = 1_000_000  # in nanoseconds
_BRANCH = "lakeport_"


@dataclass(frozen=True, slots=True)
class Leftover:
    """`branch` is None for a staging table. `run` is the run that left it, if it is known.

    `removable` says that nobody can want it any more; `live` that a run is at work with it.
    """

    table: str
    branch: str | None
    run: str | None
    since_ns: int
    live: bool
    removable: bool

    @property
    def kind(self) -> Literal["staging", "branch"]:
        return "staging" if self.branch is None else "branch"


@dataclass(frozen=True, slots=True)
class LeftoverReport:
    """What was removed, or would be; `problem` if it could not be."""

    kind: str
    table: str
    branch: str | None
    run: str | None
    problem: str | None = None


def is_staging(name: TableName) -> bool:
    return fold(name.namespace) == STAGING


def find_leftovers(
    catalog: Catalog,
    store: Store | None,
    tables: Iterable[TableName],
    *,
    older_than: int = LEFTOVER_AGE,
    now_ns: int | None = None,
) -> list[Leftover]:
    """All staging tables, and the branches of runs in these tables."""
    if not isinstance(catalog, EngineHost):
        return []
    now = time.time_ns() if now_ns is None else now_ns
    runs = _runs_by_word(catalog, store)
    found = [*_staging(catalog, runs, now - older_than)]
    for name in tables:
        found += _branches(catalog, name, runs, now - older_than)
    return found


def remove_leftovers(
    catalog: Catalog, leftovers: Iterable[Leftover], *, dry_run: bool = False
) -> tuple[LeftoverReport, ...]:
    """Those that are removable; one's trouble is not another's."""
    reports = []
    for each in leftovers:
        if not each.removable:
            continue
        problem = None
        try:
            if not dry_run:
                _remove(catalog, each)
        except NotFoundError:  # its run was faster
            continue
        except LakeportError as error:
            problem = error.message
        reports.append(LeftoverReport(each.kind, each.table, each.branch, each.run, problem))
    return tuple(reports)


# -- inside --------------------------------------------------------------------------------------


def _runs_by_word(catalog: Catalog, store: Store | None) -> Mapping[str, RunRecord]:
    """Of every run that is known: names of tables and branches hold its word."""
    if store is None:
        return {}
    known = store.runs.recent(None, catalog=catalog.name)
    return {Run(run.run_id).word: run for run in known}


def _staging(
    catalog: EngineHost, runs: Mapping[str, RunRecord], latest_ns: int
) -> Iterator[Leftover]:
    engines = catalog.engines()
    try:
        names = [TableName(STAGING, table) for table in engines.tables(STAGING)]
    except NotFoundError:
        return
    for name in names:
        try:
            changed = last_change(engines.load(engines.find(name)).metadata) * _MILLISECOND
        except NotFoundError:  # its run has just ended
            continue
        word = name.table.removeprefix("run_").rpartition("_")[0]
        yield _left(name, None, runs.get(word), changed, latest_ns)


def _branches(
    catalog: Catalog, name: TableName, runs: Mapping[str, RunRecord], latest_ns: int
) -> Iterator[Leftover]:
    try:
        table = catalog.namespace(name.namespace).table(name.table)
        refs = [
            ref for ref in _refs(table) if ref.kind == "branch" and ref.name.startswith(_BRANCH)
        ]
        since = {ref.name: _since(table, ref) for ref in refs}
    except LakeportError:
        return  # gone, or it cannot be opened, which others tell
    for ref in refs:
        run = runs.get(ref.name.removeprefix(_BRANCH))
        yield _left(table.name, ref.name, run, since[ref.name], latest_ns)


def _refs(table: Table) -> Iterable[Ref]:
    return table.refs() if isinstance(table, Referable) else ()


def _since(table: Table, branch: Ref) -> int:
    """When something last happened that the branch may be part of.

    One that has no commit of its own may be a second old, whatever the age of the snapshot it starts from:
    then the table's newest commit must do.
    """
    if not isinstance(table, Travelable):
        return time.time_ns()
    history = {each.snapshot_id: each for each in table.history()}
    head = table.state().snapshot_id
    main = set()
    while head is not None and head in history:
        main.add(head)
        head = history[head].parent_id
    if branch.snapshot_id in main or branch.snapshot_id not in history:
        return max(each.timestamp_ns for each in history.values())
    return history[branch.snapshot_id].timestamp_ns


def _left(
    table: TableName, branch: str | None, run: RunRecord | None, since_ns: int, latest_ns: int
) -> Leftover:
    live = run is not None and run.status == "running"
    has_ended = run is not None and not live and run.ended_ns is not None
    if run is not None:
        since_ns = max(since_ns, run.ended_ns or run.started_ns)
    removable = not live and (has_ended or since_ns <= latest_ns)
    return Leftover(
        str(table), branch, None if run is None else run.run_id, since_ns, live, removable
    )


def _remove(catalog: Catalog, leftover: Leftover) -> None:
    name = TableName.parse(leftover.table)
    if name is None:
        return
    if leftover.branch is None:
        Tables(catalog).engines.drop(name, purge=True)
        return
    table = catalog.namespace(name.namespace).table(name.table)
    if isinstance(table, Referable):
        table.drop_ref(leftover.branch)
