"""Spark as the pipeline has it: something that gives out sessions and ends."""

from __future__ import annotations

import contextlib
import re
import traceback
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError, PreconditionError, UnavailableError
from lakeport.core.names import quoted
from lakeport.core.secrets import mask_text
from lakeport.pipeline.session.command import EXTENSIONS
from lakeport.pipeline.session.conf import set_all
from lakeport.pipeline.session.contradictions import require_own, yielding
from lakeport.pipeline.session.jars import RUNTIME, VERSIONS, Artifact
from lakeport.pipeline.session.jvm import open_log
from lakeport.pipeline.session.ports import Session
from lakeport.pipeline.session.said import said

_CATALOG = re.compile(r"spark\.sql\.catalog\.(?P<name>[^.]+)")
_HERE = "http://127.0.0.1:"
_NO_CLASS = "Cannot find catalog plugin class"


class Spark(Closing):
    """A JVM of ours, a Spark Connect server, or the session that somebody had already."""

    is_local: bool
    """Whether one JVM on this machine does all the work: then no part of it is lost alone."""

    is_connect: bool

    def __init__(self, log: Path, conf: Mapping[str, str] | None = None) -> None:
        self.log = log
        self._given = dict(conf or {})

    @abstractmethod
    def fresh(self) -> Session:
        """A session with nothing in it."""

    def session(self, settings: Mapping[str, str]) -> Session:
        """A session of its own with these settings, as `LocalDoor.for_spark` gives them.

        The catalog among them is the current one: `shop.orders` means its table.
        """
        settings = yielding(self._given, settings)
        require_own(self._given, settings)
        session = self._configured(_lean(settings))
        self.require_open(session, "USE", settings)
        return session

    def require_open(self, session: Session, statement: str, settings: Mapping[str, str]) -> None:
        """Put `statement` before the name of each catalog in the settings, and tell why it fails."""
        for name in catalogs_in(settings):
            try:
                session.sql(f"{statement} `{name}`")
            except Exception as error:
                self.keep_trace(error)
                raise self.gone(error) or self._closed(name, settings, error) from error

    def gone(self, error: BaseException) -> LakeportError | None:  # noqa: ARG002  of those that can tell
        """What to say if it was Spark itself that ended, where a statement raised `error`.

        None if Spark is still there: then the statement failed, and another one may not.
        """
        return None

    def keep_trace(self, error: BaseException) -> None:
        """Everything about an error, Java's stack too, into the log file, if there is room for it."""
        # The disk may be what the error is about: then its sentence is told, and not the log's.
        with contextlib.suppress(OSError), open_log(self.log) as log:
            log.write("".join(traceback.format_exception(error)).encode("utf-8", "replace"))

    def _configured(self, settings: Mapping[str, str]) -> Session:
        try:
            session = self.fresh()
            configure(session, settings)
        except LakeportError:
            raise
        except Exception as error:
            self.keep_trace(error)
            raise self.gone(error) or UnavailableError(
                f"Spark gives no session: {mask_text(said(error))}",
                hint=f"all of what it said is in {self.log}",
            ) from error
        return session

    def _closed(self, catalog: str, settings: Mapping[str, str], error: Exception) -> LakeportError:
        if _NO_CLASS in str(error):
            package = Artifact(RUNTIME, VERSIONS[0]).coordinates
            return PreconditionError(
                "this Spark has no Iceberg in it", hint=f"start it with --packages {package}"
            )
        place = ", ".join(
            f"{key} {mask_text(value)}"
            for key in ("type", "uri", "warehouse")
            if (value := settings.get(f"spark.sql.catalog.{catalog}.{key}"))
        )
        return UnavailableError(
            f"Spark cannot open the catalog {quoted(catalog)} ({place}): {mask_text(said(error))}",
            hint=f"see that it runs there and lets you in; all of what Spark said is in {self.log}",
        )


def configure(session: Session, settings: Mapping[str, str]) -> None:
    # The extensions are there since Spark started, and cannot come later.
    set_all(session, {key: value for key, value in settings.items() if key != EXTENSIONS})


def _lean(settings: Mapping[str, str]) -> dict[str, str]:
    """The token of a door on this machine as a header, which is all that is ever done with it there.

    For a token of its own kind Iceberg makes a pool of threads with each catalog, and a hook for the end of
    the JVM that keeps the whole session until then: a megabyte for each, in a JVM that stays.
    """
    told = dict(settings)
    for name in catalogs_in(settings):
        key = f"spark.sql.catalog.{name}."
        token = settings.get(f"{key}token")
        if token is not None and settings.get(f"{key}uri", "").startswith(_HERE):
            del told[f"{key}token"]
            told[f"{key}header.Authorization"] = f"Bearer {token}"
            told[f"{key}rest.auth.type"] = "none"
    return told


def catalogs_in(settings: Mapping[str, str]) -> Iterator[str]:
    return (found["name"] for key in settings if (found := _CATALOG.fullmatch(key)))
