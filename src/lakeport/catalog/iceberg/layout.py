"""Partition and sort terms as Iceberg keeps them, and as text: `day(ts)`, `bucket(16, id)`, `k desc`.

Iceberg finds a source by its field id, so a rename never touches a layout. Terms of other engines that
this version does not know are shown by their name and never made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

import pyarrow as pa
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import (
    UNSORTED_SORT_ORDER,
    NullOrder,
    SortDirection,
    SortField,
    SortOrder,
)
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import NestedField, PrimitiveType, StructType

from lakeport.catalog.changes import Path
from lakeport.catalog.evolution.layout import Term, parse_term
from lakeport.catalog.iceberg.types import Column
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted

_PLAIN: dict[str, Callable[[], Transform[Any, Any]]] = {
    "identity": IdentityTransform,
    "year": YearTransform,
    "month": MonthTransform,
    "day": DayTransform,
    "hour": HourTransform,
}
_WITH_NUMBER: dict[str, Callable[[int], Transform[Any, Any]]] = {
    "bucket": BucketTransform,
    "truncate": TruncateTransform,
}
_MOST = 2**31 - 1


# -- reading -------------------------------------------------------------------------------------


def partition_terms(spec: PartitionSpec, columns: Iterable[Column]) -> tuple[str, ...]:
    paths = _paths(columns)
    return tuple(
        _text(field.transform, paths[field.source_id])
        for field in spec.fields
        if field.source_id in paths and not isinstance(field.transform, VoidTransform)
    )


def sort_terms(order: SortOrder, columns: Iterable[Column]) -> tuple[str, ...]:
    paths = _paths(columns)
    return tuple(
        _text(field.transform, paths[field.source_id]) + _direction(field)
        for field in order.fields
        if field.source_id in paths
    )


def _paths(columns: Iterable[Column]) -> dict[int, Path]:
    """Every field that a term may be about, by its id: columns, and fields of structs."""
    found: dict[int, Path] = {}

    def visit(field: NestedField, path: Path) -> None:
        found[field.field_id] = path
        if isinstance(field.field_type, StructType):
            for child in field.field_type.fields:
                visit(child, (*path, child.name))

    for column in columns:
        visit(column.field, (column.arrow.name,))
    return found


def _text(transform: Transform[Any, Any], path: Path) -> str:
    match transform:
        case IdentityTransform():
            head, tail = "", ""
        case BucketTransform():
            head, tail = f"bucket({transform.num_buckets}, ", ")"
        case TruncateTransform():
            head, tail = f"truncate({transform.width}, ", ")"
        case _:
            head, tail = f"{transform}(", ")"
    return str(Term(head, path, tail))


def _direction(field: SortField) -> str:
    is_descending = field.direction is SortDirection.DESC
    shown = " desc" if is_descending else ""
    usual = NullOrder.NULLS_LAST if is_descending else NullOrder.NULLS_FIRST
    if field.null_order is usual:
        return shown
    return f"{shown} nulls {'first' if is_descending else 'last'}"


def require_partition_term(text: str, logical: pa.Schema) -> None:
    """Before there is a table: its column is there, and its transform is one of Iceberg's."""
    _transform(parse_term(text, logical))


# -- making --------------------------------------------------------------------------------------


def partition_spec(
    terms: Iterable[str],
    columns: Iterable[Column],
    logical: pa.Schema,
    known: Iterable[PartitionSpec] = (),
) -> PartitionSpec:
    """`InvalidRequestError` for a term that Iceberg cannot partition by.

    A field that one of the `known` specs has is given the same id again, as Iceberg wants it.
    """
    columns = tuple(columns)
    schema = Schema(*(column.field for column in columns))
    fields: list[PartitionField] = []
    before = [field for spec in known for field in spec.fields]
    ids = {(field.source_id, str(field.transform)): field.field_id for field in before}
    free = count(max([PARTITION_FIELD_ID_START - 1, *(field.field_id for field in before)]) + 1)
    for text in terms:
        term = parse_term(text, logical)
        source, transform = _source_and_transform(term, columns)
        if _direction_words(term):
            raise InvalidRequestError(
                f"{quoted(text)} is no partition term: it has a direction",
                hint="leave out asc, desc and nulls",
            )
        if any(source.field_id == f.source_id and transform == f.transform for f in fields):
            raise InvalidRequestError(
                f"the table is partitioned by {quoted(text)} twice", hint="name each term once"
            )
        name = _free_name(_field_name(transform, term.path), transform, source, schema, fields)
        field_id = ids.get((source.field_id, str(transform))) or next(free)
        fields.append(PartitionField(source.field_id, field_id, transform, name))
    return PartitionSpec(*fields)


