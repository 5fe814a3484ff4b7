"""What ran, what runs, and what was left behind by a run that was killed.

A run that is written down as running, and whose process has ended or has not been heard of for a while, is
read as `interrupted`, whoever asks. One of those who want to go on with it gets it: `resume`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    delete,
    exists,
    func,
    select,
    tuple_,
    update,
)

from lakeport.core.errors import AlreadyExistsError
from lakeport.core.names import NameMap, TableName, quoted
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state.database import Database
from lakeport.state.leases import TTL_SECONDS
from lakeport.state.moment import Clock, store_time
from lakeport.state.owners import Owner
from lakeport.state.run_records import COMMITTED, ModelRecord, ModelRun, RunRecord, RunStatus
from lakeport.state.tables import MODEL_RUNS, RUNS
from lakeport.state.texts import storable
from lakeport.state.upsert import insert_into

_LONGEST = 20_000
_PAGE = 200
_TAKEN_UP: tuple[RunStatus, ...] = ("interrupted", "failed", "stopped")


class RunTable:
    def __init__(self, database: Database, clock: Clock = store_time) -> None:
        self._database = database
        self._clock = clock

    # -- by who runs -----------------------------------------------------------------------------

    def begin(self, run: RunRecord, ttl: float = TTL_SECONDS) -> None:
        with self._database.changing() as connection:
            until = self._clock(connection) + round(ttl * NANOSECONDS)
            statement = insert_into(connection, RUNS).values(_run_row(replace(run, until_ns=until)))
            if not connection.execute(statement.on_conflict_do_nothing()).rowcount:
                raise AlreadyExistsError(
                    f"there is a run {quoted(run.run_id)} already", hint="leave its id out"
                )

    def resume(self, run_id: str, owner: Owner, ttl: float = TTL_SECONDS) -> RunRecord | None:
        """The run as it was, and ours from now on; None if it goes on without us, or is done.

        Of several who ask at once, one gets it.
        """
        with self._database.changing() as connection:
            asked = select(RUNS).where(RUNS.c.run_id == run_id).with_for_update()
            row = connection.execute(asked).first()
            if row is None:
                return None
            now = self._clock(connection)
            found = _run(row, now)
            if found.status not in _TAKEN_UP:
                return None
            taken = replace(
                found,
                owner=replace(owner, run_id=run_id),
                status="running",
                error=None,
                ended_ns=None,
                until_ns=now + round(ttl * NANOSECONDS),
            )
            mine = update(RUNS).where(RUNS.c.run_id == run_id)
            connection.execute(mine.values(_run_row(taken)))
        return found

    def beat(self, owner: Owner, ttl: float = TTL_SECONDS) -> bool:
        """It still runs. False if somebody else goes on with it, or it was ended."""
        with self._database.changing() as connection:
            until = self._clock(connection) + round(ttl * NANOSECONDS)
            mine = update(RUNS).where(*_by(owner), RUNS.c.status == "running")
            return bool(connection.execute(mine.values(until_ns=until)).rowcount)

    def model(self, run_id: str, record: ModelRecord) -> None:
        """Written over what was known of this model in this run."""
        self.models_of_run(run_id, [record])

    def models_of_run(self, run_id: str, records: Sequence[ModelRecord]) -> None:
        """Several at once, in one transaction."""
        with self._database.changing() as connection:
            asked = select(RUNS.c.catalog, RUNS.c.environment).where(RUNS.c.run_id == run_id)
            of_run = connection.execute(asked).one()._asdict()
            now = self._clock(connection)
            for record in records:
                row = {"run_id": run_id, **of_run, **_model_row(record), "changed_ns": now}
                statement = insert_into(connection, MODEL_RUNS).values(row)
                connection.execute(
                    statement.on_conflict_do_update(
                        index_elements=list(MODEL_RUNS.primary_key), set_=row
                    )
                )

    def end(
        self, run_id: str, status: RunStatus, ended_ns: int, *, error: str | None = None
    ) -> None:
        row = storable({"status": status, "ended_ns": ended_ns, "error": _told(error)})
        with self._database.changing() as connection:
            connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(row))

    # -- by who asks -----------------------------------------------------------------------------

    def get(self, run_id: str) -> RunRecord | None:
        found = self._runs(select(RUNS).where(RUNS.c.run_id == run_id))
        return found[0] if found else None

    def starting_with(self, text: str, limit: int = 10) -> list[RunRecord]:
        """By the first letters of their ids, newest first."""
        alike = RUNS.c.run_id.startswith(text, autoescape=True)
        return self._runs(select(RUNS).where(alike).order_by(*_NEWEST).limit(limit))

    def recent(
        self, limit: int | None = 20, *, catalog: str | None = None, command: str | None = None
    ) -> list[RunRecord]:
        """Of every environment, newest first."""
        asked = select(RUNS).order_by(*_NEWEST).limit(limit)
        if catalog is not None:
            asked = asked.where(RUNS.c.catalog == catalog)
        if command is not None:
            asked = asked.where(RUNS.c.command == command)
        return self._runs(asked)

    def pages(
        self, catalog: str, size: int = _PAGE
    ) -> Iterator[list[tuple[RunRecord, list[ModelRecord]]]]:
        """All of them with their models, oldest first, a piece per transaction."""
        after: tuple[int, str] = (-1, "")
        place = tuple_(RUNS.c.started_ns, RUNS.c.run_id)
        while True:
            asked = (
                select(RUNS)
                .where(RUNS.c.catalog == catalog, place > after)
                .order_by(RUNS.c.started_ns, RUNS.c.run_id)
                .limit(size)
            )
            runs = self._runs(asked)
            if not runs:
                return
            after = (runs[-1].started_ns, runs[-1].run_id)
            models: dict[str, list[ModelRecord]] = {run.run_id: [] for run in runs}
            of_runs = select(MODEL_RUNS).where(MODEL_RUNS.c.run_id.in_(models))
            for each in self._model_runs(of_runs.order_by(*_BEGUN)):
                models[each.run_id].append(each.record)
            yield [(run, models[run.run_id]) for run in runs]

    def interrupted(self, catalog: str, environment: str | None = None) -> list[RunRecord]:
        """Runs that were killed and that nobody went on with, newest first."""
        asked = select(RUNS).where(
            RUNS.c.catalog == catalog,
            RUNS.c.environment == (environment or ""),
            RUNS.c.status.in_(("running", "interrupted")),
        )
        found = self._runs(asked.order_by(*_NEWEST))
        return [run for run in found if run.status == "interrupted"]

    def models(self, run_id: str) -> list[ModelRecord]:
        """In the order in which they were begun."""
        asked = select(MODEL_RUNS).where(MODEL_RUNS.c.run_id == run_id).order_by(*_BEGUN)
        return [each.record for each in self._model_runs(asked)]

    def last(self, catalog: str, environment: str | None = None) -> NameMap[ModelRun]:
        """Of every model what was written down last, in one question."""
        return self._last(_of(catalog, environment))

    def last_success(self, catalog: str, environment: str | None = None) -> NameMap[ModelRun]:
        """Of every model its last commit: what `state:modified` and a plan compare with."""
        return self._last(_of(catalog, environment), MODEL_RUNS.c.status.in_(COMMITTED))

    def environments(self, catalog: str) -> list[str | None]:
        asked = select(RUNS.c.environment).where(RUNS.c.catalog == catalog).distinct()
        with self._database.reading() as connection:
            return [name or None for name in sorted(connection.execute(asked).scalars())]

    def forget(self, before_ns: int) -> int:
        """Remove older runs that have ended. What a model was last committed by stays known."""
        old = select(RUNS.c.run_id).where(RUNS.c.started_ns < before_ns, RUNS.c.status != "running")
        kept = _newest(MODEL_RUNS.c.status.in_(COMMITTED))
        key = tuple_(MODEL_RUNS.c.run_id, MODEL_RUNS.c.model)
        left = exists().where(MODEL_RUNS.c.run_id == RUNS.c.run_id)
        with self._database.changing() as connection:
            connection.execute(
                delete(MODEL_RUNS).where(MODEL_RUNS.c.run_id.in_(old), key.not_in(kept))
            )
            return connection.execute(delete(RUNS).where(RUNS.c.run_id.in_(old), ~left)).rowcount

    # -- inside ----------------------------------------------------------------------------------

    def _runs(self, asked: Select[Any]) -> list[RunRecord]:
        with self._database.reading() as connection:
            now = self._clock(connection)
            return [_run(row, now) for row in connection.execute(asked)]

    def _model_runs(self, asked: Select[Any]) -> list[ModelRun]:
        with self._database.reading() as connection:
            rows = connection.execute(asked).all()
            gone = self._interrupted_among(connection, {row.run_id for row in rows})
        return [_model_run(row, is_interrupted=row.run_id in gone) for row in rows]

    def _interrupted_among(self, connection: Connection, run_ids: set[str]) -> set[str]:
        if not run_ids:
            return set()
        now = self._clock(connection)
        running = select(RUNS).where(RUNS.c.status.in_(("running", "interrupted")))
        found = (_run(row, now) for row in connection.execute(running))
        return {run.run_id for run in found if run.status == "interrupted"} & run_ids

    def _last(self, *conditions: ColumnElement[bool]) -> NameMap[ModelRun]:
        key = tuple_(MODEL_RUNS.c.run_id, MODEL_RUNS.c.model)
        found = self._model_runs(select(MODEL_RUNS).where(key.in_(_newest(*conditions))))
        return NameMap((each.record.model, each) for each in found)


_BEGUN = (MODEL_RUNS.c.started_ns.is_(None), MODEL_RUNS.c.started_ns, MODEL_RUNS.c.model)
_NEWEST = (RUNS.c.started_ns.desc(), RUNS.c.run_id)


def _newest(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Run and model of each model's newest record."""
    c = MODEL_RUNS.c
    place = (
        func.row_number()
        .over(
            partition_by=(c.catalog, c.environment, c.model),
            order_by=(c.changed_ns.desc(), c.run_id),
        )
        .label("place")
    )
    numbered = select(c.run_id, c.model, place).where(*conditions).subquery()
    return select(numbered.c.run_id, numbered.c.model).where(numbered.c.place == 1)


