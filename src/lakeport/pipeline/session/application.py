"""Spark as the pipeline has it: something that gives out sessions and ends."""

from __future__ import annotations

import traceback
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path

from lakeport.core.closing import Closing
from lakeport.pipeline.session.command import EXTENSIONS
from lakeport.pipeline.session.jvm import open_log
from lakeport.pipeline.session.ports import Session


class Spark(Closing):
    """A JVM of ours, a Spark Connect server, or the session somebody had already."""

    is_local: bool
    """Whether one JVM on this machine does all the work: then what it holds is not lost alone."""

    is_connect: bool

    def __init__(self, log: Path) -> None:
        self.log = log

    @abstractmethod
    def fresh(self) -> Session:
        """A session with nothing in it."""

    def session(self, settings: Mapping[str, str]) -> Session:
        """A session of its own with these settings, as `LocalDoor.for_spark` gives them."""
        session = self.fresh()
        for key, value in settings.items():
            if key != EXTENSIONS:  # they are there since Spark started, and cannot come later
                session.conf.set(key, value)
        return session

    def keep_trace(self, error: BaseException) -> None:
        """Everything about an error, Java's stack too, into the log file."""
        with open_log(self.log) as log:
            log.write("".join(traceback.format_exception(error)).encode("utf-8", "replace"))
