"""Spark, begun before anybody knows that it is needed: its JVM comes up while Python reads the project.

Only the JVM is begun. If it turns out that nothing is to be done, or that the project cannot be run, it is
ended at once; and if it could not be begun, that is told when somebody needs it, and to nobody else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.pipeline.session import Spark
    from lakeport.pipeline.session.own import Launched


class EarlySpark(Closing):
    """`given` is a Spark that somebody has already."""

    def __init__(self, settings: Settings, given: Callable[[], Spark] | None = None) -> None:
        self._settings = settings
        self._given = given
        self._thread: threading.Thread | None = None
        self._launched: Launched | None = None

    def launch(self) -> None:
        """Once, however often it is asked for."""
        if self._given is None and self._thread is None:
            self._thread = threading.Thread(target=self._launch, name="lakeport-jvm", daemon=True)
            self._thread.start()

    def spark(self) -> Spark:
        if self._given is not None:
            return self._given()
        from lakeport.app.project.daemon import open_spark  # noqa: PLC0415  loads with Spark
        from lakeport.pipeline.session import risen  # noqa: PLC0415  the same

        launched = self._taken()
        return open_spark(self._settings) if launched is None else risen(launched)

    def close(self) -> None:
        launched = self._taken()
        if launched is not None:
            launched.close()

    def _launch(self) -> None:
        from lakeport.app.project.daemon import has_daemon  # noqa: PLC0415  late, in this thread
        from lakeport.app.spark import fresh_spark_options  # noqa: PLC0415  the same
        from lakeport.pipeline.session import launch_own  # noqa: PLC0415  the same
        from lakeport.pipeline.session.jars import cached_jars  # noqa: PLC0415  the same

        try:
            options = fresh_spark_options(self._settings)
            if options.connect is not None or has_daemon(self._settings):
                return
            # What must be fetched first is fetched when it is needed, however long that takes.
            if options.jars or cached_jars(options.cache, s3=options.s3):
                self._launched = launch_own(options)
        except LakeportError:  # whoever needs Spark will try it again, and be told
            self._launched = None

    def _taken(self) -> Launched | None:
        if self._thread is not None:
            self._thread.join()
        launched, self._launched = self._launched, None
        return launched
