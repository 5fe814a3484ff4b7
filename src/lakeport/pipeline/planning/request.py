"""The settings of a model as the request that its rows are written by. Both `plan` and `run` ask here."""

from __future__ import annotations

from lakeport.core.names import NameMap, TableName
from lakeport.pipeline.growth.model import Schema
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.planning.interval import Interval, time_range
from lakeport.pipeline.project.model import Model, ModelSettings, PublishMode
from lakeport.pipeline.writing.request import WriteRequest

STORED = frozenset({"incremental", "table"})
"""Materializations that have rows of their own."""


def strategy_of(settings: ModelSettings, *, full_refresh: bool) -> str:
    if settings.materialized == "table" or full_refresh:
        return "full"
    return settings.strategy or ("delete_insert" if settings.unique_key else "append")


def publish_of(
    settings: ModelSettings, said: PublishMode | None = None, usual: PublishMode = "direct"
) -> PublishMode:
    """`said` is of the whole run, `usual` of models that say nothing themselves."""
    if "run-atomic" in {said, usual if said is None else said}:
        return "run-atomic"
    return said or settings.publish or usual


def write_request(
    model: Model,
    into: TableName,
    interval: Interval,
    columns: Schema,
    *,
    full_refresh: bool = False,
) -> WriteRequest:
    """`columns` are the query's: what type the time column is of decides how its range is written."""
    settings = model.settings
    strategy = strategy_of(settings, full_refresh=full_refresh)
    span = None
    if strategy == "time_range" and settings.time_column is not None:
        given = NameMap((field.name, field.type) for field in columns)
        span = time_range(settings.time_column, given.get(settings.time_column), interval)
    return WriteRequest(
        into=into,
        strategy=strategy,
        unique_key=settings.unique_key,
        null_keys=settings.null_keys,
        partitioned_by=settings.partitioned_by,
        time_range=span,
        policy=Policy(
            settings.on_type_change, settings.on_removed_required, settings.on_unmappable_type
        ),
        write_mode=settings.write_mode,
        properties=settings.properties,
    )
