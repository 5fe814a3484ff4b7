"""The settings of a model by their names, as Python, TOML and dbt give them, into a request.

Every front end says the same words and gets the same refusals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeAlias, TypedDict

from lakeport.core.errors import ConfigurationError
from lakeport.core.names import TableName, nearest, quoted
from lakeport.pipeline.growth import Policy
from lakeport.pipeline.growth.policy import OnRemovedRequired, OnTypeChange, OnUnmappableType
from lakeport.pipeline.strategies import NullKeys
from lakeport.pipeline.writing.request import WriteMode, WriteRequest, span_of

Names: TypeAlias = str | Sequence[str]


class WriteSettings(TypedDict, total=False):
    """What may be said about a write; `WriteRequest` and docs/concepts/growth.md tell what it means."""

    strategy: str | None
    unique_key: Names
    null_keys: NullKeys
    partitioned_by: Names
    time_column: str | None
    range: tuple[date | datetime, date | datetime] | None
    on_type_change: OnTypeChange
    on_removed_required: OnRemovedRequired
    on_unmappable_type: OnUnmappableType
    write_mode: WriteMode | None
    properties: Mapping[str, str]


def request_of(into: TableName, settings: Mapping[str, Any]) -> WriteRequest:
    unknown = next((key for key in settings if key not in WriteSettings.__annotations__), None)
    if unknown is not None:
        close = nearest(unknown, WriteSettings.__annotations__)
        known = ", ".join(WriteSettings.__annotations__)
        hint = f"did you mean {quoted(close)}? settings: {known}" if close else f"settings: {known}"
        raise ConfigurationError(f"there is no setting {quoted(unknown)}", hint=hint)
    return WriteRequest(
        into=into,
        strategy=settings.get("strategy"),
        unique_key=_names("unique_key", settings),
        null_keys=settings.get("null_keys", "append"),
        partitioned_by=_names("partitioned_by", settings),
        time_range=span_of(settings.get("time_column"), settings.get("range")),
        policy=Policy.of(settings),
        write_mode=settings.get("write_mode"),
        properties=dict(settings.get("properties", {})),
    )


def _names(setting: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """One may stand for itself."""
    given = settings.get(setting, ())
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) and name for name in names):
        raise ConfigurationError(f"{setting} is a list of names", hint='write ["id", "day"]')
    return names