def _of(catalog: str, environment: str | None) -> ColumnElement[bool]:
    return (MODEL_RUNS.c.catalog == catalog) & (MODEL_RUNS.c.environment == (environment or ""))


def _by(owner: Owner) -> Iterable[ColumnElement[bool]]:
    return (RUNS.c[name] == value for name, value in asdict(owner).items())


def _run_row(run: RunRecord) -> dict[str, object]:
    row = asdict(run)
    row |= {"environment": run.environment or "", "error": _told(run.error)}
    return storable({**row.pop("owner"), **row})


def _run(row: Row[Any], now: int) -> RunRecord:
    owner = Owner(row.run_id, row.host, row.place, row.pid, row.process)
    is_gone = row.status == "running" and (row.until_ns <= now or owner.is_dead)
    return RunRecord(
        owner=owner,
        catalog=row.catalog,
        started_ns=row.started_ns,
        environment=row.environment or None,
        command=row.command,
        request=row.request,
        fingerprint=row.fingerprint,
        actor=row.actor,
        status="interrupted" if is_gone else row.status,
        error=row.error,
        ended_ns=row.ended_ns,
        until_ns=row.until_ns,
    )


def _model_row(record: ModelRecord) -> dict[str, object]:
    row = asdict(record)
    table = record.table
    row |= {"namespace": table.namespace, "table": table.table, "created": int(record.created)}
    warnings = [_told(warning) for warning in record.warnings]
    row |= {"counts": json.dumps(row["counts"]), "warnings": json.dumps(warnings)}
    row |= {"error": _told(record.error), "hint": _told(record.hint)}
    return storable(row)


def _told(message: str | None) -> str | None:
    """What an engine said may be as long as the query."""
    if message is None or len(message) <= _LONGEST:
        return message
    return f"{message[:_LONGEST]}…"


def _model_run(row: Row[Any], *, is_interrupted: bool) -> ModelRun:
    record = ModelRecord(
        model=row.model,
        table=TableName(row.namespace, row.table),
        status="interrupted" if is_interrupted and row.status == "running" else row.status,
        strategy=row.strategy,
        rows=row.rows,
        counts=json.loads(row.counts),
        started_ns=row.started_ns,
        ended_ns=row.ended_ns,
        snapshot_id=row.snapshot_id,
        version=row.version,
        created=bool(row.created),
        attempts=row.attempts,
        fingerprint=row.fingerprint,
        interval=row.interval,
        code=row.code,
        error=row.error,
        hint=row.hint,
        columns=row.columns,
        warnings=tuple(json.loads(row.warnings)),
    )
    return ModelRun(row.run_id, row.environment or None, record, row.changed_ns)
