"""What somebody wants of Spark, as plain data; `lakeport.toml` is one way to say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Profile: TypeAlias = Literal["quick", "throughput"]


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """`cache` holds jars and class archives for all projects, `log` takes what Java has to say.

    `conf` are Spark's own settings and win over ours. `java_source` is where `java_home` was set, for
    messages. With `connect` Spark runs elsewhere, and everything about Java, jars and masters is moot.
    """

    cache: Path
    log: Path
    profile: Profile = "quick"
    master: str = "local[*]"
    connect: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)
    java_home: Path | None = None
    java_source: str = "pipeline.java_home"
    jars: tuple[Path, ...] = ()
    s3: bool = False
    """Whether tables are in S3, for which Iceberg has a jar more."""
    archive: bool = True
    """Whether the first quick session leaves an archive of its classes for later ones."""

    @property
    def is_local(self) -> bool:
        """Whether Spark's work is done in one JVM on this machine."""
        return self.connect is None and self.master.startswith("local")
