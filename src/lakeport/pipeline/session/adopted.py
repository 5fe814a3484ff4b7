"""Spark that was there before us: the session of a notebook, or of the program that calls us."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lakeport.pipeline.session.application import Spark, configure
from lakeport.pipeline.session.daemon.record import DAEMON
from lakeport.pipeline.session.ports import Session
from lakeport.pipeline.session.versions import INSTALL_PYSPARK, require_spark


class AdoptedSpark(Spark):
    """There is one session, which is the user's: only it can write the frames that it made.

    It gets the catalog's settings; what is current in it stays so, and closing leaves it alone.
    """

    def __init__(self, session: Session, log: Path) -> None:
        super().__init__(log)
        require_spark(session.version, f"this session is Spark {session.version}", INSTALL_PYSPARK)
        self._session = session
        self.is_connect = ".connect." in type(session).__module__
        master = session.conf.get("spark.master", "") or ""
        is_here = not self.is_connect or session.conf.get(DAEMON, None) == "true"
        self.is_local = is_here and master.startswith("local")

    def fresh(self) -> Session:
        return self._session

    def session(self, settings: Mapping[str, str]) -> Session:
        configure(self._session, settings)
        self.require_open(self._session, "SHOW NAMESPACES IN", settings)  # which leaves `USE` alone
        return self._session

    def close(self) -> None:
        pass


def adopt(session: Session, log: Path) -> Spark:
    """`session` is PySpark's, of either kind."""
    return AdoptedSpark(session, log)