def sort_order(terms: Iterable[str], columns: Iterable[Column], logical: pa.Schema) -> SortOrder:
    columns = tuple(columns)
    fields = []
    for text in terms:
        term = parse_term(text, logical)
        source, transform = _source_and_transform(term, columns)
        words = _direction_words(term)
        direction = SortDirection.DESC if "desc" in words else SortDirection.ASC
        nulls = None
        if "nulls" in words:
            nulls = NullOrder.NULLS_FIRST if "first" in words else NullOrder.NULLS_LAST
        fields.append(SortField(source.field_id, transform, direction, nulls))
    return SortOrder(*fields) if fields else UNSORTED_SORT_ORDER


def _direction_words(term: Term) -> list[str]:
    return re.findall(r"[a-z]+", term.tail.lower())


def _source_and_transform(
    term: Term, columns: Iterable[Column]
) -> tuple[NestedField, Transform[Any, Any]]:
    source = _source(term, columns)
    transform = _transform(term)
    kind = source.field_type
    if not isinstance(kind, PrimitiveType) or not transform.can_transform(kind):
        raise InvalidRequestError(
            f"{quoted(str(term))} cannot be worked out: the column is stored as {kind}",
            hint="choose another column or transform",
        )
    return source, transform


def _source(term: Term, columns: Iterable[Column]) -> NestedField:
    siblings: Mapping[str, NestedField] = {
        fold(column.arrow.name): column.field for column in columns
    }
    found: NestedField | None = None
    for part in term.path:
        found = siblings.get(fold(part))
        if found is None:
            break
        inside = found.field_type
        fields = inside.fields if isinstance(inside, StructType) else ()
        siblings = {fold(field.name): field for field in fields}
    if found is None:
        raise InvalidRequestError(
            f"a table cannot be arranged by {quoted(str(term))}", hint="name a column or its field"
        )
    return found


def _transform(term: Term) -> Transform[Any, Any]:
    name = term.head.partition("(")[0].strip().lower() or "identity"
    numbers = re.findall(r"\d+", term.head.partition("(")[2]) + re.findall(r"\d+", term.tail)
    singular = name.removesuffix("s") if name.removesuffix("s") in _PLAIN else name
    if singular in _PLAIN and not numbers:
        return _PLAIN[singular]()
    if name in _WITH_NUMBER and len(numbers) == 1 and 0 < int(numbers[0]) <= _MOST:
        return _WITH_NUMBER[name](int(numbers[0]))
    raise InvalidRequestError(
        f"{quoted(str(term))} is no transform",
        hint="there are year, month, day, hour, bucket(16, column) and truncate(4, column)",
    )


def _field_name(transform: Transform[Any, Any], path: Path) -> str:
    """As Spark would call it."""
    match transform:
        case IdentityTransform():
            return "_".join(path)
        case BucketTransform():
            return "_".join((*path, "bucket"))
        case TruncateTransform():
            return "_".join((*path, "trunc"))
    return "_".join((*path, str(transform)))


def _free_name(
    wanted: str,
    transform: Transform[Any, Any],
    source: NestedField,
    schema: Schema,
    fields: list[PartitionField],
) -> str:
    """A partition field may share a column's name only when it is that column."""
    taken = {fold(name) for name in schema.column_names} | {fold(field.name) for field in fields}
    if (
        isinstance(transform, IdentityTransform)
        and schema.find_column_name(source.field_id) == wanted
    ):
        taken.discard(fold(wanted))
    name, number = wanted, 1
    while fold(name) in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
