"""The jars that make Spark speak Iceberg: those that are named, else those in our cache.

Each file in the cache is compared with the checksum its makers published, at every start: reading fifty
megabytes takes a tenth of a second, and a broken jar shows itself much later, as a class not found.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakeport.core.errors import CorruptDataError, PreconditionError
from lakeport.pipeline.session.versions import SPARK_VERSION, is_runtime, require_runtime

GROUP = "org.apache.iceberg"
RUNTIME = f"iceberg-spark-runtime-{SPARK_VERSION}_2.13"
AWS = "iceberg-aws-bundle"

# As published beside each file; the newest version first, which is the one that is fetched.
_CHECKSUMS = {
    "1.12.0": {
        RUNTIME: "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
        AWS: "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
    },
    "1.11.0": {
        RUNTIME: "d6ea6c5d099288daeb7d5a92061bd3d7d8f296492632b42378e5f2f0e3066242",
        AWS: "38f01da7e96850cdd05e6616d758b77b43314b712a8808e3f9a824d56976162f",
    },
}
VERSIONS = tuple(_CHECKSUMS)


@dataclass(frozen=True, slots=True)
class Artifact:
    """One jar of one version of Iceberg."""

    name: str
    version: str

    @property
    def file(self) -> str:
        return f"{self.name}-{self.version}.jar"

    @property
    def coordinates(self) -> str:
        """As Maven's repositories know it."""
        return f"{GROUP}:{self.name}:{self.version}"

    def is_whole(self, path: Path) -> bool:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest() == self._checksum

    def is_in(self, folder: Path) -> bool:
        path = folder / self.file
        return path.is_file() and self.is_whole(path)

    @property
    def _checksum(self) -> str:
        return _CHECKSUMS[self.version][self.name]


def folder_of(cache: Path) -> Path:
    return cache / "jars"


def wanted(version: str, *, s3: bool) -> tuple[Artifact, ...]:
    names = (RUNTIME, AWS) if s3 else (RUNTIME,)
    return tuple(Artifact(name, version) for name in names)


def named_jars(jars: Sequence[Path]) -> tuple[Path, ...]:
    """Those of `pipeline.jars`, if they can be what they must be."""
    for jar in jars:
        if not jar.is_file():
            raise PreconditionError(f"{jar} is not there", hint="correct `pipeline.jars`")
        if not zipfile.is_zipfile(jar):
            raise CorruptDataError(
                f"{jar} is not a jar, or not all of it is there",
                hint="fetch it again, or correct `pipeline.jars`",
            )
        require_runtime(jar.name)
    if not any(is_runtime(jar.name) for jar in jars):
        raise PreconditionError(
            "`pipeline.jars` names no Iceberg runtime",
            hint=f"add {RUNTIME}-{VERSIONS[0]}.jar, or leave it empty: then it is fetched",
        )
    return tuple(jars)


def cached_jars(cache: Path, *, s3: bool) -> tuple[Path, ...]:
    """Whole ones of the newest version that is complete; none if one has to be fetched."""
    folder = folder_of(cache)
    for version in VERSIONS:
        artifacts = wanted(version, s3=s3)
        if all(artifact.is_in(folder) for artifact in artifacts):
            return tuple(folder / artifact.file for artifact in artifacts)
    return ()
