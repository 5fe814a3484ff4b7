"""What Lakeport knows, for who works on this machine: no token is asked for, and nothing is hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lakeport.access import EVERYONE
from lakeport.app.serve.view import Audit, CallersView, Models
from lakeport.catalog.files import Roots
from lakeport.catalog.ports import Catalog
from lakeport.state import Store
from lakeport.system import SystemCatalog


@contextmanager
def knowing(catalog: Catalog, open_store: Callable[[], Store], roots: Roots) -> Iterator[Catalog]:
    """The catalog with the namespace `lakeport` in it, while the store is open."""
    with open_store() as store:
        models = Models(store.runs, store.lineage)
        view = CallersView(catalog, EVERYONE, Audit(store.audit), models, roots)
        yield SystemCatalog(catalog, view)
