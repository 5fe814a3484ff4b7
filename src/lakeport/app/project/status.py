"""`status`: what ran last, what runs now, what was cut off and what to do about it, what was left behind.

Asked of the state store; the lake is looked at for leftovers alone, and one that cannot be reached does not keep
the rest from being told. Spark is not needed.
"""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from lakeport.app.maintain.leftovers import Leftover, find_leftovers
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import InvalidRequestError, LakeportError, NotFoundError
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import NANOSECONDS, format_time
from lakeport.pipeline.project import Project
from lakeport.state import Lease, ModelRecord, ModelRun, RunRecord, Store

_RECENT = 10
_OPTIONS = ("select", "exclude", "start", "end", "publish", "full_refresh")
_FLAGS = {"start": "--from", "end": "--to", "full_refresh": "--full-refresh"}


@dataclass(frozen=True, slots=True)
class RunStatusLine:
    """`models` counts them by status; `process` is where it runs, or ran. `asked` is how to ask again."""

    run_id: str
    environment: str | None
    command: str
    status: str
    started_at: str
    ended_at: str | None
    seconds: float | None
    models: Mapping[str, int]
    actor: str | None
    process: str
    asked: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ModelStatusLine:
    """What became of a model the last time; `committed_at` is when it last had a commit that counts."""

    model: str
    environment: str | None
    table: str
    status: str
    run_id: str
    at: str
    seconds: float | None
    strategy: str | None
    rows: int | None
    counts: Mapping[str, int]
    version: int | None
    interval: str | None
    committed_at: str | None
    code: str | None
    error: str | None
    hint: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeaseLine:
    """A table that is written now."""

    table: str
    run_id: str
    process: str
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class LeftLine:
    """A staging table, or a branch of a table; `removable` by `lakeport maintain`."""

    kind: str
    table: str
    branch: str | None
    run_id: str | None
    since: str
    removable: bool


@dataclass(frozen=True, slots=True)
class Status:
    """`unbuilt` are models no file builds any more; `problem` is why it is not known what was left behind."""

    runs: tuple[RunStatusLine, ...]
    interrupted: tuple[RunStatusLine, ...]
    models: tuple[ModelStatusLine, ...]
    writing: tuple[LeaseLine, ...]
    left: tuple[LeftLine, ...]
    unbuilt: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class RunStatusReport:
    run: RunStatusLine
    models: tuple[ModelStatusLine, ...]


