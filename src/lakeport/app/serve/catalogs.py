"""All catalogs of a project, opened together; one that does not answer keeps nobody waiting for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from lakeport.airport.listing import explain_unusable
from lakeport.app import wiring
from lakeport.app.serve.late import LateCatalog
from lakeport.app.settings import Settings
from lakeport.core.errors import LakeportError, UnavailableError
from lakeport.core.names import quoted
from lakeport.system import explain_hidden

_START_SECONDS = 15.0
"""Longer than a connection may take (`lakeport.connect-seconds`); what takes longer comes late."""


@dataclass(frozen=True, slots=True)
class ServedCatalogs:
    """In the order of the settings. `failures` are of those that could not be opened, by name."""

    catalogs: tuple[LateCatalog, ...]
    failures: dict[str, LakeportError]

    def notices(self) -> Iterator[str]:
        """What whoever starts a server should know of its catalogs."""
        for catalog in self.catalogs:
            failure = self.failures.get(catalog.name)
            if failure is not None:
                yield _unreachable(catalog.name, failure)
                continue
            try:
                namespaces = catalog.namespaces()
            except LakeportError as error:
                yield _unreachable(catalog.name, error)
                continue
            for notice in (explain_unusable(namespaces), explain_hidden(namespaces)):
                if notice is not None:
                    where = f"in catalog {quoted(catalog.name)}, " if len(self.catalogs) > 1 else ""
                    yield where + notice


@contextmanager
def opened_catalogs(settings: Settings) -> Iterator[ServedCatalogs]:
    """The first reason is raised if none of them can be opened."""
    catalogs = tuple(
        LateCatalog(each.catalog.name, partial(wiring.open_catalog, each))
        for each in settings.each_catalog()
    )
    with ExitStack() as stack:
        for catalog in catalogs:
            stack.callback(catalog.close)
        failures = _open(catalogs)
        if len(failures) == len(catalogs):
            raise failures[catalogs[0].name]
        yield ServedCatalogs(catalogs, failures)


def _open(catalogs: Sequence[LateCatalog]) -> dict[str, LakeportError]:
    """Side by side: each may take its time to find out that nobody answers."""
    pool = ThreadPoolExecutor(len(catalogs), thread_name_prefix="lakeport-open")
    tries = {catalog.name: pool.submit(catalog.open) for catalog in catalogs}
    wait(tries.values(), timeout=_START_SECONDS)
    pool.shutdown(wait=False)
    failures: dict[str, LakeportError] = {}
    for name, opening in tries.items():
        if not opening.done():
            failures[name] = UnavailableError(f"it did not answer within {_START_SECONDS:g} s")
        elif (failure := opening.result()) is not None:
            failures[name] = failure
    return failures


def _unreachable(name: str, error: LakeportError) -> str:
    return f"catalog {quoted(name)} is UNAVAILABLE until it can be reached: {error.message}"
