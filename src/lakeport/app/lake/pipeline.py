"""The pipeline of a lake: its Spark, started when it is needed first, and the door Spark comes in by.

A catalog that is a REST service is Spark's own to attach to; every other one it reaches through a door of
ours: on loopback, where tables lose nothing, or that of a server, for a Spark elsewhere. An adopted session may know another lake by the name of this
one, and never forgets a catalog that it has opened: there ours goes by a name of its own.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

from lakeport.app.lake.rest import LocalDoor
from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.ports import Catalog
from lakeport.core.closing import Closing
from lakeport.pipeline.console import Console
from lakeport.pipeline.session import Session, Spark, adopt
from lakeport.pipeline.target import Tables
from lakeport.pipeline.writing import Engine, Observer, Surroundings, logged

_NAME = "pipeline"


class Pipeline(Closing):
    """`start` starts Spark, which is closed here; `log` takes what adopted sessions say at length.

    `attached` is where Spark goes past us: to a catalog that is a service, or the door of a server.
    """

    def __init__(
        self,
        catalog: Catalog,
        start: Callable[[], Spark],
        log: Path,
        *,
        attached: Attachment | None = None,
        actor: str | None = None,
    ) -> None:
        self._catalog = catalog
        self._start = start
        self._log = log
        self._attached = attached
        self._actor = actor
        self._lock = threading.Lock()
        self._door: LocalDoor | None = None
        self._spark: Spark | None = None
        self._idle: list[Session] = []
        self._users: WeakKeyDictionary[Session, threading.Lock] = WeakKeyDictionary()

    @property
    def tables(self) -> Tables:
        return Tables(self._catalog, self._actor)

    def spark(self) -> Spark:
        with self._lock:
            if self._spark is None:
                self._spark = self._start()
            return self._spark

    def session(self) -> Session:
        """A new one, in which `shop.orders` is the lake's."""
        return self.spark().session(self.attachment().for_spark())

    def attachment(self) -> Attachment:
        if self._attached is not None:
            return self._attached
        with self._lock:
            if self._door is None:
                self._door = LocalDoor(self._catalog, self._actor or _NAME, growth=True)
            return self._door.attachment

    @contextmanager
    def engine(
        self, session: Session | None = None, observe: Observer = logged, *, keep: bool = True
    ) -> Iterator[Engine]:
        """For one write after the other, on that session or on one of our Spark.

        Settings of a session are those of all its statements, so it writes one table at a time. One that
        others may have changed is not to be used again (`keep`).
        """
        attachment = self.attachment()
        if session is not None:
            with self._alone(session):
                spark = adopt(session, self._log)
                known = known_to(session, attachment)
                spark.session(known.for_spark())
                yield self._engine(Console(spark, session), known.name, observe)
            return
        spark = self.spark()
        idle = self._idle_session() if keep else None
        own = idle or spark.session(attachment.for_spark())
        console = Console(spark, own)
        try:
            yield self._engine(console, attachment.name, observe)
        finally:
            if console.has_ended:  # after a commit that is no error
                self._forget(spark)
            with self._lock:
                if keep and self._spark is spark:
                    self._idle.append(own)

    def _engine(self, console: Console, catalog: str, observe: Observer) -> Engine:
        return Engine(
            Surroundings(
                console,
                self.tables,
                catalog,
                watches_growth=self._attached is not None,
                observe=observe,
            )
        )

    def _alone(self, session: Session) -> threading.Lock:
        with self._lock:
            return self._users.setdefault(session, threading.Lock())

    def _idle_session(self) -> Session | None:
        """One that a write has left as it found it."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _forget(self, spark: Spark) -> None:
        """It is gone: whoever asks next gets a new one."""
        with self._lock:
            if self._spark is not spark:
                return
            self._spark = None
            self._idle.clear()
        spark.close()

    def close(self) -> None:
        with self._lock:
            spark, self._spark = self._spark, None
            door, self._door = self._door, None
            self._idle.clear()
        try:
            if spark is not None:
                spark.close()
        finally:
            if door is not None:
                door.close()


def known_to(session: Session, attachment: Attachment) -> Attachment:
    """The attachment under a name that means nothing else in this session."""
    there = session.conf.get(f"spark.sql.catalog.{attachment.name}.uri", None)
    is_taken = session.conf.get(f"spark.sql.catalog.{attachment.name}", None) is not None
    if there == attachment.uri or not is_taken:
        return attachment
    return replace(attachment, name=f"{attachment.name}_{secrets.token_hex(4)}")