class ProjectStatus:
    """`open_catalog` and `load` are called when somebody wants to know what is left, in the lake or of the files."""

    def __init__(
        self,
        store: Store,
        catalog: str,
        open_catalog: Callable[[], Catalog],
        load: Callable[[str | None], Project],
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._open_catalog = open_catalog
        self._load = load

    def whole(self, environment: str | None = None, *, limit: int = _RECENT) -> Status:
        """Of one environment, or of all."""
        runs = [
            run
            for run in self._store.runs.recent(None, catalog=self._catalog)
            if environment is None or run.environment == environment
        ]
        cut_off = [run for run in runs if run.status == "interrupted" and run.ended_ns is None]
        environments = {run.environment for run in runs}
        models = [line for name in sorted(environments, key=str) for line in self._models(name)]
        left, problem = self._left({line.table for line in models})
        return Status(
            tuple(self._line(run) for run in runs[:limit]),
            tuple(self._line(run) for run in cut_off),
            tuple(models),
            tuple(_lease(lease) for lease in self._store.leases.held(self._catalog)),
            left,
            self._unbuilt(models),
            problem,
        )

    def of_run(self, given: str) -> RunStatusReport:
        """By its id, or by the first letters of it."""
        run = find_run(self._store, given)
        if run is None:
            known = [each.run_id for each in self._store.runs.recent(5, catalog=self._catalog)]
            raise NotFoundError(
                f"there is no run {quoted(given)}",
                hint=f"the last ones: {', '.join(known)}" if known else "nothing ran yet",
            )
        models = self._store.runs.models(run.run_id)
        return RunStatusReport(
            self._line(run, models),
            tuple(_model(run.run_id, run.environment, model, None) for model in models),
        )

    # -- inside ----------------------------------------------------------------------------------

    def _line(self, run: RunRecord, models: Sequence[ModelRecord] | None = None) -> RunStatusLine:
        known = self._store.runs.models(run.run_id) if models is None else models
        ended = run.ended_ns
        if ended is None and run.status == "running":
            ended = time.time_ns()
        return RunStatusLine(
            run.run_id,
            run.environment,
            run.command,
            run.status,
            _moment(run.started_ns),
            None if run.ended_ns is None else _moment(run.ended_ns),
            None if ended is None else (ended - run.started_ns) / NANOSECONDS,
            dict(Counter(model.status for model in known)),
            run.actor,
            str(run.owner),
            command_of(run),
            run.error,
        )

    def _models(self, environment: str | None) -> list[ModelStatusLine]:
        runs = self._store.runs
        last = runs.last(self._catalog, environment)
        committed = runs.last_success(self._catalog, environment)
        return [
            _model(each.run_id, environment, each.record, committed.get(name), each.changed_ns)
            for name, each in sorted(last.items())
        ]

    def _unbuilt(self, models: Sequence[ModelStatusLine]) -> tuple[str, ...]:
        """Not told while files are wrong: which models they are to be is not known then."""
        unbuilt = {line.model for line in models}
        for environment in {line.environment for line in models}:
            try:
                project = self._load(environment)
            except NotFoundError:
                # The environment is gone; what its tables are for is not known here.
                unbuilt -= {line.model for line in models if line.environment == environment}
                continue
            if project.problems:
                return ()
            unbuilt -= {str(name) for name in project.models}
        return tuple(sorted(unbuilt))

    def _left(self, tables: set[str]) -> tuple[tuple[LeftLine, ...], str | None]:
        names = [name for text in sorted(tables) if (name := TableName.parse(text)) is not None]
        try:
            found = find_leftovers(self._open_catalog(), self._store, names)
        except LakeportError as error:
            return (), error.message
        return tuple(_left(each) for each in found if not each.live), None


def find_run(store: Store, given: str, least: int = 4) -> RunRecord | None:
    """By its id, or by the first letters of it, if they mean one."""
    found = store.runs.get(given)
    if found is not None or len(given) < least:
        return found
    alike = store.runs.starting_with(given)
    if len(alike) > 1:
        ids = ", ".join(each.run_id for each in alike)
        raise InvalidRequestError(
            f"several runs begin with {quoted(given)}", hint=f"write more of it: {ids}"
        )
    return alike[0] if alike else None


def command_of(run: RunRecord) -> str:
    """What to type to ask for the same again."""
    asked = msgspec.json.decode(run.request)
    words = ["lakeport", run.command]
    if run.environment is not None:
        words += ["--env", run.environment]
    for key in _OPTIONS:
        value = asked.get(key) if isinstance(asked, dict) else None
        flag = _FLAGS.get(key, f"--{key}")
        if value is True:
            words.append(flag)
        elif isinstance(value, str):
            words += [flag, value]
        elif isinstance(value, list):
            words += [word for each in value for word in (flag, str(each))]
    return shlex.join(words)


def _model(
    run_id: str,
    environment: str | None,
    model: ModelRecord,
    committed: ModelRun | None,
    changed_ns: int | None = None,
) -> ModelStatusLine:
    started, ended = model.started_ns, model.ended_ns
    at = ended or started or changed_ns
    last = committed and (committed.record.ended_ns or committed.changed_ns)
    return ModelStatusLine(
        model.model,
        environment,
        str(model.table),
        model.status,
        run_id,
        "" if at is None else _moment(at),
        None if started is None or ended is None else (ended - started) / NANOSECONDS,
        model.strategy,
        model.rows,
        model.counts,
        model.version,
        model.interval,
        _moment(last) if last else None,
        model.code,
        model.error,
        model.hint,
        model.warnings,
    )


def _lease(lease: Lease) -> LeaseLine:
    return LeaseLine(
        str(lease.table),
        lease.owner.run_id,
        str(lease.owner),
        _moment(lease.acquired_ns),
        _moment(lease.until_ns),
    )


def _left(left: Leftover) -> LeftLine:
    return LeftLine(
        left.kind, left.table, left.branch, left.run, _moment(left.since_ns), left.removable
    )


def _moment(nanoseconds: int) -> str:
    """To the second: nobody reads the rest."""
    return format_time(nanoseconds // NANOSECONDS * NANOSECONDS)
