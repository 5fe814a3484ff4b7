"""What a daemon tells those who look for it: where it answers, what it is, and the word it wants to hear."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec

DAEMON = "spark.lakeport.daemon"
"""A setting that is `true` in the sessions of a daemon."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """`token` is the one thing here that is not for everybody's eyes."""

    pid: int
    java_pid: int
    port: int
    token: str
    fingerprint: str
    """Of the settings and versions that it was started with."""
    spark: str
    lakeport: str
    java: str
    is_local: bool
    started: float
    """Seconds since 1970."""
    idle_seconds: float | None

    def __repr__(self) -> str:
        return f"<daemon {self.pid} at {self.address}>"

    @property
    def address(self) -> str:
        return f"sc://127.0.0.1:{self.port}"


def write(file: Path, record: Record) -> None:
    """Whole or not at all, and for its owner only."""
    descriptor, part = tempfile.mkstemp(dir=file.parent, prefix=".record-")  # which is 0600
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(msgspec.json.encode(record))
        Path(part).replace(file)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def read(file: Path) -> Record | None:
    """None if there is none, or one that another version wrote."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Record)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None


def remove(file: Path) -> None:
    file.unlink(missing_ok=True)
