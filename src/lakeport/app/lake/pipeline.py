"""The pipeline of a lake: its Spark, started when it is needed first, and the door Spark comes in by.

A catalog that is a REST service is Spark's own to attach to; every other one it reaches through a door of
ours on loopback, where tables lose nothing. An adopted session may know another lake by the name of this
one, and never forgets a catalog that it has opened: there ours goes by a name of its own.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lakeport.app.lake.rest import LocalDoor
from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Catalog
from lakeport.core.closing import Closing
from lakeport.pipeline.console import Console
from lakeport.pipeline.session import Session, Spark, adopt
from lakeport.pipeline.target import Tables
from lakeport.pipeline.writing import Engine, Observer, Surroundings, logged

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_NAME = "pipeline"


class Pipeline(Closing):
    """`start` starts Spark, which is closed here; `log` takes what adopted sessions say at length.

    `service` is the profile of a catalog that Spark attaches to past us.
    """

    def __init__(
        self,
        catalog: Catalog,
        start: Callable[[], Spark],
        log: Path,
        *,
        service: Profile | None = None,
        actor: str | None = None,
    ) -> None:
        self._catalog = catalog
        self._start = start
        self._log = log
        self._service = service
        self._actor = actor
        self._lock = threading.Lock()
        self._door: LocalDoor | None = None
        self._spark: Spark | None = None
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
        if self._service is not None:
            return Attachment.to_service(self._service)
        with self._lock:
            if self._door is None:
                self._door = LocalDoor(self._catalog, self._actor or _NAME, growth=True)
            return self._door.attachment

    def engine(self, session: Session | None = None, observe: Observer = logged) -> Engine:
        """On that session, or on a new one of our Spark; one write at a time."""
        attachment = self.attachment()
        if session is None:
            spark = self.spark()
            session = spark.session(attachment.for_spark())
        else:
            spark = adopt(session, self._log)
            attachment = known_to(session, attachment)
            spark.session(attachment.for_spark())
        return Engine(
            Surroundings(
                Console(spark, session),
                self.tables,
                attachment.name,
                watches_growth=self._service is not None,
                observe=observe,
            )
        )

    def alone(self, session: Session) -> AbstractContextManager[object]:
        """Settings of a session are those of all its statements, so it writes one table at a time."""
        with self._lock:
            return self._users.setdefault(session, threading.Lock())

    def close(self) -> None:
        with self._lock:
            spark, self._spark = self._spark, None
            door, self._door = self._door, None
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
