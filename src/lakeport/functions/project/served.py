"""A project's functions while a server runs: changed files are loaded by the side and take over when they are
ready.

A file that was served and is broken now changes nothing: what it was before goes on, and the log says why.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lakeport.catalog.functions import Function
from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError
from lakeport.core.names import fold
from lakeport.functions.limits import DEFAULTS, Limits
from lakeport.functions.project.files import find, shown, stamps_of
from lakeport.functions.project.generation import Generation, in_this_process, in_workers
from lakeport.functions.workers.messages import Trouble
from lakeport.functions.workers.pool import Pool

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    isolation: Literal["process", "none"] = "process"
    workers: int = 8
    limits: Limits = DEFAULTS
    reload: bool = True
    look_seconds: float = 1.0


class ProjectFunctions(Closing):
    """Loaded when it is made. Mistakes of modules are `troubles`, and never raised."""

    def __init__(self, root: Path, folder: Path, options: Options | None = None) -> None:
        self._root = root
        self._folder = folder
        self._options = options or Options()
        self._pools: list[Pool] = []
        self._current = self._load()
        self._number = self._current.found.newest
        self._state = threading.Lock()
        self._loading: threading.Thread | None = None
        self._seen = self._current.found.stamps
        self._look_at = time.monotonic() + self._options.look_seconds
        self._is_closed = False

    @property
    def current(self) -> Generation:
        return self._current

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        return self._current.troubles

    @property
    def namespaces(self) -> tuple[str, ...]:
        self._look_now_and_then()
        return self._current.namespaces

    def functions(self, namespace: str) -> Sequence[Function]:
        self._look_now_and_then()
        return self._current.functions.get(fold(namespace), ())

    def number(self) -> int:
        """Grows with every change of the functions, over restarts too."""
        self._look_now_and_then()
        return self._number

    def reloaded(self) -> bool:
        """Load what changed, and wait for it; whether anything did."""
        loading = self._look()
        if loading is None:
            return False
        loading.join()
        return True

    def close(self) -> None:
        with self._state:
            self._is_closed = True
            loading = self._loading
        if loading is not None:
            loading.join()
        for pool in self._pools:
            pool.close()

    def _look_now_and_then(self) -> None:
        """Whatever is asked: who calls a function need never have asked for a listing."""
        if self._options.reload and time.monotonic() >= self._look_at:
            self._look()

    def _look(self) -> threading.Thread | None:
        """Who is loading, if there is something to load."""
        with self._state:
            self._look_at = time.monotonic() + self._options.look_seconds
            if self._is_closed or self._loading is not None:
                return self._loading
            stamps = stamps_of(self._folder)
            if stamps == self._seen:
                return None
            self._seen = stamps
            self._loading = threading.Thread(
                target=self._reload, name="lakeport-functions", daemon=True
            )
            self._loading.start()
            return self._loading

    def _reload(self) -> None:
        try:
            made = self._load()
            broken = _worse(self._current, made)
            if broken:
                for trouble in broken:
                    _log.warning("functions.kept", extra={"reason": shown(trouble)})
                if made.pool is not None:
                    made.pool.close()
                return
            with self._state:
                old, self._current = self._current, made
                self._number = max(self._number + 1, made.found.newest)
            for trouble in made.troubles:
                _log.warning("functions.broken", extra={"reason": shown(trouble)})
            _log.info("functions.reloaded", extra={"functions": len(made.described)})
            if old.pool is not None:
                old.pool.retire()
        except LakeportError as error:
            _log.warning("functions.kept", extra={"reason": error.message})
        finally:
            with self._state:
                self._loading = None

    def _load(self) -> Generation:
        found = find(self._root, self._folder)
        if self._options.isolation == "none":
            return in_this_process(found, self._options.limits)
        made = in_workers(found, self._options.workers, self._options.limits)
        if made.pool is not None:
            self._pools.append(made.pool)
        return made


def _worse(old: Generation, new: Generation) -> list[Trouble]:
    """What is wrong with files that were served before and are still there."""
    there = {fold(each.namespace) for each in new.found.load.sources}
    lost = {fold(each) for each in old.namespaces} & there - {fold(each) for each in new.namespaces}
    return [each for each in new.troubles if fold(Path(each.path).stem) in lost] if lost else []
