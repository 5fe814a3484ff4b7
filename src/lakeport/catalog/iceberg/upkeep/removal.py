"""Removes files that nothing names any more.

The table is right with and without them, so what cannot be removed is counted and left: `orphans` finds
it another time. A file that is gone already is what was wanted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from pyiceberg.io import FileIO

from lakeport.catalog.iceberg.failures import last_name, reason_of
from lakeport.catalog.iceberg.storage import is_mapped

_log = logging.getLogger(__name__)

_THREADS = 16
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Removed:
    """`left` could not be removed."""

    files: int = 0
    left: int = 0


def remove_files(io: FileIO, paths: Iterable[str]) -> Removed:
    files = left = 0
    waiting = iter(paths)
    while some := tuple(islice(waiting, _AT_ONCE)):
        gone = _removed(io, some)
        files += sum(gone)
        left += len(gone) - sum(gone)
    return Removed(files, left)


def _removed(io: FileIO, paths: tuple[str, ...]) -> list[bool]:
    if all(is_mapped(io, path) for path in paths):
        return [_remove(io, path) for path in paths]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="lakeport-remove") as pool:
        return list(pool.map(lambda path: _remove(io, path), paths))


def _remove(io: FileIO, path: str) -> bool:
    try:
        io.delete(path)
    except FileNotFoundError:
        return True
    except Exception as error:  # noqa: BLE001  each storage has errors of its own, and none matters
        _log.warning("upkeep.left", extra={"file": last_name(path), "reason": reason_of(error)})
        return False
    return True
