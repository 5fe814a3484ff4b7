"""What somebody wants written and how: the settings of a model, checked, without its query.

Everything here is plain data and is refused before Spark is asked for anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, TypeAlias, get_args

from lakeport.core.errors import ConfigurationError, InvalidRequestError
from lakeport.core.names import TableName, nearest, quoted
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.strategies import NullKeys, TimeRange, builder_of

WriteMode: TypeAlias = Literal["mor", "cow"]

_MODES: dict[WriteMode, str] = {"mor": "merge-on-read", "cow": "copy-on-write"}
_OPERATIONS = ("merge", "delete", "update")
_KEYED = frozenset({"delete_insert", "merge"})


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """`strategy` None is `delete_insert` with a unique key and `append` without one.

    `partitioned_by`, `properties` and `write_mode` are for a table that is made by this write; the
    latter two, where they are given, are also set on one that is there.
    """

    into: TableName
    strategy: str | None = None
    unique_key: tuple[str, ...] = ()
    null_keys: NullKeys = "append"
    partitioned_by: tuple[str, ...] = ()
    time_range: TimeRange | None = None
    policy: Policy = field(default_factory=Policy)
    write_mode: WriteMode | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        builder_of(self.chosen)
        _require_one_of("null_keys", self.null_keys, get_args(NullKeys))
        if self.write_mode is not None:
            _require_one_of("write_mode", self.write_mode, get_args(WriteMode))
        if self.chosen in _KEYED and not self.unique_key:
            raise InvalidRequestError(
                f"{self.chosen} needs a unique_key", hint="name the columns that tell rows apart"
            )
        if self.chosen == "time_range" and self.time_range is None:
            raise InvalidRequestError(
                "time_range needs a time_column and a range",
                hint="give both: the column, and where the range starts and ends",
            )
        if self.time_range is not None and self.chosen != "time_range":
            raise InvalidRequestError(
                f"{self.chosen} writes whatever the query gives, and takes no range",
                hint='leave time_column and range out, or set strategy = "time_range"',
            )

    @property
    def chosen(self) -> str:
        return self.strategy or ("delete_insert" if self.unique_key else "append")

    @property
    def empties(self) -> bool:
        """Whether no rows at all are something to write: they take the place of others."""
        return self.chosen in {"full", "time_range"}

    @property
    def table_properties(self) -> dict[str, str]:
        """Of a new table. What is the same for every table of ours is the catalog's to add."""
        return {**mode_properties(self.write_mode or "mor"), **self.properties}

    @property
    def wanted_properties(self) -> dict[str, str]:
        """Of a table that is there: only what was asked for."""
        mode = {} if self.write_mode is None else mode_properties(self.write_mode)
        return {**mode, **self.properties}

    @property
    def interval(self) -> str | None:
        span = self.time_range
        return None if span is None else f"{span.start.isoformat()}/{span.end.isoformat()}"


def mode_properties(mode: WriteMode) -> dict[str, str]:
    return {f"write.{operation}.mode": _MODES[mode] for operation in _OPERATIONS}


def span_of(
    column: str | None, ends: tuple[date | datetime, date | datetime] | None
) -> TimeRange | None:
    """Both or neither."""
    if column is None and ends is None:
        return None
    if column is None or ends is None:
        missing = "time_column" if column is None else "range"
        raise InvalidRequestError(
            f"a time range needs its {missing}", hint="give time_column and range=(start, end)"
        )
    start, end = ends
    if isinstance(start, datetime) != isinstance(end, datetime):
        raise InvalidRequestError(
            "one end of the range is a date and the other a point in time",
            hint="give two dates, or two points in time",
        )
    return TimeRange(column, start, end)


def _require_one_of(setting: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        close = nearest(str(value), choices)
        hint = f"did you mean {quoted(close)}? " if close else ""
        raise ConfigurationError(
            f"{setting} cannot be {quoted(str(value))}",
            hint=f"{hint}it is one of {', '.join(choices)}",
        )
