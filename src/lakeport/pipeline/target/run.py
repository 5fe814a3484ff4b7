"""Who writes: a run's id and what else the snapshot's summary says, which is where the truth about it is.

Whoever wants to know whether a run has committed asks the table and nobody else, so a crash between the
commit and any bookkeeping loses nothing. The snapshot of a schema change never carries these keys.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from lakeport.catalog.history import ACTOR, MODEL, RUN_ID
from lakeport.core.errors import InvalidRequestError

FINGERPRINT = "lakeport.fingerprint"
INTERVAL = "lakeport.interval"
ENGINE = "lakeport.engine-version"
UNFINISHED = "lakeport.unfinished"
"""In the summary of a snapshot that others of the same write come after."""

PROPERTY = "spark.sql.iceberg.snapshot-property."
"""Before a key, a setting of a session: all that it commits says so."""

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Run:
    """`model` is by which name the query goes, the table's if it has none of its own.

    A table that has a snapshot of this id and model was written by this run, and is not again.
    """

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    model: str | None = None
    fingerprint: str | None = None
    actor: str | None = None
    interval: str | None = None
    """The stretch of time it is about, where more than the rows' own is known."""

    def __post_init__(self) -> None:
        if not self.id or len(self.id) > _LONGEST or not self.id.isprintable():
            raise InvalidRequestError(
                "a run's id is some printable characters", hint="leave run_id out for a new one"
            )

    def summary(self, model: str, interval: str | None) -> dict[str, str]:
        given = {
            RUN_ID: self.id,
            MODEL: model,
            FINGERPRINT: self.fingerprint,
            INTERVAL: self.interval or interval,
            ENGINE: importlib.metadata.version("lakeport"),
            ACTOR: self.actor,
        }
        return {key: value for key, value in given.items() if value is not None}

    @property
    def word(self) -> str:
        """The id as a name that needs no quotes: of branches, views and staging tables."""
        word = re.sub(r"[^0-9A-Za-z]", "_", self.id)[:48]
        if word == self.id:
            return word
        # Ids that differ in what was replaced must not meet in one name.
        return f"{word}_{hashlib.sha256(self.id.encode()).hexdigest()[:12]}"

    @property
    def branch(self) -> str:
        return f"lakeport_{self.word}"


def made_by(summary: Mapping[str, str], run: str, model: str) -> bool:
    is_same = summary.get(RUN_ID) == run and summary.get(MODEL) == model
    return is_same and UNFINISHED not in summary


def fingerprint_of(*parts: str) -> str:
    """Of a query's text and what changes its meaning."""
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:32]
