"""Fetches Iceberg's jars into our cache, once, by the means that Spark has for that.

Spark resolves `spark.jars.packages` when its JVM starts and before its gateway is up: so one is started,
and ended when it is up. Users' settings for repositories and proxies hold. The files are compared with
their published checksums, and come into the cache whole or not at all. Of several who want them at once
one fetches, and the others wait for him.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lakeport.core.errors import CorruptDataError, UnavailableError
from lakeport.pipeline.session.command import Place
from lakeport.pipeline.session.jars import (
    GROUP,
    VERSIONS,
    Artifact,
    cached_jars,
    folder_of,
    wanted,
)
from lakeport.pipeline.session.java import Java
from lakeport.pipeline.session.launch import SCRATCH, launch, spark_home
from lakeport.pipeline.session.options import SparkOptions

# Java's words, and Ivy's.
_FULL = "No space left on device"
_NOT_FOUND = ("unresolved dependency", "download failed")


def fetch(options: SparkOptions, java: Java) -> tuple[Path, ...]:
    artifacts = wanted(VERSIONS[0], s3=options.s3)
    folder = folder_of(options.cache)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        known = cached_jars(options.cache, s3=options.s3)
        if known:
            return known
        # What is there stays as it is: a class archive is good for the very file it was made with.
        missing = tuple(artifact for artifact in artifacts if not artifact.is_in(folder))
        _fetch(options, java, missing, folder)
        return tuple(folder / artifact.file for artifact in artifacts)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    opened = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a disk without locks: it may be fetched twice
            fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _fetch(
    options: SparkOptions, java: Java, artifacts: tuple[Artifact, ...], folder: Path
) -> None:
    # In the cache and not among temporary files: a rename within one disk is whole or not at all.
    with (
        tempfile.TemporaryDirectory(prefix="ivy-", dir=options.cache) as ivy,
        tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch,
    ):
        _resolve(options, artifacts, Place(java.program, spark_home(), Path(scratch), ()), ivy)
        for artifact in artifacts:
            _keep(artifact, Path(ivy), folder)


def _resolve(
    options: SparkOptions, artifacts: tuple[Artifact, ...], place: Place, ivy: str
) -> None:
    packages = ",".join(artifact.coordinates for artifact in artifacts)
    conf = {**options.conf, "spark.jars.packages": packages, "spark.jars.ivy": ivy}
    with launch(replace(options, master="local[1]", conf=conf), place) as jvm:
        try:
            jvm.gateway()
        except UnavailableError as error:
            raise _unfetched(options, artifacts, error) from error


def _unfetched(
    options: SparkOptions, artifacts: tuple[Artifact, ...], error: UnavailableError
) -> UnavailableError:
    """In words about jars, where it was about jars."""
    files = " and ".join(artifact.file for artifact in artifacts)
    if _FULL in error.message:
        return UnavailableError(
            f"there is no room for {files} in {options.cache}",
            hint="make room there, or set `pipeline.cache` to a folder that has some",
        )
    if any(text in error.message for text in _NOT_FOUND):
        folder = folder_of(options.cache)
        is_damaged = any((folder / artifact.file).exists() for artifact in artifacts)
        again = (
            "is damaged, and could not be fetched again" if is_damaged else "could not be fetched"
        )
        return UnavailableError(
            f"{files} {again}: is there a network?",
            hint=f"put it into {folder} or name it in `pipeline.jars`;"
            f" what Spark said is in {options.log}",
        )
    return error


def _keep(artifact: Artifact, ivy: Path, folder: Path) -> None:
    fetched = ivy / "jars" / f"{GROUP}_{artifact.file}"
    if not artifact.is_whole(fetched):
        raise CorruptDataError(
            f"{artifact.file} was fetched and is not what its makers published",
            hint="see where `spark.jars.repositories` and `spark.jars.ivySettings` lead",
        )
    fetched.replace(folder / artifact.file)
