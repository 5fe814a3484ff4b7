"""Schemas, partition specs, sort orders, snapshots and statistics of a request as PyIceberg's models.

Its models take much for granted: a piece that is missing raises whatever comes first, and a column can be
called twice. All of that is the client's mistake here, told with the place where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic import ValidationError as Unfitting
from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.table.statistics import PartitionStatisticsFile, StatisticsFile
from pyiceberg.transforms import UnknownTransform
from pyiceberg.types import IcebergType, ListType, MapType, StructType

from lakeport.catalog.iceberg.failures import unknown_type
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted, twins

M = TypeVar("M", bound=BaseModel)

FORMAT = "format-version"
"""How users ask for a format, among a table's properties."""

UNGIVEN = -1
"""The id of a partition field that has none yet."""

_DEEPEST = 50
"""Levels of nested types. Libraries recurse into them, and stop without a word somewhere beyond."""

_WRITES = 2
"""The newest format that PyIceberg can write."""

_INT, _LONG = 2**31 - 1, 2**63 - 1


@contextmanager
def understanding(what: str) -> Iterator[None]:
    """Around what PyIceberg makes of a client's words."""
    try:
        yield
    except RecursionError as error:
        raise InvalidRequestError(f"{what} is nested too deep") from error
    except Unfitting as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        where = f" at {quoted(place)}" if place else ""
        raise InvalidRequestError(f"{what} cannot be read{where}: {first['msg']}") from error
    except (
        ValidationError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        AssertionError,
        NotImplementedError,
    ) as error:
        unknown = unknown_type(error)
        reason = f"no type is called {quoted(unknown)}" if unknown else _first_line(error)
        raise InvalidRequestError(f"{what} cannot be read: {reason}") from error


def check_format(version: int) -> None:
    if version not in {1, _WRITES}:
        raise InvalidRequestError(
            f"tables of Iceberg format {version} cannot be written here",
            hint=f"use format {_WRITES}: it has all but row lineage, deletion vectors and new types",
        )


def schema_of(given: Mapping[str, Any], version: int = _WRITES) -> Schema:
    what = "the schema"
    with understanding(what):
        schema = _parsed(Schema, given)
        schema.check_format_version_compatibility(version)
        _ = schema._name_to_id  # noqa: SLF001  which refuses a name that is there twice
        structs, numbers = _parts(schema.as_struct())
        if len(set(numbers)) < len(numbers) or min(numbers, default=1) < 0:
            raise ValueError("a field id is there twice, or is less than nothing")
        _check_size(_INT, *numbers, schema.schema_id)
    for struct in structs:
        _check_columns(struct)
    return schema


def spec_of(given: Mapping[str, Any]) -> PartitionSpec:
    with understanding("the partition spec"):
        fields = [{"field-id": UNGIVEN, **field} for field in given["fields"]]
        spec = _parsed(PartitionSpec, {"spec-id": 0, **given, "fields": fields})
        _check_transforms(spec.fields, fields)
        _check_size(_INT, spec.spec_id, *(each.field_id for each in spec.fields))
        return spec


def order_of(given: Mapping[str, Any]) -> SortOrder:
    with understanding("the sort order"):
        fields = [dict(field) for field in given["fields"]]
        order = _parsed(SortOrder, {"order-id": 1, **given, "fields": fields})
        _check_transforms(order.fields, fields)
        _check_size(_INT, order.order_id)
        return order


def snapshot_of(given: Mapping[str, Any]) -> Snapshot:
    what = "the snapshot"
    with understanding(what):
        summary = given["summary"]
        _ = summary["operation"]  # PyIceberg would take it for an overwrite
        said = {
            key: value if isinstance(value, str) else str(value) for key, value in summary.items()
        }
        _ = given["timestamp-ms"]  # PyIceberg would take the time of now
        snapshot = _parsed(Snapshot, {**given, "summary": said})
        _check_size(
            _LONG,
            snapshot.snapshot_id,
            snapshot.parent_snapshot_id,
            snapshot.sequence_number,
            snapshot.timestamp_ms,
        )
        return snapshot


def statistics_of(given: Mapping[str, Any]) -> StatisticsFile:
    with understanding("the statistics"):
        return _parsed(StatisticsFile, given)


def partition_statistics_of(given: Mapping[str, Any]) -> PartitionStatisticsFile:
    with understanding("the partition statistics"):
        return _parsed(PartitionStatisticsFile, given)


def bound(spec: PartitionSpec, last_id: int | None) -> PartitionSpec:
    """With ids for fields that have none."""
    last = max(PARTITION_FIELD_ID_START - 1, last_id or 0, *(each.field_id for each in spec.fields))
    fields = []
    for each in spec.fields:
        if each.field_id == UNGIVEN:
            last += 1
            fields.append(each.model_copy(update={"field_id": last}))
        else:
            fields.append(each)
    return PartitionSpec(*fields, spec_id=spec.spec_id)


def _parsed(kind: type[M], given: Mapping[str, Any]) -> M:
    return kind.model_validate(dict(given))


def _check_size(most: int, *numbers: int | None) -> None:
    """Other engines have numbers of 32 and 64 bits, and could not open the table any more."""
    large = [number for number in numbers if number is not None and number > most]
    if large:
        raise ValueError(f"{min(large)} is larger than {most}")


def _check_transforms(
    fields: Iterable[PartitionField | SortField], given: Iterable[Mapping[str, Any]]
) -> None:
    """PyIceberg takes any word for a transform, and forgets which one it was."""
    pairs = zip(fields, given, strict=True)
    words = [said["transform"] for it, said in pairs if isinstance(it.transform, UnknownTransform)]
    if words:
        raise ValueError(f"no transform is called {quoted(str(words[0]))}")


def _parts(struct: StructType) -> tuple[list[StructType], list[int]]:
    """All structs of a schema, and the ids of all that is in it."""
    structs: list[StructType] = []
    numbers: list[int] = []
    waiting: list[tuple[IcebergType, int]] = [(struct, 0)]
    while waiting:
        kind, depth = waiting.pop()
        inner: tuple[IcebergType, ...] = ()
        match kind:
            case StructType():
                structs.append(kind)
                numbers += (field.field_id for field in kind.fields)
                inner = tuple(field.field_type for field in kind.fields)
            case ListType():
                numbers.append(kind.element_id)
                inner = (kind.element_type,)
            case MapType():
                numbers += kind.key_id, kind.value_id
                inner = (kind.key_type, kind.value_type)
        if depth > _DEEPEST:
            raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
        waiting += ((each, depth + 1) for each in inner)
    return structs, numbers


def _check_columns(struct: StructType) -> None:
    pair = twins(field.name for field in struct.fields)
    if pair is not None:
        raise InvalidRequestError(
            f"columns {quoted(pair[0])} and {quoted(pair[1])} cannot be told apart",
            hint="names are matched without regard to case",
        )
    for field in struct.fields:
        if field.initial_default is not None:
            raise InvalidRequestError(
                f"column {quoted(field.name)} has a default for rows that are there already",
                hint="only Iceberg format 3 has that; write the value into the rows instead",
            )


def _first_line(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no {quoted(str(error.args[0]))}"
    return str(error).partition("\n")[0][:300] or type(error).__name__
