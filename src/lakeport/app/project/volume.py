"""How much the last run on this machine wrote, for whoever starts the JVM of the next one.

A small file and not the state store: the JVM is launched before anything that could ask a store is loaded.
If the file is lost or cannot be read, the next run is tuned for little, and is right all the same.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.pipeline.running.result import RunResult

_log = logging.getLogger(__name__)

_BYTES = "added-files-size"


def remember_volume(settings: Settings, result: RunResult) -> None:
    """A run that wrote no table says nothing about the next one."""
    written = [
        model.outcome.counts.get(_BYTES, 0)
        for model in result.models
        if model.status == "succeeded" and model.outcome is not None
    ]
    if not written:
        return
    place = _place(settings)
    own = place.with_name(
        f"{place.name}.{os.getpid()}"
    )  # of runs that end together one counts, whole
    try:
        own.write_text(f"{sum(written)}\n")
        own.replace(place)
    except OSError as error:  # the rows are committed, and that is what the run is asked about
        _log.warning("volume.forgotten", extra={"reason": error.strerror})


def last_volume(settings: Settings) -> int:
    """In bytes as they are stored; 0 if nobody knows."""
    try:
        return int(_place(settings).read_text())
    except (OSError, ValueError):
        return 0


def _place(settings: Settings) -> Path:
    return settings.home / "volume"
