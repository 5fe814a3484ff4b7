"""What a write is given: a query, a data frame of Spark's, or Arrow data. Told apart once, here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.session import Frame


@runtime_checkable
class ArrowStream(Protocol):
    """A `pyarrow.Table` or reader, a polars or pandas frame, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@dataclass(frozen=True, slots=True)
class Query:
    """`parameters` stand for `:name` in the text, and are never part of it."""

    sql: str
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As the source of a SELECT: Spark runs a command as soon as it sees one, but not in here."""
        body = self.sql.strip().rstrip(";").rstrip()
        if not body:
            raise InvalidRequestError("the query is empty", hint="write a SELECT")
        return f"SELECT * FROM (\n{body}\n)"  # noqa: S608  it is the author's own query


Given: TypeAlias = Query | Frame | ArrowStream


def given_of(what: object, parameters: Mapping[str, object] | None = None) -> Given:
    if isinstance(what, str):
        return Query(what, parameters or {})
    if parameters:
        raise InvalidRequestError(
            "parameters are for a query in SQL", hint="leave them out for a data frame"
        )
    if is_frame(what):
        return what  # type: ignore[return-value] # asked for by its methods: PySpark has two classes
    if isinstance(what, pa.RecordBatch):
        return pa.Table.from_batches([what])
    if isinstance(what, ArrowStream):
        return what
    raise InvalidRequestError(
        f"{type(what).__name__} cannot be written",
        hint="give SQL, a data frame of Spark, pandas or polars, or Arrow data",
    )


def is_frame(what: object) -> bool:
    """Before anything else: newer ones speak Arrow, too, and would be collected by it."""
    return hasattr(what, "sparkSession") and hasattr(what, "localCheckpoint")
