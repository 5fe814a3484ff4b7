"""Tables by the name a person typed, for Lakeport's own clients: the same words as in the local shell.

The namespace `lakeport` is the server's, not the lake's: it can be named, but is listed and hinted at
only to who asks for it, so that a lake looks the same from near and from far.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.access import visible_namespaces, visible_tables, visible_views
from lakeport.airport.requested import Requested
from lakeport.airport.visible import Visible
from lakeport.catalog.ports import Catalog, Namespace, Table
from lakeport.catalog.reports.find import table_called
from lakeport.catalog.reports.listing import Place, is_nested
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName
from lakeport.system.overlay import is_system


def named_table(visible: Visible, text: str, catalog: str | None = None) -> Table:
    def opened(name: TableName) -> Table:
        return visible.table(Requested(name, catalog=catalog)).table

    def known() -> Iterator[str]:
        for place in visible_places(visible, visible.catalog(catalog)):
            yield from (str(TableName(place.namespace.info.name, table)) for table in place.tables)

    return table_called(text, opened, known)


def visible_places(
    visible: Visible, catalog: Catalog, wanted: str | None = None
) -> Iterator[Place]:
    """As `reports.listing.places_of` gives them, of what the caller may read."""
    if wanted is not None:
        yield _place(visible, catalog, visible.namespace(catalog, wanted))
    for info in visible_namespaces(visible.identity, catalog):
        is_meant = not is_system(info.name) if wanted is None else is_nested(info.name, wanted)
        if not is_meant:
            continue
        try:
            yield _place(visible, catalog, catalog.namespace(info.name))
        except NotFoundError:
            continue  # dropped since it was listed


def _place(visible: Visible, catalog: Catalog, namespace: Namespace) -> Place:
    seen = visible.identity, catalog, namespace
    return Place(namespace, visible_tables(*seen), visible_views(*seen))
