"""The project, its catalog and its warehouse. Nothing is created by looking."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lakeport.app import wiring
from lakeport.app.doctor.machine import nearest_folder
from lakeport.app.doctor.report import Check, fail, ok, warn
from lakeport.core.errors import LakeportError
from lakeport.core.secrets import mask_text

if TYPE_CHECKING:
    from lakeport.app.settings import Settings

_SECONDS = 10.0


def project(settings: Settings) -> Check:
    if settings.file is None:
        return warn(
            "project",
            "no lakeport.toml here or above",
            "`lakeport init` makes one; `--project DIR` names one",
        )
    return ok("project", str(settings.root))


def catalog(settings: Settings) -> Check:
    try:
        presence = wiring.probe_catalog(settings, seconds=_SECONDS)
    except LakeportError as error:
        remedy = error.hint or f"`lakeport config {settings.catalog_section}`"
        return fail("catalog", error.message, remedy)
    kind = settings.catalog.type
    if presence.namespaces is None:
        return ok("catalog", f"{kind}, empty: the first write creates its tables")
    plural = "namespace" if presence.namespaces == 1 else "namespaces"
    return ok("catalog", f"{kind}, {presence.namespaces} {plural}")


def warehouse(settings: Settings) -> Check:
    place = settings.catalog.warehouse
    if place is None:
        return ok("warehouse", "left to the catalog")
    parts = urlsplit(place)
    if parts.scheme == "file":
        return _local(Path(parts.path), settings.catalog_section)
    if "://" not in place:
        return ok("warehouse", f"{place}, managed by the catalog")
    try:
        wiring.probe_warehouse(settings, seconds=_SECONDS)
    except LakeportError as error:
        remedy = f"check `{settings.catalog_section}.warehouse` and its credentials"
        return fail("warehouse", error.message, remedy)
    return ok("warehouse", f"{mask_text(place)} is writable")


def _local(folder: Path, section: str) -> Check:
    there = nearest_folder(folder)
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        return fail(
            "warehouse",
            f"{there} cannot be written: {reason}",
            f"give this user the right to write there, or set `{section}.warehouse`",
        )
    found = f"{folder} is writable" if there == folder else f"{folder}: the first write creates it"
    return ok("warehouse", found)
