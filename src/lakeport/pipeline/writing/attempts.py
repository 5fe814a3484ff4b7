"""Staged rows into the table, again from the same rows where another writer was faster.

Each attempt starts from the table as it is then: what has grown in the meantime, which rules it has, which
rows are there. An attempt that failed for any other reason than a conflict first asks the table whether
it was committed after all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NoReturn

from lakeport.catalog.definition import Definition
from lakeport.catalog.engines import OutcomeUnknownError
from lakeport.catalog.evolution.growing import losses
from lakeport.catalog.evolution.rules import RULES, rules_of
from lakeport.catalog.history import MAIN
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    LakeportError,
    PreconditionError,
)
from lakeport.core.names import quoted
from lakeport.pipeline.console import Console, SparkError
from lakeport.pipeline.growth import Plan, arrow_schema, changes, log_unmapped
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.staging import Staged
from lakeport.pipeline.strategies import Relation, Statement, Write, drop_branch, statements
from lakeport.pipeline.target import (
    Branched,
    Commit,
    Head,
    Run,
    Tables,
    begin_branch,
    drop_branches,
)
from lakeport.pipeline.target.run import PROPERTY
from lakeport.pipeline.writing.examine import Examined, examine, require_unique
from lakeport.pipeline.writing.failures import Meaning, is_unknown, meaning, of_statement
from lakeport.pipeline.writing.outcome import Outcome, counts_in
from lakeport.pipeline.writing.prepare import (
    partition_terms,
    planned,
    prepared,
    property_texts,
    warnings,
)
from lakeport.pipeline.writing.progress import Observer, Point, Progress, logged
from lakeport.pipeline.writing.request import WriteRequest

TRIES = 5
_FIRST_PAUSE = 0.05


class _OvertakenError(Exception):
    """Not applied; worth another attempt."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all writes of one session share. `catalog` is what the lake is called there.

    With `watches_growth` nobody at the catalog's door refuses what a run may not do, so it is looked
    at afterwards. `pause` waits between attempts.
    """

    console: Console
    tables: Tables
    catalog: str
    watches_growth: bool = False
    observe: Observer = logged
    pause: Callable[[float], None] = time.sleep
    tries: int = TRIES


@dataclass(slots=True)
class Writing:
    """One write. What was found out about the staged rows is kept from one attempt to the next.

    `aside` leaves the rows on the run's branch, for whoever publishes it.
    """

    around: Surroundings
    staged: Staged
    request: WriteRequest
    run: Run
    aside: bool = False
    created: bool = False
    attempt: int = 0
    notes: list[str] = field(default_factory=list)
    _seen: tuple[object, Examined] | None = None
    _applied: Plan | None = None
    """How the table has grown, in whichever attempt that was."""

    @property
    def model(self) -> str:
        return self.run.model or str(self.request.into)

    @property
    def where(self) -> str:
        """The branch that has the rows in the end."""
        return self.run.branch if self.aside else MAIN

    def carry_out(self) -> Outcome:
        for self.attempt in count(1):
            try:
                return self._attempt()
            except _OvertakenError as overtaken:
                if self.attempt >= self.around.tries:
                    raise ConflictError(
                        f"others changed table {quoted(str(self.request.into))} during each of"
                        f" {self.attempt} attempts to write it: {overtaken}",
                        hint="run it again when fewer write to the table",
                    ) from overtaken
                self.tell(Point.RETRYING, reason=str(overtaken))
                # Spread out, or those who met once would meet again.
                self.around.pause(_FIRST_PAUSE * 2**self.attempt * random.uniform(0.5, 1.5))  # noqa: S311
        raise AssertionError  # pragma: no cover

    def tell(self, point: Point, **facts: object) -> None:
        self.around.observe(
            Progress(point, self.request.into, self.run.id, max(self.attempt, 1), facts)
        )

    # -- one attempt -----------------------------------------------------------------------------

    def _attempt(self) -> Outcome:
        request, tables = self.request, self.around.tables
        head = tables.head(request.into)
        if head is not None:
            made = head.commit_of(self.run.id, self.model)
            if made is not None:
                return self._outcome(planned(head, self.staged.schema, request), head, made, ())
        plan = planned(head, self.staged.schema, request)
        plan.require(request.into)
        write = prepared(request, plan, head, self._relation(head), self.staged.relation, self.run)
        examined = self._examined(write, plan, head)
        rows = None if examined.found is None else examined.found.rows
        self.tell(Point.CHECKED, rows=rows)
        grown = self._grown(head, plan)
        self.tell(Point.GROWN, changed=head is None or plan.changes_schema)
        if rows == 0 and not (request.empties and grown.snapshot_id is not None):
            self.tell(Point.DONE, snapshot=None)
            return self._outcome(plan, grown, None, ())
        if grown.definition.keys and grown.snapshot_id is None and not self.aside:
            grown = self._begun(examined.write)
        todo = self._statements(examined.write, head, grown)
        if self.aside:
            self._branch(examined.write, grown)
            self.tell(Point.BRANCHED, branch=self.run.branch)
        self.tell(Point.WRITING)
        self._send(todo, write, grown)
        self.tell(Point.WRITTEN)
        now, made = self._verified(grown)
        self.tell(Point.DONE, snapshot=None if made is None else made.snapshot_id)
        return self._outcome(plan, now, made, todo)

    def _relation(self, head: Head | None) -> Relation:
        into = self.request.into
        parts = (
            (*into.namespace.split("."), into.table)
            if head is None
            else self.around.tables.path(head.name)
        )
        return Relation((self.around.catalog, *parts))

    def _examined(self, write: Write, plan: Plan, head: Head | None) -> Examined:
        rules = None if head is None else head.definition
        known = (write, plan, rules)
        if self._seen is None or self._seen[0] != known:
            figures = self.staged.figures
            found = examine(self.around.console, self.request, write, plan, rules, figures)
            self._seen = known, found
        return self._seen[1]

    # -- growing ---------------------------------------------------------------------------------

    def _grown(self, head: Head | None, plan: Plan) -> Head:
        """The table with all its columns. Whatever fails here stops the write before any row is."""
        tables, into = self.around.tables, self.request.into
        if head is not None and not plan.changes_schema:
            return head
        log_unmapped(plan, into)
        try:
            if head is None:
                tables.create(into, self._definition(plan))
                self.created = True
            else:
                tables.grow(head.name, changes(plan))
            self._applied = self._applied or plan
        except (AlreadyExistsError, ConflictError) as error:
            raise _OvertakenError(error.message) from error
        except LakeportError as error:
            now = tables.head(into)
            if head is None or now is None or now.schema_id == head.schema_id:
                raise
            raise _OvertakenError(error.message) from error
        now = tables.head(into)
        # The columns that are written are the planned ones; those that are there must be the same.
        if now is None or now.columns != plan.after:
            raise _OvertakenError("its columns were changed by others")
        if now.definition.constraints != (() if head is None else head.definition.constraints):
            raise _OvertakenError("its rules were changed by others")
        if head is not None:  # a session knows nothing of a table that was not there
            self.around.console.run(f"REFRESH TABLE {self._relation(now).sql}")
        return now

    def _definition(self, plan: Plan) -> Definition:
        return Definition(
            arrow_schema(plan.after),
            partitioned_by=partition_terms(self.request, None),
            properties=self.request.table_properties,
        )

    def _begun(self, write: Write) -> Head:
        """With a first snapshot, and nothing in it, which a branch can start from."""
        table = write.target.sql
        try:
            self.around.console.run(f"INSERT INTO {table} SELECT * FROM {table} WHERE false")  # noqa: S608
        except SparkError as error:
            if error.gone is None and (meaning(error) is Meaning.CONFLICT or is_unknown(error)):
                raise _OvertakenError(error.sentence) from error  # nothing was at stake
            self._give_up(error, is_sent=False)
        head = self.around.tables.head(self.request.into)
        if head is None or head.snapshot_id is None:
            raise _OvertakenError("it was replaced by others")
        return head

    # -- writing ---------------------------------------------------------------------------------

    def _statements(self, write: Write, head: Head | None, grown: Head) -> tuple[Statement, ...]:
        """Keys are checked against this very head, so a table that has some takes rows by a branch
        of it: main is moved only if it is still there.
        """
        is_keyed = bool(grown.definition.keys)
        if is_keyed:
            require_unique(self.around.console, self.request, write, grown)
            write = replace(write, base=grown.snapshot_id)
        if self.aside:
            write = replace(write, target=Relation(write.target.parts, self.run.branch))
        settings = property_texts(self.request, None if head is None else grown, write.target)
        return (
            *(Statement(text) for text in settings),
            *statements(self.request.chosen, write, aside=is_keyed),
        )

    def _branch(self, write: Write, grown: Head) -> None:
        """The run's branch where main is; what an earlier attempt left on it is gone."""
        if grown.snapshot_id is not None:
            try:
                begin_branch(self.around.tables, grown, self.run.branch)
            except ConflictError as error:
                raise _OvertakenError(error.message) from error
            return
        # Iceberg gives the branch of an empty table an empty snapshot to begin with.
        table, name = Relation(write.target.parts).sql, identifier(self.run.branch)
        try:
            self.around.console.run(f"ALTER TABLE {table} CREATE OR REPLACE BRANCH {name}")
        except SparkError as error:
            if error.gone is None and (meaning(error) is Meaning.CONFLICT or is_unknown(error)):
                raise _OvertakenError(error.sentence) from error
            self._give_up(error, is_sent=False)
        now = self.around.tables.head(self.request.into)
        if now is None or now.snapshot_id is not None:
            raise _OvertakenError("others wrote to it first")

    def _send(self, todo: Sequence[Statement], write: Write, grown: Head) -> None:
        console = self.around.console
        # A door of ours takes the rows only while the table's rules are those they were checked by.
        checked = {RULES: rules_of(grown.schema, grown.properties)}
        summary = {**self.run.summary(self.model, self.request.interval), **checked}
        is_sent = False
        try:
            with console.settings({PROPERTY + key: value for key, value in summary.items()}):
                for statement in todo:
                    is_sent = True
                    console.run(statement.sql, statement.settings)
        except SparkError as error:
            if not self._is_made():
                with suppress(SparkError, LakeportError):  # the sentence is about what failed first
                    self._drop_branch(write)
            self._failed(error, grown, is_sent=is_sent)
        except BaseException:
            with suppress(Exception):
                self._drop_branch(write)
            raise

    def _is_made(self) -> bool:
        """Whether the rows are on the branch that was to have them, whatever Spark said."""
        if not self.aside:
            return False
        head = self.around.tables.head(self.request.into)
        return head is not None and head.commit_of(self.run.id, self.model, self.where) is not None

    def _drop_branch(self, write: Write) -> None:
        head = self.around.tables.head(self.request.into)
        if head is None or self.run.branch not in head.branches:
            return
        if self.aside:
            drop_branches(self.around.tables, [Branched(head.name, self.run.branch)])
            return
        statement = drop_branch(write.target, self.run.branch)
        self.around.console.run(statement.sql, statement.settings)

    def _failed(self, error: SparkError, grown: Head, *, is_sent: bool) -> None:
        """Returns if the table has the rows all the same."""
        if meaning(error) is Meaning.CONFLICT:
            raise _OvertakenError(error.sentence) from error
        now = self.around.tables.head(self.request.into)
        if now is not None and now.commit_of(self.run.id, self.model, self.where) is not None:
            self.notes.append(f"the commit was made, although Spark said: {error.sentence}")
            return
        if now is not None and now.schema_id != grown.schema_id:
            raise _OvertakenError(error.sentence) from error
        self._give_up(error, is_sent=is_sent)

    def _give_up(self, error: SparkError, *, is_sent: bool) -> NoReturn:
        log = self.around.console.spark.log
        if is_sent and is_unknown(error):
            raise OutcomeUnknownError(
                f"nobody knows whether table {quoted(str(self.request.into))} was written:"
                f" {error.sentence}",
                hint=f"run it again with run_id={self.run.id!r}: rows that are there are not written twice",
            ) from error
        raise of_statement(error, self.request.into, log) from error

    # -- afterwards ------------------------------------------------------------------------------

    def _verified(self, grown: Head) -> tuple[Head, Commit | None]:
        now = self.around.tables.head(self.request.into)
        name = quoted(str(self.request.into))
        if now is None:
            raise PreconditionError(
                f"table {name} was dropped while it was written", hint="run it again"
            )
        made = now.commit_of(self.run.id, self.model, self.where)
        is_same = made is None and now.branches.get(self.where) == grown.snapshot_id
        if not now.descends_from(grown.snapshot_id, self.where) or not (made or is_same):
            raise PreconditionError(
                f"the rows of run {self.run.id} are not in table {name} any more",
                hint="somebody rolled it back while it was written; run it again",
            )
        is_changed = now.definition.constraints != grown.definition.constraints
        if is_changed and self.around.watches_growth:
            self.notes.append(
                f"the rules of table {name} were changed while it was written:"
                " `lakeport doctor` tells whether rows break them"
            )
        lost = next(losses(grown.schema, now.schema), None) if self.around.watches_growth else None
        if lost is not None:
            raise PreconditionError(
                f"column {quoted(lost.column)} of table {name} {lost.what.replace('would be', 'was')}"
                " during the run, which lets tables grow and takes nothing away",
                hint="bring the column back, and find out who did it",
            )
        return now, made

    def _outcome(
        self, plan: Plan, head: Head, made: Commit | None, todo: Sequence[Statement]
    ) -> Outcome:
        examined = None if self._seen is None else self._seen[1]
        found = None if examined is None else examined.found
        counts = {} if made is None else counts_in(made.summary)
        return Outcome(
            table=head.name,
            model=self.model,
            run_id=self.run.id,
            strategy=self.request.chosen,
            rows=counts.get("added-records", 0) if found is None else found.rows,
            snapshot_id=None if made is None else made.snapshot_id,
            version=head.version if made is None else made.version,
            created=self.created,
            growth=self._applied or plan,
            counts=counts,
            attempts=self.attempt,
            branch=self.run.branch if self.aside and todo else None,
            warnings=(
                *self.staged.warnings,
                *warnings(self.request, plan, None if self.created else head),
                *(() if examined is None else examined.warnings),
                *self.notes,
            ),
            sql=tuple(statement.sql for statement in todo),
        )
