"""Which views a namespace has: that depends on what stands behind the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.catalog.iceberg.drivers.sql_views import ViewingSqlCatalog
from lakeport.catalog.iceberg.pointers.sql import SqlPointers
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.views.unkept import UnkeptViews
from lakeport.catalog.iceberg.views.views import SqlViews
from lakeport.catalog.views import Views

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.drivers.rest_views import ViewService

_SERVICE = "the service behind it has none, or does not say so"
_OLD = "its database was made before there were views: set `catalog.schema_version` to `v1` once"


def views_in(surroundings: Surroundings, namespace: str) -> Views:
    native, pointers = surroundings.native, surroundings.pointers
    if isinstance(native, ViewingSqlCatalog) and isinstance(pointers, SqlPointers):
        if native.keeps_views:
            return SqlViews(surroundings, native, pointers, namespace)
        return UnkeptViews(surroundings.profile.name, _OLD)
    service = _service(surroundings)
    if service is None or not service.keeps_views:
        return UnkeptViews(surroundings.profile.name, _SERVICE)
    from lakeport.catalog.iceberg.views.service import ServiceViews  # noqa: PLC0415  the same

    return ServiceViews(surroundings, service, namespace)


def keeps_views(surroundings: Surroundings) -> bool:
    native = surroundings.native
    if isinstance(native, ViewingSqlCatalog):
        return native.keeps_views
    service = _service(surroundings)
    return service is not None and service.keeps_views


def _service(surroundings: Surroundings) -> ViewService | None:
    """Not everybody has to wait for an HTTP client to load."""
    if surroundings.profile.type != "rest":
        return None
    from pyiceberg.catalog.rest import RestCatalog  # noqa: PLC0415  was loaded with the catalog

    from lakeport.catalog.iceberg.drivers.rest_views import ViewService  # noqa: PLC0415  the same

    native = surroundings.native
    return ViewService(native) if isinstance(native, RestCatalog) else None
