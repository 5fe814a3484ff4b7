"""Which run this is: a new one, or one that was begun before and cut off.

A run that was killed is gone on with by whoever asks for the same again: what it committed is not repeated.
If a model was changed since, it is not the same.
Runs that were killed and that nobody asks for any more are settled: what they committed is written down,
and what they left on branches is removed.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lakeport.app.lake.actor import current_actor
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.timepoint import format_time
from lakeport.pipeline.target import Branched, Run, Tables, drop_branches, fingerprint_of
from lakeport.state.owners import Owner
from lakeport.state.run_records import ModelRecord, RunRecord

if TYPE_CHECKING:
    from lakeport.app.project.request import RunRequest
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.pipeline.project import Project
    from lakeport.state import Store

_RETRIED = frozenset({"failed", "stopped", "interrupted"})


@dataclass(slots=True)
class Begun:
    """`started_ns` is when the run was begun first, `began_ns` when this process took it up."""

    store: Store
    catalog: IcebergCatalog
    request: RunRequest
    run_id: str
    started_ns: int
    began_ns: int
    actor: str | None
    environment: str | None
    fingerprint: str
    """Of all models: a run of other ones is another run."""
    notes: tuple[str, ...] = ()
    resumed: bool = False
    left: tuple[RunRecord, ...] = ()
    """Runs that were killed and are not gone on with."""
    owner: Owner = field(init=False)

    def __post_init__(self) -> None:
        self.owner = Owner.here(self.run_id)

    def take_up(self) -> None:
        """Write down that it runs, when nothing is left that could refuse it."""
        runs = self.store.runs
        if self.resumed and runs.resume(self.run_id, self.owner) is None:
            raise InvalidRequestError(
                f"run {self.run_id} goes on elsewhere", hint="`lakeport status` shows it"
            )
        if not self.resumed:
            runs.begin(
                RunRecord(
                    owner=self.owner,
                    catalog=self.catalog.name,
                    started_ns=self.started_ns,
                    environment=self.environment,
                    request=self.request.text,
                    fingerprint=self.fingerprint,
                    actor=self.actor,
                )
            )
        for each in self.left:
            self._settle(each)

    def _settle(self, left: RunRecord) -> None:
        runs, tables = self.store.runs, Tables(self.catalog, self.actor)
        if runs.resume(left.run_id, Owner.here(left.run_id)) is None:
            return  # somebody else does
        run = Run(left.run_id)
        found = []
        for record in runs.models(left.run_id):
            head = tables.head(record.table)
            if head is not None and run.branch in head.branches:
                drop_branches(tables, [Branched(head.name, run.branch)])
            made = None if head is None else head.commit_of(left.run_id, record.model)
            found.append(_settled(record, None if made is None else made.snapshot_id))
        runs.models_of_run(left.run_id, found)
        runs.end(left.run_id, "interrupted", time.time_ns(), error="it was killed")


def begin(store: Store, catalog: IcebergCatalog, project: Project, request: RunRequest) -> Begun:
    """Looks only; nothing is written down yet."""
    environment = project.environment.name
    now = time.time_ns()
    models = fingerprint_of(*sorted(model.fingerprint for model in project.models.values()))
    begun = Begun(
        store, catalog, request, uuid.uuid4().hex, now, now, current_actor(), environment, models
    )
    if request.retry:
        return _going_on(begun, _last(begun), "goes on with run {id} of {at}")
    # One that was settled by another run is history.
    left = [
        run for run in store.runs.interrupted(catalog.name, environment) if run.ended_ns is None
    ]
    wanted = (request.text, models)
    same = next((run for run in left if (run.request, run.fingerprint) == wanted), None)
    if same is not None and not request.new:
        others = tuple(run for run in left if run.run_id != same.run_id)
        again = _going_on(begun, same, "goes on with run {id} of {at}, which was killed")
        return replace(again, left=others)
    begun.left = tuple(left)
    return begun


def _last(begun: Begun) -> RunRecord:
    request = begun.request
    if not request.is_plain:
        raise InvalidRequestError(
            "--retry goes on with the last run, and takes no other words about what to build",
            hint="leave them out, or run without --retry",
        )
    runs = begun.store.runs.recent(None, catalog=begun.catalog.name, command="run")
    last = next((run for run in runs if run.environment == begun.environment), None)
    if last is None:
        raise NotFoundError("there was no run yet", hint="leave --retry out")
    if last.status not in _RETRIED:
        raise InvalidRequestError(
            f"the last run, {last.run_id}, {_said(last)}", hint="leave --retry out"
        )
    return last


def _said(run: RunRecord) -> str:
    return {"running": "is still running", "rolled_back": "was rolled back"}.get(
        run.status, "has succeeded: there is nothing to go on with"
    )


def _going_on(begun: Begun, run: RunRecord, note: str) -> Begun:
    told = note.format(id=run.run_id, at=format_time(run.started_ns)[:19] + "Z")
    return replace(
        begun,
        request=begun.request.like(run.request),
        run_id=run.run_id,
        started_ns=run.started_ns,
        notes=(told,),
        resumed=True,
    )


def _settled(record: ModelRecord, snapshot_id: int | None) -> ModelRecord:
    if record.status not in {"running", "waiting", "interrupted"}:
        return record
    if snapshot_id is None:
        return replace(record, status="interrupted")
    return replace(record, status="recovered", snapshot_id=snapshot_id)
