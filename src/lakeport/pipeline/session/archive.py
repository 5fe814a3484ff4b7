"""An archive of loaded classes, from which a JVM starts in half the time.

Java writes one when a JVM ends that was started for it: the first quick session does that, and its end
takes some seconds longer, once. Java uses an archive only with the same Java, flags and class path, jars
unchanged to the second; so all of that is in the file's name, and one that does not fit is never tried.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lakeport.pipeline.session.command import Place, flags
from lakeport.pipeline.session.java import Java
from lakeport.pipeline.session.jvm import Jvm
from lakeport.pipeline.session.options import SparkOptions

_QUIET = "-Xlog:disable"  # thousands of lines on classes that cannot be archived
_PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Archive:
    """`reads` is the file to start from, `writes` the one to leave behind; mostly one of them."""

    reads: Path | None = None
    writes: Path | None = None

    @classmethod
    def of(cls, options: SparkOptions, java: Java, place: Place) -> Self:
        if options.profile != "quick" or not options.is_local:
            return cls()
        file = options.cache / "classes" / f"{_key(options, java, place)}.jsa"
        if file.is_file():
            return cls(reads=file)
        return cls(writes=file) if options.archive else cls()

    @property
    def flags(self) -> tuple[str, ...]:
        if self.reads is not None:
            return _QUIET, f"-XX:SharedArchiveFile={self.reads}"
        if self.writes is not None:
            self.writes.parent.mkdir(parents=True, exist_ok=True)
            return _QUIET, f"-XX:ArchiveClassesAtExit={self._part(self.writes)}"
        return ()

    def after(self, jvm: Jvm, *, worked: bool) -> None:
        """End the JVM and keep what it wrote, whole or not at all; nothing if it loaded next to nothing."""
        if self.writes is None:
            jvm.close()
            return
        part = self._part(self.writes)
        try:
            if jvm.end(_PATIENCE if worked else 0.0) and worked and part.exists():
                part.replace(self.writes)
        finally:
            part.unlink(missing_ok=True)

    @staticmethod
    def _part(file: Path) -> Path:
        return file.with_suffix(f".{os.getpid()}.part")


def _key(options: SparkOptions, java: Java, place: Place) -> str:
    parts = (java.version, str(java.program), *flags(options), *_files(place))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def _files(place: Place) -> Iterator[str]:
    for path in (*place.jars, place.home / "jars"):
        found = path.stat()
        yield f"{path} {found.st_size} {found.st_mtime_ns}"
