"""What a fresh server looks up before anybody asks: the metadata of its tables.

The first listing of a thousand tables takes ten times as long as the second one. A thread reads them as soon
as the server is ready, one after the other, and lets every call go first. What cannot be read is left to
those who ask for it, and so is a catalog that is far away: there each table is a request that may cost money.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lakeport.catalog.ports import Catalog, Surveyable
from lakeport.core.errors import LakeportError

_log = logging.getLogger(__name__)

_MOST = 1_000  # tables of a catalog: about what its caches hold
_TRIED = 4  # tables that show how long one takes
_FAR = 0.02  # seconds for the quickest of them
_STOP_SECONDS = 1.0


@contextmanager
def warming(catalogs: Sequence[Catalog]) -> Iterator[threading.Thread]:
    """While the block runs, or until all is read."""
    over = threading.Event()
    thread = threading.Thread(
        target=_warm_all, args=(catalogs, over), name="lakeport-warming", daemon=True
    )
    thread.start()
    try:
        yield thread
    finally:
        over.set()
        thread.join(_STOP_SECONDS)  # who hangs in a catalog that is gone keeps nobody


def _warm_all(catalogs: Sequence[Catalog], over: threading.Event) -> None:
    for catalog in catalogs:
        began = time.perf_counter()
        try:
            tables = warm(catalog, over.is_set)
        except LakeportError as error:
            _log.info("warming.left", extra={"catalog": catalog.name, "reason": error.code})
            continue
        except Exception:  # noqa: BLE001  nobody waits for this thread, so nobody would be told
            if over.is_set():  # a slow machine has closed under it what it was reading
                return
            _log.exception("warming.failed", extra={"catalog": catalog.name})
            continue
        took = round(1_000 * (time.perf_counter() - began))
        _log.info("warming.done", extra={"catalog": catalog.name, "tables": tables, "ms": took})


def warm(
    catalog: Catalog,
    is_over: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
) -> int:
    """Reads tables until enough are read, or `is_over` says so; how many."""
    catalog.version()
    read = 0
    quickest = _FAR
    for info in catalog.namespaces():
        namespace = catalog.namespace(info.name)
        if not isinstance(namespace, Surveyable):
            continue
        for _, state, _ in namespace.survey().values():
            if is_over() or read >= _MOST or (read == _TRIED and quickest >= _FAR):
                return read
            began = clock()
            try:
                state()
            except LakeportError:
                continue  # whoever asks for it is told why
            quickest = min(quickest, clock() - began)
            read += 1
            time.sleep(0)  # calls that wait for Python's lock take it now
    return read
