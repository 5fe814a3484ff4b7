"""How a JVM of ours writes files on this machine: by Hadoop's class, without what makes small files dear.

Hadoop writes a file of checksums beside each file and sets the permissions of both by starting `chmod`: ten processes for
each MERGE, 190 for a run of twenty tiny models, which waits for each of them. With `java_sources/LocalFiles.java` there is no
second file, and Java itself sets the permissions, to what they were before.

Whoever runs Java need not have a compiler, but Spark brings one (Janino). It makes a jar in our cache, once. Where that cannot
be done, Hadoop's own way is left.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lakeport.pipeline.session.jars import folder_of
from lakeport.pipeline.session.versions import pyspark_version

IMPLEMENTATION = "spark.hadoop.fs.file.impl"

_LOG = logging.getLogger(__name__)
_SOURCES = Path(__file__).with_name("java_sources")
_FILES, _MAKER = _SOURCES / "LocalFiles.java", _SOURCES / "Jar.java"
_CLASS = "lakeport.LocalFiles"
_COMPILER = "org.codehaus.janino.SimpleCompiler"
_PREFIX = "lakeport-local-files-"
_PATIENCE = 60.0


def local_files_jar(cache: Path, java: Path, home: Path) -> tuple[Path, ...]:
    """The jar, made where it is missing; none if that fails. `home` is PySpark's folder."""
    jar = folder_of(cache) / f"{_PREFIX}{_version()}.jar"
    if zipfile.is_zipfile(jar):
        return (jar,)
    part = jar.with_suffix(f".{os.getpid()}.part")
    try:
        jar.parent.mkdir(parents=True, exist_ok=True)
        _compile(java, home, part)
        part.replace(jar)
    except (OSError, subprocess.SubprocessError) as error:
        _LOG.info("spark.local_files_left", extra={"reason": str(error)})
        return ()
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return (jar,)


def local_files(jars: Iterable[Path]) -> dict[str, str]:
    """Settings of a Spark that has these jars."""
    has_ours = any(jar.name.startswith(_PREFIX) for jar in jars)
    return {IMPLEMENTATION: _CLASS} if has_ours else {}


def _version() -> str:
    """Of what it is made from, so that another source is another jar."""
    whole = b"\n".join(source.read_bytes() for source in (_FILES, _MAKER))
    return hashlib.sha256(pyspark_version().encode() + whole).hexdigest()[:12]


def _compile(java: Path, home: Path, jar: Path) -> None:
    # Janino runs a program that it compiles first: it has no command that writes classes.
    program = (_COMPILER, _MAKER, _MAKER.stem, _FILES, jar)
    line = (java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", home / "jars" / "*")
    subprocess.run(  # noqa: S603  the Java that was found
        list(map(str, (*line, *program))),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_PATIENCE,
        check=True,
    )
