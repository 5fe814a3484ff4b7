"""Spark as the pipeline has it: something that gives out sessions and ends."""

from __future__ import annotations

import re
import traceback
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError, PreconditionError, UnavailableError
from lakeport.core.names import quoted
from lakeport.pipeline.session.command import EXTENSIONS
from lakeport.pipeline.session.jars import RUNTIME, VERSIONS, Artifact
from lakeport.pipeline.session.jvm import open_log
from lakeport.pipeline.session.ports import Session
from lakeport.pipeline.session.said import said

_CATALOG = re.compile(r"spark\.sql\.catalog\.(?P<name>[^.]+)")
_NO_CLASS = "Cannot find catalog plugin class"


class Spark(Closing):
    """A JVM of ours, a Spark Connect server, or the session that somebody had already."""

    is_local: bool
    """Whether one JVM on this machine does all the work: then no part of it is lost alone."""

    is_connect: bool

    def __init__(self, log: Path) -> None:
        self.log = log

    @abstractmethod
    def fresh(self) -> Session:
        """A session with nothing in it."""

    def session(self, settings: Mapping[str, str]) -> Session:
        """A session of its own with these settings, as `LocalDoor.for_spark` gives them.

        The catalog among them is the current one: `shop.orders` means its table.
        """
        session = self.fresh()
        configure(session, settings)
        for name in catalogs_in(settings):
            try:
                session.sql(f"USE `{name}`")
            except Exception as error:
                self.keep_trace(error)
                uri = settings.get(f"spark.sql.catalog.{name}.uri", "")
                raise self._closed(name, uri, error) from error
        return session

    def keep_trace(self, error: BaseException) -> None:
        """Everything about an error, Java's stack too, into the log file."""
        with open_log(self.log) as log:
            log.write("".join(traceback.format_exception(error)).encode("utf-8", "replace"))

    def _closed(self, catalog: str, uri: str, error: Exception) -> LakeportError:
        if _NO_CLASS in str(error):
            package = Artifact(RUNTIME, VERSIONS[0]).coordinates
            return PreconditionError(
                "this Spark has no Iceberg in it", hint=f"start it with --packages {package}"
            )
        return UnavailableError(
            f"Spark cannot open the catalog {quoted(catalog)} at {uri}: {said(error)}",
            hint=f"all of what it said is in {self.log}",
        )


def configure(session: Session, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        if key != EXTENSIONS:  # they are there since Spark started, and cannot come later
            session.conf.set(key, value)


def catalogs_in(settings: Mapping[str, str]) -> Iterator[str]:
    return (found["name"] for key in settings if (found := _CATALOG.fullmatch(key)))
