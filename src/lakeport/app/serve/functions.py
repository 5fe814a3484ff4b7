"""The project's functions in a server: laid over the catalogs that hold them."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.access import Identity
from lakeport.airport.visible import Overlay
from lakeport.app.settings import Settings
from lakeport.catalog.ports import Catalog
from lakeport.core.names import fold
from lakeport.functions.project import FunctionCatalog, ProjectFunctions
from lakeport.functions.project.files import shown


def function_overlay(settings: Settings, functions: ProjectFunctions, system: Overlay) -> Overlay:
    """The system namespace over functions over the catalog."""
    holding = settings.functions.catalogs or (settings.catalogs[0].name,)
    names = {fold(name) for name in holding}

    def overlay(catalog: Catalog, identity: Identity) -> Catalog:
        if fold(catalog.name) in names:
            catalog = FunctionCatalog(catalog, functions)
        return system(catalog, identity)

    return overlay


def function_notices(functions: ProjectFunctions) -> Iterator[str]:
    """What whoever starts a server should know of them."""
    return (f"{shown(trouble)}; the rest is served" for trouble in functions.troubles)
