"""The tables and views of a lake. Names alone are one question per namespace and kind, however many there
are; what is known of each is one more question, and only asked with `long`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lakeport.catalog.ports import Catalog, Namespace, Table, Travelable
from lakeport.catalog.reports.figures import UNKNOWN, figures_of
from lakeport.catalog.views import View, ViewTable, table_or_view, views_of
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import TableName, fold
from lakeport.core.timepoint import format_time


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    namespace: str
    table: str
    kind: Literal["table", "view"] = "table"


@dataclass(frozen=True, slots=True)
class ListedLong(Listed):
    """`changed` is the time of the newest snapshot; None where nothing was written yet.

    A table that cannot be opened has a `problem` and nothing else: one damaged table must not hide
    the others.
    """

    comment: str | None = None
    columns: int | None = None
    rows: int | None = None
    bytes: int | None = None
    version: int | None = None
    changed: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A namespace and those of its tables and views that are to be listed."""

    namespace: Namespace
    tables: Sequence[str]
    views: Sequence[str] = ()


def places_of(catalog: Catalog, wanted: str | None = None) -> Iterator[Place]:
    """A namespace stands for the ones nested in it, too; none for all of them."""
    if wanted is not None:
        yield _whole(catalog, wanted)
    for info in catalog.namespaces():
        if wanted is None or is_nested(info.name, wanted):
            yield _whole(catalog, info.name)


def is_nested(name: str, outer: str) -> bool:
    return fold(name).startswith(fold(outer) + ".")


def list_tables(places: Iterable[Place], *, long: bool = False) -> tuple[Listed, ...]:
    """Sorted by name."""
    describe = _long if long else _short
    found = [
        listed
        for place in places
        for name in (*place.tables, *place.views)
        if (listed := describe(place, name)) is not None
    ]
    return tuple(sorted(found, key=lambda listed: (fold(listed.namespace), fold(listed.table))))


def _whole(catalog: Catalog, name: str) -> Place:
    namespace = catalog.namespace(name)
    return Place(namespace, namespace.tables(), views_of(namespace))


def _short(place: Place, name: str) -> Listed:
    namespace = place.namespace.info.name
    kind: Literal["table", "view"] = "view" if name in place.views else "table"
    return Listed(str(TableName(namespace, name)), namespace, name, kind)


def _long(place: Place, name: str) -> ListedLong | None:
    listed = _short(place, name)
    try:
        return _described(table_or_view(lambda: place.namespace.table(name)), listed)
    except NotFoundError:
        return None  # dropped since it was listed
    except LakeportError as error:
        return ListedLong(
            listed.name, listed.namespace, listed.table, listed.kind, problem=error.message
        )


def _described(table: Table, listed: Listed) -> ListedLong:
    if isinstance(table, ViewTable):
        return _described_view(table.view, listed)
    state = table.state()
    newest, figures = None, UNKNOWN
    if isinstance(table, Travelable):
        newest = next((s for s in table.history() if s.snapshot_id == state.snapshot_id), None)
        figures = figures_of(None if newest is None else newest.summary)
    return ListedLong(
        name=listed.name,
        namespace=listed.namespace,
        table=listed.table,
        kind=listed.kind,
        comment=state.definition.comment,
        columns=len(state.definition.schema),
        rows=figures.rows,
        bytes=figures.bytes,
        version=state.version,
        changed=None if newest is None else format_time(newest.timestamp_ns),
    )


def _described_view(view: View, listed: Listed) -> ListedLong:
    return ListedLong(
        name=listed.name,
        namespace=listed.namespace,
        table=listed.table,
        kind=listed.kind,
        comment=view.comment,
        columns=len(view.schema),
        version=view.version,
        changed=format_time(view.changed_ns),
    )
