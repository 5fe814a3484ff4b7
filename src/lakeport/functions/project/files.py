"""Which files of a folder are modules of functions: each is a namespace, called as the file is.

A file that starts with `_` is for the others to import, and no namespace; one that starts with `.` is some
editor's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lakeport.functions.workers.messages import Load, Source, Trouble

_TAKEN = {
    "lakeport": "that namespace is Lakeport's own",
    "main": "DuckDB keeps that name for itself, and would not find its functions",
}


@dataclass(frozen=True, slots=True)
class Found:
    """`stamps` differ as soon as anything in the folder does; `newest` is the last change of one, in ms."""

    load: Load
    troubles: tuple[Trouble, ...]
    stamps: tuple[tuple[str, int, int], ...]
    newest: int


def stamps_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of every Python file. Cheap: it is asked often."""
    found = []
    for path in _modules(folder):
        try:
            known = path.stat()
        except OSError:  # it went just now, or links to nowhere
            continue
        found.append((path.name, known.st_mtime_ns, known.st_size))
    return tuple(found)


def find(root: Path, folder: Path) -> Found:
    stamps = stamps_of(folder)
    sources: list[Source] = []
    troubles: list[Trouble] = []
    for path in _modules(folder):
        if path.name.startswith("_"):
            continue
        reason = _TAKEN.get(path.stem.lower())
        if reason is None and not path.stem.isidentifier():
            reason = (
                "a namespace is called by a name that Python takes, too: letters, digits and `_`"
            )
        if reason is not None:
            troubles.append(
                Trouble(
                    _shown(path, root), None, f"it cannot be called that: {reason}", "rename it"
                )
            )
            continue
        try:
            sources.append(Source(path.stem, str(path), path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8"
            troubles.append(
                Trouble(_shown(path, root), None, f"it cannot be read: {why}", "make it readable")
            )
    newest = max((time for _, time, _ in stamps), default=0) // 1_000_000
    load = Load(str(root), str(folder), tuple(sources))
    return Found(load, tuple(troubles), stamps, newest)


def _modules(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith("."))


def shown(trouble: Trouble) -> str:
    """One line of it, with its place and what to do."""
    line = f":{trouble.line}" if trouble.line else ""
    return f"{trouble.path}{line}: {trouble.message} ({trouble.hint})"


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
