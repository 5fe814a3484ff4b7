"""From settings to the thresholds of upkeep, and whose business upkeep is at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.catalog.upkeep import DAY, Policy
from lakeport.core.errors import UnsupportedError

if TYPE_CHECKING:
    from lakeport.app.settings import Maintenance, Settings


def policy_of(settings: Maintenance, *, grace: int | None = None, force: bool = False) -> Policy:
    """`grace` (nanoseconds) is what the caller asks for instead of `orphan_days`."""
    return Policy(
        keep_snapshots=settings.keep_snapshots,
        keep_for=round(settings.keep_days * DAY),
        small_files=settings.small_files,
        small_share=settings.small_share,
        deleted_share=settings.deleted_share,
        delete_files=settings.delete_files,
        manifests=settings.manifests,
        orphan_grace=round(settings.orphan_days * DAY) if grace is None else grace,
        force=force,
    )


def maintains_itself(settings: Settings) -> bool:
    """Whether the catalog sees to its tables by itself, as S3 Tables does."""
    catalog = settings.catalog
    names = (catalog.uri, catalog.warehouse, catalog.properties.get("warehouse"))
    return any(name is not None and "s3tables" in name for name in names)


def require_own_upkeep(settings: Settings) -> None:
    """Two who maintain a table would get into each other's way."""
    if maintains_itself(settings):
        raise UnsupportedError(
            "the catalog is of S3 Tables, which maintains its tables itself",
            hint="set what it keeps and joins in the table bucket's own configuration",
        )
