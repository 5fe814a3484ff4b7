"""A DataFrame written to a table: its partitions become visible together, or none of them.

Tasks stage their rows, each attempt in a file of its own; when all have ended the driver sends them in one
statement. A task that ran twice counts once, a job that failed leaves nothing. `commit=partition` gives
that up for speed: each task is a statement of its own, and one that runs again writes its rows again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from lakeport.core.errors import InvalidRequestError, LakeportError, NotFoundError, UnsupportedError
from lakeport.core.names import quoted
from lakeport.flight.exchange import Exchange
from lakeport.spark.catalogue import Announced
from lakeport.spark.convert import for_table
from lakeport.spark.empty import delete_all
from lakeport.spark.options import Options
from lakeport.spark.server import Server
from lakeport.spark.staging import Staging, staging_in
from lakeport.spark.target import new_columns, sent_columns
from lakeport.spark.types import arrow_schema


@dataclass(frozen=True)
class Staged(WriterCommitMessage):
    file: str
    rows: int


@dataclass(frozen=True)
class Plan:
    """`is_new`: the table is made for these rows; `replaces`: they take the place of all that are there."""

    options: Options
    sent: pa.Schema
    is_new: bool
    replaces: bool


def open_writer(options: Options, schema: StructType, *, overwrite: bool) -> DataSourceWriter:
    """Refuses what cannot work before Spark computes anything."""
    frame = arrow_schema(schema)
    with Server(options.access) as server:
        plan = _plan(server, options, frame, overwrite=overwrite)
        if options.write.commit == "job":
            return JobWriter(plan, staging_in(options.write.staging))
        if plan.replaces:
            raise UnsupportedError(
                "an overwrite is one statement, and `commit=partition` would be several",
                hint="leave the option `commit` out",
            )
        if plan.is_new:
            server.create(options.table, plan.sent)
    return PartitionWriter(plan)


class JobWriter(DataSourceArrowWriter):
    def __init__(self, plan: Plan, staging: Staging) -> None:
        self._plan = plan
        self._staging = staging

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        rows = (for_table(batch, self._plan.sent) for batch in iterator)
        return Staged(*self._staging.write(rows, self._plan.sent))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        files = [each.file for each in messages if isinstance(each, Staged) and each.rows]
        try:
            self._staging.require(files)
            with Server(self._plan.options.access) as server, _table(server, self._plan) as table:
                self._send(server, table, files)
        finally:
            self._staging.remove()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        del messages  # what others left in the folder goes with it
        self._staging.remove()

    def _send(self, server: Server, table: Announced, files: list[str]) -> None:
        plan = self._plan
        if plan.replaces and plan.options.write.overwrite == "delete":
            delete_all(server, table)
        put = plan.replaces and plan.options.write.overwrite == "replace"
        send = server.replace if put else server.insert
        with send(table, plan.sent) as statement:
            for file in files:
                for batch in self._staging.read(file):
                    statement.add(batch)
            if isinstance(statement, Exchange):
                statement.end()
            else:
                statement.finish()


class PartitionWriter(DataSourceArrowWriter):
    """A statement for each task."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        plan, rows = self._plan, 0
        with Server(plan.options.access) as server:
            table = server.find(plan.options.table)
            with server.insert(table, plan.sent) as statement:
                for batch in iterator:
                    statement.add(for_table(batch, plan.sent))
                    rows += batch.num_rows
                statement.end()
        return Staged("", rows)


def _plan(server: Server, options: Options, frame: pa.Schema, *, overwrite: bool) -> Plan:
    try:
        table = server.find(options.table)
    except NotFoundError as missing:
        if not options.write.create:
            raise NotFoundError(
                missing.message, hint='to make it from the DataFrame: .option("create", "true")'
            ) from None
        return Plan(options, new_columns(frame), is_new=True, replaces=False)
    if not frame.names:
        raise InvalidRequestError("the DataFrame has no columns")
    sent = sent_columns(frame, table, fills_defaults=server.is_lakeport)
    if overwrite:
        _require_replacing(server, options, table)
    return Plan(options, sent, is_new=False, replaces=overwrite)


def _require_replacing(server: Server, options: Options, table: Announced) -> None:
    name = quoted(str(table.name))
    if options.write.overwrite == "delete":
        if table.row_id is None:
            raise UnsupportedError(f"the rows of table {name} cannot be deleted: they have no ids")
        return
    if not server.is_lakeport:
        raise UnsupportedError(
            f"{server.access.target} cannot replace the rows of table {name} in one statement",
            hint='.option("overwrite", "delete") deletes them first, in a statement of its own',
        )


@contextmanager
def _table(server: Server, plan: Plan) -> Iterator[Announced]:
    """The table, made for the block if it is new: then it goes again if the block fails."""
    name = plan.options.table
    if not plan.is_new:
        yield server.find(name)
        return
    made = server.create(name, plan.sent)
    try:
        yield made
    except BaseException:
        with suppress(LakeportError):  # the first error is the one to tell
            server.drop(made.name)
        raise
