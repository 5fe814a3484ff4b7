"""An archive of loaded classes, from which a JVM starts in half the time.

Java writes one when a JVM ends that was started for it: the first quick session does that, and its end
takes some seconds longer, once. Java uses an archive only with the same Java, flags and class path, jars
unchanged to the second; so all of that is in the file's name, and one that does not fit is never tried.

A damaged one crashes Java instead of being refused. So its length is in its name too, and one that was
cut off is written anew; Java itself compares checksums of the rest and goes on without it (0.1 s, measured).

Each takes 190 MB, so whoever writes one removes all but those used last. A JVM that has one open keeps it,
and one that was about to open it starts without (`tests/pipeline/session/test_pruning.py`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lakeport.pipeline.session.command import Place, flags
from lakeport.pipeline.session.java import Java
from lakeport.pipeline.session.jvm import Jvm
from lakeport.pipeline.session.options import SparkOptions

_QUIET = "-Xlog:disable"  # thousands of lines on classes that cannot be archived
_VERIFY = "-XX:+VerifySharedSpaces"
_PATIENCE = 300.0
_BASE_PATIENCE = 120.0
_KEPT = 5
_ABANDONED = 3_600.0
"""Seconds after which nobody is writing a part any more."""


@dataclass(frozen=True, slots=True)
class Archive:
    """`reads` is the file to start from, `writes` the one to leave behind; mostly one of them.

    Each stands on one of Java's own classes: the one that came with Java, or `base`, which is ours.
    """

    reads: Path | None = None
    writes: Path | None = None
    base: Path | None = None

    @classmethod
    def of(cls, options: SparkOptions, java: Java, place: Place) -> Self:
        if options.profile != "quick" or not options.is_local:
            return cls()
        folder = options.cache / "classes"
        base = None if java.shares else _whole(folder, _base_key(options, java))
        if java.shares or base is not None:
            reads = _whole(folder, _key(options, java, place))
            if reads is not None:
                return cls(reads=reads, base=base)
        if not options.archive or not _is_made(folder):
            return cls()
        if not java.shares and base is None:
            base = _dumped(options, java, folder)
            if base is None:
                return cls()
        return cls(writes=folder / f"{_key(options, java, place)}.jsa", base=base)

    @property
    def flags(self) -> tuple[str, ...]:
        if self.reads is not None:
            files = filter(None, (self.base, self.reads))
            joined = os.pathsep.join(map(str, files))
            return _QUIET, _VERIFY, f"-XX:SharedArchiveFile={joined}"
        if self.writes is not None:
            base = () if self.base is None else (f"-XX:SharedArchiveFile={self.base}",)
            return _QUIET, *base, f"-XX:ArchiveClassesAtExit={_part(self.writes)}"
        return ()

    def after(self, jvm: Jvm, *, worked: bool) -> None:
        """End the JVM and keep what it wrote, whole or not at all; nothing if it loaded next to nothing."""
        if self.writes is None:
            jvm.close()
            return
        try:
            if jvm.end(_PATIENCE if worked else 0.0) and worked:
                _keep(self.writes)
        finally:
            _part(self.writes).unlink(missing_ok=True)


def _is_made(folder: Path) -> bool:
    """A cache that cannot be written, or is full, is no reason not to start."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _dumped(options: SparkOptions, java: Java, folder: Path) -> Path | None:
    """Of a Java that came without such a file, as small ones do; it takes a second."""
    file = folder / f"{_base_key(options, java)}.jsa"
    line = (java.program, *flags(options), _QUIET, "-Xshare:dump")
    try:
        done = _done([*map(str, line), f"-XX:SharedArchiveFile={_part(file)}"])
        return _keep(file) if done else None
    finally:
        _part(file).unlink(missing_ok=True)


def _done(line: Sequence[str]) -> bool:
    try:
        told = subprocess.run(  # noqa: S603  the Java that was found
            line, stdin=subprocess.DEVNULL, capture_output=True, timeout=_BASE_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return told.returncode == 0


def _part(file: Path) -> Path:
    return file.with_suffix(f".{os.getpid()}.part")


def _keep(file: Path) -> Path | None:
    part = _part(file)
    if not part.exists():
        return None
    found = _whole(file.parent, file.stem)
    if found is not None:  # another process was faster, and one is enough
        return found
    kept = part.replace(file.with_stem(f"{file.stem}-{part.stat().st_size}"))
    _prune(file.parent)
    return kept


def _prune(folder: Path) -> None:
    """Others may do the same at this moment, or use what goes."""
    newest = sorted(folder.glob("*.jsa"), key=_last_used, reverse=True)
    oldest = time.time() - _ABANDONED
    abandoned = (part for part in folder.glob("*.part") if _last_used(part) < oldest)
    for file in (*newest[_KEPT:], *abandoned):
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def _last_used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another process threw it away
        return 0.0


def _whole(folder: Path, key: str) -> Path | None:
    for file in folder.glob(f"{key}-*.jsa"):
        if file.stem == f"{key}-{_length(file)}":
            with contextlib.suppress(OSError):  # of a folder that may only be read
                os.utime(file)
            return file
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
    return None


def _length(file: Path) -> int | None:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # another process threw it away
        return None


def _key(options: SparkOptions, java: Java, place: Place) -> str:
    return _hashed(*_java(options, java), *_files(place))


def _base_key(options: SparkOptions, java: Java) -> str:
    return _hashed("base", *_java(options, java))


def _java(options: SparkOptions, java: Java) -> tuple[str, ...]:
    return java.version, str(java.program), *flags(options)


def _files(place: Place) -> Iterator[str]:
    for path in (*place.jars, place.home / "jars"):
        found = path.stat()
        yield f"{path} {found.st_size} {found.st_mtime_ns}"


def _hashed(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
