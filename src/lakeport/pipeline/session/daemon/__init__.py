"""A Spark that stays: one JVM per project that answers Spark Connect on loopback, for run after run."""

from __future__ import annotations

from lakeport.pipeline.session.daemon.control import Started, start, status, stop
from lakeport.pipeline.session.daemon.join import join
from lakeport.pipeline.session.daemon.place import Place
from lakeport.pipeline.session.daemon.record import Record
from lakeport.pipeline.session.daemon.wanted import fingerprint

__all__ = ["Place", "Record", "Started", "fingerprint", "join", "start", "status", "stop"]
