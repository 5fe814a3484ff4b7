"""What is said between whoever starts a daemon and the process that keeps it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lakeport.pipeline.session.options import SparkOptions


class Order(msgspec.Struct, frozen=True, kw_only=True):
    folder: Path
    options: SparkOptions
    fingerprint: str
    idle_seconds: float | None
    standby: tuple[str, ...] = ()
    """A program that lives as long as the daemon: it is given the folder, closes its standard output when it is
    ready, and ends with its standard input."""

    @classmethod
    def decode(cls, text: bytes) -> Order:
        return msgspec.json.decode(text, type=cls, dec_hook=lambda _, given: Path(given))

    def encode(self) -> bytes:
        return msgspec.json.encode(self, enc_hook=str)


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The one line. Without an error, Spark answers."""

    error: str | None = None
    hint: str | None = None
