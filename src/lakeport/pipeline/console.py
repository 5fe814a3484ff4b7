"""A session one speaks SQL to: statements with the settings they mean, and failures without Java's stack.

Settings are put back afterwards, because an adopted session is somebody else's. What failed is kept whole
in Spark's log file; `SparkError` carries what it was about, for whoever decides what to do next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from lakeport.core.errors import LakeportError
from lakeport.core.secrets import mask_text
from lakeport.pipeline.session import Cause, Frame, Session, Spark, causes, position, said
from lakeport.pipeline.session.conf import said_settings, set_all, settings_of, unset_all


class SparkError(Exception):
    """What Spark, Iceberg or the way there said; never seen by a user as it is.

    `gone` is what to say when Spark itself ended. What it was doing may be done all the same.
    """

    def __init__(self, error: Exception, gone: LakeportError | None = None) -> None:
        super().__init__(mask_text(said(error)) if gone is None else gone.message)
        self.causes = causes(error)
        self.position = position(error)
        self.gone = gone

    @property
    def sentence(self) -> str:
        return str(self)

    def cause(self, *kinds: str) -> Cause | None:
        """The first cause of one of these classes."""
        return next((cause for cause in self.causes if cause.kind in kinds), None)


class Console:
    def __init__(self, spark: Spark, session: Session) -> None:
        self.spark = spark
        self.session = session
        self.has_ended = False
        """Whether Spark itself was found to be gone, by whatever statement."""
        self._defaults: dict[str, str | None] = {}

    def run(self, sql: str, settings: Mapping[str, str] | None = None) -> None:
        """A statement that is done when it is said; what it would answer is not fetched."""
        with self.settings(settings or {}), self.failing():
            self.session.sql(sql)

    def rows(self, sql: str, settings: Mapping[str, str] | None = None) -> Sequence[Sequence[Any]]:
        with self.settings(settings or {}), self.failing():
            return self.session.sql(sql).collect()

    def row(self, sql: str, settings: Mapping[str, str] | None = None) -> Sequence[Any]:
        (found,) = self.rows(sql, settings)
        return found

    def frame(self, sql: str, parameters: Mapping[str, object]) -> Frame:
        """Analysed, not computed; `parameters` are Spark's named ones."""
        with self.failing():
            return self.session.sql(sql, dict(parameters)) if parameters else self.session.sql(sql)

    @contextmanager
    def settings(self, wanted: Mapping[str, str]) -> Iterator[None]:
        with self.failing():
            said = said_settings(self.session, wanted)
            now = {**said, **self._default([key for key, value in said.items() if value is None])}
            # Only those that change something: Connect warns of each old setting that is set.
            new = {key: value for key, value in wanted.items() if now[key] != value}
            before = {key: said[key] for key in new}
            set_all(self.session, new)
        try:
            yield
        except BaseException:
            with suppress(SparkError):  # a session that is gone has none
                self._put_back(before)
            raise
        self._put_back(before)

    def _default(self, keys: Sequence[str]) -> dict[str, str | None]:
        """Of settings that nobody has said; asked once, because they stay."""
        self._defaults |= settings_of(
            self.session, [key for key in keys if key not in self._defaults]
        )
        return {key: self._defaults[key] for key in keys}

    def _put_back(self, before: Mapping[str, str | None]) -> None:
        with self.failing():
            set_all(self.session, {key: old for key, old in before.items() if old is not None})
            unset_all(self.session, [key for key, old in before.items() if old is None])

    @contextmanager
    def failing(self) -> Iterator[None]:
        """What PySpark raises in the block, and Py4J and gRPC below it, as `SparkError`."""
        try:
            yield
        except (SparkError, LakeportError):
            raise
        except Exception as error:
            self.spark.keep_trace(error)
            gone = self.spark.gone(error)
            self.has_ended = self.has_ended or gone is not None
            raise SparkError(error, gone) from error
