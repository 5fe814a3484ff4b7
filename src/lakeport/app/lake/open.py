"""`lakeport.open`: from a project's folder to its lake."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from lakeport.app import wiring
from lakeport.app.lake.actor import current_actor
from lakeport.app.lake.lake import Lake
from lakeport.app.settings import load


def open_lake(project: str | PathLike[str] | None = None, *, catalog: str | None = None) -> Lake:
    settings = load(project=None if project is None else Path(project)).with_catalog(catalog)
    opened = wiring.open_catalog(settings)
    actor = current_actor()
    return Lake(
        wiring.with_files(settings, opened),
        opened.close,
        actor=actor,
        pipeline=lambda: wiring.open_pipeline(settings, opened, actor),
    )
