"""Which views a namespace has: that depends on what stands behind the catalog."""

from __future__ import annotations

from lakeport.catalog.iceberg.drivers.sql_views import ViewingSqlCatalog
from lakeport.catalog.iceberg.pointers.sql import SqlPointers
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.views.unkept import UnkeptViews
from lakeport.catalog.iceberg.views.views import SqlViews
from lakeport.catalog.views import Views

_SERVICE = "make the view in the service that is behind it"
_OLD = "its database was made before there were views: set `catalog.schema_version` to `v1` once"


def views_in(surroundings: Surroundings, namespace: str) -> Views:
    native, pointers = surroundings.native, surroundings.pointers
    if not (isinstance(native, ViewingSqlCatalog) and isinstance(pointers, SqlPointers)):
        return UnkeptViews(surroundings.profile.name, _SERVICE)
    if not native.keeps_views:
        return UnkeptViews(surroundings.profile.name, _OLD)
    return SqlViews(surroundings, native, pointers, namespace)
