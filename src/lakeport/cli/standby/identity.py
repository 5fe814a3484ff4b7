"""All that a process brings along and that cannot be handed to another one: who differs in it is somebody else.

The code itself is part of it, by the times of its files, so that an edit in a working copy is never missed.
Nothing heavy is imported here: each command asks this before it has done anything.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator

# Read while libraries are loaded, by Python or by one of them: what is handed over comes too late for it.
_READ_EARLY = (
    "ARROW_",
    "DYLD_",
    "GRPC_",
    "HOME",
    "LANG",
    "LC_",
    "LD_",
    "MALLOC_",
    "MKL_",
    "OMP_",
    "OPENBLAS_",
    "PYICEBERG_",
    "PYSPARK_",
    "PYTHON",
    "SPARK_",
)
_LIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "NPROC", "STACK")
_SPACES = ("mnt", "net", "pid", "user")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120  pathlib is slower than all the rest


def identity() -> bytes:
    """Equal for two processes that do the same with the same command line."""
    facts = (
        sys.version,
        sys.executable,
        tuple(sys.flags),
        sorted(sys._xoptions.items()),  # noqa: SLF001  documented so
        _PACKAGE,
        _written(_PACKAGE),
        tuple(_installed()),
        (os.geteuid(), os.getegid(), sorted(os.getgroups())),
        os.getpriority(os.PRIO_PROCESS, 0),
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        [resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in _LIMITS],
        [_space(name) for name in _SPACES],
        sorted(item for item in os.environ.items() if item[0].startswith(_READ_EARLY)),
    )
    return repr(facts).encode("utf-8", "surrogateescape")


def _written(folder: str) -> tuple[int, int, int]:
    """How many files of Python's, the newest of their times, and their size in all."""
    count = newest = size = 0
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        waiting.append(entry.path)
                elif entry.name.endswith(".py"):
                    told = entry.stat()
                    count, size = count + 1, size + told.st_size
                    newest = max(newest, told.st_mtime_ns)
    return count, newest, size


def _installed() -> Iterator[tuple[str, int]]:
    """Folders of packages, which installing or removing one touches."""
    for folder in sys.path:
        if folder.endswith("-packages"):
            try:
                yield folder, os.stat(folder).st_mtime_ns  # noqa: PTH116  as above
            except OSError:
                yield folder, 0


def _space(name: str) -> str | None:
    """Of Linux: whether paths and process numbers mean the same there."""
    try:
        return os.readlink(f"/proc/self/ns/{name}")  # noqa: PTH115  as above
    except OSError:
        return None
