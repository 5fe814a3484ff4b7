"""`:name` in a query: only those that it names are given to Spark, as typed values and never as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from lakeport.core.errors import ConfigurationError
from lakeport.core.names import nearest, quoted
from lakeport.pipeline.graph import Query
from lakeport.pipeline.project.model import Value


def parameters_of(queries: Iterable[Query], values: Mapping[str, Value]) -> dict[str, object]:
    given: dict[str, object] = {}
    for use in (use for query in queries for use in query.parameters):
        if use.name not in values:
            close = nearest(use.name, values)
            meant = f"did you mean {quoted(f':{close}')}? " if close else ""
            raise ConfigurationError(
                f"{use.place}: there is no parameter {quoted(f':{use.name}')}",
                hint=f"{meant}set it in [pipeline.parameters]",
            )
        given[use.name] = as_given(values[use.name])
    return given


def as_given(value: Value) -> Value:
    """A clock without a zone is UTC's; PySpark would take this machine's."""
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value
