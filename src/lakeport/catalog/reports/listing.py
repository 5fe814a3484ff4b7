"""The tables of a lake. Names alone are one question per namespace, however many tables there are;
what is known of each table is one more question per table, and only asked with `long`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lakeport.catalog.ports import Catalog, Namespace, Table, Travelable
from lakeport.catalog.reports.figures import UNKNOWN, figures_of
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import TableName, fold
from lakeport.core.timepoint import format_time


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    namespace: str
    table: str


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
    """A namespace and those of its tables that are to be listed."""

    namespace: Namespace
    tables: Sequence[str]


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
    every = (describe(place.namespace, table) for place in places for table in place.tables)
    found = [listed for listed in every if listed is not None]
    return tuple(sorted(found, key=lambda listed: (fold(listed.namespace), fold(listed.table))))


def _whole(catalog: Catalog, name: str) -> Place:
    namespace = catalog.namespace(name)
    return Place(namespace, namespace.tables())


def _short(namespace: Namespace, table: str) -> Listed:
    place = namespace.info.name
    return Listed(str(TableName(place, table)), place, table)


def _long(namespace: Namespace, name: str) -> ListedLong | None:
    try:
        return _described(namespace.table(name))
    except NotFoundError:
        return None  # dropped since it was listed
    except LakeportError as error:
        listed = _short(namespace, name)
        return ListedLong(listed.name, listed.namespace, listed.table, problem=error.message)


def _described(table: Table) -> ListedLong:
    state = table.state()
    newest, figures = None, UNKNOWN
    if isinstance(table, Travelable):
        newest = next((s for s in table.history() if s.snapshot_id == state.snapshot_id), None)
        figures = figures_of(None if newest is None else newest.summary)
    return ListedLong(
        name=str(state.name),
        namespace=state.name.namespace,
        table=state.name.table,
        comment=state.definition.comment,
        columns=len(state.definition.schema),
        rows=figures.rows,
        bytes=figures.bytes,
        version=state.version,
        changed=None if newest is None else format_time(newest.timestamp_ns),
    )
