"""`rollback`: a table's rows as they were before, or those of every table that a run wrote.

Columns stay as they are, and so does every version: a rollback is one more commit (`catalog/iceberg/rewind.py`
says which). The tables of a run go back together where the catalog can change several as one. Whether others
have written since is decided from the tables themselves and asserted by the commit.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace

from lakeport.app.lake.find import find_table, table_names
from lakeport.app.project.past import Commit, Past, Step, runs_in
from lakeport.app.project.status import find_run
from lakeport.catalog.engines import EngineHost, Engines, OutcomeUnknownError, Terms
from lakeport.catalog.ports import Catalog, Rewind, Rewindable, Table, WriteContext, require
from lakeport.core.errors import (
    ConflictError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import parse_point
from lakeport.state import Heartbeat, Held, Lease, ModelStatus, Owner, RunRecord, Store
from lakeport.state.run_records import COMMITTED

_ATTEMPTS = 5
_SEVERAL = 2
_TERMS = Terms(anywhere=True)


@dataclass(frozen=True, slots=True)
class Rolled:
    """One table; `made` is the version that the rollback is. `returned` had been undone before."""

    table: str
    version: int
    to_version: int
    made: int | None
    rows: int | None
    rows_after: int | None
    empties: bool
    undone: tuple[Commit, ...]
    others: tuple[Commit, ...]
    returned: tuple[Commit, ...]


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """`run` is None if a table was named. `together`: all of them changed in one commit.

    `gone` are tables of the run that are no more, or are views: nothing was done to them.
    """

    run: str | None
    dry_run: bool
    together: bool
    tables: tuple[Rolled, ...]
    gone: tuple[str, ...] = ()


class Rollback:
    """For one catalog and its store. `actor` is who, as the tables' history will say."""

    def __init__(self, catalog: Catalog, store: Store, actor: str | None = None) -> None:
        if not isinstance(catalog, EngineHost):
            raise UnsupportedError(f"tables of catalog {quoted(catalog.name)} cannot go back")
        self._catalog = catalog
        self._engines: Engines = catalog.engines()
        self._store = store
        self._actor = actor

    def table(self, text: str, to: str | None = None, *, dry_run: bool = False) -> RollbackReport:
        """To a point of its history, else to before its last commit."""
        point = None if to is None else parse_point(to)
        table = find_table(self._catalog, text)

        def plan() -> list[Step]:
            past = Past(table)
            step = past.before_last() if point is None else past.to(point)
            return [] if step is None else [step]

        # Once only: what was the last commit is another one if somebody was faster.
        return self._do(plan, [table.name], "rollback", dry_run=dry_run, attempts=1)

    def run(self, given: str, *, force: bool = False, dry_run: bool = False) -> RollbackReport:
        """Every table that the run has written, to before it did."""
        record = find_run(self._store, given)
        run = given if record is None else record.run_id
        if record is not None and record.status == "running":
            raise PreconditionError(
                f"run {quoted(run)} is not done: {record.owner} works on it", hint="stop it first"
            )
        tables, gone = self._written(run, record)

        def plan() -> list[Step]:
            found = (Past(table).before_run(run) for table in tables)
            steps = [step for step in found if step is not None]
            if not force:
                _refuse_others(run, steps)
            return steps

        names = [table.name for table in tables]
        report = self._do(plan, names, f"rollback of run {run}", dry_run=dry_run)
        if record is None and not report.tables:
            raise NotFoundError(
                f"there is no run {quoted(run)}, and no table has a commit of it",
                hint="`lakeport status` lists runs; a TABLE is written NAMESPACE.TABLE",
            )
        if record is not None and not dry_run:
            self._mark_run(record, gone)
        return replace(report, run=run, gone=gone)

    # -- inside ----------------------------------------------------------------------------------

    def _written(self, run: str, record: RunRecord | None) -> tuple[list[Table], tuple[str, ...]]:
        """Tables that the run may have written, and those it wrote that are not there."""
        if record is None:  # of another store, or of a program: the tables know
            return [find_table(self._catalog, name) for name in table_names(self._catalog)], ()
        names = {model.table.folded: model.table for model in self._store.runs.models(run)}
        tables, gone = [], []
        for name in names.values():
            try:
                tables.append(self._catalog.namespace(name.namespace).table(name.table))
            except NotFoundError:
                gone.append(str(name))
        return tables, tuple(gone)

    def _do(
        self,
        plan: Callable[[], list[Step]],
        names: Sequence[TableName],
        statement: str,
        *,
        dry_run: bool,
        attempts: int = _ATTEMPTS,
    ) -> RollbackReport:
        if dry_run:
            return self._report([_rolled(step, None) for step in plan()], dry_run=True)
        with self._alone(names):
            done = self._done(plan, statement, attempts)
            self._mark([step for step, _ in done])
        return self._report([_rolled(*each) for each in done], dry_run=False)

    def _done(
        self, plan: Callable[[], list[Step]], statement: str, attempts: int
    ) -> list[tuple[Step, int]]:
        """Planned again if somebody else was faster; what went back already is in no plan any more."""
        done: list[tuple[Step, int]] = []
        for attempt in range(attempts):
            try:
                for group in self._groups(plan()):
                    done += self._committed(group, statement)
            except OutcomeUnknownError:
                raise
            except LakeportError as error:
                if not isinstance(error, ConflictError) or attempt + 1 == attempts:
                    raise _with_done(error, done) from error
            else:
                break
        return done

    def _groups(self, steps: list[Step]) -> list[list[Step]]:
        if self._engines.commits_together:
            return [steps] if steps else []
        return [[step] for step in steps]

    def _committed(self, steps: Sequence[Step], statement: str) -> list[tuple[Step, int]]:
        with ExitStack() as stack:
            ready = [stack.enter_context(self._rewinding(step, statement)) for step in steps]
            if len(ready) == 1:
                self._engines.commit(ready[0].change, _TERMS)
            else:
                self._engines.commit_all([each.change for each in ready], _TERMS)
        return [(step, each.version) for step, each in zip(steps, ready, strict=True)]

    def _rewinding(self, step: Step, statement: str) -> AbstractContextManager[Rewind]:
        name = step.table
        table = self._catalog.namespace(name.namespace).table(name.table)
        able = require(table, Rewindable, f"table {quoted(str(name))}")
        context = WriteContext(self._actor, f"{statement} to version {step.to_version}")
        return able.rewinding(step.to_snapshot, head=step.head, context=context)

    @contextmanager
    def _alone(self, names: Sequence[TableName]) -> Iterator[None]:
        """No run writes to the tables meanwhile."""
        owner = Owner.here(f"rollback-{uuid.uuid4().hex}")
        with Heartbeat(self._store.leases, owner) as heart:
            held: list[Lease] = []
            try:
                for name in sorted(names, key=lambda each: each.folded):
                    found = heart.acquire(self._catalog.name, name)
                    if isinstance(found, Held):
                        raise _busy(name, found)
                    held.append(found)
                yield
            finally:
                for lease in held:
                    heart.release(lease)

    # -- what is remembered ----------------------------------------------------------------------

    def _mark(self, steps: Sequence[Step]) -> None:
        """So that the next run does not take for its own what is no longer there."""
        runs = self._store.runs
        for (run, model), is_back in runs_in(steps).items():
            if runs.get(run) is None:
                continue
            status: ModelStatus = "succeeded" if is_back else "rolled_back"
            for record in runs.models(run):
                if record.model == model:
                    runs.model(run, replace(record, status=status))

    def _mark_run(self, record: RunRecord, gone: Sequence[str]) -> None:
        """Also what an earlier rollback had no time to mark. Views stay, and what is said of them."""
        runs = self._store.runs
        for model in runs.models(record.run_id):
            if model.status in COMMITTED and str(model.table) not in gone:
                runs.model(record.run_id, replace(model, status="rolled_back"))
        runs.end(record.run_id, "rolled_back", record.ended_ns or time.time_ns())

    def _report(self, tables: Sequence[Rolled], *, dry_run: bool) -> RollbackReport:
        together = self._engines.commits_together or len(tables) < _SEVERAL
        return RollbackReport(None, dry_run, together, tuple(tables))


def _rolled(step: Step, made: int | None) -> Rolled:
    return Rolled(
        str(step.table),
        step.version,
        step.to_version,
        made,
        step.rows,
        step.rows_after,
        step.empties,
        step.undone,
        step.others,
        step.returned,
    )


def _refuse_others(run: str, steps: Sequence[Step]) -> None:
    told = [
        f"{step.table}: {', '.join(other.called for other in step.others)}"
        for step in steps
        if step.others
    ]
    if told:
        raise PreconditionError(
            f"others have written since run {quoted(run)} did, and would be undone with it: "
            + "; ".join(told),
            hint="--force undoes them, too",
        )


def _busy(name: TableName, held: Held) -> PreconditionError:
    return PreconditionError(
        f"table {quoted(str(name))} is being written by run {quoted(held.by.run_id)}, {held.by}",
        hint="wait until it is done, or stop it",
    )


def _with_done(error: LakeportError, done: Sequence[tuple[Step, int]]) -> LakeportError:
    """What cannot be done as one may be done in part."""
    if not done:
        return error
    back = ", ".join(str(step.table) for step, _ in done)
    return PreconditionError(
        f"not every table went back: {error.message}",
        hint=f"these did: {back}; run it again for the rest",
    )
